import { Effect, Result, Schema } from "effect"
import * as Needs from "../policy/Needs.ts"
import * as Target from "./Target.ts"
import * as Text from "./Text.ts"
import * as Tool from "./Tool.ts"

const Parameters = Schema.Struct({
  path: Schema.String.annotate({ description: "File to change: relative to the workspace, or absolute" }),
  old_string: Schema.String.annotate({ description: "Text to replace, exactly as in the file; it must occur once" }),
  new_string: Schema.String.annotate({ description: "Text to put in its place" })
})

export const FileEdit = Tool.make<typeof Parameters.Type>({
  name: "file_edit",
  description:
    "Replace one passage of a text file. old_string must occur exactly once: include neighbouring lines to make it " +
    "unique. Line numbers shown by file_read are not part of the file.",
  parameters: Parameters,
  kind: "edit",
  capabilities: ["rw"],
  needs: ({ path }) => Needs.write(path),
  preview: Effect.fnUntraced(function*({ new_string: newText, old_string: oldText, path: named }, context) {
    const path = yield* Target.locate(named, "write", context)
    const rawInput = { path: named, oldText, newText }
    if (path === undefined) return { title: `Edit ${named}`, rawInput }
    const { text, version } = yield* Text.look(path, context)
    const found = replaceOnce(Result.getOrElse(text, () => ""), oldText, newText)
    return {
      title: `Edit ${Target.shown(path, context.workspace)}`,
      locations: [{ path, ...(found._tag === "Replaced" ? { line: found.line } : {}) }],
      content: Text.diff(path, oldText, newText),
      rawInput,
      version
    }
  }),
  run: Effect.fnUntraced(function*({ new_string: newText, old_string: oldText, path: named }, context) {
    const path = yield* Target.resolve(named, "write", context)
    const name = Target.shown(path, context.workspace)
    if (oldText === "") {
      return yield* Target.fail("old_string is empty: name the text to replace, or use file_write for a whole file.")
    }
    if (oldText === newText) return yield* Target.fail("old_string and new_string are the same: nothing would change.")
    const seen = yield* Text.lookAgain(path, context)
    const found = replaceOnce(yield* Effect.fromResult(seen.text), oldText, newText)
    if (found._tag === "Missing") {
      const near = found.near === undefined ? "" : ` Line ${found.near} differs from it only in white space.`
      return yield* Target.fail(
        `old_string was not found in ${name}.${near} Read the file again and copy the text exactly, ` +
          "with its indentation and line breaks."
      )
    }
    if (found._tag === "Ambiguous") {
      const lines = `${found.lines.slice(0, 10).join(", ")}${found.lines.length > 10 ? ", …" : ""}`
      return yield* Target.fail(
        `old_string was found ${found.lines.length} times in ${name} (lines ${lines}); it must occur exactly once. ` +
          "Add neighbouring lines to old_string until only the intended place matches."
      )
    }
    const bytes = yield* Text.write(path, found.text, context)
    return {
      text: `Replaced 1 occurrence in ${name} (${bytes} bytes).`,
      locations: [{ path, line: found.line }],
      content: Text.diff(path, oldText, newText)
    }
  })
})

type Replacement =
  | { readonly _tag: "Replaced"; readonly text: string; readonly line: number }
  | { readonly _tag: "Missing"; readonly near: number | undefined }
  | { readonly _tag: "Ambiguous"; readonly lines: ReadonlyArray<number> }

const maxCounted = 1000

/** Models write `\n`; in a file that uses only `\r\n` both strings are read that way. Overlapping matches count. */
export const replaceOnce = (text: string, oldText: string, newText: string): Replacement => {
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
