import { expect, test } from "vitest"
import type { Json } from "./Wire.ts"
import { Validator } from "./Validator.ts"

const send = (validator: Validator, id: number, method: string, params: Json = {}) =>
  validator.sent({ jsonrpc: "2.0", id, method, params })
const say = (validator: Validator, frame: Json) => void validator.received(JSON.stringify({ jsonrpc: "2.0", ...frame }))
const update = (validator: Validator, content: Json, sessionId = "s") =>
  say(validator, { method: "session/update", params: { sessionId, update: content } })
const ask = (validator: Validator, method: string, params: Json) =>
  say(validator, { id: "zc-out-0", method, params: { sessionId: "s", ...params } })
const call = { sessionUpdate: "tool_call", toolCallId: "t", title: "x" }
const text = (value: string, more: Json = {}) => ({
  sessionUpdate: "agent_message_chunk",
  content: { type: "text", text: value },
  ...more
})
const planned = { content: "a", priority: "low", status: "pending", activeForm: "x" }

const inTurn = (dialect: "acp" | "zeroclaw" = "acp") => {
  const validator = new Validator(dialect)
  send(validator, 1, "session/new")
  say(validator, { id: 1, result: { sessionId: "s" } })
  send(validator, 2, "session/prompt", { sessionId: "s", prompt: [] })
  return validator
}
const end = (validator: Validator) => say(validator, { id: 2, result: { stopReason: "end_turn" } })

test("a clean turn has no problem", () => {
  const validator = inTurn()
  update(validator, text("hi", { messageId: "m" }))
  update(validator, {
    sessionUpdate: "tool_call",
    toolCallId: "t",
    title: "x",
    status: "pending",
    rawInput: { any: [1] }
  })
  update(validator, { sessionUpdate: "tool_call_update", toolCallId: "t", status: "completed", _meta: { any: 1 } })
  end(validator)
  update(validator, { sessionUpdate: "available_commands_update", availableCommands: [] })
  expect(validator.problems).toEqual([])
})

const faults: ReadonlyArray<readonly [string, RegExp, (validator: Validator) => void]> = [
  ["text that is no JSON", /no JSON object/, (v) => void v.received("listening …")],
  ["a custom root key in an update", /unevaluated/, (v) => update(v, text("x", { body: "x" }))],
  ["a custom key deep inside", /unevaluated/, (v) => update(v, { sessionUpdate: "plan", entries: [planned] })],
  ["an update kind of its own", /must/, (v) => update(v, { sessionUpdate: "agent_error" })],
  ["a closed enum left", /must/, (v) => update(v, { ...call, status: "cancelled" })],
  [
    "a custom key in the prompt result",
    /unevaluated/,
    (v) => say(v, { id: 2, result: { stopReason: "end_turn", content: "x" } })
  ],
  ["an error without reason", /data\.reason/, (v) => say(v, { id: 2, error: { code: -32603, message: "x" } })],
  ["an answer nobody waits for", /not pending/, (v) => say(v, { id: 77, result: {} })],
  ["a second answer", /not pending/, (v) => {
    end(v)
    end(v)
  }],
  ["an update after the result", /outside a turn/, (v) => {
    end(v)
    update(v, text("late"))
  }],
  ["an update for a session nobody opened", /not active/, (v) => update(v, text("x"), "x")],
  ["a tool call left open", /is pending at/, (v) => {
    update(v, call)
    end(v)
  }],
  [
    "a tool update before its call",
    /before its tool_call/,
    (v) => update(v, { ...call, sessionUpdate: "tool_call_update" })
  ],
  ["a client method that was not offered", /not offered/, (v) => ask(v, "fs/read_text_file", { path: "/a" })],
  ["a permission request for no tool call", /no open tool call/, (v) => {
    ask(v, "session/request_permission", { toolCall: { toolCallId: "t" }, options: [] })
  }],
  ["history on resume", /before the result of session\/resume/, (v) => {
    send(v, 3, "session/resume", { sessionId: "r" })
    say(v, { method: "session/update", params: { sessionId: "r", update: text("old") } })
  }]
]
for (const [name, problem, act] of faults) {
  test(`${name} is a problem`, () => {
    const validator = inTurn()
    act(validator)
    expect(validator.problems.join("\n")).toMatch(problem)
  })
}

test("the other dialect may add root keys", () => {
  const validator = inTurn("zeroclaw")
  update(validator, text("x", { body: "x" }))
  say(validator, { id: 2, result: { stopReason: "end_turn", sessionId: "s", content: "x" } })
  expect(validator.problems).toEqual([])
})
