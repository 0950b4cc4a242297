import { TextDiff } from "effect"
import type { SessionUpdate, ToolCallUpdate } from "../../acp/protocol/SessionUpdate.ts"
import type { ContentBlock, ToolCallContent, ToolCallLocation, ToolCallStatus, ToolKind } from "../../domain/Content.ts"
import type { TextStyles } from "./Output.ts"
import { json, mentions, oneLine, plain, plainOutput, truncate } from "./Text.ts"

const size = (base64: string) => `${Math.max(1, Math.round(base64.length * 3 / 4 / 1024))} KiB`

/** A content block as text. It may hold control characters. */
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

/** How much of a text is shown: everything where a decision depends on it. */
interface TextLimits {
  readonly lines: number
  readonly width: number
}
export const unlimited: TextLimits = { lines: Infinity, width: Infinity }

const clip = (lines: ReadonlyArray<string>, limits: TextLimits, styles: TextStyles): ReadonlyArray<string> => {
  const rest = lines.length - limits.lines
  // A note in place of one line would save nothing.
  return rest < 2 ? lines : [...lines.slice(0, limits.lines), styles.dim(`… ${rest} more lines`)]
}

export const textLines = (text: string, limits: TextLimits, styles: TextStyles): ReadonlyArray<string> => {
  const body = plainOutput(text.trimEnd().replace(/^\n+/, ""))
  return body === "" ? [] : clip(body.split("\n").map((line) => truncate(line, limits.width)), limits, styles)
}

/** One line of a diff; `gap` stands for unchanged lines that are left out. */
interface DiffLine {
  readonly kind: "same" | "removed" | "added" | "gap"
  readonly text: string
}

const linesOf = (text: string): ReadonlyArray<string> => {
  const lines = text.split("\n")
  if (lines.at(-1) === "") lines.pop()
  return lines
}

/** A change of more lines than this may be shown larger than it is, which bounds the work. */
const maxEdits = 1000

const kinds = { Equal: "same", Delete: "removed", Insert: "added" } as const

const editsOf = TextDiff.diffWith<string>((one, other) => one === other)

/** Unchanged lines around each change. */
const diffContext = 3

const withGaps = (lines: ReadonlyArray<DiffLine>): ReadonlyArray<DiffLine> => {
  const near = new Set<number>()
  lines.forEach(({ kind }, at) => {
    if (kind !== "same") { for (let k = at - diffContext; k <= at + diffContext; k++) near.add(k) }
  })
  const out: Array<DiffLine> = []
  lines.forEach((line, at) => {
    if (near.has(at)) out.push(line)
    else if (out.at(-1)?.kind !== "gap") out.push({ kind: "gap", text: "" })
  })
  return out
}

/** Line by line. A file that did not exist has no old text. */
const diff = (oldText: string | null | undefined, newText: string): ReadonlyArray<DiffLine> =>
  withGaps(
    editsOf(linesOf(oldText ?? ""), linesOf(newText), { maxEdits }).flatMap(({ _tag, items }) =>
      items.map((text): DiffLine => ({ kind: kinds[_tag], text }))
    )
  )

type DiffContent = Extract<ToolCallContent, { readonly type: "diff" }>

export const diffLines = (
  { newText, oldText, path }: DiffContent,
  limits: TextLimits,
  styles: TextStyles
): ReadonlyArray<string> => {
  const painted = diff(oldText, newText).map(({ kind, text }) => {
    const line = truncate(plain(text), limits.width - 2)
    switch (kind) {
      case "added":
        return styles.green(`+ ${line}`)
      case "removed":
        return styles.red(`- ${line}`)
      case "same":
        return `  ${line}`
      case "gap":
        return styles.dim("  ⋮")
    }
  })
  const note = oldText === null || oldText === undefined ? " (new file)" : ""
  return [styles.bold(oneLine(path)) + note, ...clip(painted, limits, styles)]
}

