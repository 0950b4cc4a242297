import { pathToFileURL } from "node:url"
import type { Prompt } from "effect/ai"
import type { Image } from "../turn/PromptContent.ts"

/** The model's context as it is saved: a JSON array of messages. Only types are imported, so that a session loads without a model. */

/** Encodes only the new messages. */
export const appendJson = (json: string, messages: ReadonlyArray<Prompt.MessageEncoded>): string =>
  messages.length === 0
    ? json
    : json === "[]"
    ? JSON.stringify(messages)
    : `${json.slice(0, -1)},${JSON.stringify(messages).slice(1)}`

/** The context holds the paths of images, not their bytes. */
export const userMessage = (text: string, images: ReadonlyArray<Image> = []): Prompt.MessageEncoded => ({
  role: "user",
  content: [
    ...images.map(({ mimeType, path }) => ({
      type: "file" as const,
      mediaType: mimeType,
      data: pathToFileURL(path).href
    })),
    { type: "text", text }
  ]
})
