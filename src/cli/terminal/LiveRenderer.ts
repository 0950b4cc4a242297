import type { SessionUpdate } from "../../acp/protocol/SessionUpdate.ts"
import { clipped, widthOf, wrapped } from "./Columns.ts"
import * as Markdown from "./Markdown.ts"
import type { TextStyles } from "./Output.ts"
import type { Renderer } from "./Renderer.ts"
import type { LiveArea } from "./Screen.ts"
import { oneLine, plain } from "./Text.ts"
import {
  callHeading,
  callQuestion,
  isFinished,
  patchedCall,
  resultLines,
  resultText,
  textOfBlock,
  type ToolCallPatch,
  type ToolCallView
} from "./ToolCallView.ts"

interface LiveRendererOptions {
  readonly styles: TextStyles
  /** In columns; it may change. */
  readonly width: () => number
  readonly show?: "everything" | "answer"
}

const checkbox = { pending: "☐", in_progress: "◐", completed: "☑" } as const

/** Lines of a command or path that a heading may take. */
const headingLines = 3

/** Columns that are comfortable to read. */
const readable = 100

/** Lines behind the first one are indented, and all as much as the text is. */
const hanging = (text: string, width: number, by = 2): ReadonlyArray<string> => {
  const [indent = ""] = /^ */.exec(text) ?? []
  return wrapped(text.slice(indent.length), width - indent.length - by).map((line, at) =>
    indent + (at === 0 ? line : " ".repeat(by) + line)
  )
}

/** Text that comes in pieces and is shown as it is, in whole lines. */
const makePlainStream = (width: () => number, style: (text: string) => string) => {
  let rest = ""
  const linesOf = (text: string) => text.split("\n").flatMap((line) => wrapped(line, width())).map(style)
  return {
    push: (piece: string) => void (rest += plain(piece)),
    settled: (): ReadonlyArray<string> => {
      const end = rest.lastIndexOf("\n")
      if (end < 0) return []
      const whole = rest.slice(0, end)
      rest = rest.slice(end + 1)
      return linesOf(whole)
    },
    open: (): ReadonlyArray<string> => rest === "" ? [] : linesOf(rest),
    end: (): ReadonlyArray<string> => {
      const last = rest
      rest = ""
      return last.trim() === "" ? [] : linesOf(last)
    }
  } satisfies Markdown.MarkdownStream
}

/**
 * Turns the updates of a session into text for a terminal whose last lines can be drawn again: messages are Markdown, results of reads
 * are counted and not repeated.
 */
