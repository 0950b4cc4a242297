import { assert, describe, it } from "@effect/vitest"
import { Arbitrary } from "effect"
import { either, line, lines, oneOf } from "../../support/Arbitraries.ts"
import { analysed, commandsOf } from "./Analysed.ts"

/** Ways to write a word so that a POSIX shell takes it literally. */
const quotings = {
  single: (text: string) => `'${text.replaceAll("'", "'\\''")}'`,
  double: (text: string) => `"${text.replace(/["\\$`]/g, "\\$&")}"`,
  mixed: (text: string) =>
    text === ""
      ? "''"
      : Array.from(text, (char, at) => char === "\n" || at % 3 > 0 ? quotings.single(char) : `\\${char}`).join(""),
  ansi: (text: string) =>
    `$'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'").replaceAll("\n", "\\n").replaceAll("\t", "\\t")}'`
}

const word = Arbitrary.all({ text: either(line, lines), how: oneOf("single", "double", "mixed", "ansi") })
const quoted = ({ how, text }: { readonly how: keyof typeof quotings; readonly text: string }) => quotings[how](text)

describe("Properties of quoting", () => {
  it.prop("a word that is quoted whole is an argument with exactly that text", [
    Arbitrary.array(word, { minLength: 1, maxLength: 4 })
  ], ([words]) => {
    const [command, ...more] = commandsOf(`printf %s ${words.map(quoted).join(" ")}`)
    assert.deepStrictEqual(more, [])
    assert.deepStrictEqual(command?.argv, ["printf", "%s", ...words.map(({ text }) => text)])
  })

  it.prop("pieces of a word in different quotes are one argument", [
    Arbitrary.array(word, { minLength: 2, maxLength: 4 })
  ], ([pieces]) => {
    const [command] = commandsOf(`printf %s x${pieces.map(quoted).join("")}`)
    assert.deepStrictEqual(command?.argv, ["printf", "%s", `x${pieces.map(({ text }) => text).join("")}`])
  })

  it.prop("a word with an expansion of something unknown never has a value, whatever is around it", {
    before: word,
    expansion: oneOf("$UNSET", "${UNSET}", "$(id)", "`id`", "${UNSET:-x}", "$@"),
    inDouble: oneOf(true, false),
    after: word
  }, ({ after, before, expansion, inDouble }) => {
    const written = `${quoted(before)}${inDouble ? `"${expansion}"` : expansion}${quoted(after)}`
    const command = commandsOf(`printf %s ${written}`).find(({ program }) => program === "printf")
    assert.deepStrictEqual(command?.argv, ["printf", "%s", null])
  })

  it.prop("what quotes hold is not run: another command is none of the parts", {
    word,
    separator: oneOf(";", "&&", "|", "\n", "&")
  }, ({ separator, word }) => {
    const programs = commandsOf(`true ${quoted(word)} ${separator} echo b`).map(({ program }) => program)
    assert.deepStrictEqual(programs, ["true", "echo"])
  })

  it.prop("any text is analysed, and what cannot be read may do everything", [either(line, lines)], ([text]) => {
    const { capability, opaque, parseError, parts } = analysed(text)
    if (parseError) assert.deepStrictEqual([opaque, capability, parts[0]?.text], [true, "shell_rw", text])
  })
})