/** A tool call as its updates describe it so far. */
export interface ToolCallView {
  readonly toolCallId: string
  readonly title: string
  readonly kind: ToolKind
  readonly status: ToolCallStatus
  readonly content: ReadonlyArray<ToolCallContent>
  readonly locations: ReadonlyArray<ToolCallLocation>
  readonly rawInput?: unknown
  readonly rawOutput?: unknown
}

export type ToolCallPatch = typeof ToolCallUpdate.Type | Extract<SessionUpdate, { readonly sessionUpdate: "tool_call" }>

/** Absent fields stay as they were, lists replace the unlimited list. */
export const patchedCall = (call: ToolCallView | undefined, patch: ToolCallPatch): ToolCallView => ({
  toolCallId: patch.toolCallId,
  title: patch.title || (call?.title ?? patch.name ?? "tool call"),
  kind: patch.kind ?? call?.kind ?? "other",
  status: patch.status ?? call?.status ?? "pending",
  content: patch.content ?? call?.content ?? [],
  locations: patch.locations ?? call?.locations ?? [],
  rawInput: patch.rawInput ?? call?.rawInput,
  rawOutput: patch.rawOutput ?? call?.rawOutput
})

export const isFinished = ({ status }: ToolCallView): boolean => status === "completed" || status === "failed"

const verbs =
  "read view edit write create update delete remove move rename search find list grep glob run exec execute fetch " +
  "deliver ask think switch"
const verb = new RegExp(`^(${verbs.replaceAll(" ", "|")})\\b`, "i")

/** Whether the title is the command that the call runs. */
const isCommand = ({ rawInput, title }: ToolCallView): boolean =>
  typeof rawInput === "object" && rawInput !== null && "command" in rawInput && typeof rawInput.command === "string" &&
  rawInput.command.trim() === title

export const callHeading = (call: ToolCallView, styles: TextStyles): string => {
  const title = oneLine(call.title)
  const named = isCommand(call)
    ? `$ ${title}`
    : call.kind === "other" || verb.test(title)
    ? title
    : `${title} ${styles.dim(`(${call.kind})`)}`
  switch (call.status) {
    case "completed":
      return `${styles.green("✓")} ${named}`
    case "failed":
      return `${styles.red("✗")} ${named}`
    default:
      return `${styles.cyan("▸")} ${named}`
  }
}

const outputLines = 12
const diffPreview = 24

/** The text inside of a code block that is all there is: agents send results so for clients that render Markdown. */
const unfenced = (text: string): string => {
  const fence = /^(`{3,}|~{3,})[^\n`]*\n/.exec(text.trimStart())
  if (fence === null) return text
  const body = text.trim().slice(fence[0].length)
  const last = body.lastIndexOf("\n")
  const end = body.slice(last + 1).trimEnd()
  return end === fence[1] ? body.slice(0, Math.max(0, last)) : text
}

const contentLines = (content: ToolCallContent, limits: TextLimits, styles: TextStyles): ReadonlyArray<string> => {
  switch (content.type) {
    case "content":
      return textLines(unfenced(textOfBlock(content.content)), limits, styles)
    case "diff":
      return diffLines(content, limits === unlimited ? unlimited : { ...limits, lines: diffPreview }, styles)
    case "terminal":
      return []
  }
}

const indent = (lines: ReadonlyArray<string>) => lines.map((line) => `  ${line}\n`).join("")

/** The result, shortened; without diffs where the question has shown them. */
export const callOutput = (
  call: ToolCallView,
  styles: TextStyles,
  options: { readonly width: number; readonly diffs: boolean }
): string => {
  const limits = { lines: outputLines, width: options.width }
  const shown = call.content.filter(({ type }) => options.diffs || type !== "diff")
  const lines = shown.flatMap((content) => contentLines(content, limits, styles))
  return indent(
    lines.length > 0 || call.content.length > 0 || typeof call.rawOutput !== "string"
      ? lines
      : textLines(call.rawOutput, limits, styles)
  )
}

