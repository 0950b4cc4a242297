import { assert, describe, it } from "@effect/vitest"
import { Arbitrary } from "effect"
import * as Lines from "../../src/rpc/Lines.ts"
import * as Outbox from "../../src/rpc/Outbox.ts"
import * as Wire from "../../src/rpc/Wire.ts"
import { either, integer, json, line, lines, oneOf, record, textOf } from "../support/Arbitraries.ts"

/** The bytes in pieces of these sizes, again and again. */
const cut = (bytes: Buffer, sizes: ReadonlyArray<number>): ReadonlyArray<Buffer> => {
  const chunks: Array<Buffer> = []
  for (let from = 0, turn = 0; from < bytes.length; turn++) {
    const size = sizes.length === 0 ? bytes.length : sizes[turn % sizes.length]!
    chunks.push(bytes.subarray(from, from + size))
    from += size
  }
  return chunks
}

const sizes = Arbitrary.array(oneOf(1, 2, 3, 5, 8, 13), { maxLength: 5 })

describe("Properties of framing", () => {
  it.prop("however bytes are cut, the same lines come out, and a line over the limit is reported once", {
    limit: oneOf(1, 4, 9, 1000),
    sizes,
    text: textOf(["a", "bc", " ", "\r", "\n", "\n", "é", "€", "👍", "12345678"])
  }, ({ limit, sizes, text }) => {
    const reader = Lines.make(limit)
    const got = [...cut(Buffer.from(text), sizes).flatMap((chunk) => reader.push(chunk)), ...reader.end()]
    const expected = text.split("\n")
      .map((one) => Buffer.byteLength(one) > limit ? Lines.TooLong : one.trim())
      .filter((one) => one !== "")
    assert.deepStrictEqual(got, expected)
  })
})

describe("Properties of merging", () => {
  const item = either<{ readonly key: string; readonly text: string }>(
    Arbitrary.all({ key: oneOf("a", "b"), text: line }),
    Arbitrary.all({ key: Arbitrary.Constant("frame"), text: line }),
    Arbitrary.map(oneOf("a", "b"), (key) => ({ key, text: "x".repeat(10_000) }))
  )

  it.prop("no text is lost or moved, frames stay whole, and only neighbours that fit together are joined", [
    Arbitrary.array(item)
  ], ([items]) => {
    const frame = (key: string) => (text: string) => `${JSON.stringify({ key, text })}\n`
    const out = Outbox.coalesce(
      items.map(({ key, text }) => key === "frame" ? frame(key)(text) : { key, text, frame: frame(key) })
    )
    const got: ReadonlyArray<{ readonly key: string; readonly text: string }> = out.split("\n").slice(0, -1)
      .map((one) => JSON.parse(one))
    const expected: Array<{ readonly key: string; readonly text: string }> = []
    for (const { key, text } of items) {
      const last = expected.at(-1)
      const joins = key !== "frame" && last?.key === key && last.text.length + text.length <= 16 * 1024
      if (joins) expected.pop()
      expected.push({ key, text: joins ? last.text + text : text })
    }
    assert.deepStrictEqual(got, expected)
  })
})

describe("Properties of messages", () => {
  const id = either<unknown>(line, integer, Arbitrary.Constant(null))

  it.prop("a request is read as it was written, whatever its id, method and params are", {
    id,
    method: line,
    params: record
  }, ({ id, method, params }) => {
    const text = JSON.stringify({ jsonrpc: "2.0", id, method, params })
    assert.deepStrictEqual(Wire.read(text), {
      _tag: "Request",
      id: JSON.stringify(id),
      method,
      params: JSON.parse(JSON.stringify(params))
    })
  })

  it.prop("a number as id keeps every digit in the answer", [textOf(["1", "23", "456", "7890123", "0"], {
    minLength: 1,
    maxLength: 6
  })], ([digits]) => {
    const id = digits.replace(/^0+(?=\d)/, "")
    const read = Wire.read(`{"jsonrpc":"2.0","method":"a","params":{"id":1},"id":${id}}`)
    assert.deepStrictEqual(read, { _tag: "Request", id, method: "a", params: { id: 1 } })
    assert.include(Wire.success(id, {}), `"id":${id},`)
  })

  it.prop("an answer is one line that is read as the answer to its request", { id, result: json }, ({ id, result }) => {
    const text = Wire.success(JSON.stringify(id), result)
    assert.strictEqual(text.indexOf("\n"), text.length - 1)
    const read = Wire.read(text)
    assert.deepInclude(read, { _tag: "Response", id: JSON.stringify(id) })
    assert.deepStrictEqual(read._tag === "Response" && read.result, JSON.parse(JSON.stringify(result)))
  })

  it.prop("whatever a line is, reading it gives an answer and throws nothing", [
    either(lines, Arbitrary.map(json, (value) => JSON.stringify(value)))
  ], ([text]) => {
    assert.include(["Malformed", "Dropped"], Wire.read(text)._tag)
  })
})
