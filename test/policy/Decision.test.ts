import { existsSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as EngineLayer from "../../src/app/EngineLayer.ts"
import { commandLimitsOf, type OperatorLimits, unlimited } from "../../src/policy/decision/Limits.ts"
import type { Capability } from "../../src/domain/Capability.ts"
import { decide } from "../../src/policy/decision/Decision.ts"
import type { DecisionInput } from "../../src/policy/decision/DecisionInput.ts"
import { invalid } from "../../src/session/policy/Gate.ts"
import {
  ceiling,
  defaults,
  grants,
  type PolicySettings,
  resolve,
  settingValues
} from "../../src/domain/PolicySettings.ts"
import type { RiskFinding } from "../../src/policy/decision/CallAction.ts"
import type { RuleHit } from "../../src/policy/decision/RuleFacts.ts"
import { policyFlagsOf } from "../../src/policy/decision/PolicyFlags.ts"
import type { PermissionAnswer } from "../../src/session/lifecycle/Attachment.ts"
import { SessionStore } from "../../src/store/SessionStore.ts"
import { make, newSession, prompt } from "../support/SessionHarness.ts"
import { shellCall } from "./ShellCall.ts"

const limits: OperatorLimits = {
  level: "supervised",
  own: [],
  workspaceOnly: true,
  allowedRoots: [],
  forbiddenPaths: [],
  visiblePaths: [],
  usualForbidden: [],
  foreign: [],
  allowedCommands: [],
  forbiddenCommands: [],
  blockHighRiskCommands: true,
  askMediumRisk: true,
  commands: commandLimitsOf(undefined),
  backend: { name: "auto" },
  ...unlimited
}

const danger: RiskFinding = { category: "fs-wipe", part: "rm -rf /" }
const hit = (list: RuleHit["list"]): RuleHit => ({ list, id: "r", layer: "user", rule: "shell(x)" })

/** A shell call whose Tool approval policy was chosen by the session, so that the policy table decides about shapes. */
const input = (settings: Partial<PolicySettings>, more: Partial<DecisionInput> = {}): DecisionInput =>
  shellCall({ tool_approval: "whitelist_accept", ...settings }, { limits, ...more })

const unusable = { enforce: () => ({ usable: false, note: "no backend" }) }
const ro = { capabilities: ["shell_ro"] as const }

type Row = readonly [number, Partial<PolicySettings>, Partial<DecisionInput>, "run" | "ask" | "deny", string]

/**
 * Rows of docs/policy.md#decision-table. Where a person is asked, the answer decides later: the row shows the question.
 */
const rows: ReadonlyArray<Row> = [
  [1, { work_mode: "ro" }, {}, "deny", "capability"],
  [2, { network: "off" }, { networkPrograms: ["curl"] }, "deny", "network"],
  [3, {}, { rule: hit("deny") }, "deny", "rule"],
  [4, { approval_response: "never" }, { rule: hit("ask") }, "deny", "response"],
  [5, {}, { rule: hit("ask") }, "ask", "rule"],
  [6, {}, { rule: hit("ask") }, "ask", "rule"],
  [7, {}, { rule: hit("ask") }, "ask", "rule"],
  [8, {}, { rule: hit("ask"), ...unusable }, "deny", "sandbox"],
  [9, { tool_approval: "universal_reject" }, { rule: hit("allow") }, "run", "rule"],
  [10, {}, { rule: hit("allow"), ...unusable }, "deny", "sandbox"],
  [11, { tool_approval: "universal_reject" }, {}, "deny", "policy"],
  [12, { tool_approval: "manual", approval_response: "never" }, ro, "deny", "response"],
  [13, { tool_approval: "manual" }, ro, "ask", "policy"],
  [14, {}, ro, "run", "policy"],
  [15, { approval_response: "never" }, {}, "deny", "response"],
  [16, {}, {}, "ask", "policy"],
  [17, {}, {}, "ask", "policy"],
  [18, { tool_approval: "universal_accept" }, {}, "run", "policy"],
  [19, { tool_approval: "universal_accept", approval_response: "never" }, { shapes: [danger] }, "deny", "response"],
  [20, { tool_approval: "universal_accept" }, { shapes: [danger] }, "ask", "policy"],
  [21, { tool_approval: "universal_accept" }, { shapes: [danger] }, "ask", "policy"],
  [22, { tool_approval: "blacklist_reject" }, {}, "deny", "policy"],
  [23, { tool_approval: "blacklist_reject" }, ro, "run", "policy"],
  [
    24,
    { tool_approval: "blacklist_reject", approval_response: "never" },
    { ...ro, shapes: [danger] },
    "deny",
    "response"
  ],
  [25, { tool_approval: "blacklist_reject" }, { ...ro, shapes: [danger] }, "ask", "policy"],
  [26, { tool_approval: "universal_accept" }, unusable, "deny", "sandbox"]
]

/** What is special about a row, in words. */
const wordsFor = (
  settings: Partial<PolicySettings>,
  { capabilities, enforce, networkPrograms, rule, shapes }: Partial<DecisionInput>
): string =>
  [
    ...Object.entries(settings).map(([setting, value]) => `${setting} ${value}`),
    ...(rule === undefined ? [] : [`an ${rule.list} rule`]),
    ...(capabilities === undefined ? [] : ["a call that only reads"]),
    ...(shapes === undefined ? [] : ["a dangerous call"]),
    ...(networkPrograms === undefined ? [] : ["a call that needs a network"]),
    ...(enforce === undefined ? [] : ["no sandbox"])
  ].join(", ") || "the defaults"

describe("The decision table", () => {
  for (const [row, settings, more, outcome, gate] of rows) {
    it(`row ${row}: ${outcome} by ${gate} with ${wordsFor(settings, more)}`, () => {
      const decision = decide(input(settings, more))
      assert.deepStrictEqual([decision.outcome, decision.gate], [outcome, gate])
      assert.lengthOf(new Set(decision.gates.map(({ gate }) => gate)), 8)
    })
  }

  it("a tool the owner may not use is refused by the capability gate, before and whatever else is allowed", () => {
    const decision = decide(
      input({ tool_approval: "universal_accept" }, { withheld: "ann has no shell", rule: hit("allow") })
    )
    assert.deepInclude(decision, {
      outcome: "deny",
      gate: "capability",
      code: "TOOL_NOT_ALLOWED",
      reason: "ann has no shell"
    })
    assert.deepStrictEqual(decision.gates.map(({ verdict }) => verdict), [
      "pass",
      "deny",
      ...Array<string>(6).fill("skip")
    ])
  })

  it("an opaque command counts as dangerous", () => {
    assert.strictEqual(decide(input({ tool_approval: "universal_accept" }, { opaque: true })).outcome, "ask")
  })

  it("an allow rule decides over a shape, unless the user guards allow rules", () => {
    assert.strictEqual(decide(input({}, { rule: hit("allow"), shapes: [danger] })).outcome, "run")
    assert.strictEqual(
      decide(input({}, { rule: hit("allow"), shapes: [danger], flags: policyFlagsOf({ guard_allow: true }) }))
        .outcome,
      "ask"
    )
  })

  it("what carries data out without writing, a required network, is asked about, and refused with the network off", () => {
    assert.strictEqual(decide(input({}, { capabilities: ["ro"], network: "required" })).outcome, "ask")
    assert.strictEqual(decide(input({ network: "off" }, { capabilities: ["ro"], network: "required" })).gate, "network")
  })
})

/**
 * Rows whose outcome is a person's: the call, its settings and rules, the answer (none: nobody is there), and what becomes
 * of it.
 */
const answers: ReadonlyArray<
  readonly [number, string, Partial<PolicySettings>, string | undefined, PermissionAnswer | undefined, string]
> = [
  [
    4,
    "run mkdir made",
    { approval_response: "never" },
    "shell(mkdir **)",
    { _tag: "AllowOnce" },
    "Denied by response (APPROVAL_NEVER)"
  ],
  [5, "run mkdir made", {}, "shell(mkdir **)", undefined, "Denied by response (APPROVAL_NO_RESPONDER)"],
  [6, "run mkdir made", {}, "shell(mkdir **)", { _tag: "RejectOnce" }, "Denied by response (APPROVAL_REJECTED)"],
  [7, "run mkdir made", {}, "shell(mkdir **)", { _tag: "AllowOnce" }, "completed"],
  [13, "run mkdir made", { tool_approval: "manual" }, undefined, { _tag: "AllowOnce" }, "completed"],
  [16, "run mkdir made", {}, undefined, { _tag: "AllowOnce" }, "completed"],
  [17, "run mkdir made", {}, undefined, undefined, "Denied by response (APPROVAL_NO_RESPONDER)"],
  [20, "run mkdir made && git push --force || true", { tool_approval: "universal_accept" }, undefined, {
    _tag: "AllowOnce"
  }, "completed"],
  [
    21,
    "run mkdir made && git push --force",
    { tool_approval: "universal_accept" },
    undefined,
    { _tag: "RejectOnce" },
    "Denied by response (APPROVAL_REJECTED)"
  ]
]

describe("Rows of the decision table that a person decides", () => {
  for (const [row, call, settings, rule, answer, outcome] of answers) {
    it.live(`row ${row}: ${call}, answered ${answer?._tag ?? "by nobody"}, gives ${outcome}`, () => {
      const harness = make(undefined, { engine: EngineLayer.layer })
      return Effect.gen(function*() {
        const store = yield* SessionStore
        const session = yield* newSession()
        let questions = 0
        for (const [setting, value] of Object.entries(settings)) yield* session.policy.set(setting, value, "client")
        if (rule !== undefined) yield* session.policy.addRule({ id: "r", list: "ask", rule, reason: null })
        const ask = (reply: PermissionAnswer) =>
          Effect.sync(() => {
            questions++
            return reply
          })
        if (answer !== undefined) {
          session.attach({
            publish: () => Effect.void,
            ask: () => ask(answer),
            choose: () => Effect.never
          })
        }
        yield* (yield* prompt(session.sessionId, call)).end
        const entries = yield* store.transcript(session.sessionId)
        const last = entries.flatMap((entry) => entry._tag === "ToolCall" ? [entry.call] : []).at(-1)
        assert.strictEqual(last?.status, outcome === "completed" ? "completed" : "failed")
        if (outcome !== "completed") assert.include(JSON.stringify(last?.content), outcome)
        assert.strictEqual(existsSync(join(session.workspace.cwd, "made")), outcome === "completed")
        assert.strictEqual(questions, answer === undefined || settings.approval_response === "never" ? 0 : 1)
      }).pipe(Effect.provide(harness.layer))
    })
  }
})

describe("Autonomy levels", () => {
  const at = (level: OperatorLimits["level"], session: Partial<PolicySettings>, more: Partial<DecisionInput>) =>
    decide(
      input({}, { settings: resolve(level, { session, project: {}, user: {} }), limits: { ...limits, level }, ...more })
    )

  it("supervised refuses a dangerous shape, unless the session chose its policy or a rule names the command", () => {
    assert.deepInclude(at("supervised", {}, { shapes: [danger] }), {
      outcome: "deny",
      gate: "boundary",
      code: "HIGH_RISK"
    })
    assert.strictEqual(at("supervised", { tool_approval: "manual" }, { shapes: [danger] }).outcome, "ask")
    assert.strictEqual(at("supervised", {}, { shapes: [danger], rule: hit("ask") }).outcome, "ask")
  })

  it("readonly stops at reading, whatever the session asked for", () => {
    assert.strictEqual(at("readonly", { work_mode: "aw", tool_approval: "universal_accept" }, {}).outcome, "deny")
    assert.strictEqual(at("readonly", {}, { capabilities: ["ro"], shell: false }).outcome, "run")
    assert.deepInclude(at("readonly", {}, ro), { outcome: "deny", gate: "boundary", code: "READ_ONLY" })
    assert.strictEqual(
      resolve("readonly", { session: { work_mode: "aw" }, project: {}, user: {} }).values.work_mode,
      "ro"
    )
  })

  it("full runs without questions, but deny and ask rules still hold", () => {
    assert.strictEqual(at("full", {}, { shapes: [danger] }).outcome, "run")
    assert.strictEqual(at("full", {}, { rule: hit("ask") }).outcome, "ask")
    assert.strictEqual(at("full", { tool_approval: "universal_accept" }, { shapes: [danger] }).outcome, "ask")
  })
})

const every = <A, B>(as: ReadonlyArray<A>, bs: ReadonlyArray<B>): ReadonlyArray<readonly [A, B]> =>
  as.flatMap((a) => bs.map((b) => [a, b] as const))

/** Every combination of settings with every kind of call: small enough to try them all. */
const calls: ReadonlyArray<Partial<DecisionInput>> = every<Capability, Partial<DecisionInput>>(
  ["none", "ro", "rw", "rw_plan", "shell_ro", "shell_test", "shell_rw"],
  [{}, { shapes: [danger] }, { opaque: true }, { rule: hit("allow") }, { rule: hit("ask") }, { network: "required" }, {
    network: "none"
  }]
).map(([capability, more]) => ({ capabilities: [capability], ...more }))

const allKnobs: ReadonlyArray<Partial<PolicySettings>> = settingValues.work_mode.flatMap((work_mode) =>
  settingValues.network.flatMap((network) =>
    settingValues.tool_approval.flatMap((tool_approval) =>
      settingValues.approval_response.flatMap((approval_response) =>
        settingValues.sandbox.map((sandbox) => ({ work_mode, network, tool_approval, approval_response, sandbox }))
      )
    )
  )
)

const cases = every(allKnobs, calls)
const opens = { deny: 0, ask: 1, run: 2 }

describe("For every policy and every call", () => {
  it("adding a deny rule never opens", () => {
    for (const [settings, call] of cases) {
      assert.strictEqual(decide(input(settings, { ...call, rule: hit("deny") })).outcome, "deny")
    }
  })

  it("narrowing the Work mode never opens", () => {
    for (const [settings, call] of cases) {
      const wide = decide(input(settings, call))
      for (const work_mode of ["chat", "ro"] as const) {
        if (work_mode === "ro" && settings.work_mode === "chat") continue
        assert.isAtMost(opens[decide(input({ ...settings, work_mode }, call)).outcome], opens[wide.outcome])
      }
    }
  })

  it("approval response never asks no one and denies", () => {
    for (const [settings, call] of cases) {
      assert.notStrictEqual(decide(input({ ...settings, approval_response: "never" }, call)).outcome, "ask")
    }
  })

  it("with the network off nothing that runs has one", () => {
    for (const [settings, call] of cases) {
      const { outcome, sandbox } = decide(input({ ...settings, network: "off" }, call))
      if (outcome !== "deny") assert.isFalse(sandbox?.network)
    }
  })

  it("what runs is granted, and its sandbox is never wider than the ceiling", () => {
    for (const [settings, call] of cases) {
      const { capabilities, outcome, sandbox } = decide(input(settings, call))
      if (outcome === "deny") continue
      assert.isTrue(capabilities.every((capability) => grants(settings.work_mode!, capability)))
      assert.strictEqual(sandbox?.mode, ceiling(capabilities, settings.sandbox!))
      for (const mode of settingValues.sandbox) {
        const wider = decide(input(settings, { ...call, wish: { mode, why: undefined } }))
        assert.notStrictEqual(wider.outcome, "run")
        if (wider.sandbox) assert.strictEqual(wider.sandbox.mode, ceiling(capabilities, mode))
      }
      if (capabilities.includes("shell_ro")) assert.include(["read-only", "workspace-read"], sandbox?.mode)
    }
  })
})

it("A call that no gate can read shows all gates: the first one denies, the others are not reached", () => {
  const { gates } = invalid("UNKNOWN_TOOL", "there is no tool x")
  assert.deepStrictEqual(gates.map(({ gate, verdict }) => `${gate} ${verdict}`), [
    "validity deny",
    "capability skip",
    "network skip",
    "boundary skip",
    "rule skip",
    "policy skip",
    "response skip",
    "sandbox skip"
  ])
})

describe("The boundary", () => {
  const path = (kind: "read" | "write", text: string) => ({ kind, text, path: text } as const)
  const command = (program: string, ...words: ReadonlyArray<string>) =>
    ({
      kind: "command",
      text: [program, ...words].join(" "),
      program,
      argv: [program, ...words],
      assignments: [],
      wrappers: [],
      cwd: "/w",
      touches: [],
      opaque: false
    }) as const
  const code = (more: Partial<DecisionInput>, own: Partial<OperatorLimits> = {}) => {
    const decision = decide(input({ tool_approval: "universal_accept" }, { ...more, limits: { ...limits, ...own } }))
    return decision.outcome === "deny" ? decision.code : decision.outcome
  }
  const file = { shell: false, capabilities: ["ro"] as const, network: "none" as const }

  it("lets the plan tool, and only it, write the one plan file", () => {
    const plan = { ...file, capabilities: ["rw_plan"] as const }
    assert.strictEqual(code({ ...plan, parts: [path("write", ".postern/plan.md")] }), "run")
    assert.strictEqual(code({ ...plan, parts: [path("write", ".postern/rules.toml")] }), "PROTECTED_PATH")
    assert.strictEqual(
      code({ ...plan, parts: [path("write", ".postern/plan.md")], canonical: () => "/w/.postern/rules.toml" }),
      "PROTECTED_PATH"
    )
    for (const capabilities of [["rw"], ["rw_plan", "rw"]] as const) {
      assert.strictEqual(code({ ...file, capabilities, parts: [path("write", ".postern/plan.md")] }), "PROTECTED_PATH")
    }
  })

  it("keeps file tools inside the session's folders, links followed", () => {
    assert.strictEqual(code({ ...file, parts: [path("read", "src/a.ts")] }), "run")
    assert.strictEqual(code({ ...file, parts: [path("read", "/etc/passwd")] }), "OUTSIDE_WORKSPACE")
    assert.strictEqual(
      code({ ...file, parts: [path("read", "link")], canonical: () => "/etc/passwd" }),
      "OUTSIDE_WORKSPACE"
    )
    assert.strictEqual(code({ ...file, parts: [path("read", "/agent/a")], readable: ["/agent"] }), "run")
    assert.strictEqual(code({ ...file, parts: [path("write", "/agent/a")], readable: ["/agent"] }), "OUTSIDE_WORKSPACE")
    assert.strictEqual(code({ ...file, parts: [path("read", "/opt/data/a")] }, { allowedRoots: ["/opt/data"] }), "run")
  })

  it("lets the deepest path rule win, and a tie denies", () => {
    const forbidden = (paths: ReadonlyArray<string>, allowedRoots: ReadonlyArray<string> = []) =>
      code({
        ...file,
        parts: [path("read", "/home/u/p/secret/x")],
        place: { cwd: "/home/u/p", roots: ["/home/u/p"], home: "/home/u" }
      }, { forbiddenPaths: paths, allowedRoots })
    assert.strictEqual(forbidden(["/home"]), "run")
    assert.strictEqual(forbidden(["/home/u/p/secret"]), "PATH_FORBIDDEN")
    assert.strictEqual(forbidden(["/home/u/p"]), "PATH_FORBIDDEN")
    assert.strictEqual(forbidden(["~/p/secret"], ["/home/u/p/secret/x"]), "run")
    assert.strictEqual(forbidden(["/home/u/p/sec"]), "run")
  })

  it("lets nothing write the rules it is ruled by", () => {
    assert.strictEqual(
      code({ ...file, capabilities: ["rw"], parts: [path("write", ".postern/rules.toml")] }),
      "PROTECTED_PATH"
    )
    assert.strictEqual(
      code({
        parts: [{ ...command("cp", "a", ".postern/rules.toml"), touches: [path("write", "/w/.postern/rules.toml")] }]
      }),
      "PROTECTED_PATH"
    )
    assert.strictEqual(code({ ...file, parts: [path("read", ".postern/rules.toml")] }), "run")
  })

  it("looks at what a command names", () => {
    assert.strictEqual(code({ parts: [command("cat", "/etc/shadow")] }, { forbiddenPaths: ["/etc"] }), "PATH_FORBIDDEN")
    assert.strictEqual(
      code({ parts: [command("cat", "--file=/etc/shadow")] }, { forbiddenPaths: ["/etc"] }),
      "PATH_FORBIDDEN"
    )
    assert.strictEqual(
      code({ parts: [command("echo"), path("write", "/dev/null")] }, { forbiddenPaths: ["/dev"] }),
      "run"
    )
  })

  it("holds the lists of commands and the number of actions", () => {
    assert.strictEqual(code({ parts: [command("/usr/bin/git", "status")] }, { allowedCommands: ["git"] }), "run")
    assert.strictEqual(
      code({ parts: [command("git"), command("curl", "x")] }, { allowedCommands: ["git"] }),
      "COMMAND_NOT_ALLOWED"
    )
    assert.strictEqual(code({ parts: [command("git")] }, { forbiddenCommands: ["git"] }), "COMMAND_FORBIDDEN")
    assert.strictEqual(code({}, { actions: { done: 20, limit: 20 } }), "ACTION_LIMIT")
    assert.strictEqual(code({}, { actions: { done: 0, limit: 0 } }), "ACTION_LIMIT")
    assert.strictEqual(code({}, { cost: { spent: 4.99, limit: 5 } }), "run")
    assert.strictEqual(code({}, { cost: { spent: 5, limit: 5 } }), "COST_LIMIT")
    assert.strictEqual(code({}, { cost: { spent: Infinity, limit: 5 } }), "COST_LIMIT")
    assert.strictEqual(code({}, { cost: { spent: 0, limit: 0 } }), "COST_LIMIT")
  })
})

describe("Knobs", () => {
  it("are the session's, else the project's where it narrows, else the user's, else the default", () => {
    const { sources, values } = resolve("supervised", {
      session: { network: "off" },
      project: { work_mode: "ro", sandbox: "danger-full-access", tool_approval: "manual" },
      user: { tool_approval: "universal_accept", approval_response: "never" }
    })
    assert.deepStrictEqual(values, {
      ...defaults,
      network: "off",
      work_mode: "ro",
      tool_approval: "manual",
      approval_response: "never"
    })
    assert.deepStrictEqual(sources, {
      work_mode: "project",
      network: "session",
      user_rules: "default",
      tool_approval: "project",
      approval_response: "user",
      sandbox: "default"
    })
  })
})
