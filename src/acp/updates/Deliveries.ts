import { basename } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import type { ToolCallState } from "../../domain/SessionEvent.ts"
import { type ContentBlock, textContent, type ToolCallContent } from "../../domain/Content.ts"
import * as Attachments from "../../workspace/Attachments.ts"

const prefix = "attachment://deliver/"

const embedItem = (cwd: string, item: ToolCallContent): Effect.Effect<ToolCallContent, Attachments.AttachmentFault> => {
  if (item.type !== "content" || item.content.type !== "resource_link" || !item.content.uri.startsWith(prefix)) {
    return Effect.succeed(item)
  }
  const { mimeType, uri } = item.content
  return Effect.map(Attachments.load(cwd, uri.slice(prefix.length)), (bytes): ToolCallContent => ({
    type: "content",
    content: {
      type: "resource",
      resource: { uri, blob: bytes.toString("base64"), ...(mimeType === undefined ? {} : { mimeType }) }
    }
  }))
}

const isDelivery = (item: ToolCallContent) =>
  item.type === "content" && item.content.type === "resource_link" && item.content.uri.startsWith(prefix)

/**
 * Puts the bytes of delivered files into an outgoing call. Each file is read and hashed again; a file that changed
 * since it was delivered is left out, and the call says so. See docs/agent-client-protocol.md#deliveries.
 */
export const embedDelivered = (cwd: string, call: ToolCallState): Effect.Effect<ToolCallState> =>
  call.content.some(isDelivery)
    ? Effect.forEach(call.content, (item) => embedItem(cwd, item)).pipe(
      Effect.map((content): ToolCallState => ({ ...call, content })),
      Effect.catch(({ detail }) =>
        Effect.succeed<ToolCallState>({
          ...call,
          status: "failed",
          content: [
            ...call.content.filter((item) => !isDelivery(item)),
            textContent(`The file could not be attached: ${detail}`)
          ]
        })
      )
    )
    : Effect.succeed(call)

/** An image of a prompt with its bytes; one that changed since the prompt becomes a link. */
export const withImage = (cwd: string, block: ContentBlock): Effect.Effect<ContentBlock> => {
  if (block.type !== "image" || block.data !== "" || !block.uri?.startsWith("file://")) return Effect.succeed(block)
  const { mimeType, uri } = block
  const name = basename(fileURLToPath(uri))
  return Attachments.load(cwd, name).pipe(
    Effect.map((bytes): ContentBlock => ({ ...block, data: bytes.toString("base64") })),
    Effect.orElseSucceed((): ContentBlock => ({ type: "resource_link", uri, name, mimeType }))
  )
}
