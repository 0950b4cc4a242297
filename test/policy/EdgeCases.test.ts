import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import * as EngineLayer from "../../src/app/EngineLayer.ts"
import { decide } from "../../src/policy/decision/Decision.ts"
import type { DecisionInput } from "../../src/policy/decision/DecisionInput.ts"
import type { PolicySettings } from "../../src/domain/PolicySettings.ts"
import * as Dangers from "../../src/policy/rules/propose/Dangers.ts"
import type { RuleHit } from "../../src/policy/decision/RuleFacts.ts"
import { policyFlagsOf } from "../../src/policy/decision/PolicyFlags.ts"
import { analyse } from "../../src/policy/shell/ShellAnalyser.ts"
import type { Agents } from "../../src/session/lifecycle/Agents.ts"
import * as Approvals from "../../src/session/policy/Approvals.ts"
import type { Attachment, PermissionAnswer, PermissionRequest } from "../../src/session/lifecycle/Attachment.ts"
import type { SessionEvent } from "../../src/domain/SessionEvent.ts"
import type { Session } from "../../src/session/lifecycle/Session.ts"
import { SessionManager } from "../../src/session/lifecycle/SessionManager.ts"
import { SessionStore } from "../../src/store/SessionStore.ts"
import * as Tool from "../../src/tool/Tool.ts"
import { Toolbox } from "../../src/tool/Toolbox.ts"
import { make, newSession, prompt, unrecorded } from "../support/SessionHarness.ts"
import { shellCall } from "./ShellCall.ts"
import { unconfined } from "../support/Bubblewrap.ts"
import { place, rules, shell as ruled, tools } from "./rules/Ruled.ts"

/** What docs/policy.md and docs/sandbox.md say beyond the decision table. */

const fixed = (settings: Partial<PolicySettings>, more: Partial<DecisionInput>) =>
  decide(
    shellCall({ tool_approval: "whitelist_accept", ...settings }, {
      place,
      facts: {
        opaque: false,
        parseError: false,
        place,
        canonical: (path) => path
      },
      ...more
    })
  )

const hit = (list: RuleHit["list"]): RuleHit => ({ list, id: "r", layer: "user", rule: "shell(x)" })
const danger = { category: "git-destructive", part: "git push --force" }
const analysed = (command: string) => analyse(command, place)

/** With a home folder that has nothing in it, whatever the machine's has. */
const atHome = <E>(home: string, effect: Effect.Effect<void, E>) => {
  const before = process.env["HOME"]
  return Effect.acquireUseRelease(
    Effect.sync(() => process.env["HOME"] = home),
    () => effect,
    () =>
      Effect.sync(() => {
        if (before === undefined) delete process.env["HOME"]
        else process.env["HOME"] = before
      })
  )
}

/** A test over the real engine, its model and tools. */
const live = (
  name: string,
  body: (harness: ReturnType<typeof make>) => Effect.Effect<void, unknown, SessionManager | SessionStore | Agents>,
  variables: Readonly<Record<string, string>> = {}
) =>
  it.live(name, () => {
    const harness = make({ ...unconfined, ...variables }, { engine: EngineLayer.layer })
    return atHome(harness.folder(), Effect.provide(body(harness), harness.layer))
  })

/** Somebody who answers every question in the same way, after what `first` does. */
const responder = (
  answer: PermissionAnswer,
  { first = () => Effect.void, publish = () => Effect.void }: {
    readonly first?: (request: PermissionRequest) => Effect.Effect<void>
    readonly publish?: (event: SessionEvent) => Effect.Effect<void>
  } = {}
): Attachment => ({ publish, ask: (request) => Effect.as(first(request), answer), choose: () => Effect.never })

const set = (session: Session, settings: Partial<PolicySettings>) =>
  Effect.orDie(
    Effect.forEach(Object.entries(settings), ([setting, value]) => session.policy.set(setting, value, "client"), {
      discard: true
    })
  )

const rule = (session: Session, list: RuleHit["list"], text: string) =>
  session.policy.addRule({ id: text, list, rule: text, reason: null })

