import { assert, describe, it } from "@effect/vitest"
import * as Wire from "../../src/rpc/Wire.ts"

const tagOf = (line: string) => {
  const message = Wire.read(line)
  return message._tag === "Malformed" ? [message._tag, message.fault.code, message.id] : [message._tag]
}

describe("Reading one line", () => {
  it.each<[string, string, ReadonlyArray<unknown>]>([
    ["a request", `{"jsonrpc":"2.0","id":1,"method":"a"}`, ["Request"]],
    ["a notification", `{"jsonrpc":"2.0","method":"a","params":{}}`, ["Notification"]],
    ["a notification with null params", `{"jsonrpc":"2.0","method":"a","params":null}`, ["Notification"]],
    ["a result", `{"jsonrpc":"2.0","id":"zc-out-0","result":{}}`, ["Response"]],
    ["a null result", `{"jsonrpc":"2.0","id":"zc-out-0","result":null}`, ["Response"]],
    ["an error", `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}`, ["Response"]],
    ["both a result and an error", `{"jsonrpc":"2.0","id":1,"result":1,"error":{"code":1,"message":"m"}}`, ["Dropped"]],
    ["a result with a null error", `{"jsonrpc":"2.0","id":1,"result":{},"error":null}`, ["Response"]],
    ["an error with a null result", `{"jsonrpc":"2.0","id":1,"result":null,"error":{"code":1,"message":"m"}}`, [
      "Response"
    ]],
    ["a null error alone", `{"jsonrpc":"2.0","id":1,"error":null}`, ["Dropped"]],
    ["an error that is no object", `{"jsonrpc":"2.0","id":1,"error":"m"}`, ["Dropped"]],
    ["a response without id", `{"jsonrpc":"2.0","result":{}}`, ["Dropped"]],
    ["a response of another version", `{"jsonrpc":"1.0","id":1,"result":{}}`, ["Dropped"]],
    ["no JSON", `{nope`, ["Malformed", -32700, "null"]],
    ["a number", `42`, ["Malformed", -32600, "null"]],
    ["null", `null`, ["Malformed", -32600, "null"]],
    ["a batch", `[{"jsonrpc":"2.0","id":1,"method":"a"}]`, ["Malformed", -32600, "null"]],
    ["an empty batch", `[]`, ["Malformed", -32600, "null"]],
    ["no method", `{"jsonrpc":"2.0","id":3}`, ["Malformed", -32600, "3"]],
    ["a method that is no string", `{"jsonrpc":"2.0","id":4,"method":1}`, ["Malformed", -32600, "4"]],
    ["no version", `{"id":5,"method":"a"}`, ["Malformed", -32600, "5"]],
    ["another version", `{"jsonrpc":"1.0","id":"x","method":"a"}`, ["Malformed", -32600, `"x"`]],
    ["an id that is an object", `{"jsonrpc":"2.0","id":{},"method":"a"}`, ["Malformed", -32600, "null"]],
    ["an id that is a boolean", `{"jsonrpc":"2.0","id":true,"method":"a"}`, ["Malformed", -32600, "null"]],
    ["params that are a text", `{"jsonrpc":"2.0","id":6,"method":"a","params":"p"}`, ["Malformed", -32600, "6"]],
    ["a method next to a result", `{"jsonrpc":"2.0","id":7,"method":"a","result":{}}`, ["Malformed", -32600, "null"]]
  ])("%s", (_, line, expected) => {
    assert.deepStrictEqual(tagOf(line), expected)
  })

  it.each<[string, string, ReadonlyArray<unknown>]>([
    ["no method", `{"jsonrpc":"2.0","id":"zc-out-0"}`, ["Malformed", -32600, "null"]],
    ["a method that is no string", `{"jsonrpc":"2.0","id":"zc-out-1","method":7}`, ["Malformed", -32600, "null"]],
    ["params that are null", `{"jsonrpc":"2.0","id":6,"method":"a","params":null}`, ["Malformed", -32600, "6"]],
    ["no version", `{"id":5,"method":"a"}`, ["Malformed", -32600, "5"]],
    ["a null result", `{"jsonrpc":"2.0","id":"zc-out-0","result":null}`, ["Response"]],
    ["no params", `{"jsonrpc":"2.0","id":1,"method":"a"}`, ["Request"]]
  ])("%s, where nothing is left open", (_, line, expected) => {
    const message = Wire.read(line, true)
    assert.deepStrictEqual(
      message._tag === "Malformed" ? [message._tag, message.fault.code, message.id] : [message._tag],
      expected
    )
  })

  const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels)

  it.each<[string, string, ReadonlyArray<unknown>]>([
    ["a request with an odd id", `{"jsonrpc":"2.0","id":1.5,"method":"a","params":{"_meta":${nested(100_000)}}}`, [
      "Malformed",
      -32600,
      "1.5"
    ]],
    ["a request", `{"jsonrpc":"2.0","id":"x","method":"a","params":${nested(1001)}}`, ["Malformed", -32600, `"x"`]],
    ["a response with an odd id", `{"jsonrpc":"2.0","id":12345678901234567890,"result":${nested(100_000)}}`, [
      "Dropped"
    ]],
    ["an id", `{"jsonrpc":"2.0","id":${nested(100_000)},"method":"a"}`, ["Malformed", -32600, "null"]]
  ])("refuses %s that is nested too deeply for whoever would walk it", (_, line, expected) => {
    assert.deepStrictEqual(tagOf(line), expected)
  })

  it("takes what is nested 900 levels deep", () => {
    assert.deepStrictEqual(tagOf(`{"jsonrpc":"2.0","id":1.5,"method":"a","params":{"_meta":${nested(900)}}}`), [
      "Request"
    ])
  })

  it.each([`7`, `"7"`, `0`, `null`, `""`, `1.5`, `12345678901234567890`, `-1`])("keeps the id %s as it is", (id) => {
    const message = Wire.read(
      `{"jsonrpc":"2.0","id":${id},"method":"a","params":{"id":99999999999999999999,"nested":{"id":5}}}`
    )
    assert.strictEqual(message._tag === "Request" ? message.id : undefined, id)
    assert.strictEqual(Wire.success(id, undefined), `{"jsonrpc":"2.0","id":${id},"result":{}}\n`)
    assert.strictEqual(Wire.success(id, null), `{"jsonrpc":"2.0","id":${id},"result":null}\n`)
  })
})