/** The text that a call gave; `undefined` where it gave none. */
export const resultText = ({ content, rawOutput }: ToolCallView): string | undefined => {
  const texts = content.flatMap((one) => one.type === "content" ? [unfenced(textOfBlock(one.content))] : [])
  if (texts.length > 0) return texts.join("\n")
  return typeof rawOutput === "string" ? rawOutput : undefined
}

/** Lines of a command's output: the beginning says what ran, the end how it went. */
const outputEnds = { first: 3, last: 7 }

const middleLeftOut = (lines: ReadonlyArray<string>, styles: TextStyles): ReadonlyArray<string> => {
  const { first, last } = outputEnds
  const rest = lines.length - first - last
  return rest < 2 ? lines : [...lines.slice(0, first), styles.dim(`… ${rest} more lines`), ...lines.slice(-last)]
}

interface ResultLines {
  readonly lines: ReadonlyArray<string>
  /** What the heading says about a result that is not shown. */
  readonly note: string
  /** Whether the result is shown, and nothing of it left out. */
  readonly isWhole: boolean
}

/** What people need to see of a result: what was read is only counted, of a command's output the middle is left out. */
export const resultLines = (
  call: ToolCallView,
  styles: TextStyles,
  options: { readonly width: number; readonly diffs: boolean }
): ResultLines => {
  const text = resultText(call)
  const all = text === undefined ? [] : textLines(text, { lines: Infinity, width: options.width }, styles)
  const isRead = call.status === "completed" &&
    (call.kind === "read" || call.kind === "search" || call.kind === "fetch")
  if (isRead && all.length > 0) {
    return { lines: [], note: all.length === 1 ? "" : ` · ${all.length} lines`, isWhole: false }
  }
  const diffs = options.diffs
    ? call.content.flatMap((one) =>
      one.type === "diff" ? diffLines(one, { lines: diffPreview, width: options.width }, styles) : []
    )
    : []
  const shown = middleLeftOut(all, styles)
  const isCut = shown.length < all.length || (text ?? "").split("\n").some((line) => line.length > options.width)
  return { lines: [...diffs, ...shown.map(styles.dim)], note: "", isWhole: all.length > 0 && !isCut }
}

/** In characters: longer JSON is not indented, which would not help to read it. */
const maxIndented = 100_000

const jsonLines = (value: unknown): ReadonlyArray<string> => {
  const line = json(value)
  return plain(line.length > maxIndented ? line : json(value, 2)).split("\n")
}

const inputLines = (rawInput: unknown): ReadonlyArray<string> => {
  if (rawInput === undefined || rawInput === null) return []
  const command = typeof rawInput === "object" && "command" in rawInput ? rawInput.command : undefined
  // Joined with blanks, it would not show where an argument ends.
  const line = Array.isArray(command) ? json(command) : command
  if (typeof line !== "string") return jsonLines(rawInput)
  const { command: _, ...others } = rawInput as Readonly<Record<string, unknown>>
  return [
    ...plain(line).split("\n").map((text, at) => (at === 0 ? "$ " : "  ") + text),
    ...(Object.keys(others).length === 0 ? [] : jsonLines(others))
  ]
}

/** Everything that a decision about the call depends on, not shortened. */
export const callQuestion = (call: ToolCallView, styles: TextStyles): string => {
  const hasDiff = call.content.some(({ type }) => type === "diff")
  const paths = call.locations.map(({ path }) => path).filter((path) => !mentions(call.title, path))
  const title = isCommand(call) ? "Run a command" : call.title
  return `${styles.yellow("?")} ${styles.bold(plain(title))}\n` + indent([
    ...(hasDiff ? [] : paths.map(oneLine)),
    ...(hasDiff ? [] : inputLines(call.rawInput)),
    ...call.content.flatMap((content) => contentLines(content, unlimited, styles))
  ])
}
