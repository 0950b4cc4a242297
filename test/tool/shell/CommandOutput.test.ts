import { mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as CommandOutput from "../../../src/tool/shell/CommandOutput.ts"
import { temporaryFolder } from "../../support/TemporaryFolder.ts"

const limit = CommandOutput.headBytes + CommandOutput.tailBytes

describe("Output", () => {
  it.effect.each([1, 7, 4096, 65_536, 1_000_000])(
    "loses nothing of what came in pieces of %i bytes",
    (size) =>
      Effect.gen(function*() {
        const path = join(yield* temporaryFolder, "spill")
        const output = CommandOutput.make(() => path)
        const all = Buffer.from(Array.from({ length: 10_000 }, (_, index) => `${index}\n`).join(""))
        for (let start = 0; start < all.length; start += size) output.push(all.subarray(start, start + size))
        output.close()
        const text = output.text()
        const cut = Number(/\[… (\d+) bytes cut/.exec(text)?.[1])
        assert.strictEqual(cut, all.length - limit)
        assert.isTrue(text.startsWith(all.toString("utf8", 0, CommandOutput.headBytes)))
        assert.isTrue(text.endsWith(all.toString("utf8", all.length - CommandOutput.tailBytes)))
        assert.isTrue(readFileSync(path).equals(all))
      })
  )

  it("is the output itself up to the limit, without a file", () => {
    const output = CommandOutput.make(() => assert.fail("no file is needed"))
    output.push(Buffer.from("a".repeat(limit)))
    assert.strictEqual(output.text(), "a".repeat(limit))
  })

  it("never shows half a character at the cut", () => {
    for (const character of ["é", "€", "😀"]) {
      for (let shift = 0; shift < 4; shift++) {
        const output = CommandOutput.make(() => undefined)
        output.push(Buffer.from("x".repeat(shift) + character.repeat(limit)))
        assert.notInclude(output.text(), "\uFFFD")
        assert.match(output.text(), /could not be kept/)
      }
    }
  })

  it.effect("goes on without a file when it cannot be written", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      mkdirSync(join(folder, "taken"))
      const output = CommandOutput.make(() => join(folder, "taken"))
      output.push(Buffer.from("a".repeat(limit + 1)))
      assert.match(output.text(), /1 bytes cut here. The full output could not be kept/)
    }))

  it("drops terminal control sequences", () => {
    const output = CommandOutput.make(() => undefined)
    output.push(Buffer.from("\u001B[31mred\u001B[0m \u001B]8;;http://x\u0007link\u001B]8;;\u0007"))
    assert.strictEqual(output.text(), "red link")
  })
})