/** The tool calls of the session after one more turn, as they ended: their status and what people see. */
const turn = Effect.fnUntraced(function*(session: Session, text: string) {
  yield* (yield* prompt(session.sessionId, text)).end
  const entries = yield* (yield* SessionStore).transcript(session.sessionId)
  return entries.flatMap((entry) =>
    entry._tag === "ToolCall" ? [{ status: entry.call.status, shown: JSON.stringify(entry.call.content) }] : []
  )
})

const ended = Effect.fnUntraced(function*(session: Session, text: string) {
  const last = (yield* turn(session, text)).at(-1)!
  return last.status === "completed" ? "completed" : /Denied by \w+ \(\w+\)/.exec(last.shown)?.[0] ?? last.shown
})

describe("What changes while a question is open", () => {
  const changes: ReadonlyArray<readonly [string, (session: Session) => Effect.Effect<void>, string]> = [
    [
      "approval_response never",
      (session) => set(session, { approval_response: "never" }),
      "Denied by response (APPROVAL_NEVER)"
    ],
    [
      "universal_reject",
      (session) => set(session, { tool_approval: "universal_reject" }),
      "Denied by policy (POLICY_DENY)"
    ],
    ["Work mode ro", (session) => set(session, { work_mode: "ro" }), "Denied by capability (CAPABILITY_NOT_GRANTED)"],
    ["a deny rule", (session) => rule(session, "deny", "shell(mkdir **)"), "Denied by rule (RULE_DENY)"],
    ["manual", (session) => set(session, { tool_approval: "manual" }), "completed"]
  ]
  for (const [name, change, outcome] of changes) {
    live(
      `${name} gives ${outcome}`,
      Effect.fnUntraced(function*() {
        const session = yield* newSession()
        session.attach(responder({ _tag: "AllowAlways", scope: "session" }, { first: () => change(session) }))
        assert.strictEqual(yield* ended(session, "run mkdir made"), outcome)
        assert.strictEqual(existsSync(join(session.workspace.cwd, "made")), outcome === "completed")
        const kept = (yield* session.policy.source).session.filter(({ list }) => list === "allow")
        assert.lengthOf(kept, outcome === "completed" ? 1 : 0)
      })
    )
  }

  live(
    "the network off gives Denied by network (NETWORK_DENIED)",
    Effect.fnUntraced(function*() {
      const session = yield* newSession()
      session.attach(responder({ _tag: "AllowOnce" }, { first: () => set(session, { network: "off" }) }))
      assert.strictEqual(yield* ended(session, "run git fetch"), "Denied by network (NETWORK_DENIED)")
    })
  )
})

