import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { hasBubblewrap } from "../support/Bubblewrap.ts"
import type { SocketClient } from "../support/SocketClient.ts"
import type { Json, Message } from "../support/Wire.ts"
import { promise, served } from "../support/ServedDaemon.ts"

const types = (messages: ReadonlyArray<Message>) =>
  messages.flatMap(({ id, method, params }) =>
    method === "session/update" ? [params?.["type"]] : id === undefined ? [] : ["result"]
  )

describe("A turn", () => {
  it.live("streams flat updates in both spellings, then turn_complete, then the result", () =>
    Effect.gen(function*() {
      const { greet, project } = yield* served()
      writeFileSync(join(project, "a.txt"), "one line\n")
      const client = yield* greet()
      const sessionId = yield* promise(() => client.session({ cwd: project }))
      const before = client.messages.length
      const result = yield* promise(() =>
        client.request("session/prompt", { sessionId, prompt: "think hm\nread a.txt\nsay hi", clientTurnGeneration: 3 })
      )
      assert.deepStrictEqual([result["session_id"], result["stop_reason"]], [sessionId, "end_turn"])
      assert.match(result["content"], /hi$/)
      const seen = [...new Set(types(client.messages.slice(before)))]
      assert.include(seen, "context_usage")
      assert.deepStrictEqual(seen.filter((type) => type !== "context_usage"), [
        "agent_thought_chunk",
        "tool_call",
        "tool_result",
        "agent_message_chunk",
        "turn_complete",
        "result"
      ])
      const [call] = client.updates("tool_call")
      const [output] = client.updates("tool_result")
      assert.deepInclude(call, {
        name: "file_read",
        session_id: sessionId,
        sessionId,
        raw_input: { path: "a.txt" },
        rawInput: { path: "a.txt" }
      })
      assert.strictEqual(output?.["tool_call_id"], call?.["toolCallId"])
      assert.include(output?.["raw_output"], "one line")
      assert.strictEqual(client.updates("agent_message_chunk").map(({ text }) => text).join(""), result["content"])
      assert.deepInclude(client.updates("turn_complete")[0], {
        outcome: "completed",
        content: result["content"],
        client_turn_generation: 3,
        message_count: 2
      })
    }))

  it.live("that is running keeps a second prompt out at once, and a cancel meets the first", () =>
    Effect.gen(function*() {
      const { greet, project } = yield* served()
      const client = yield* greet()
      const sessionId = yield* promise(() => client.session({ cwd: project }))
      const first = client.prompt(sessionId, "say begun\nwait 60\nwrite late.txt\nx")
      yield* promise(() => client.update("agent_message_chunk"))
      assert.strictEqual(
        (yield* promise(() => client.failure("session/prompt", { session_id: sessionId, prompt: "say no" }))).code,
        -32002
      )
      assert.deepInclude(yield* promise(() => client.request("session/state", { session_id: sessionId })), {
        state: "running"
      })
      assert.deepStrictEqual(yield* promise(() => client.request("session/cancel", { sessionId })), {
        session_id: sessionId,
        cancelled: true
      })
      assert.deepStrictEqual(yield* promise(() => first), {
        session_id: sessionId,
        stop_reason: "cancelled",
        content: "begun"
      })
      assert.deepInclude(client.updates("turn_complete")[0], { outcome: "cancelled", content: "begun" })
      const idle = yield* promise(() => client.failure("session/cancel", { sessionId }))
      assert.deepStrictEqual([idle.code, idle.data?.["reason"]], [-32000, "no_active_turn"])
      assert.match((yield* promise(() => client.prompt(sessionId, "say again")))["content"], /again/)
    }))

  it.live("of a session there is not fails twice: as turn_complete and as −32000", () =>
    Effect.gen(function*() {
      const { greet } = yield* served()
      const client = yield* greet()
      const refused = yield* promise(() => client.failure("session/prompt", { session_id: "none", prompt: "say hi" }))
      assert.strictEqual(refused.code, -32000)
      assert.deepInclude(client.updates("turn_complete")[0], {
        session_id: "none",
        outcome: "failed",
        content: "turn failed: Session not found: none"
      })
      const sessionId = yield* promise(() => client.session())
      const empty = yield* promise(() => client.failure("session/prompt", { session_id: sessionId, prompt: " " }))
      assert.deepStrictEqual([empty.code, empty.data?.["reason"]], [-32602, "empty_prompt"])
    }))

  it.live("runs its commands with the variables of its client's shell, secrets and loaders left out", () =>
    Effect.gen(function*() {
      const policy = "[policy]\ntool_approval = \"universal_accept\"\n"
      const open = "sandbox = \"danger-full-access\"\n[risk_profiles.default]\nsandbox_backend = \"none\"\n"
      const { greet, project } = yield* served({ config: policy + (hasBubblewrap ? "" : open) })
      const client = yield* greet({
        env: { LC_MINE: "from-the-client", LC_TOKEN: "hidden", LD_PRELOAD: "/evil.so", OTHER: "not on the list" }
      })
      const sessionId = yield* promise(() => client.session({ cwd: project }))
      writeFileSync(join(project, "show.sh"), "echo \"[$LC_MINE][$LC_TOKEN][$LD_PRELOAD][$OTHER]\"\n")
      yield* promise(() => client.prompt(sessionId, "run sh show.sh"))
      const output = client.updates("tool_result")[0]?.["raw_output"]
      assert.include(output, "[from-the-client][][][]")
      const other = yield* greet()
      const before = other.messages.length
      yield* promise(() => other.prompt(sessionId, "run sh show.sh"))
      assert.include((yield* promise(() => other.update("tool_result", before)))["raw_output"], "[][][][]")
    }))

  it.live("ends with its connection, and the session goes on for the next one", () =>
    Effect.gen(function*() {
      const { greet, project } = yield* served()
      const first = yield* greet()
      const sessionId = yield* promise(() => first.session({ cwd: project }))
      first.send({ id: 1, method: "session/prompt", params: { session_id: sessionId, prompt: "say begun\nwait 60" } })
      yield* promise(() => first.update("agent_message_chunk"))
      first.close()
      const second = yield* greet()
      for (let state = "running"; state === "running";) {
        state = (yield* promise(() => second.request("session/state", { session_id: sessionId })))["state"]
      }
      assert.match((yield* promise(() => second.prompt(sessionId, "say on")))["content"], /on/)
      const { messages } = yield* promise(() => second.messagePage({ session_id: sessionId }))
      assert.deepStrictEqual(messages.map(({ role }: { role: string }) => role), [
        "user",
        "assistant",
        "system",
        "user",
        "assistant"
      ])
      assert.match(messages[2]?.content ?? "", /interrupted/)
    }))

  it.live("outlives its connection where the client said so", () =>
    Effect.gen(function*() {
      const { greet, project } = yield* served()
      const first = yield* greet({ client_capabilities: { turn_lifetime: "session" } })
      const sessionId = yield* promise(() => first.session({ cwd: project }))
      first.send({
        id: 1,
        method: "session/prompt",
        params: { session_id: sessionId, prompt: "say begun\nwait 0.3\nlist" }
      })
      yield* promise(() => first.update("agent_message_chunk"))
      first.close()
      const second = yield* greet()
      for (let state = "running"; state === "running";) {
        state = (yield* promise(() => second.request("session/state", { session_id: sessionId })))["state"]
      }
      const { messages } = yield* promise(() => second.messagePage({ session_id: sessionId }))
      assert.include(messages.map(({ kind }: { kind: string }) => kind), "tool_result")
    }))
})

