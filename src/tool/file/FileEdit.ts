import { Effect, Result, Schema } from "effect"
import * as ToolRequirements from "../../policy/decision/ToolRequirements.ts"
import * as LineEnds from "./LineEnds.ts"
import * as ToolPath from "./ToolPath.ts"
import * as TextFile from "./TextFile.ts"
import * as Tool from "../Tool.ts"
import { quoted } from "../../platform/QuotedName.ts"

const maxEdits = 100

const One = Schema.Struct({ old_string: Schema.String, new_string: Schema.String })

const Parameters = Schema.Struct({
  path: Schema.String.annotate({ description: "File to change: relative to the workspace, or absolute" }),
  old_string: Tool.optional(Schema.String, "Text to replace, exactly as in the file; it must occur once"),
  new_string: Tool.optional(Schema.String, "Text to put in its place"),
  edits: Tool.optional(
    Schema.Array(One).check(Schema.isMaxLength(maxEdits)),
    "Several replacements in this file, made one after the other, all or none; instead of old_string and new_string"
  )
})
type Parameters = typeof Parameters.Type

/** None where the parameters say nothing that could be done. */
const editsOf = ({ edits, new_string, old_string }: Parameters): ReadonlyArray<TextEdit> => [
  ...(old_string == null ? [] : [{ oldText: old_string, newText: new_string ?? "" }]),
  ...(edits ?? []).map((edit) => ({ oldText: edit.old_string, newText: edit.new_string }))
]

const rawInputOf = (path: string, edits: ReadonlyArray<TextEdit>) =>
  edits.length === 1 ? { path, ...edits[0] } : { path, edits }

const diffs = (path: string, edits: ReadonlyArray<TextEdit>) =>
  edits.flatMap(({ newText, oldText }) => TextFile.diff(path, oldText, newText))

const fault = (parameters: Parameters, edits: ReadonlyArray<TextEdit>): string | undefined => {
  if (edits.length === 0) return "Name old_string and new_string, or edits."
  if (parameters.old_string != null && parameters.new_string == null) {
    return "new_string is missing; it is empty to delete the text."
  }
  if (edits.some(({ oldText }) => oldText === "")) {
    return "old_string is empty: name the text to replace, or use file_write for a whole file."
  }
  return edits.some(({ newText, oldText }) => oldText === newText)
    ? "old_string and new_string are the same: nothing would change."
    : undefined
}

export const FileEdit = Tool.make<Parameters>({
  name: "file_edit",
  description:
    "Replace passages of a text file. Each old_string must occur exactly once: include neighbouring lines to make it " +
    "unique. Line numbers shown by file_read are not part of the file. With edits, several places change at once or none does.",
  parameters: Parameters,
  kind: "edit",
  capabilities: ["rw"],
  needs: ({ path }) => ToolRequirements.write(path),
  preview: Effect.fnUntraced(function*(parameters, context) {
    const edits = editsOf(parameters)
    const path = yield* ToolPath.locate(parameters.path, "write", context)
    const rawInput = rawInputOf(parameters.path, edits)
    return path === undefined
      ? { title: `Edit ${quoted(parameters.path)}`, rawInput }
      : { title: `Edit ${ToolPath.shown(path, context.workspace)}`, locations: [{ path }], rawInput }
  }),
  disclose: Effect.fnUntraced(function*(parameters, context) {
    const edits = editsOf(parameters)
    const path = yield* ToolPath.locate(parameters.path, "write", context)
    if (path === undefined) return undefined
    const { text, version } = yield* TextFile.look(path, context)
    const found = replaceAll(Result.getOrElse(text, () => ""), edits, "")
    const lines = Result.isSuccess(found) && edits.length > 0 ? found.success.lines : []
    return {
      ...(lines.length === 0 ? {} : { locations: lines.map((line) => ({ path, line })) }),
      content: diffs(path, edits),
      version
    }
  }),
  run: Effect.fnUntraced(function*(parameters, context) {
    const path = yield* ToolPath.resolve(parameters.path, "write", context)
    const name = ToolPath.shown(path, context.workspace)
    const edits = editsOf(parameters)
    const wrong = fault(parameters, edits)
    if (wrong !== undefined) return yield* Tool.fail(wrong)
    const seen = yield* TextFile.lookAgain(path, context)
    const before = yield* Effect.fromResult(seen.text)
    const { lines, text } = yield* Effect.fromResult(Result.mapError(replaceAll(before, edits, name), Tool.fail))
    yield* TextFile.keepsSecrets(text, before)
    const bytes = yield* TextFile.write(path, text, context, seen)
    return {
      text: `Replaced ${edits.length} ${edits.length === 1 ? "occurrence" : "passages"} in ${name} (${bytes} bytes).`,
      locations: lines.map((line) => ({ path, line })),
      content: diffs(path, edits)
    }
  })
})