describe("Capabilities, Work modes and rules that meet", () => {
  live(
    "a policy that changes while a call runs does not touch that call",
    Effect.fnUntraced(function*() {
      const session = yield* newSession()
      const narrow = set(session, { work_mode: "chat", tool_approval: "universal_reject", approval_response: "never" })
      session.attach(responder({ _tag: "AllowOnce" }, {
        publish: (event) =>
          event._tag === "ToolCallChanged" && event.call.status === "in_progress" ? narrow : Effect.void
      }))
      assert.strictEqual(yield* ended(session, "run sleep 0.1; mkdir made"), "completed")
      assert.isTrue(existsSync(join(session.workspace.cwd, "made")))
      assert.strictEqual(yield* ended(session, "run mkdir later"), "Denied by capability (CAPABILITY_NOT_GRANTED)")
    })
  )

  const narrowings: ReadonlyArray<readonly [Partial<PolicySettings>, ReadonlyArray<string>]> = [
    [{ network: "off" }, ["stopped", "running"]],
    [{ work_mode: "ro" }, ["stopped", "running"]],
    [{ work_mode: "sw" }, ["stopped", "running"]],
    [{ work_mode: "chat" }, ["stopped", "stopped"]],
    [{ tool_approval: "universal_reject", approval_response: "never", sandbox: "danger-full-access" }, [
      "running",
      "running"
    ]]
  ]
  for (const [settings, states] of narrowings) {
    live(
      `${JSON.stringify(settings)} leaves a job that writes ${states[0]}, and one that reads ${states[1]}`,
      Effect.fnUntraced(function*() {
        const session = yield* newSession()
        yield* set(session, { network: "on" })
        session.attach(responder({ _tag: "AllowOnce" }))
        for (const command of ["touch made; sleep 1000", "tail -f /dev/null"]) {
          assert.strictEqual(
            yield* ended(session, `call shell ${JSON.stringify({ command, background: true })}`),
            "completed"
          )
        }
        yield* set(session, settings)
        yield* set(session, { work_mode: "aw", tool_approval: "universal_accept" })
        const { shown } = (yield* turn(session, "call job_list {}")).at(-1)!
        const lines = shown.split("\\n")
        const stateOf = (command: string) => {
          const line = lines.find((line) => line.includes(command)) ?? ""
          return line.includes("has been running")
            ? "running"
            : line.includes("the policy of the session does not let it run any more")
            ? "stopped"
            : line
        }
        assert.deepStrictEqual(["touch made", "tail -f"].map(stateOf), states)
      })
    )
  }

  it.effect("every registered tool declares what it needs; one that does not is no tool", () =>
    Effect.gen(function*() {
      const { tools } = yield* Toolbox
      for (const { capabilities, name } of tools.values()) assert.isNotEmpty(capabilities, name)
      // @ts-expect-error A tool without capabilities does not compile.
      Tool.make<string>({
        name: "x",
        description: "",
        parameters: undefined!,
        kind: "other",
        needs: undefined!,
        preview: undefined!,
        run: undefined!
      })
    }).pipe(Effect.provide(Toolbox.layer)))

  it("of several capabilities all must be granted, and the most demanding one sets the ceiling", () => {
    assert.strictEqual(analysed("cat a && npm test").capability, "shell_test")
    assert.strictEqual(analysed("cat a && npm test && touch x").capability, "shell_rw")
    assert.strictEqual(fixed({ work_mode: "pl" }, { capabilities: ["rw_plan", "rw"] }).gate, "capability")
    assert.strictEqual(fixed({ work_mode: "sw" }, { capabilities: ["ro", "shell_rw"] }).gate, "capability")
    assert.strictEqual(fixed({ work_mode: "pl" }, { capabilities: ["ro", "rw_plan"] }).outcome, "run")
    assert.strictEqual(fixed({}, { capabilities: ["ro"] }).sandbox?.mode, "read-only")
    assert.strictEqual(fixed({}, { capabilities: ["shell_ro", "shell_test"] }).sandbox?.mode, "scratch")
    assert.strictEqual(fixed({}, { capabilities: ["ro", "shell_test", "rw"] }).sandbox?.mode, "workspace-write")
  })

  live(
    "what does nothing to the world is there in Work mode chat",
    Effect.fnUntraced(function*() {
      const session = yield* newSession()
      yield* set(session, { work_mode: "chat" })
      assert.strictEqual(yield* ended(session, "plan A; B"), "completed")
      assert.strictEqual(yield* ended(session, "list ."), "Denied by capability (CAPABILITY_NOT_GRANTED)")
    })
  )

  live(
    "an allow rule runs under universal_reject",
    Effect.fnUntraced(function*() {
      const session = yield* newSession()
      yield* set(session, { tool_approval: "universal_reject" })
      yield* rule(session, "allow", "shell(mkdir *)")
      assert.strictEqual(yield* ended(session, "run mkdir made"), "completed")
      assert.strictEqual(yield* ended(session, "run ls"), "Denied by policy (POLICY_DENY)")
    })
  )

  live(
    "an ask rule where nobody is asked denies",
    Effect.fnUntraced(function*() {
      const session = yield* newSession()
      yield* set(session, { approval_response: "never" })
      yield* rule(session, "ask", "shell(ls *)")
      assert.strictEqual(yield* ended(session, "run ls"), "Denied by response (APPROVAL_NEVER)")
    })
  )
})

