import { assert, describe, it } from "@effect/vitest"
import { Arbitrary } from "effect"
import { parse, render } from "../../src/workspace/FrontMatter.ts"
import { either, json, line, lines, oneOf, textOf } from "../support/Arbitraries.ts"

const key = textOf(["a", "name", "_", "-x", "9"], { minLength: 1 }).pipe(Arbitrary.filter((key) => /^[a-z_]/.test(key)))

/** Numbers and nothing are no fields of their own: the one is read as text, the other is left out. */
const value = either<unknown>(line, lines, oneOf(true, false), Arbitrary.array(json, { minLength: 1, maxLength: 3 }))

describe("Properties of front matter", () => {
  it.prop("what is written is read as the same, whatever the texts hold", {
    fields: Arbitrary.array(Arbitrary.all([key, value]), { maxLength: 4 }),
    body: lines
  }, ({ body, fields }) => {
    const document = { fields: Object.fromEntries(fields), body: body.replaceAll("\r\n", "\n") }
    assert.deepStrictEqual(parse(render(document)), document)
  })

  it.prop("any text is read, and without front matter it is all body", [lines], ([text]) => {
    const { body, fields } = parse(text)
    if (!text.startsWith("---")) {
      assert.deepStrictEqual({ body, fields }, { body: text.replaceAll("\r\n", "\n"), fields: {} })
    }
  })
})