/** Passages of a text and what takes their place. */
interface TextEdit {
  readonly oldText: string
  readonly newText: string
}

interface Replaced {
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
  let current = LineEnds.fold(text)
  for (const [index, { newText, oldText }] of edits.entries()) {
    const which = edits.length === 1 ? "" : `Edit ${index + 1} of ${edits.length}: `
    const none = edits.length === 1 ? "" : " Nothing was changed."
    const found = replaceOnce(current, oldText, newText)
    if (found._tag !== "Replaced") return Result.fail(`${which}${problem(found, name, index > 0)}${none}`)
    lines.push(found.line)
    current = found.text
  }
  return Result.succeed({ text: LineEnds.unfold(current), lines })
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
  | { readonly _tag: "Replaced"; readonly text: LineEnds.FoldedText; readonly line: number }
  | { readonly _tag: "Missing"; readonly near: number | undefined }
  | { readonly _tag: "Ambiguous"; readonly lines: ReadonlyArray<number> }

const maxCounted = 1000

/** All places of a passage, up to a limit; overlapping ones count. */
const placesOf = (text: string, passage: string): ReadonlyArray<number> => {
  const places: Array<number> = []
  for (let index = text.indexOf(passage); index !== -1; index = text.indexOf(passage, index + 1)) {
    if (places.push(index) === maxCounted) break
  }
  return places
}

/** Line ends do not count, as nobody sees them, unless they are all that changes. */
const replaceOnce = (file: LineEnds.FoldedText, oldText: string, newText: string): Replacement => {
  const [passage, changed] = [LineEnds.fold(oldText), LineEnds.fold(newText)]
  if (passage.text === changed.text) return replaceEnds(file, oldText, newText)
  const { ends, text } = file
  const at = placesOf(text, passage.text)
  const [first] = at
  if (first === undefined) return { _tag: "Missing", near: nearMatch(text, passage.text) }
  if (at.length > 1) return { _tag: "Ambiguous", lines: lineNumbers(text, at) }
  const line = lineNumbers(text, [first])[0] ?? 1
  const [start, end] = [line - 1, line - 1 + passage.ends.length]
  const carried = LineEnds.carry({ text: passage.text, ends: ends.slice(start, end) }, changed, {
    before: ends[start - 1],
    after: ends[end]
  })
  return {
    _tag: "Replaced",
    text: {
      text: text.slice(0, first) + changed.text + text.slice(first + passage.text.length),
      ends: [...ends.slice(0, start), ...carried, ...ends.slice(end)]
    },
    line
  }
}

const replaceEnds = (file: LineEnds.FoldedText, oldText: string, newText: string): Replacement => {
  const text = LineEnds.unfold(file)
  const at = placesOf(text, oldText)
  const [first] = at
  if (first === undefined) return { _tag: "Missing", near: undefined }
  if (at.length > 1) return { _tag: "Ambiguous", lines: lineNumbers(text, at) }
  return {
    _tag: "Replaced",
    text: LineEnds.fold(text.slice(0, first) + newText + text.slice(first + oldText.length)),
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