describe("Allow rules, deny rules and commands that cannot be read", () => {
  it("an allow rule decides over a shape, matches nothing opaque, is warned about, and can be guarded", () => {
    assert.strictEqual(ruled({ allow: ["shell(git push *)"] }, "git push --force"), "allow")
    assert.strictEqual(fixed({}, { rule: hit("allow"), shapes: [danger] }).outcome, "run")
    for (const command of ["$X", "eval \"$X\"", "bash -c \"$X\"", "git push \"", "git push; $X", "git push $($X)"]) {
      assert.isUndefined(ruled({ allow: ["shell", "shell(**)", "shell(git push *)"] }, command), command)
    }
    const warnings = Dangers.of({ place, tools, analyse }).warnings(rules({ allow: ["shell(git push *)"] }).entries)
    assert.match(warnings.join(), /git push --force/)
    const guarded = fixed({}, { rule: hit("allow"), shapes: [danger], flags: policyFlagsOf({ guard_allow: true }) })
    assert.deepStrictEqual([guarded.outcome, guarded.code], ["ask", "GUARD_ALLOW"])
    assert.strictEqual(
      fixed({}, { rule: hit("allow"), opaque: true, flags: policyFlagsOf({ guard_allow: true }) }).outcome,
      "ask"
    )
    assert.strictEqual(fixed({}, { rule: hit("allow"), flags: policyFlagsOf({ guard_allow: true }) }).outcome, "run")
  })

  it("deny wins over allow, however specific", () => {
    assert.strictEqual(ruled({ deny: ["shell(git **)"], allow: ["shell(=git status)"] }, "git status"), "deny")
    assert.strictEqual(ruled({ deny: ["shell(=git status)"], allow: ["shell"] }, "git status"), "deny")
    assert.strictEqual(
      ruled({ deny: ["shell(git **)"], ask: ["shell(git status)"], allow: ["shell"] }, "git status"),
      "deny"
    )
  })

  const nested = (depth: number): string => depth === 0 ? "ls" : `eval ${JSON.stringify(nested(depth - 1))}`
  it.each([
    ["a parse error", "ls \""],
    ["more than 16 KiB", `echo ${"x".repeat(16 * 1024 - 4)}`],
    ["more than four levels of code", nested(5)]
  ])("%s is opaque: never allowed, never only reading, dangerous", (_, command) => {
    const { capability, opaque } = analysed(command)
    assert.isTrue(opaque)
    assert.strictEqual(capability, "shell_rw")
    assert.isUndefined(ruled({ allow: ["shell", "shell(**)"] }, command))
    assert.strictEqual(fixed({ tool_approval: "universal_accept" }, { opaque }).outcome, "ask")
  })

  it("up to 16 KiB and four levels a command is read", () => {
    assert.isFalse(analysed(`echo ${"x".repeat(16 * 1024 - 5)}`).opaque)
    assert.isFalse(analysed(nested(4)).opaque)
  })

  it.each(["", " \n", "# rm -rf /", "\n# a\n  # b\n"])("the command %j needs no capability", (command) => {
    const { capability, opaque, parts } = analysed(command)
    assert.deepStrictEqual([capability, opaque, parts], ["none", false, []])
    assert.strictEqual(fixed({ work_mode: "chat" }, { capabilities: [capability] }).outcome, "run")
  })
})

describe("Who is asked", () => {
  live(
    "one question at a time, each call waits for its own answer",
    Effect.fnUntraced(function*() {
      const open: Array<{ readonly id: string; readonly answer: Deferred.Deferred<PermissionAnswer> }> = []
      const attachment: Attachment = {
        ...responder({ _tag: "AllowOnce" }),
        ask: ({ call }) => {
          const answer = Deferred.makeUnsafe<PermissionAnswer>()
          open.push({ id: call.toolCallId, answer })
          return Deferred.await(answer)
        }
      }
      const approvals = Approvals.make(new Set([attachment]), () => undefined)
      const ask = (toolCallId: string) =>
        Effect.forkChild(
          approvals.ask({
            call: {
              toolCallId,
              name: "shell",
              title: "",
              kind: "execute",
              status: "pending",
              content: [],
              locations: []
            },
            reason: "",
            details: [],
            allow: [],
            deny: [],
            scopes: { allow: [], deny: [] }
          }, unrecorded),
          { startImmediately: true }
        )
      const asked = () => open.map(({ id }) => id)
      const [first, second] = [yield* ask("one"), yield* ask("two")]
      yield* Effect.sleep("20 millis")
      assert.deepStrictEqual(asked(), ["one"])
      yield* Deferred.succeed(open[0]!.answer, { _tag: "RejectOnce" })
      assert.deepStrictEqual(yield* Fiber.join(first), { _tag: "RejectOnce" })
      yield* Effect.sleep("20 millis")
      assert.deepStrictEqual(asked(), ["one", "two"])
      yield* Deferred.succeed(open[1]!.answer, { _tag: "AllowOnce" })
      assert.deepStrictEqual(yield* Fiber.join(second), { _tag: "AllowOnce" })
    })
  )

  live(
    "a restored session without a client has its policies, and nobody to ask",
    Effect.fnUntraced(function*() {
      const sessions = yield* SessionManager
      const { policy, sessionId } = yield* newSession()
      yield* policy.set("tool_approval", "manual", "client")
      yield* policy.set("network", "off", "client")
      const before = policy.settings()
      yield* sessions.close(sessionId)
      const session = yield* sessions.activate(sessionId, { additionalDirectories: [] }, Effect.succeed)
      assert.deepStrictEqual(session.policy.settings(), before)
      assert.strictEqual(yield* ended(session, "list ."), "Denied by response (APPROVAL_NO_RESPONDER)")
    })
  )
})

