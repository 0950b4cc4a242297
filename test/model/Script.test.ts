import { describe, expect, test } from "vitest"
import { parseScript, type ScriptStep } from "../../src/model/offline/Script.ts"

const call = (tool: string, params: unknown): ScriptStep => ({ _tag: "Call", tool, params })

const single: ReadonlyArray<readonly [prompt: string, step: ScriptStep]> = [
  ["read notes/a b.txt", call("file_read", { path: "notes/a b.txt" })],
  ["list", call("file_list", { path: "." })],
  ["list src", call("file_list", { path: "src" })],
  ["search TODO", call("content_search", { pattern: "TODO" })],
  ["search a.*b src/lib", call("content_search", { pattern: "a.*b", path: "src/lib" })],
  ["search \"two words\" src", call("content_search", { pattern: "two words", path: "src" })],
  ["search 'it\"s'", call("content_search", { pattern: "it\"s" })],
  ["glob **/*.ts", call("glob_search", { pattern: "**/*.ts" })],
  ["write a.txt\none\n\n  two\n.", call("file_write", { path: "a.txt", content: "one\n\n  two\n" })],
  ["write a.txt\none", call("file_write", { path: "a.txt", content: "one\n" })],
  ["write empty.txt\n.", call("file_write", { path: "empty.txt", content: "" })],
  ["write a.txt\r\none\r\n.\r\n", call("file_write", { path: "a.txt", content: "one\n" })],
  [
    "edit a.txt\nold\nlines\n---\nnew\n.",
    call("file_edit", { path: "a.txt", old_string: "old\nlines", new_string: "new" })
  ],
  ["edit a.txt\nold\n---", call("file_edit", { path: "a.txt", old_string: "old", new_string: "" })],
  ["run echo hi | wc -l", call("shell", { command: "echo hi | wc -l" })],
  ["run\nfor i in 1 2; do\n  echo $i\ndone\n.", call("shell", { command: "for i in 1 2; do\n  echo $i\ndone" })],
  ["call any_tool {\"a\": [1, 2]}", call("any_tool", { a: [1, 2] })],
  ["call any_tool", call("any_tool", {})],
  ["call any_tool 7", call("any_tool", 7)],
  ["deliver out/report.pdf", call("deliver_file", { path: "out/report.pdf" })],
  ["ask Which one? | red | blue", call("ask_user", { question: "Which one?", choices: ["red", "blue"] })],
  ["ask How many?", call("ask_user", { question: "How many?", choices: [] })],
  [
    "plan A; B c;",
    call("TodoWrite", { todos: [{ content: "A", status: "pending" }, { content: "B c", status: "pending" }] })
  ],
  ["say  hello world", { _tag: "Say", text: "hello world" }],
  ["think about it", { _tag: "Think", text: "about it" }],
  ["stream 20000", { _tag: "Stream", count: 20_000 }],
  ["wait 0.5", { _tag: "Wait", seconds: 0.5 }],
  ["\n\n  say after blank lines\n\n", { _tag: "Say", text: "after blank lines" }]
]

const words: ReadonlyArray<string> = [
  "",
  "   \n",
  "What is this project about?",
  "/read a",
  "Read a.txt",
  "reading list",
  "wait a minute",
  "stream of thought",
  "stream -1",
  "wait -1",
  "hello\nread a.txt"
]

const sentences: ReadonlyArray<readonly [prompt: string, part: string]> = [
  ["read", "`read PATH`"],
  ["write\nx\n.", "`write PATH`"],
  ["run\n.", "`run COMMAND`"],
  ["plan", "`plan A; B; C`"],
  ["edit a.txt\nno middle line\n.", "a line `---`"],
  ["call tool {broken", "not valid JSON: {broken"]
]

describe("a script", () => {
  test.each(single)("%j", (prompt, step) => expect(parseScript(prompt)).toEqual([step]))

  test.each(words)("%j is no script", (prompt) => expect(parseScript(prompt)).toBeUndefined())

  test.each(sentences)(
    "%j is answered with a sentence",
    (prompt, part) => expect(parseScript(prompt)).toEqual([{ _tag: "Say", text: expect.stringContaining(part) }])
  )

  test("runs its commands in order, and a block ends where its line `.` is", () =>
    expect(parseScript("think first\nwrite a\nread b\n.\n\nread c\nsay done")).toEqual([
      { _tag: "Think", text: "first" },
      call("file_write", { path: "a", content: "read b\n" }),
      call("file_read", { path: "c" }),
      { _tag: "Say", text: "done" }
    ]))

  test("says so when a later line is no command, and goes on", () =>
    expect(parseScript("say a\ngibberish here\nsay b")).toEqual([
      { _tag: "Say", text: "a" },
      { _tag: "Say", text: expect.stringContaining("`gibberish here`") },
      { _tag: "Say", text: "b" }
    ]))
})
