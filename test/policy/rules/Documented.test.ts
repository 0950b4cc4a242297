import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { type Lists, shell } from "./Ruled.ts"

const page = readFileSync(new URL("../../../docs/policy.md", import.meta.url), "utf8")

const codesIn = (cell: string): ReadonlyArray<string> =>
  Array.from(cell.matchAll(/`([^`]+)`/g), ([, code = ""]) => code)

/** "allow `a`, `b`, deny `c`" as lists of rules. */
const listsIn = (cell: string): Lists =>
  Object.fromEntries(
    cell.split(/(?=\b(?:deny|ask|allow) `)/).map((part) => [part.slice(0, part.indexOf(" ")), codesIn(part)])
  )

/** Rows of the table "Rule examples": rules, command, and the list that decides. */
const examples = (page.split("### Rule examples")[1] ?? "").split("\n## ")[0]!.split("\n")
  .map((line) => line.split(" | ").map((cell) => cell.replace(/^\| /, "")))
  .filter(([rules]) => /^(deny|ask|allow) `/.test(rules ?? ""))
  .map(([rules = "", command = "", decides = ""]) => ({ rules, command: codesIn(command)[0] ?? "", decides }))

describe("docs/policy.md", () => {
  it("has examples of rules", () => {
    assert.isAbove(examples.length, 30)
  })

  it.each(examples)("$rules decides $command as $decides", ({ command, decides, rules }) => {
    assert.strictEqual(shell(listsIn(rules), command) ?? "–", decides)
  })
})
