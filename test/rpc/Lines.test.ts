import { assert, describe, it } from "@effect/vitest"
import * as Lines from "../../src/rpc/Lines.ts"

const bytes = (text: string) => Buffer.from(text)

describe("Lines", () => {
  it("come out whole however the bytes are cut", () => {
    const lines = Lines.make(1000)
    const got = Array.from(bytes("grün €\r\n\n  \nzwei 👍\n"), (byte) => lines.push(Uint8Array.of(byte))).flat()
    assert.deepStrictEqual(got, ["grün €", "zwei 👍"])
    assert.deepStrictEqual(lines.end(), [])
  })

  it("may end without a newline", () => {
    const lines = Lines.make(1000)
    assert.deepStrictEqual(lines.push(bytes("a\nb")), ["a"])
    assert.deepStrictEqual(lines.end(), ["b"])
  })

  it("that are too long are reported once, skipped, and nothing after them is lost", () => {
    const lines = Lines.make(4)
    assert.deepStrictEqual(lines.push(bytes("12345")), [Lines.TooLong])
    assert.deepStrictEqual(lines.push(bytes("6789")), [])
    assert.deepStrictEqual(lines.push(bytes("0\n1234\n")), ["1234"])
    assert.deepStrictEqual(lines.push(bytes("12345\nok\n")), [Lines.TooLong, "ok"])
  })

  it("count bytes, not characters", () => {
    assert.deepStrictEqual(Lines.make(4).push(bytes("€€\n")), [Lines.TooLong])
  })
})