describe("A plan", () => {
  it.live("keeps what a step is called while it is done, in the turn and in the session", () =>
    Effect.gen(function*() {
      const { greet, project } = yield* served()
      const client = yield* greet()
      const session_id = yield* promise(() => client.session({ cwd: project }))
      const todos = [{ content: "A", status: "in_progress", activeForm: "Doing A" }, {
        content: "B",
        status: "pending"
      }]
      yield* promise(() => client.prompt(session_id, `call TodoWrite ${JSON.stringify({ todos })}`))
      const expected = [
        { content: "A", status: "in_progress", priority: "medium", activeForm: "Doing A" },
        { content: "B", status: "pending", priority: "medium" }
      ]
      assert.deepStrictEqual(client.updates("plan")[0]?.["entries"], expected)
      yield* promise(() => client.request("session/close", { session_id }))
      yield* promise(() => client.session({ session_id }))
      const { plan } = yield* promise(() => client.request("session/state", { session_id }))
      assert.deepStrictEqual<unknown>(plan, expected)
    }))
})

describe("An approval that is open when the client goes", () => {
  const config = `
[users.guest]
uid = 4242
permission_profiles = ["guest"]
[permission_profiles.guest]
admin = true
`
  /** An open approval of a client whose turns outlive it, and the state of its session once the turn is over. */
  const open = Effect.gen(function*() {
    const daemon = yield* served({ config })
    const first = yield* daemon.greet({ client_capabilities: { turn_lifetime: "session" } })
    const session_id = yield* promise(() => first.session({ cwd: daemon.project }))
    first.send({
      id: 1,
      method: "session/prompt",
      params: { session_id, prompt: "write a.txt\nhello\n.\nwrite b.txt\nx" }
    })
    const { request_id } = yield* promise(() => first.update("approval_request"))
    const outputs = Effect.fnUntraced(function*(client: SocketClient) {
      for (let state = "running"; state === "running";) {
        state = (yield* promise(() => client.request("session/state", { session_id })))["state"]
      }
      const { messages } = yield* promise(() => client.messagePage({ session_id }))
      return messages.filter(({ kind }: Json) => kind === "tool_result").map(({ content }: Json) =>
        JSON.stringify(content)
      )
    })
    return { ...daemon, first, outputs, request_id, session_id }
  })

  it.effect("an approval is refused at once without a connected client of the same principal", () =>
    Effect.gen(function*() {
      const { first, greet, openFor, outputs, project } = yield* open
      const guest = yield* greet({}, yield* openFor(4242))
      first.close()
      const refused = yield* outputs(guest)
      assert.lengthOf(refused, 2)
      for (const output of refused) assert.match(output, /APPROVAL_NO_RESPONDER/)
      assert.isFalse(existsSync(join(project, "a.txt")))
    }))

  it.effect("waits for another connection of the same principal, and is refused when that goes, too", () =>
    Effect.gen(function*() {
      const { first, greet, openFor, outputs, project, request_id, session_id } = yield* open
      const second = yield* greet()
      const guest = yield* greet({}, yield* openFor(4242))
      first.close()
      while ((yield* promise(() => second.request("tui/list")))["tuis"].length > 2) yield* Effect.yieldNow
      yield* promise(() => second.request("session/approve", { session_id, request_id, decision: "allow_once" }))
      while (!existsSync(join(project, "a.txt"))) yield* promise(() => second.request("status"))
      second.close()
      const [allowed, refused] = yield* outputs(guest)
      assert.notMatch(allowed ?? "", /APPROVAL/)
      assert.match(refused ?? "", /APPROVAL_NO_RESPONDER/)
    }))
})

