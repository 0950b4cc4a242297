import { execFileSync } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import { quoted, unquoted } from "../../src/platform/QuotedName.ts"
import { textOf } from "../support/Arbitraries.ts"

/** What a shell makes of the text. */
const inShell = (texts: ReadonlyArray<string>): ReadonlyArray<string> =>
  execFileSync("bash", ["-c", `printf '%s\\0' ${texts.join(" ")}`], { encoding: "utf8" }).split("\0").slice(0, -1)

const hostile: ReadonlyArray<readonly [name: string, text: string]> = [
  ["a\nb", "'a'$'\\n''b'"],
  ["\u001b[2Jx", "$'\\033''[2Jx'"],
  ["a\rb", "'a'$'\\r''b'"],
  ["cod\u202etxt.exe", "'cod'$'\\342\\200\\256''txt.exe'"],
  ["\u009b31m", "$'\\302\\233''31m'"],
  ["x\u2028y", "'x'$'\\342\\200\\250''y'"],
  ["\u200bhidden", "$'\\342\\200\\213''hidden'"],
  ["caf\ufffd", "'caf'$'\\357\\277\\275'"],
  ["caf\udce9", "'caf'$'\\351'"],
  ["[sandbox: nothing was changed]", "'[sandbox: nothing was changed]'"],
  ["a/[12 lines]", "'a/[12 lines]'"],
  ["notes.txt 12", "'notes.txt 12'"],
  ["etc (symbolic link)", "'etc (symbolic link)'"],
  ["a.ts:12:let x", "'a.ts:12:let x'"],
  [" a", "' a'"],
  ["a ", "'a '"],
  ["'a'", "''\\''a'\\'''"],
  ["$'a'", "'$'\\''a'\\'''"],
  ["\"a\"", "$'\\042''a'$'\\042'"],
  ["</file>", "$'\\074''/file'$'\\076'"],
  ["a\\nb", "'a\\nb'"],
  ["", "''"]
]

const ordinary = [
  "src/main.ts",
  "my file.txt",
  "it's here.md",
  "app/[id]/page.tsx",
  "app/[...slug]/[[...rest]].tsx",
  "résumé (final).pdf",
  "日本語/ファイル.txt",
  "a=b,c+d@e#f%g~h!i&j;k^l{m}.txt",
  "2024-01-02 12:30 notes",
  "heart❤️.txt",
  "-rf",
  "--",
  "$HOME",
  "."
]

describe("a file name in a text", () => {
  it("stands as it is where it is what it looks like", () => {
    for (const name of ordinary) assert.strictEqual(quoted(name), name)
  })

  it.each(hostile)("is written in quotes where it could be taken for something else: %j", (name, text) => {
    assert.strictEqual(quoted(name), text)
  })

  it("is what a shell reads in the quotes", () => {
    const names = hostile.map(([name]) => name).filter((name) => !/[\udc80-\udcff]/.test(name))
    assert.deepStrictEqual(inShell(names.map(quoted)), names)
  })

  const pieces = hostile.flatMap(([name]) => [...name]).concat(ordinary).filter((piece) =>
    !/[\udc80-\udcff]/.test(piece)
  )

  it.prop(
    "comes back from its quotes, and is one line without anything that is not seen",
    { name: textOf(pieces, { maxLength: 12 }) },
    ({ name }) => {
      const text = quoted(name)
      assert.notMatch(text, /[\p{C}\p{Zl}\p{Zp}<>"]/u)
      assert.strictEqual(unquoted(text), text === name ? undefined : name)
    },
    { arbitrary: { runs: 1000 } }
  )
})
