import { assert, describe, it } from "@effect/vitest"
import * as Forwarding from "../../src/gateway/bridge/Forwarding.ts"
import type { Json } from "../support/Wire.ts"

/** A bridge between lists: what the editor is told, and what each connection carries. */
const make = () => {
  const editor: Array<Json> = []
  const forwarding = Forwarding.make((text) => void editor.push(JSON.parse(text)))
  const connect = () => {
    const carried: Array<Json> = []
    forwarding.connected((text) => void carried.push(JSON.parse(text)))
    return carried
  }
  const say = (message: object) => forwarding.fromEditor(JSON.stringify({ jsonrpc: "2.0", ...message }))
  const hear = (message: object) => forwarding.fromAgent(JSON.stringify({ jsonrpc: "2.0", ...message }))
  return { connect, editor, forwarding, hear, say }
}

const prompt = { id: 1, method: "session/prompt", params: { sessionId: "s", prompt: [] } }

const question = (id: string, toolCallId = "c") => ({
  id,
  method: "session/request_permission",
  params: { sessionId: "s", toolCall: { toolCallId }, options: [] }
})

const allowed = { outcome: { outcome: "selected", optionId: "allow-once" } }

const questionsIn = (messages: ReadonlyArray<Json>) =>
  messages.filter(({ method }) => method === "session/request_permission")

const answersIn = (messages: ReadonlyArray<Json>) =>
  messages.filter(({ result }) => result !== undefined).map(({ id, result }) => [id, result])

describe("The answer of an editor to a question", () => {
  it("is given again where the connection that carried it was lost before it arrived", () => {
    const { connect, editor, forwarding, hear, say } = make()
    const first = connect()
    say(prompt)
    hear(question("a-1"))
    say({ id: questionsIn(editor)[0]!["id"], result: allowed })
    assert.deepStrictEqual(answersIn(first), [["a-1", allowed]])
    forwarding.disconnected()
    const second = connect()
    hear(question("b-1"))
    assert.deepStrictEqual(answersIn(second), [["b-1", allowed]])
    assert.lengthOf(questionsIn(editor), 1)
  })

  it("that was given while there was no connection waits for the question", () => {
    const { connect, editor, forwarding, hear, say } = make()
    connect()
    say(prompt)
    hear(question("a-1"))
    forwarding.disconnected()
    say({ id: questionsIn(editor)[0]!["id"], result: allowed })
    const second = connect()
    hear(question("b-1"))
    assert.deepStrictEqual(answersIn(second), [["b-1", allowed]])
    assert.lengthOf(questionsIn(editor), 1)
  })

  it("is no answer to another call, nor to the same one asked again on the same connection or in a later prompt", () => {
    const { connect, editor, forwarding, hear, say } = make()
    const first = connect()
    say(prompt)
    hear(question("a-1"))
    say({ id: questionsIn(editor)[0]!["id"], result: allowed })
    hear(question("a-2"))
    hear(question("a-3", "d"))
    assert.lengthOf(questionsIn(editor), 3)
    assert.deepStrictEqual(answersIn(first), [["a-1", allowed]])
    hear({ id: 1, result: { stopReason: "end_turn" } })
    forwarding.disconnected()
    const second = connect()
    say({ ...prompt, id: 2 })
    hear(question("b-1", "e"))
    assert.lengthOf(questionsIn(editor), 4)
    assert.deepStrictEqual(answersIn(second), [])
  })
})
