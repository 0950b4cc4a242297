import { assert, describe, it } from "@effect/vitest"
import { Arbitrary } from "effect"
import { bytesOf, decode, forSystem } from "../../src/platform/PathBytes.ts"
import { oneOf } from "../support/Arbitraries.ts"

describe("a path that may be no UTF-8", () => {
  const bytes = Arbitrary.array(
    oneOf(0x2f, 0x61, 0x80, 0xbf, 0xc3, 0xa9, 0xe2, 0x82, 0xac, 0xed, 0xa0, 0xf0, 0x9f, 0x92, 0xff),
    {
      maxLength: 12
    }
  )

  it.prop("is the same bytes again", { bytes }, ({ bytes }) => {
    const given = Buffer.from(bytes)
    assert.deepStrictEqual([...bytesOf(decode(given))], [...given])
  }, { arbitrary: { runs: 2000 } })

  it("is an ordinary string where it is UTF-8", () => {
    // The second half of this character looks like a byte.
    for (const path of ["/a/é/日本", "/💀", "/\ufffd"]) {
      assert.strictEqual(decode(Buffer.from(path)), path)
      assert.strictEqual(forSystem(path), path)
    }
    assert.deepStrictEqual(forSystem("/caf\udce9"), Buffer.from("/caf\xe9", "latin1"))
  })
})
