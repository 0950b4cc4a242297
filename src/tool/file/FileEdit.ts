import { Effect, Result, Schema } from "effect"
import * as Needs from "../../policy/decision/ToolRequirements.ts"
import { replaceAll, type TextEdit } from "./Replace.ts"
import * as Target from "./ToolPath.ts"
import * as Text from "./TextFile.ts"
import * as Tool from "../Tool.ts"

const maxEdits = 100

const One = Schema.Struct({ old_string: Schema.String, new_string: Schema.String })

const Parameters = Schema.Struct({
  path: Schema.String.annotate({ description: "File to change: relative to the workspace, or absolute" }),
  old_string: Target.optional(Schema.String, "Text to replace, exactly as in the file; it must occur once"),
  new_string: Target.optional(Schema.String, "Text to put in its place"),
  edits: Target.optional(
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
  edits.flatMap(({ newText, oldText }) => Text.diff(path, oldText, newText))

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
  needs: ({ path }) => Needs.write(path),
  preview: Effect.fnUntraced(function*(parameters, context) {
    const edits = editsOf(parameters)
    const path = yield* Target.locate(parameters.path, "write", context)
    const rawInput = rawInputOf(parameters.path, edits)
    if (path === undefined) return { title: `Edit ${parameters.path}`, rawInput }
    const { text, version } = yield* Text.look(path, context)
    const found = replaceAll(Result.getOrElse(text, () => ""), edits, "")
    const lines = Result.isSuccess(found) && edits.length > 0 ? found.success.lines : []
    return {
      title: `Edit ${Target.shown(path, context.workspace)}`,
      locations: lines.length === 0 ? [{ path }] : lines.map((line) => ({ path, line })),
      content: diffs(path, edits),
      rawInput,
      version
    }
  }),
  run: Effect.fnUntraced(function*(parameters, context) {
    const path = yield* Target.resolve(parameters.path, "write", context)
    const name = Target.shown(path, context.workspace)
    const edits = editsOf(parameters)
    const wrong = fault(parameters, edits)
    if (wrong !== undefined) return yield* Target.fail(wrong)
    const seen = yield* Text.lookAgain(path, context)
    const before = yield* Effect.fromResult(seen.text)
    const { lines, text } = yield* Effect.fromResult(Result.mapError(replaceAll(before, edits, name), Target.fail))
    yield* Text.keepsSecrets(text, before)
    const bytes = yield* Text.write(path, text, context)
    return {
      text: `Replaced ${edits.length} ${edits.length === 1 ? "occurrence" : "passages"} in ${name} (${bytes} bytes).`,
      locations: lines.map((line) => ({ path, line })),
      content: diffs(path, edits)
    }
  })
})
