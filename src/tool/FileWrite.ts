import { Effect, Schema } from "effect"
import * as Needs from "../policy/Needs.ts"
import * as Attachments from "../workspace/Attachments.ts"
import * as Target from "./Target.ts"
import * as Text from "./Text.ts"
import * as Tool from "./Tool.ts"

const Parameters = Schema.Struct({
  path: Schema.String.annotate({ description: "File to write: relative to the workspace, or absolute" }),
  content: Schema.String.annotate({ description: "The whole new content of the file" }),
  encoding: Target.optional(Schema.Literals(["utf8", "base64"]), "How content is encoded; utf8 when absent")
})
type Parameters = typeof Parameters.Type

/** `null` where there is no text to compare with: a new file, or a binary one. */
const existing = (path: string, context: Tool.ToolContext) =>
  Effect.orElseSucceed(Text.read(path, context), () => null)

const changes = (path: string, oldText: string | null, parameters: Parameters) =>
  parameters.encoding === "base64" ? [] : Text.diff(path, oldText, parameters.content)

export const FileWrite = Tool.make<Parameters>({
  name: "file_write",
  description:
    "Create a file or replace its whole content; missing folders are created. To change a part use file_edit.",
  parameters: Parameters,
  kind: "edit",
  capabilities: ["rw"],
  needs: ({ path }) => Needs.write(path),
  preview: Effect.fnUntraced(function*(parameters, context) {
    const path = yield* Target.locate(parameters.path, "write", context)
    const rawInput = { path: parameters.path, newText: parameters.content }
    if (path === undefined) return { title: `Write ${parameters.path}`, rawInput }
    return {
      title: `Write ${Target.shown(path, context.workspace)}`,
      locations: [{ path }],
      content: changes(path, yield* existing(path, context), parameters),
      rawInput
    }
  }),
  run: Effect.fnUntraced(function*(parameters, context) {
    const path = yield* Target.resolve(parameters.path, "write", context)
    const content = parameters.encoding === "base64"
      ? yield* Attachments.decodeBase64(parameters.content).pipe(
        Effect.mapError((fault) => Target.fail(`content: ${fault.detail}`))
      )
      : parameters.content
    const oldText = yield* existing(path, context)
    const bytes = yield* Text.write(path, content, context)
    const text = `Wrote ${bytes} ${bytes === 1 ? "byte" : "bytes"} to ${Target.shown(path, context.workspace)}.`
    const diff = changes(path, oldText, parameters)
    return { text, locations: [{ path }], ...(diff.length === 0 ? {} : { content: diff }) }
  })
})
