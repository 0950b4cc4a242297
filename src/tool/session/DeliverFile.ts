import { isUtf8 } from "node:buffer"
import { basename, extname } from "node:path"
import { Effect, Schema } from "effect"
import * as ToolRequirements from "../../policy/decision/ToolRequirements.ts"
import * as Attachments from "../../workspace/Attachments.ts"
import * as MimeType from "../../workspace/MimeType.ts"
import { textContent } from "../../domain/Content.ts"
import * as ToolPath from "../file/ToolPath.ts"
import * as TextFile from "../file/TextFile.ts"
import * as Tool from "../Tool.ts"
import { quoted } from "../../platform/QuotedName.ts"

const Parameters = Schema.Struct({
  path: Schema.String.annotate({ description: "File to hand over: relative to the workspace, or absolute" }),
  mimeType: Tool.optional(Schema.String, "Media type; derived from the name when absent"),
  title: Tool.optional(Schema.String, "How to call it; the file name when absent")
})

const label = (parameters: typeof Parameters.Type) => quoted(parameters.title?.trim() || basename(parameters.path))

/**
 * Stores a copy under its hash and links to it; the protocol that sends the bytes reads and hashes them again
 * (docs/agent-client-protocol.md#deliveries).
 */
export const DeliverFile = Tool.make<typeof Parameters.Type>({
  name: "deliver_file",
  description:
    "Hand a finished file of at most 10 MiB to the user, to open or save. Use it for results, not to show text.",
  parameters: Parameters,
  kind: "other",
  capabilities: ["ro"],
  needs: ({ path }) => ToolRequirements.read(path),
  preview: Effect.fnUntraced(function*(parameters, context) {
    const path = yield* ToolPath.locate(parameters.path, "read", context)
    return { title: `Deliver ${label(parameters)}`, ...(path === undefined ? {} : { locations: [{ path }] }) }
  }),
  run: Effect.fnUntraced(function*(parameters, context) {
    const path = yield* ToolPath.resolve(parameters.path, "read", context)
    const filename = basename(path)
    const bytes = yield* TextFile.readBytes(path, context)
    const mimeType = mimeTypeOf(parameters.mimeType, filename, bytes)
    const stored = yield* Effect.mapError(
      Attachments.store(context.attachments(), bytes, { filename, mimeType }),
      (fault) => Tool.fail(`${quoted(filename)} was not delivered: ${fault.detail}`)
    )
    const uri = `attachment://deliver/${stored.name}`
    const title = label(parameters)
    const text = `Delivered ${quoted(filename)} (${stored.bytes} bytes) as ${uri}.`
    return {
      text,
      title,
      locations: [{ path }],
      content: [
        textContent(text),
        {
          type: "content",
          content: { type: "resource_link", uri, name: filename, title, mimeType, size: stored.bytes }
        }
      ],
      rawOutput: { delivered: true, uri, path, filename, title, mimeType, bytes: stored.bytes }
    }
  })
})

const mimeTypeOf = (given: string | null | undefined, filename: string, bytes: Buffer): string => {
  if (given && /^[\w.+-]+\/[\w.+-]+$/.test(given)) return given.toLowerCase()
  return MimeType.ofExtension(extname(filename).slice(1).toLowerCase()) ??
    (isUtf8(bytes) ? "text/plain" : "application/octet-stream")
}
