import { Result } from "effect"

/** Passages of a text and what takes their place. */
export interface TextEdit {
  readonly oldText: string
  readonly newText: string
}

export interface Replaced {
  readonly text: string
  /** Where each edit was made, in the text as it was then. */
  readonly lines: ReadonlyArray<number>
}

/** One edit after the other, each in the text that the one before it left; the failure says which one and why. */
export const replaceAll = (
  text: string,
  edits: ReadonlyArray<TextEdit>,
  name: string
): Result.Result<Replaced, string> => {
  const lines: Array<number> = []
  let current = text
  for (const [index, { newText, oldText }] of edits.entries()) {
    const which = edits.length === 1 ? "" : `Edit ${index + 1} of ${edits.length}: `
    const none = edits.length === 1 ? "" : " Nothing was changed."
    const found = replaceOnce(current, oldText, newText)
    if (found._tag !== "Replaced") return Result.fail(`${which}${problem(found, name, index > 0)}${none}`)
    lines.push(found.line)
    current = found.text
  }
  return Result.succeed({ text: current, lines })
}

const problem = (found: Exclude<Replacement, { readonly _tag: "Replaced" }>, name: string, later: boolean): string => {
  if (found._tag === "Missing") {
    const near = found.near === undefined ? "" : ` Line ${found.near} differs from it only in white space.`
    const after = later ? " It is looked for in the text that the edits before it left." : ""
    return `old_string was not found in ${name}.${near}${after} Read the file again and copy the text exactly, ` +
      "with its indentation and line breaks."
  }
  const lines = `${found.lines.slice(0, 10).join(", ")}${found.lines.length > 10 ? ", …" : ""}`
  return `old_string was found ${found.lines.length} times in ${name} (lines ${lines}); it must occur exactly once. ` +
    "Add neighbouring lines to old_string until only the intended place matches."
}

type Replacement =
  | { readonly _tag: "Replaced"; readonly text: string; readonly line: number }
  | { readonly _tag: "Missing"; readonly near: number | undefined }
  | { readonly _tag: "Ambiguous"; readonly lines: ReadonlyArray<number> }

const maxCounted = 1000

/** Models write `\n`; in a file that uses only `\r\n` both strings are read that way. Overlapping matches count. */
const replaceOnce = (text: string, oldText: string, newText: string): Replacement => {
  const crlf = text.includes("\r\n") && !/(^|[^\r])\n/.test(text)
  const wanted = crlf ? oldText.replace(/\r?\n/g, "\r\n") : oldText
  const replacement = crlf ? newText.replace(/\r?\n/g, "\r\n") : newText
  const at: Array<number> = []
  for (let index = text.indexOf(wanted); index !== -1; index = text.indexOf(wanted, index + 1)) {
    if (at.push(index) === maxCounted) break
  }
  const [first] = at
  if (first === undefined) return { _tag: "Missing", near: nearMatch(text, oldText) }
  if (at.length > 1) return { _tag: "Ambiguous", lines: lineNumbers(text, at) }
  return {
    _tag: "Replaced",
    text: text.slice(0, first) + replacement + text.slice(first + wanted.length),
    line: lineNumbers(text, [first])[0] ?? 1
  }
}

const lineNumbers = (text: string, ascending: ReadonlyArray<number>): ReadonlyArray<number> => {
  let line = 1
  let seen = 0
  return ascending.map((offset) => {
    for (let index = text.indexOf("\n", seen); index !== -1 && index < offset; index = text.indexOf("\n", seen)) {
      line++
      seen = index + 1
    }
    return line
  })
}

const nearMatch = (text: string, oldText: string): number | undefined => {
  const squeeze = (value: string) => value.split("\n").map((line) => line.trim().replace(/\s+/g, " "))
  const wanted = squeeze(oldText.trim())
  const lines = squeeze(text)
  if (wanted.length > 200 || wanted.every((line) => line === "")) return undefined
  const start = lines.findIndex((_, index) => wanted.every((line, ahead) => lines[index + ahead] === line))
  return start === -1 ? undefined : start + 1
}