describe("A call that asks for a wider sandbox", () => {
  const wish = (mode: PolicySettings["sandbox"], why?: string) => ({ wish: { mode, why } })
  const answer = (settings: Partial<PolicySettings>, more: Partial<DecisionInput>) => {
    const { code, outcome, sandbox } = fixed(settings, more)
    return `${outcome} ${code} ${sandbox?.mode}`
  }
  const wide = "danger-full-access"

  it("a wider sandbox is a question of its own, also for an allowed call, and is dropped where no one may be asked", () => {
    assert.strictEqual(answer({ tool_approval: "universal_accept" }, {}), "run POLICY_RUN workspace-write")
    assert.strictEqual(
      answer({ tool_approval: "universal_accept" }, wish(wide)),
      "ask SANDBOX_WIDER danger-full-access"
    )
    assert.strictEqual(answer({}, { rule: hit("allow"), ...wish(wide) }), "ask SANDBOX_WIDER danger-full-access")
    assert.strictEqual(answer({}, wish(wide)), "ask SANDBOX_WIDER danger-full-access")
    assert.strictEqual(
      answer({ approval_response: "never" }, { rule: hit("allow"), ...wish(wide) }),
      "deny APPROVAL_NEVER undefined"
    )
    assert.strictEqual(answer({ tool_approval: "universal_reject" }, wish(wide)), "deny POLICY_DENY undefined")
    assert.strictEqual(answer({}, { rule: hit("deny"), ...wish(wide) }), "deny RULE_DENY undefined")
    assert.strictEqual(answer({ work_mode: "ro" }, wish(wide)), "deny CAPABILITY_NOT_GRANTED undefined")
  })

  it("has to be wider, and gets no more than its capabilities do", () => {
    const refused = "deny SANDBOX_NOT_WIDER undefined"
    const open = { tool_approval: "universal_accept" } as const
    assert.strictEqual(answer(open, wish("workspace-write")), refused)
    assert.strictEqual(answer(open, wish("read-only")), refused)
    assert.strictEqual(answer({ ...open, sandbox: "read-only" }, wish("workspace-read")), refused)
    assert.strictEqual(
      answer({ ...open, sandbox: "workspace-read" }, wish("workspace-write")),
      "ask SANDBOX_WIDER workspace-write"
    )
    const reads = { capabilities: ["shell_ro"] } as const
    assert.strictEqual(answer({ work_mode: "ro" }, { ...reads, ...wish(wide) }), refused)
    assert.strictEqual(
      answer({ work_mode: "ro", sandbox: "workspace-read" }, { ...reads, ...wish(wide) }),
      "ask SANDBOX_WIDER read-only"
    )
    const tests = { capabilities: ["shell_test"] } as const
    assert.strictEqual(answer({ ...open, work_mode: "sw" }, { ...tests, ...wish(wide) }), refused)
    assert.strictEqual(
      answer({ ...open, work_mode: "sw", sandbox: "workspace-read" }, { ...tests, ...wish(wide) }),
      "ask SANDBOX_WIDER scratch"
    )
  })

  it("says so in the reason and at the last gate", () => {
    const { gates, reason } = fixed({ tool_approval: "universal_accept" }, wish(wide, "the tests\nneed /opt"))
    assert.strictEqual(
      reason,
      "the call asks for the sandbox danger-full-access instead of workspace-write, this once; its reason: \"the tests need /opt\""
    )
    assert.deepStrictEqual(gates.map(({ verdict }) => verdict), [
      "pass",
      "pass",
      "pass",
      "pass",
      "pass",
      "run",
      "ask",
      "ask"
    ])
    assert.include(fixed({}, { rule: hit("ask"), ...wish(wide) }).reason, "it gives no reason; ask rule shell(x)")
  })

  live(
    "is granted for one call and never as a rule, and is in the trail",
    Effect.fnUntraced(function*() {
      const session = yield* newSession()
      yield* set(session, { sandbox: "read-only", tool_approval: "universal_accept" })
      yield* rule(session, "allow", "shell(touch *)")
      const asked: Array<PermissionRequest> = []
      session.attach(
        responder({ _tag: "AllowAlways", scope: "session" }, {
          first: (request) => Effect.sync(() => void asked.push(request))
        })
      )
      const call = (name: string) =>
        `call shell ${
          JSON.stringify({ command: `touch ${name}`, sandbox: "workspace-write", justification: "to leave a mark" })
        }`
      assert.strictEqual(yield* ended(session, call("one")), "completed")
      assert.isTrue(existsSync(join(session.workspace.cwd, "one")))
      assert.deepStrictEqual(asked[0]!.allow, [])
      const { details, reason } = asked[0]!
      assert.strictEqual(reason, "This command asks for more access than the session gives, this once.")
      assert.match(
        details.join("\n"),
        /asks for the sandbox workspace-write instead of read-only, this once; its reason: "to leave a mark"/
      )
      assert.match(details.join("\n"), /^runs in workspace-write/m)
      assert.lengthOf((yield* session.policy.source).session, 1)
      assert.notStrictEqual(yield* ended(session, "run touch two"), "completed")
      assert.isFalse(existsSync(join(session.workspace.cwd, "two")))
      assert.strictEqual(yield* ended(session, call("three")), "completed")
      assert.lengthOf(asked, 2)
      const { decisions } = yield* (yield* SessionStore).policy.trail(session.sessionId)
      assert.deepStrictEqual(decisions.map(({ code }) => code), ["SANDBOX_WIDER", "RULE_ALLOW", "SANDBOX_WIDER"])
      assert.include(decisions[0]!.reason, "to leave a mark")
    })
  )
})

