import type { SessionUpdate } from "../../acp/protocol/SessionUpdate.ts"
import { type ContentBlock, textContent, type ToolCallContent, type ToolCallItem } from "../../domain/Content.ts"
import type { ToolCallState, TranscriptEntry } from "../../domain/SessionEvent.ts"
import type { SessionRecord } from "../../store/SessionRecords.ts"
import { type TextStyles, textStyles } from "../terminal/Output.ts"
import * as Renderer from "../terminal/Renderer.ts"
import { json, oneLine, plain, plainOutput } from "../terminal/Text.ts"
import { diffLines, textOfBlock, unlimited } from "../terminal/ToolCallView.ts"

export const titleOf = ({ title }: Pick<SessionRecord, "title">): string => oneLine(title ?? "") || "(untitled)"

const text = (value: string): ContentBlock => ({ type: "text", text: value })

const unfenced = (item: ToolCallItem): ToolCallContent => item.type === "output" ? textContent(item.text) : item

const summaryNote = "The conversation up to here was summarised for the model."

const updatesOf = (entry: TranscriptEntry): ReadonlyArray<SessionUpdate> => {
  switch (entry._tag) {
    case "User":
      return entry.content.map((content, at) => ({
        sessionUpdate: "user_message_chunk",
        messageId: `${entry.messageId}.${at}`,
        content
      }))
    case "Agent":
      return [{ sessionUpdate: "agent_message_chunk", messageId: entry.messageId, content: text(entry.text) }]
    case "Thought":
      return [{ sessionUpdate: "agent_thought_chunk", messageId: entry.messageId, content: text(entry.text) }]
    case "ToolCall":
      return [{ sessionUpdate: "tool_call", ...entry.call, content: entry.call.content.map(unfenced) }]
    case "Plan":
      return [{ sessionUpdate: "plan", entries: entry.entries }]
    case "Interrupted":
      return [{ sessionUpdate: "notice", severity: "warning", title: entry.text }]
    case "Notice":
      return [{ sessionUpdate: "notice", severity: entry.notice.severity, title: entry.notice.title }]
    case "Compaction":
      return entry.compaction.status === "completed"
        ? [{ sessionUpdate: "notice", severity: "info", title: summaryNote }]
        : []
  }
}

const properties = (session: SessionRecord): ReadonlyArray<readonly [string, string]> => [
  ["session", session.sessionId],
  ["agent", session.agent],
  ["folder", session.cwd],
  ...session.additionalDirectories.map((folder) => ["also", folder] as const),
  ["created", session.createdAt],
  ["updated", session.updatedAt],
  ...(session.killedAt === null ? [] : [["killed", session.killedAt] as const])
]

/** The conversation as it looked in the terminal, below the properties of the session. */
export const readable = (
  session: SessionRecord,
  entries: ReadonlyArray<TranscriptEntry>,
  options: { readonly styles: TextStyles; readonly width: number }
): string => {
  const { styles } = options
  const renderer = Renderer.make(options)
  const body = entries.flatMap(updatesOf).map(renderer.update).join("") + renderer.close()
  const head = properties(session).map(([name, value]) => styles.dim(`${name.padEnd(8)} ${oneLine(value)}`) + "\n")
    .join("")
  return `${styles.bold(titleOf(session))}\n${head}${body === "" ? "" : `\n${body}`}`
}

/** A code block whose fence no line inside can close. */
const fenced = (body: string, language = ""): string => {
  const longest = Array.from(body.matchAll(/`+/g)).reduce((most, [run]) => Math.max(most, run.length), 2)
  const fence = "`".repeat(longest + 1)
  return `${fence}${language}\n${body.replace(/(?<!\n)\n+$/, "")}\n${fence}\n`
}

const markdownContent = (content: ToolCallContent): string => {
  switch (content.type) {
    case "content":
      return fenced(plainOutput(textOfBlock(content.content)))
    case "diff":
      return fenced(diffLines(content, unlimited, textStyles(false)).join("\n"), "diff")
    case "terminal":
      return ""
  }
}

const markdownCall = (call: ToolCallState): string =>
  [
    `### ${oneLine(call.title)} (${call.kind}, ${call.status})\n`,
    ...(call.content.length === 0 && call.rawInput !== undefined ? [fenced(json(call.rawInput, 2), "json")] : []),
    ...call.content.map(unfenced).map(markdownContent)
  ].filter((part) => part !== "").join("\n")

const checkbox = { pending: "[ ]", in_progress: "[-]", completed: "[x]" } as const

const markdownEntry = (entry: TranscriptEntry): string => {
  switch (entry._tag) {
    case "User":
      return `## User\n\n${plain(entry.content.map(textOfBlock).join("\n\n")).trimEnd()}\n`
    case "Agent":
      return `## Agent\n\n${plain(entry.text).trimEnd()}\n`
    case "Thought":
      return `${plain(entry.text).trimEnd().replace(/^/gm, "> ")}\n`
    case "ToolCall":
      return markdownCall(entry.call)
    case "Plan":
      return "### Plan\n\n" +
        entry.entries.map(({ content, status }) => `- ${checkbox[status]} ${oneLine(content)}\n`).join("")
    case "Interrupted":
      return `*${oneLine(entry.text)}*\n`
    case "Notice":
      return `*${oneLine(entry.notice.title)}*\n`
    case "Compaction":
      return entry.compaction.status === "completed"
        ? `*${summaryNote}*\n\n${plain(entry.compaction.summary ?? "").replace(/^/gm, "> ")}\n`
        : ""
  }
}

export const markdown = (session: SessionRecord, entries: ReadonlyArray<TranscriptEntry>): string =>
  [
    `# ${titleOf(session)}\n`,
    properties(session).map(([name, value]) => `- ${name}: \`${oneLine(value)}\`\n`).join(""),
    ...entries.map(markdownEntry).filter((part) => part !== "")
  ].join("\n")
