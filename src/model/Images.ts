import { basename, dirname } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect, Option } from "effect"
import type { Prompt } from "effect/ai"
import * as Attachments from "../workspace/Attachments.ts"

/** Image types that providers take; for others the text keeps its marker. */
const mediaTypes: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"])

export const isImage = (mimeType: string | undefined): mimeType is string =>
  mimeType !== undefined && mediaTypes.has(mimeType)

/** An image of a prompt, as base64. */
export type Images = ReadonlyMap<Prompt.FilePart, string>

export const none: Images = new Map()

const load = Effect.fnUntraced(function*(part: Prompt.FilePart) {
  if (typeof part.data !== "string" || !part.data.startsWith("file://")) return undefined
  const path = fileURLToPath(part.data)
  const bytes = yield* Effect.option(Attachments.load(dirname(dirname(path)), basename(path)))
  return Option.getOrUndefined(Option.map(bytes, (bytes) => bytes.toString("base64")))
})

/** Loads the images of a prompt that are unchanged since they were stored; the context holds only their paths. */
export const inPrompt = Effect.fnUntraced(function*(prompt: Prompt.Prompt) {
  const images = new Map<Prompt.FilePart, string>()
  for (const message of prompt.content) {
    if (message.role !== "user") continue
    for (const part of message.content) {
      const data = part.type === "file" && isImage(part.mediaType) ? yield* load(part) : undefined
      if (part.type === "file" && data !== undefined) images.set(part, data)
    }
  }
  return images as Images
})