describe("Refusals, file tools and reads from the network", () => {
  it.each(["workspace-read", "read-only", "workspace-write", "danger-full-access"] as const)(
    "where nothing can enforce %s the call is refused, and nothing wider is tried",
    (sandbox) => {
      const tried: Array<string> = []
      const decision = fixed({ sandbox, tool_approval: "universal_accept" }, {
        enforce: (mode) => {
          tried.push(mode)
          return { usable: false, note: "no backend" }
        }
      })
      assert.deepStrictEqual([decision.outcome, decision.code, decision.sandbox, tried], [
        "deny",
        "SANDBOX_UNAVAILABLE",
        undefined,
        [sandbox]
      ])
    }
  )

  live(
    "a model cannot approve its own call",
    Effect.fnUntraced(function*() {
      const session = yield* newSession()
      const flags = {
        approved: true,
        allow: true,
        force: true,
        sandbox: "danger-full-access",
        approval: "allow_always"
      }
      const call = (more: object) => `call shell ${JSON.stringify({ command: "mkdir made", ...more })}`
      for (const [flag, value] of Object.entries(flags)) {
        assert.strictEqual(
          yield* ended(session, call({ [flag]: value })),
          "Denied by response (APPROVAL_NO_RESPONDER)",
          flag
        )
      }
      assert.isFalse(existsSync(join(session.workspace.cwd, "made")))
    })
  )

  const plans: ReadonlyArray<readonly [string, string, string, RegExp]> = [
    [".postern/plan.md", "../src/plan.md", "src/plan.md", /it is a symbolic link/],
    [".postern", "src", "src/plan.md", /leads to another place|protects it/],
    [".postern/plan.md", "rules.toml", ".postern/rules.toml", /Denied by boundary \(PROTECTED_PATH\)/],
    [".postern/plan.md", "../../outside.md", "../outside.md", /Denied by boundary \(OUTSIDE_WORKSPACE\)/],
    [".postern/plan.md", "nothing.md", ".postern/nothing.md", /it is a symbolic link|PROTECTED_PATH/]
  ]
  for (const [link, target, file, refusal] of plans) {
    live(
      `a plan whose ${link} is a link to ${target} is not written`,
      Effect.fnUntraced(function*({ folder }) {
        const cwd = join(folder(), "project")
        for (const made of ["src", link.includes("/") ? ".postern" : "other"]) {
          mkdirSync(join(cwd, made), { recursive: true })
        }
        if (!target.includes("nothing")) writeFileSync(join(cwd, file), "# before\n")
        symlinkSync(target, join(cwd, link))
        const session = yield* newSession(cwd)
        session.attach(responder({ _tag: "AllowOnce" }))
        for (const work_mode of ["pl", "aw"] as const) {
          yield* set(session, { work_mode })
          assert.match((yield* turn(session, "call plan_write {\"content\":\"x\"}")).at(-1)!.shown, refusal)
        }
        assert.strictEqual(
          existsSync(join(cwd, file)) ? readFileSync(join(cwd, file), "utf8") : "# before\n",
          "# before\n"
        )
      })
    )
  }

  const anywhere = {
    POSTERN_risk_profiles__default__workspace_only: "false",
    POSTERN_risk_profiles__default__forbidden_paths: "[]"
  }
  live(
    "file tools see and change what a command in the same Sandbox mode does",
    Effect.fnUntraced(function*({ folder }) {
      const session = yield* newSession()
      session.attach(responder({ _tag: "AllowOnce" }))
      const outside = folder()
      writeFileSync(join(outside, "a"), "x")
      for (const name of [".ssh", "open"]) mkdirSync(join(homedir(), name))
      writeFileSync(join(homedir(), ".ssh", "id_x"), "x")
      const shown = Effect.fnUntraced(function*(sandbox: PolicySettings["sandbox"], script: string) {
        yield* set(session, { sandbox })
        const { shown, status } = (yield* turn(session, script)).at(-1)!
        return status === "completed" ? status : shown
      })
      assert.match(yield* shown("read-only", "write a.txt\nx"), /Sandbox mode read-only lets nothing be written/)
      assert.match(
        yield* shown("workspace-read", `read ${outside}/a`),
        /Sandbox mode workspace-read shows nothing outside/
      )
      assert.strictEqual(yield* shown("read-only", `read ${outside}/a`), "completed")
      assert.match(
        yield* shown("workspace-write", `write ${outside}/b\nx`),
        /Sandbox mode workspace-write lets only the session's folders be written/
      )
      for (const sandbox of ["workspace-read", "read-only", "workspace-write"] as const) {
        assert.match(yield* shown(sandbox, "read /etc/shadow"), /the sandbox hides it|shows nothing outside/, sandbox)
        for (const call of ["list ~/.ssh", "read ~/.ssh/id_x"]) {
          assert.match(yield* shown(sandbox, call), /the sandbox hides it|shows nothing outside/, `${sandbox} ${call}`)
        }
      }
      assert.strictEqual(yield* shown("read-only", "list ~/open"), "completed")
      assert.strictEqual(yield* shown("workspace-write", "write a.txt\nx"), "completed")
      assert.isFalse(existsSync(join(outside, "b")))
    }),
    anywhere
  )

  live(
    "file tools follow links before they compare, and stay in the session's folders",
    Effect.fnUntraced(function*({ folder }) {
      const session = yield* newSession()
      session.attach(responder({ _tag: "AllowOnce" }))
      const outside = folder()
      symlinkSync(outside, join(session.workspace.cwd, "link"))
      const refused = "Denied by boundary (OUTSIDE_WORKSPACE)"
      assert.strictEqual(yield* ended(session, "read ~/.ssh/id_rsa"), "Denied by boundary (PATH_FORBIDDEN)")
      for (
        const call of [
          "read link/a",
          "write link/a\nx",
          "list link",
          "read ~/x",
          "read /x",
          "write link/new/a\nx"
        ]
      ) {
        assert.strictEqual(yield* ended(session, call), refused, call)
      }
      assert.isFalse(existsSync(join(outside, "a")) || existsSync(join(outside, "new")))
    })
  )

  live(
    "a long command is shown whole, with its parts, its shapes and its sandbox",
    Effect.fnUntraced(function*() {
      const session = yield* newSession()
      yield* set(session, { tool_approval: "manual" })
      const asked: Array<PermissionRequest> = []
      session.attach(
        responder({ _tag: "RejectOnce" }, { first: (request) => Effect.sync(() => void asked.push(request)) })
      )
      const long = "y".repeat(3000)
      const parts = [`mkdir a${long}`, "git push --force", `touch b${long}`]
      const command = parts.join(" && ")
      assert.strictEqual(yield* ended(session, `run ${command}`), "Denied by response (APPROVAL_REJECTED)")
      const { call, details, reason } = asked[0]!
      const explanation = details.join("\n")
      assert.strictEqual(reason, "This command throws away commits or changes that git could bring back no more.")
      assert.deepInclude(call.rawInput, { command })
      assert.include(JSON.stringify(call.content), command)
      for (const part of parts) assert.include(explanation, part)
      assert.match(explanation, /^dangerous \(.+\): `git push --force`/m)
      assert.match(explanation, /^runs in (workspace-write|danger-full-access), network on/m)
    })
  )

  live(
    "a refusal says who, which code and why, names the rule, and no way around",
    Effect.fnUntraced(function*() {
      const session = yield* newSession()
      yield* rule(session, "deny", "shell(mkdir **)")
      const told = (yield* turn(session, "run mkdir made")).at(-1)!
      assert.include(told.shown, "Denied by rule (RULE_DENY): deny rule shell(mkdir **)\"")
      yield* set(session, { work_mode: "ro" })
      const second = (yield* turn(session, "write a.txt\nx")).at(-1)!
      assert.match(second.shown, /Denied by capability \(CAPABILITY_NOT_GRANTED\): the Work mode ro does not grant rw"/)
    })
  )

  live(
    "five refusals with one code end the turn with a notice, other codes count for themselves",
    Effect.fnUntraced(function*() {
      const session = yield* newSession()
      const notices: Array<string> = []
      session.attach(responder({ _tag: "RejectOnce" }, {
        publish: (event) => Effect.sync(() => event._tag === "Notice" && void notices.push(event.title))
      }))
      yield* rule(session, "deny", "shell(mkdir **)")
      const denied = (count: number) => Array.from({ length: count }, (_, i) => `run mkdir d${i}`)
      const rejected = (count: number) => Array.from({ length: count }, (_, i) => `run touch f${i}`)
      const calls = yield* turn(session, [...denied(4), ...rejected(4)].join("\n"))
      assert.deepStrictEqual([calls.length, notices], [8, []])
      const more = yield* turn(session, [...denied(3), ...rejected(2), ...denied(5)].join("\n"))
      assert.strictEqual(more.length - calls.length, 7)
      assert.lengthOf(notices, 1)
      assert.include(notices[0], "RULE_DENY")
    })
  )

  it.each(["pwsh -c ls", "pwsh -Command Get-ChildItem", "powershell.exe -NoProfile ls"])(
    "%s is shell_rw and opaque",
    (command) => {
      const { capability, opaque } = analysed(command)
      assert.deepStrictEqual([capability, opaque], ["shell_rw", true])
    }
  )

  it("reading from the network is asked about under whitelist_accept, unless the user or a rule lets it run", () => {
    const asking = {
      capabilities: ["ro"],
      network: "required",
      shell: false,
      flags: policyFlagsOf({})
    } as const
    assert.strictEqual(fixed({}, asking).outcome, "ask")
    assert.strictEqual(fixed({}, { ...asking, rule: hit("allow") }).outcome, "run")
    assert.strictEqual(fixed({}, { ...asking, network: "none" }).outcome, "run")
    assert.strictEqual(fixed({}, { ...asking, flags: policyFlagsOf({ ask_network_reads: false }) }).outcome, "run")
  })
})
