import type { ContentBlock, ToolCallContent } from "../../domain/Content.ts"
import { diff } from "./Diff.ts"
import type { Paint } from "../terminal/Style.ts"
import { cut, oneLine, plain, plainOutput } from "../terminal/Text.ts"

const size = (base64: string) => `${Math.max(1, Math.round(base64.length * 3 / 4 / 1024))} KiB`

/** A block as text for people, not yet safe for a terminal. */
export const textOfBlock = (block: ContentBlock): string => {
  switch (block.type) {
    case "text":
      return block.text
    case "image":
      return `[image ${block.mimeType}, ${size(block.data)}]`
    case "audio":
      return `[audio ${block.mimeType}, ${size(block.data)}]`
    case "resource_link":
      return `[${block.title ?? block.name}] ${block.uri}`
    case "resource":
      return "text" in block.resource
        ? `[${block.resource.uri}]\n${block.resource.text}`
        : `[${block.resource.uri}, ${size(block.resource.blob)}]`
  }
}

/** How much of a text is shown; `whole` where a decision depends on it. */
export interface Extent {
  readonly lines: number
  readonly width: number
}
export const whole: Extent = { lines: Infinity, width: Infinity }

const clip = (lines: ReadonlyArray<string>, extent: Extent, paint: Paint): ReadonlyArray<string> => {
  const rest = lines.length - extent.lines
  // One line hidden behind a note of one line saves nothing.
  return rest < 2 ? lines : [...lines.slice(0, extent.lines), paint.dim(`… ${rest} more lines`)]
}

export const textLines = (text: string, extent: Extent, paint: Paint): ReadonlyArray<string> => {
  const body = plainOutput(text.trimEnd().replace(/^\n+/, ""))
  return body === "" ? [] : clip(body.split("\n").map((line) => cut(line, extent.width)), extent, paint)
}

type DiffContent = Extract<ToolCallContent, { readonly type: "diff" }>

export const diffLines = (
  { newText, oldText, path }: DiffContent,
  extent: Extent,
  paint: Paint
): ReadonlyArray<string> => {
  const painted = diff(oldText, newText).map(({ kind, text }) => {
    const line = cut(plain(text), extent.width - 2)
    switch (kind) {
      case "added":
        return paint.green(`+ ${line}`)
      case "removed":
        return paint.red(`- ${line}`)
      case "same":
        return `  ${line}`
      case "gap":
        return paint.dim("  ⋮")
    }
  })
  const note = oldText === null || oldText === undefined ? " (new file)" : ""
  return [paint.bold(oneLine(path)) + note, ...clip(painted, extent, paint)]
}