export const make = ({ show = "everything", styles, width }: LiveRendererOptions): Renderer & LiveArea => {
  const calls = new Map<string, ToolCallView>()
  const finished = new Set<string>()
  const asked = new Set<string>()
  /** Results that were shown whole since the last message. */
  let results: ReadonlyArray<string> = []
  let block = ""
  let stream: Markdown.MarkdownStream | undefined
  let plan = ""

  const columns = () => Math.max(10, Math.min(readable, width() - 1))
  const text = (lines: ReadonlyArray<string>) => lines.map((line) => `${line}\n`).join("")
  const isCopy = (part: string) => {
    const body = part.trim()
    return body !== "" && results.some((result) => result === body)
  }

  /** Ends what is being streamed. */
  const end = (): string => {
    const rest = stream === undefined ? "" : text(stream.end())
    stream = undefined
    return rest
  }

  /** Blocks are separated by an empty line; a list of tool calls is one block. */
  const begin = (next: string): string => {
    if (next === block) return ""
    const before = end()
    const isTogether = block === "" || (block.startsWith("call") && next.startsWith("call:"))
    block = next
    return before + (isTogether ? "" : "\n")
  }

  const lines = (name: string, shown: ReadonlyArray<string>) => {
    const start = begin(name)
    return start + end() + text(shown)
  }

  const push = (name: string, piece: string, open: () => Markdown.MarkdownStream): string => {
    if (piece === "") return ""
    const start = begin(name)
    const isNew = stream === undefined
    stream ??= open()
    // Models begin with line breaks.
    stream.push(isNew ? piece.replace(/^\n+/, "") : piece)
    return start
  }

  const remember = (patch: ToolCallPatch): ToolCallView => {
    const call = patchedCall(calls.get(patch.toolCallId), patch)
    calls.set(call.toolCallId, call)
    return call
  }

  const tool = (patch: ToolCallPatch): string => {
    const call = remember(patch)
    if (!isFinished(call) || finished.has(call.toolCallId)) return ""
    finished.add(call.toolCallId)
    const { isWhole, lines: shown, note } = resultLines(call, styles, {
      width: columns() - 2,
      diffs: !asked.has(call.toolCallId)
    })
    const result = resultText(call)?.trim()
    if (result !== undefined && result !== "" && isWhole) results = [...results, result]
    const heading = hanging(callHeading(call, styles) + styles.dim(note), columns(), 4)
    return lines(`call:${call.toolCallId}`, [
      ...heading.length > headingLines ? [...heading.slice(0, headingLines), styles.dim("    …")] : heading,
      ...shown.map((line) => `  ${clipped(line, columns() - 2)}`)
    ])
  }

  const user = (piece: string, id: string) =>
    push(id, piece, () => makePlainStream(() => columns() - 2, (line) => styles.bold(`> ${line}`)))

  const note = (said: string) => lines("note", hanging(oneLine(said), columns()).map(styles.dim))

  const activity = (update: SessionUpdate): string => {
    switch (update.sessionUpdate) {
      case "user_message_chunk":
        return user(textOfBlock(update.content), `user:${update.messageId ?? ""}`)
      case "agent_thought_chunk":
        return push(
          `thought:${update.messageId ?? ""}`,
          textOfBlock(update.content),
          () => makePlainStream(columns, (line) => styles.dim(styles.italic(line)))
        )
      case "tool_call":
      case "tool_call_update":
        return tool(update)
      case "plan": {
        const list = update.entries.flatMap(({ content, status }) => {
          const line = hanging(`${checkbox[status]} ${oneLine(content)}`, columns() - 2).map((one) => `  ${one}`)
          return status === "completed" ? line.map(styles.dim) : line
        })
        if (list.join("\n") === plan) return ""
        plan = list.join("\n")
        return plan === "" ? "" : lines("plan", [styles.bold("Plan"), ...list])
      }
      case "notice": {
        const said = [update.title, update.description].filter((part) => part).join(": ")
        return lines("note", hanging(`! ${oneLine(said)}`, columns()).map(styles.yellow))
      }
      case "current_mode_update":
        return note(`mode: ${update.currentModeId}`)
      case "compaction_update":
        return update.status === "completed" ? note("older messages were summarised") : ""
      default:
        return ""
    }
  }

  return {
    update(update) {
      if (update.sessionUpdate === "agent_message_chunk") {
        const shown = results
        return push(
          `text:${update.messageId ?? ""}`,
          textOfBlock(update.content),
          () => Markdown.stream(() => ({ styles, width: columns() }), shown.length === 0 ? undefined : isCopy)
        )
      }
      if (show === "everything") return activity(update)
      if (update.sessionUpdate === "tool_call" || update.sessionUpdate === "tool_call_update") remember(update)
      return ""
    },
    question(patch) {
      const call = patchedCall(calls.get(patch.toolCallId), patch)
      asked.add(call.toolCallId)
      const start = begin("call for a decision")
      const question = callQuestion(call, styles).split("\n").slice(0, -1)
      // Lines of a diff stay whole: they are code.
      return start + end() +
        text(question.flatMap((line) => widthOf(line) <= columns() ? [line] : hanging(line, columns())))
    },
    close() {
      const rest = end()
      block = ""
      results = []
      return rest
    },
    running: () => Array.from(calls.values()).findLast((call) => !isFinished(call))?.title,
    settled: () => stream === undefined ? "" : text(stream.settled()),
    open: () => stream?.open() ?? []
  }
}
