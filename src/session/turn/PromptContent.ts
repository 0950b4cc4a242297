import { isUtf8 } from "node:buffer"
import { basename } from "node:path"
import { pathToFileURL } from "node:url"
import { Effect, Schema } from "effect"
import { beginning } from "../../domain/Cut.ts"
import type { SessionFiles } from "../SessionFiles.ts"
import { isImage } from "../../model/Images.ts"
import type { ContentBlock } from "../../domain/Content.ts"
import * as Attachments from "../../workspace/Attachments.ts"
import * as MimeType from "../../workspace/MimeType.ts"
import { quoted } from "../../platform/QuotedName.ts"

/** A prompt that is refused before anything is stored. */
export class PromptInvalid extends Schema.TaggedError<PromptInvalid>()("PromptInvalid", {
  message: Schema.String,
  field: Schema.String,
  reason: Schema.String
}) {}

/** A checked block: what the transcript keeps and the model reads, or bytes that still have to be stored. */
type PreparedBlock =
  | { readonly _tag: "Ready"; readonly block: ContentBlock; readonly text: string; readonly image?: Image }
  | Blob

interface Blob {
  readonly _tag: "Blob"
  readonly type: "image" | "resource"
  readonly uri: string
  readonly mimeType: string | undefined
  readonly bytes: Uint8Array
}

export type PreparedPrompt = ReadonlyArray<PreparedBlock>

/** A stored image, for a model that takes images. */
export interface Image {
  readonly path: string
  readonly mimeType: string
}

export interface PromptContent {
  readonly blocks: ReadonlyArray<ContentBlock>
  /** The blocks in order, joined by a blank line; images are markers. */
  readonly text: string
  readonly images: ReadonlyArray<Image>
}

const invalid = (index: number, reason: string, message: string) =>
  new PromptInvalid({ message: `prompt.${index}: ${message}`, field: `prompt.${index}`, reason })

const decoded = (data: string, index: number) =>
  Effect.mapError(
    Attachments.decodeBase64(data),
    (fault) => invalid(index, fault.reason === "large" ? "blob_too_large" : "invalid_base64", fault.detail)
  )

const prepareBlock = Effect.fnUntraced(
  function*(block: ContentBlock, index: number, seesImages: boolean): Effect.fn.Return<PreparedBlock, PromptInvalid> {
    switch (block.type) {
      case "text":
        return { _tag: "Ready", block, text: block.text }
      case "resource_link":
        return { _tag: "Ready", block, text: `[${quoted(block.title ?? block.name)}](${block.uri})` }
      case "image": {
        const { data, mimeType, uri } = block
        if (!seesImages) {
          return yield* invalid(
            index,
            "unsupported_content",
            "this session's model takes no image; send text or a file, or choose another model"
          )
        }
        if (!isImage(mimeType)) {
          return yield* invalid(
            index,
            "unsupported_content",
            `no model takes ${mimeType}; images are PNG, JPEG, GIF or WebP`
          )
        }
        return {
          _tag: "Blob",
          type: "image",
          uri: uri ?? `image.${MimeType.extensionOf(mimeType)}`,
          mimeType,
          bytes: yield* decoded(data, index)
        }
      }
      case "audio":
        return yield* invalid(index, "unsupported_content", "no model here takes audio; send text or a file instead")
      case "resource": {
        const { resource } = block
        if ("text" in resource) {
          return { _tag: "Ready", block, text: `<resource uri="${resource.uri}">\n${resource.text}\n</resource>` }
        }
        return {
          _tag: "Blob",
          type: "resource",
          uri: resource.uri,
          mimeType: resource.mimeType,
          bytes: yield* decoded(resource.blob, index)
        }
      }
    }
  }
)

/** Checks every block before anything of the prompt is used. See docs/sessions.md#prompts */
export const prepare = Effect.fnUntraced(function*(prompt: ReadonlyArray<ContentBlock>, seesImages = false) {
  const parts = yield* Effect.forEach(prompt, (block, index) => prepareBlock(block, index, seesImages))
  const says = parts.some((part) => part._tag === "Blob" || part.text.trim() !== "")
  if (!says) {
    return yield* new PromptInvalid({ message: "prompt: it is empty", field: "prompt", reason: "empty_prompt" })
  }
  return parts
})

/** The prompt as text, before anything is stored. */
export const wordsOf = (prepared: PreparedPrompt): string =>
  prepared.map((part) => part._tag === "Ready" ? part.text : `[${part.uri}]`).join("\n\n")

/** The marker of a file that is stored already, and its image where the model gets it. */
export const marked = (text: string, image?: Image): PreparedBlock => ({
  _tag: "Ready",
  block: { type: "text", text },
  text,
  ...(image === undefined ? {} : { image })
})

const fileNameOf = (uri: string) => {
  const name = basename(uri.replace(/[?#].*$/s, ""))
  return name === "" ? "upload.bin" : name
}

interface Stored {
  readonly block: ContentBlock
  readonly text: string
  readonly image?: Image
}

const storeBlob = Effect.fnUntraced(
  function*(
    kept: SessionFiles,
    { bytes, mimeType, type, uri }: Blob
  ): Effect.fn.Return<Stored, Attachments.AttachmentFault> {
    const name = fileNameOf(uri)
    const isReadable = kept.isReadable()
    const folder = yield* Effect.try({
      try: kept.folder,
      catch: () =>
        new Attachments.AttachmentFault({ reason: "folder", detail: "The folder for its attachments cannot be made." })
    })
    const { path } = yield* Attachments.store(folder, bytes, { filename: name, mimeType })
    const text = !isReadable
      ? unreadable(name, bytes, mimeType)
      : mimeType?.startsWith("image/")
      ? `[IMAGE:${path}]`
      : `[Document: ${quoted(name)}] ${quoted(path)}`
    const stored = pathToFileURL(path).href
    if (type === "image" && mimeType !== undefined) {
      // The transcript refers to the stored bytes; a replay reads them from there.
      return { block: { type: "image", data: "", mimeType, uri: stored }, text, image: { path, mimeType } }
    }
    const block: ContentBlock = {
      type: "resource_link",
      uri: stored,
      name,
      size: bytes.length,
      ...(mimeType === undefined ? {} : { mimeType })
    }
    return { block, text, ...(isImage(mimeType) ? { image: { path, mimeType } } : {}) }
  }
)

/** Characters of a document that stand in the prompt itself. */
const maxInline = 100_000

/** What stands for a file that no tool can read, because it is not in the workspace: its text, if it has one. */
const unreadable = (name: string, bytes: Uint8Array, mimeType: string | undefined): string =>
  mimeType?.startsWith("image/") === true || !isUtf8(bytes)
    ? `[Attachment: ${quoted(name)}, ${bytes.length} bytes; no tool can read it in this session]`
    : `<resource uri="${quoted(name)}">\n${beginning(Buffer.from(bytes).toString("utf8"), maxInline)}\n</resource>`

/** Stores the blobs of the prompt and puts a marker in their place. */
export const materialise = Effect.fnUntraced(function*(kept: SessionFiles, prepared: PreparedPrompt) {
  const parts = yield* Effect.forEach(
    prepared,
    (part): Effect.Effect<Stored, Attachments.AttachmentFault> =>
      part._tag === "Ready" ? Effect.succeed(part) : storeBlob(kept, part)
  )
  return {
    blocks: parts.map(({ block }) => block),
    text: parts.map(({ text }) => text).join("\n\n"),
    images: parts.flatMap(({ image }) => image === undefined ? [] : [image])
  } satisfies PromptContent
})
