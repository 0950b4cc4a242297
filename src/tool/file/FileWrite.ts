import { Effect, Result, Schema } from "effect"
import * as ToolRequirements from "../../policy/decision/ToolRequirements.ts"
import * as Attachments from "../../workspace/Attachments.ts"
import * as LineEnds from "./LineEnds.ts"
import * as TextEncoding from "./TextEncoding.ts"
import * as ToolPath from "./ToolPath.ts"
import * as TextFile from "./TextFile.ts"
import * as Tool from "../Tool.ts"
import { quoted } from "../../platform/QuotedName.ts"

const Parameters = Schema.Struct({
  path: Schema.String.annotate({ description: "File to write: relative to the workspace, or absolute" }),
  content: Schema.String.annotate({ description: "The whole new content of the file" }),
  encoding: Tool.optional(Schema.Literals(["utf8", "base64"]), "How content is encoded; utf8 when absent")
})
type Parameters = typeof Parameters.Type

/** What is written: line ends that the content leaves open are those of the file. */
const contentOf = ({ content }: Parameters, { text }: TextFile.TextSnapshot): string =>
  LineEnds.keep(Result.getOrElse(text, () => ""), content)

/** Without an old text where there is none to compare with: a new file, or a binary one. */
const changes = (path: string, seen: TextFile.TextSnapshot, parameters: Parameters) =>
  parameters.encoding === "base64"
    ? []
    : TextFile.diff(path, Result.getOrNull(seen.text), contentOf(parameters, seen))

/** What was not in the content, or is not any more. */
const remarks = ({ content }: Parameters, written: string, { encoding, undecodable }: TextFile.TextSnapshot) => {
  const kept = [
    ...(written === content ? [] : ["its line ends"]),
    ...(encoding.name === "UTF-8" ? [] : [`its encoding (${encoding.name})`]),
    ...(encoding.mark ? ["its byte order mark"] : [])
  ]
  return [
    ...(kept.length === 0 ? [] : [` Kept: ${kept.join(", ")}.`]),
    ...(undecodable === undefined ? [] : [" It was a binary file and is text now."])
  ].join("")
}

export const FileWrite = Tool.make<Parameters>({
  name: "file_write",
  description:
    "Create a file or replace its whole content; missing folders are created. To change a part use file_edit.",
  parameters: Parameters,
  kind: "edit",
  capabilities: ["rw"],
  needs: ({ path }) => ToolRequirements.write(path),
  preview: Effect.fnUntraced(function*(parameters, context) {
    const path = yield* ToolPath.locate(parameters.path, "write", context)
    const rawInput = { path: parameters.path, newText: parameters.content }
    return path === undefined
      ? { title: `Write ${quoted(parameters.path)}`, rawInput }
      : { title: `Write ${ToolPath.shown(path, context.workspace)}`, locations: [{ path }], rawInput }
  }),
  disclose: Effect.fnUntraced(function*(parameters, context) {
    const path = yield* ToolPath.locate(parameters.path, "write", context)
    if (path === undefined) return undefined
    const seen = yield* TextFile.look(path, context)
    return { content: seen.refused ? [] : changes(path, seen, parameters), version: seen.version }
  }),
  run: Effect.fnUntraced(function*(parameters, context) {
    const path = yield* ToolPath.resolve(parameters.path, "write", context)
    const content = parameters.encoding === "base64"
      ? yield* Attachments.decodeBase64(parameters.content).pipe(
        Effect.mapError((fault) => Tool.fail(`content: ${fault.detail}`))
      )
      : parameters.content
    const seen = yield* TextFile.lookAgain(path, context)
    const name = ToolPath.shown(path, context.workspace)
    if (typeof content === "string") {
      yield* TextFile.keepsSecrets(content, Result.getOrElse(seen.text, () => ""))
      if (seen.undecodable === "encoding") {
        return yield* Tool.fail(
          `Cannot write ${name}: ${TextEncoding.sentence.encoding} Writing text would change the encoding. Convert the file ` +
            "to UTF-8 first, or give its bytes with encoding base64."
        )
      }
    }
    const written = typeof content === "string" ? contentOf(parameters, seen) : content
    const bytes = yield* TextFile.write(path, written, context, seen)
    const text = `Wrote ${bytes} ${bytes === 1 ? "byte" : "bytes"} to ${name}.` +
      (typeof written === "string" ? remarks(parameters, written, seen) : "")
    const diff = changes(path, seen, parameters)
    return { ...Tool.said(text), locations: [{ path }], ...(diff.length === 0 ? {} : { content: diff }) }
  })
})