describe("A question that is open when the client goes", () => {
  it.live("is over at once, though the turn goes on", () =>
    Effect.gen(function*() {
      const { greet, project } = yield* served()
      const first = yield* greet({ clientCapabilities: { elicitation: {}, turnLifetime: "session" } })
      const other = yield* greet()
      const session_id = yield* promise(() => first.session({ cwd: project }))
      first.send({ id: 1, method: "session/prompt", params: { session_id, prompt: "ask Which? | red | blue\nsay on" } })
      yield* promise(() => first.waitFor(({ method }) => method === "elicitation/create"))
      first.close()
      for (let state = "running"; state === "running";) {
        state = (yield* promise(() => other.request("session/state", { session_id })))["state"]
      }
      const { messages } = yield* promise(() => other.messagePage({ session_id }))
      assert.match(JSON.stringify(messages), /the client is gone.*on/)
    }))
})

describe("An approval", () => {
  const asking = Effect.fnUntraced(function*(decision: string, more: object = {}) {
    const { greet, project } = yield* served()
    const client = yield* greet()
    const sessionId = yield* promise(() => client.session({ cwd: project }))
    const turn = client.prompt(sessionId, "write a.txt\nhello")
    const request = yield* promise(() => client.update("approval_request"))
    const answer = yield* promise(() =>
      client.request("session/approve", { session_id: sessionId, request_id: request["request_id"], decision, ...more })
    )
    const result = yield* promise(() => turn)
    return { answer, client, content: result["content"] as string, file: join(project, "a.txt"), request, sessionId }
  })

  it.live("is answered by a call and lets the tool run", () =>
    Effect.gen(function*() {
      const { answer, client, file, request, sessionId } = yield* asking("allow_once")
      assert.deepInclude(request, { tool_name: "file_write", timeout_secs: 120 })
      assert.match(request["arguments_summary"], /^path: a\.txt, /)
      assert.deepStrictEqual(answer, { session_id: sessionId, request_id: request["request_id"], acknowledged: true })
      assert.strictEqual(readFileSync(file, "utf8"), "hello\n")
      const late = yield* promise(() =>
        client.request("session/approve", { session_id: sessionId, request_id: "gone", decision: "reject" })
      )
      assert.isTrue(late["acknowledged"])
    }))

  for (const decision of ["reject", "reject_once"]) {
    it.live(`${decision} is a refusal by the user`, () =>
      Effect.gen(function*() {
        const { client, file } = yield* asking(decision)
        assert.isFalse(existsSync(file))
        assert.match(client.updates("tool_result")[0]?.["raw_output"], /APPROVAL_REJECTED/)
      }))
  }

  it.live("cancelled ends the turn", () =>
    Effect.gen(function*() {
      const { client, file, sessionId } = yield* asking("cancelled")
      assert.isFalse(existsSync(file))
      assert.strictEqual(client.updates("turn_complete")[0]?.["outcome"], "cancelled")
      assert.match((yield* promise(() => client.prompt(sessionId, "say on")))["content"], /on$/)
    }))

  it.live("reject_with_edit puts the user's text in the place of the result", () =>
    Effect.gen(function*() {
      const { client, file } = yield* asking("reject_with_edit", { replacement: "wrote it myself" })
      assert.isFalse(existsSync(file))
      assert.strictEqual(client.updates("tool_result")[0]?.["raw_output"], "wrote it myself")
    }))

  it.effect("an answer that does not come in time is a refusal by the runtime, not by the user", () =>
    Effect.gen(function*() {
      const { greet, project } = yield* served({ config: "[risk_profiles.default.approval_route]\ntimeout_secs = 7\n" })
      const client = yield* greet()
      const sessionId = yield* promise(() => client.session({ cwd: project }))
      const turn = client.prompt(sessionId, "write a.txt\nhello")
      assert.strictEqual((yield* promise(() => client.update("approval_request")))["timeout_secs"], 7)
      yield* TestClock.adjust("7 seconds")
      yield* promise(() => turn)
      assert.isFalse(existsSync(join(project, "a.txt")))
      const output = client.updates("tool_result")[0]?.["raw_output"]
      assert.match(output, /APPROVAL_TIMEOUT/)
      assert.notMatch(output, /rejected/)
    }))

  it.live("can come from another connection; an unknown word is refused", () =>
    Effect.gen(function*() {
      const { greet, project } = yield* served()
      const client = yield* greet()
      const other = yield* greet()
      const session_id = yield* promise(() => client.session({ cwd: project }))
      const turn = client.prompt(session_id, "write a.txt\nhello")
      const { request_id } = yield* promise(() => client.update("approval_request"))
      const refused = yield* promise(() =>
        other.failure("session/approve", { session_id, request_id, decision: "yes" })
      )
      assert.deepStrictEqual([refused.code, refused.data?.["field"]], [-32602, "decision"])
      yield* promise(() =>
        other.request("session/approve", { sessionId: session_id, requestId: request_id, decision: "allow_once" })
      )
      yield* promise(() => turn)
      assert.isTrue(existsSync(join(project, "a.txt")))
    }))
})

