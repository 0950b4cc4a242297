import { Effect, Schema } from "effect"
import * as ToolRequirements from "../../policy/decision/ToolRequirements.ts"
import * as LineEnds from "./LineEnds.ts"
import * as ToolPath from "./ToolPath.ts"
import * as TextFile from "./TextFile.ts"
import * as Tool from "../Tool.ts"
import { beginning } from "../../domain/Cut.ts"
import { quoted } from "../../platform/QuotedName.ts"

/** Characters in one answer; the rest is one further call away. */
const maxCharacters = 48_000

const atLeastOne = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))

const Parameters = Schema.Struct({
  path: Schema.String.annotate({ description: "File to read: relative to the workspace, or absolute" }),
  offset: Tool.optional(atLeastOne, "First line to read, counted from 1"),
  limit: Tool.optional(atLeastOne, "Number of lines to read; all when absent"),
  encoding: Tool.optional(Schema.Literals(["utf8", "base64"]), "utf8 (default), or base64 for a whole binary file")
})

export const FileRead = Tool.make<typeof Parameters.Type>({
  name: "file_read",
  description:
    "Read a file of at most 10 MiB. Text comes back as numbered lines (\"12: text\"); the number is not part of the " +
    "file. For long files use offset and limit.",
  parameters: Parameters,
  kind: "read",
  capabilities: ["ro"],
  origin: "local",
  needs: ({ path }) => ToolRequirements.read(path),
  preview: Effect.fnUntraced(function*(parameters, context) {
    const path = yield* ToolPath.locate(parameters.path, "read", context)
    if (path === undefined) return { title: `Read ${quoted(parameters.path)}` }
    return {
      title: `Read ${ToolPath.shown(path, context.workspace)}`,
      locations: [{ path, ...(parameters.offset ? { line: parameters.offset } : {}) }]
    }
  }),
  run: Effect.fnUntraced(function*({ encoding, limit, offset, path: named }, context) {
    const path = yield* ToolPath.resolve(named, "read", context)
    if (encoding === "base64") {
      const bytes = yield* TextFile.readBytes(path, context)
      return { text: bytes.toString("base64") }
    }
    const text = yield* TextFile.read(path, context)
    return { text: numbered(text, offset ?? 1, limit ?? Number.MAX_SAFE_INTEGER) }
  })
})

/** Lines `offset … offset + limit - 1` with their numbers, and a last line that says what part of the file this is. */
export const numbered = (text: string, offset: number, limit: number): string => {
  const lines = LineEnds.split(text)
  const total = `${lines.length} ${lines.length === 1 ? "line" : "lines"}`
  if (lines.length === 0) return "[The file is empty.]"
  if (offset > lines.length) return `[Line ${offset} is beyond the end of the file: it has ${total}.]`
  const shown: Array<string> = []
  let characters = 0
  for (let index = offset - 1; index < lines.length && shown.length < limit; index++) {
    const line = `${index + 1}: ${lines[index]}`
    if (characters + line.length > maxCharacters && shown.length > 0) break
    const tooLong = line.length > maxCharacters
    shown.push(tooLong ? `${beginning(line, maxCharacters)}… [line cut, ${line.length} characters]` : line)
    characters += line.length + 1
  }
  const last = offset + shown.length - 1
  if (shown.length === lines.length) return `${shown.join("\n")}\n[${total}]`
  const more = last < lines.length ? ` Continue with offset ${last + 1}.` : ""
  return `${shown.join("\n")}\n[Lines ${offset}-${last} of ${lines.length}.${more}]`
}
