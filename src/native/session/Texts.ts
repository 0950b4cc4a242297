import type { ToolCallState } from "../../domain/SessionEvent.ts"
import type { ContentBlock } from "../../domain/Content.ts"

const textOf = (block: ContentBlock): string => {
  switch (block.type) {
    case "text":
      return block.text
    case "resource_link":
      return `[${block.title ?? block.name}](${block.uri})`
    case "resource":
      return "text" in block.resource ? block.resource.text : `[${block.resource.uri}]`
    default:
      return `[${block.type}]`
  }
}

/** What a user said, as text. */
export const saidOf = (content: ReadonlyArray<ContentBlock>): string => content.map(textOf).join("\n\n")

/** What people and programs read of a result: its texts, and which files it changed where it has none. */
export const outputOf = ({ content, rawOutput }: ToolCallState): string => {
  const texts = content.flatMap((item) =>
    item.type === "content" && item.content.type === "text" ? [item.content.text] : []
  )
  if (texts.length > 0) return texts.join("\n")
  if (rawOutput !== undefined) return typeof rawOutput === "string" ? rawOutput : JSON.stringify(rawOutput)
  return content.flatMap((item) => item.type === "diff" ? [`Changed ${item.path}`] : []).join("\n")
}