describe("A question of the agent", () => {
  it.live("is a form for clients that take forms; ids of the two directions do not meet", () =>
    Effect.gen(function*() {
      const { greet, project } = yield* served()
      const client = yield* greet({ clientCapabilities: { elicitation: {} } })
      const sessionId = yield* promise(() => client.session({ cwd: project }))
      client.send({
        id: "zc-out-0",
        method: "session/prompt",
        params: { session_id: sessionId, prompt: "ask Which? | red | blue" }
      })
      const asked = yield* promise(() => client.waitFor(({ method }) => method === "elicitation/create"))
      assert.deepStrictEqual([asked.id, asked.params?.["sessionId"], asked.params?.["mode"]], [
        "zc-out-0",
        sessionId,
        "form"
      ])
      assert.deepStrictEqual(asked.params?.["requestedSchema"].properties.choice.oneOf, [{
        const: "choice-0",
        title: "red"
      }, { const: "choice-1", title: "blue" }])
      client.send({ id: "zc-out-0", result: { action: "accept", content: { choice: "choice-1" } } })
      const result = yield* promise(() => client.answer("zc-out-0"))
      assert.include(result.result?.["content"], "blue")
    }))

  it.live("ends the turn when its form is cancelled, and not when it is declined", () =>
    Effect.gen(function*() {
      const { greet, project } = yield* served()
      const client = yield* greet({ clientCapabilities: { elicitation: {} } })
      const sessionId = yield* promise(() => client.session({ cwd: project }))
      for (const [action, stopReason] of [["cancel", "cancelled"], ["decline", "end_turn"]] as const) {
        const since = client.messages.length
        const turn = client.prompt(sessionId, "ask Which? | red | blue\nsay on")
        const { id } = yield* promise(() => client.waitFor(({ method }) => method === "elicitation/create", since))
        client.send({ id, result: { action } })
        assert.strictEqual((yield* promise(() => turn))["stop_reason"], stopReason)
      }
    }))

  it.live("is over as soon as there is a response, be it null; a response to nothing is passed over", () =>
    Effect.gen(function*() {
      const { greet, project } = yield* served()
      const client = yield* greet({ clientCapabilities: { elicitation: { form: {} } } })
      const sessionId = yield* promise(() => client.session({ cwd: project }))
      client.send({ id: "zc-out-0", result: null }, { id: 7, result: 1 })
      const turn = client.prompt(sessionId, "ask Which? | red | blue")
      const { id } = yield* promise(() => client.waitFor(({ method }) => method === "elicitation/create"))
      client.send({ id, result: null })
      yield* promise(() => turn)
      assert.match(client.updates("tool_result")[0]?.["raw_output"], /no answer/)
    }))

  it.live("fails at once where the client takes none", () =>
    Effect.gen(function*() {
      const { greet, project } = yield* served()
      const client = yield* greet()
      const sessionId = yield* promise(() => client.session({ cwd: project }))
      yield* promise(() => client.prompt(sessionId, "ask Which? | red | blue"))
      assert.match(client.updates("tool_result")[0]?.["raw_output"], /takes no questions/)
    }))
})
