import { assert, describe, it } from "@effect/vitest"
import { parse, render } from "../../src/workspace/FrontMatter.ts"

describe("front matter", () => {
  it("has texts, truths and lists, in the ways people write them", () => {
    const text = `---
name: plain words # and a comment
quoted: "tab\\t and \\"quotes\\""
single: 'it''s: # fine'
folded: >-
  - one
  two
always: true
flow: [a, 'b c']
json: {"a": [1]}
block:
  - x
- "y"
empty:
__proto__: [z]
---
Body
---
`
    assert.deepEqual(
      Object.entries(parse(text).fields),
      [
        ["name", "plain words"],
        ["quoted", "tab\t and \"quotes\""],
        ["single", "it's: # fine"],
        ["folded", "- one two"],
        ["always", true],
        ["flow", ["a", "b c"]],
        ["json", { a: [1] }],
        ["block", ["x", "y"]],
        ["empty", ""],
        ["__proto__", ["z"]]
      ]
    )
    assert.strictEqual(parse(text).body, "Body\n---\n")
  })

  it("has a meaning where YAML has an error", () => {
    const text =
      "---\nname: one\nname: two\ndescription: Use when: *bold* text\n\tis: [asked] for\ntitle: [WIP] %x\n: :\n---\n"
    assert.deepStrictEqual(parse(text).fields, {
      name: "two",
      description: "Use when: *bold* text is: [asked] for",
      title: "[WIP] %x"
    })
  })

  it("is read as it was written", () => {
    const fields = {
      description: " a: b # c\n---\n\"quoted\" \\ 'single' ",
      truth: "true",
      list: "[x]",
      tags: ["a, b", "- c", "é"],
      always: false,
      slash_options: [{ name: "x", values: ["1"] }]
    }
    const document = { fields, body: "---\nname: other\n---\n# Text\n" }
    assert.deepStrictEqual(parse(render(document)), document)
  })
})
