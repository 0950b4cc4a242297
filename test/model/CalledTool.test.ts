import { assert, describe, it } from "@effect/vitest"
import { calledName, joinedArguments, parseArguments } from "../../src/model/CalledTool.ts"

const offered = ["file_read", "file_list", "TodoWrite", "git__file_log", "one_two", "oneTwo"]

describe("The tool that a name means", () => {
  for (
    const [name, tool] of [
      ["file_read", "file_read"],
      ["File_Read", "file_read"],
      ["FileRead", "file_read"],
      ["FILE-READ", "file_read"],
      ["file read ", "file_read"],
      ["todo_write", "TodoWrite"],
      ["functions.file_read", "file_read"],
      ["functions.file_read:0", "file_read"],
      ["functions::file_read", "file_read"],
      ["functions__file_read", "file_read"],
      ["default_api.file_read", "file_read"],
      ["tool:file_read", "file_read"],
      ["anything.at.all.file_read", "file_read"],
      ["file_read()", "file_read"],
      ["`file_read`", "file_read"],
      ["\"file_read\"", "file_read"],
      ["file_read<|channel|>commentary", "file_read"],
      ["assistant<|channel|>commentary to=functions.file_read", "file_read"],
      ["mcp__git__file_log", "git__file_log"],
      ["git.file_log", "git__file_log"],
      ["oneTwo", "oneTwo"],
      // Two tools are spelled so.
      ["One_Two", "One_Two"],
      ["functions.nothing", "nothing"],
      ["github__file_read", "github__file_read"],
      ["日本", "日本"],
      ["", ""]
    ] as const
  ) {
    it(`is ${JSON.stringify(tool)} for ${JSON.stringify(name)}`, () =>
      assert.strictEqual(calledName(name, offered), tool))
  }
})

describe("Arguments of a call", () => {
  const meant = { path: "a" }
  const once = JSON.stringify(meant)
  for (
    const [what, json] of [
      ["as they should be", once],
      ["encoded twice", JSON.stringify(once)],
      ["encoded three times", JSON.stringify(JSON.stringify(once))],
      ["sent twice", once + once],
      ["behind empty ones", `{}${once}`],
      ["with a comma too many", "{\"path\": \"a\",}"],
      ["before a token of a template", `${once}<|call|>`],
      ["behind a byte order mark", `\uFEFF${once}`]
    ] as const
  ) {
    it(`are read ${what}`, () => assert.deepStrictEqual(parseArguments(json), meant))
  }

  for (
    const odd of [
      "{'path': 'a'}",
      "{\"path\": \"a",
      "{\"path\": \"a\"}}",
      "```json\n{\"path\": \"a\"}\n```",
      "{\"path\": \"a\"}{\"path\": \"b\"}",
      "{path: \"a\"}"
    ]
  ) {
    it(`are not guessed: ${JSON.stringify(odd)}`, () => assert.strictEqual(parseArguments(odd), odd))
  }

  it("keep commas within texts", () =>
    assert.deepStrictEqual(parseArguments("{\"a\": \"x,} ,]\", \"b\": [1, 2,],}"), { a: "x,} ,]", b: [1, 2] }))

  for (
    const [pieces, whole] of [
      [["{\"path\":", "\"a\"}"], once],
      [["{}", once], once],
      [["{\"pa", "{\"path\":", once], once],
      [["{\"path\":", "\"a\"}", once], once],
      // A value that begins as the whole does.
      [["{\"a\":", "{\"a\":1}", "}"], "{\"a\":{\"a\":1}}"],
      [["{\"path\":", "\"a"], "{\"path\":\"a"]
    ] as const
  ) {
    it(`are ${whole} in the pieces ${pieces.join(" + ")}`, () => assert.strictEqual(joinedArguments(pieces), whole))
  }
})
