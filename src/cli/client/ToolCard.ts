import type { SessionUpdate, ToolCallUpdate } from "../../acp/protocol/SessionUpdate.ts"
import type { ToolCallContent, ToolCallLocation, ToolCallStatus, ToolKind } from "../../domain/Content.ts"
import { diffLines, type Extent, textLines, textOfBlock, whole } from "./Content.ts"
import type { Paint } from "../terminal/Style.ts"
import { json, mentions, oneLine, plain } from "../terminal/Text.ts"

/** A tool call as far as the client knows it. */
export interface Card {
  readonly toolCallId: string
  readonly title: string
  readonly kind: ToolKind
  readonly status: ToolCallStatus
  readonly content: ReadonlyArray<ToolCallContent>
  readonly locations: ReadonlyArray<ToolCallLocation>
  readonly rawInput?: unknown
  readonly rawOutput?: unknown
}

export type Patch = typeof ToolCallUpdate.Type | Extract<SessionUpdate, { readonly sessionUpdate: "tool_call" }>

/** Absent fields stay as they were, lists replace the whole list. */
export const patched = (card: Card | undefined, patch: Patch): Card => ({
  toolCallId: patch.toolCallId,
  title: patch.title || (card?.title ?? patch.name ?? "tool call"),
  kind: patch.kind ?? card?.kind ?? "other",
  status: patch.status ?? card?.status ?? "pending",
  content: patch.content ?? card?.content ?? [],
  locations: patch.locations ?? card?.locations ?? [],
  rawInput: patch.rawInput ?? card?.rawInput,
  rawOutput: patch.rawOutput ?? card?.rawOutput
})

export const isFinal = ({ status }: Card): boolean => status === "completed" || status === "failed"

const verbs =
  "read view edit write create update delete remove move rename search find list grep glob run exec execute fetch " +
  "deliver ask think switch"
const verb = new RegExp(`^(${verbs.replaceAll(" ", "|")})\\b`, "i")

export const heading = (card: Card, paint: Paint): string => {
  const title = oneLine(card.title)
  const named = card.kind === "other" || verb.test(title) ? title : `${title} ${paint.dim(`(${card.kind})`)}`
  switch (card.status) {
    case "completed":
      return `${paint.green("✓")} ${named}`
    case "failed":
      return `${paint.red("✗")} ${named}`
    default:
      return `${paint.cyan("▸")} ${named}`
  }
}

const outputLines = 12
const diffPreview = 24

const contentLines = (content: ToolCallContent, extent: Extent, paint: Paint): ReadonlyArray<string> => {
  switch (content.type) {
    case "content":
      return textLines(textOfBlock(content.content), extent, paint)
    case "diff":
      return diffLines(content, extent === whole ? whole : { ...extent, lines: diffPreview }, paint)
    case "terminal":
      return []
  }
}

const indent = (lines: ReadonlyArray<string>) => lines.map((line) => `  ${line}\n`).join("")

/** What the call gave, shortened; diffs left out where they were shown before. */
export const output = (
  card: Card,
  paint: Paint,
  options: { readonly width: number; readonly diffs: boolean }
): string => {
  const extent = { lines: outputLines, width: options.width }
  const shown = card.content.filter(({ type }) => options.diffs || type !== "diff")
  const lines = shown.flatMap((content) => contentLines(content, extent, paint))
  return indent(
    lines.length > 0 || card.content.length > 0 || typeof card.rawOutput !== "string"
      ? lines
      : textLines(card.rawOutput, extent, paint)
  )
}

/** Beyond this many characters blanks no longer help anybody to read it. */
const maxIndented = 100_000

const jsonLines = (value: unknown): ReadonlyArray<string> => {
  const line = json(value)
  return plain(line.length > maxIndented ? line : json(value, 2)).split("\n")
}

const inputLines = (rawInput: unknown): ReadonlyArray<string> => {
  if (rawInput === undefined || rawInput === null) return []
  const command = typeof rawInput === "object" && "command" in rawInput ? rawInput.command : undefined
  // Joined words would hide which of them are one argument.
  const line = Array.isArray(command) ? json(command) : command
  if (typeof line !== "string") return jsonLines(rawInput)
  const { command: _, ...others } = rawInput as Readonly<Record<string, unknown>>
  return [
    ...plain(line).split("\n").map((text, at) => (at === 0 ? "$ " : "  ") + text),
    ...(Object.keys(others).length === 0 ? [] : jsonLines(others))
  ]
}

/** Everything a decision about the call depends on, uncut. */
export const question = (card: Card, paint: Paint): string => {
  const hasDiff = card.content.some(({ type }) => type === "diff")
  const paths = card.locations.map(({ path }) => path).filter((path) => !mentions(card.title, path))
  return `${paint.yellow("?")} ${paint.bold(plain(card.title))}\n` + indent([
    ...(hasDiff ? [] : paths.map(oneLine)),
    ...(hasDiff ? [] : inputLines(card.rawInput)),
    ...card.content.flatMap((content) => contentLines(content, whole, paint))
  ])
}
