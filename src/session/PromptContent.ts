import { basename } from "node:path"
import { Effect, Schema } from "effect"
import type { ContentBlock } from "../tool/Content.ts"
import * as Attachments from "../workspace/Attachments.ts"

/** A prompt that cannot be taken; nothing was written for it. */
export class PromptInvalid extends Schema.TaggedError<PromptInvalid>()("PromptInvalid", {
  message: Schema.String,
  field: Schema.String,
  reason: Schema.String
}) {}

/** A checked block: what the transcript keeps and the model reads, or bytes that still have to be stored. */
type Part =
  | { readonly _tag: "Ready"; readonly block: ContentBlock; readonly text: string }
  | { readonly _tag: "Blob"; readonly uri: string; readonly mimeType: string | undefined; readonly bytes: Uint8Array }

export type Prepared = ReadonlyArray<Part>

export interface PromptContent {
  readonly blocks: ReadonlyArray<ContentBlock>
  /** The blocks in order, joined by a blank line. */
  readonly text: string
}

const invalid = (index: number, reason: string, message: string) =>
  new PromptInvalid({ message: `prompt.${index}: ${message}`, field: `prompt.${index}`, reason })

const prepareBlock = Effect.fnUntraced(function*(block: ContentBlock, index: number): Effect.fn.Return<Part, PromptInvalid> {
  switch (block.type) {
    case "text": return { _tag: "Ready", block, text: block.text }
    case "resource_link": return { _tag: "Ready", block, text: `[${block.title ?? block.name}](${block.uri})` }
    case "image":
    case "audio":
      return yield* invalid(index, "unsupported_content", `this agent's model takes no ${block.type}; send text or a file instead`)
    case "resource": {
      const { resource } = block
      if ("text" in resource) return { _tag: "Ready", block, text: `<resource uri="${resource.uri}">\n${resource.text}\n</resource>` }
      const bytes = yield* Attachments.decodeBase64(resource.blob).pipe(
        Effect.mapError((fault) => invalid(index, fault.reason === "large" ? "blob_too_large" : "invalid_base64", fault.detail))
      )
      return { _tag: "Blob", uri: resource.uri, mimeType: resource.mimeType, bytes }
    }
  }
})

/** Checks every block before anything of the prompt is used (spec §3). */
export const prepare = Effect.fnUntraced(function*(prompt: ReadonlyArray<ContentBlock>) {
  const parts = yield* Effect.forEach(prompt, prepareBlock)
  const says = parts.some((part) => part._tag === "Blob" || part.text.trim() !== "")
  if (!says) return yield* new PromptInvalid({ message: "prompt: it is empty", field: "prompt", reason: "empty_prompt" })
  return parts
})

const fileNameOf = (uri: string) => {
  const name = basename(uri.replace(/[?#].*$/s, ""))
  return name === "" ? "upload.bin" : name
}

const storeBlob = Effect.fnUntraced(function*(cwd: string, blob: Extract<Part, { _tag: "Blob" }>) {
  const name = fileNameOf(blob.uri)
  const stored = yield* Attachments.store(cwd, blob.bytes, { filename: name, mimeType: blob.mimeType })
  const text = blob.mimeType?.startsWith("image/") ? `[IMAGE:${stored.path}]` : `[Document: ${name}] ${stored.path}`
  const block: ContentBlock = {
    type: "resource_link",
    uri: `file://${stored.path}`,
    name,
    size: blob.bytes.length,
    ...(blob.mimeType === undefined ? {} : { mimeType: blob.mimeType })
  }
  return { block, text }
})

/** Stores the blobs under `<cwd>/uploads` and puts a marker in their place. */
export const materialise = Effect.fnUntraced(function*(cwd: string, prepared: Prepared) {
  const parts = yield* Effect.forEach(
    prepared,
    (part): Effect.Effect<{ block: ContentBlock; text: string }, Attachments.AttachmentFault> =>
      part._tag === "Ready" ? Effect.succeed(part) : storeBlob(cwd, part)
  )
  return {
    blocks: parts.map(({ block }) => block),
    text: parts.map(({ text }) => text).join("\n\n")
  } satisfies PromptContent
})
