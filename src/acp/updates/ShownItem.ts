import { textContent, type ToolCallContent, type ToolCallItem } from "../../domain/Content.ts"

/** A code block whose fence no line inside can close. See https://spec.commonmark.org/0.31.2/#fenced-code-blocks. */
const fenced = (text: string): string => {
  const longest = Array.from(text.matchAll(/`+/g)).reduce((most, [run]) => Math.max(most, run.length), 2)
  const fence = "`".repeat(longest + 1)
  return `${fence}\n${text}${text.endsWith("\n") ? "" : "\n"}${fence}`
}

/** An item of a tool call as ACP clients get it: clients render Markdown, in which lines of output would run together. */
export const shownItem = (item: ToolCallItem): ToolCallContent =>
  item.type === "output" ? textContent(fenced(item.text)) : item
