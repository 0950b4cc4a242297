import type { SessionUpdate } from "../../acp/protocol/SessionUpdate.ts"
import type { TextStyles } from "./Output.ts"
import { trailingSurrogate } from "../../domain/Cut.ts"
import { oneLine, plain } from "./Text.ts"
import {
  callHeading,
  callOutput,
  callQuestion,
  isFinished,
  patchedCall,
  textOfBlock,
  type ToolCallPatch,
  type ToolCallView
} from "./ToolCallView.ts"

export interface Renderer {
  /** The text that one update adds to the terminal; empty for updates that are not shown. */
  readonly update: (update: SessionUpdate) => string
  /** The tool call of a permission request, not shortened. */
  readonly question: (patch: ToolCallPatch) => string
  /** Ends a line that is still open, before something else is written. */
  readonly close: () => string
  /** The title of the newest call that still runs. */
  readonly running: () => string | undefined
}

const checkbox = { pending: "☐", in_progress: "◐", completed: "☑" } as const

/**
 * Turns the updates of a session into text. `width` limits the lines of tool calls; `starts` is off where a spinner shows what runs.
 * Tool calls that are not shown are still remembered.
 */
export const make = (options: {
  readonly styles: TextStyles
  readonly width: number
  readonly show?: "everything" | "answer" | "nothing"
  readonly starts?: boolean
}): Renderer => {
  const { styles, show = "everything", starts = true } = options
  const calls = new Map<string, ToolCallView>()
  const finished = new Set<string>()
  const asked = new Set<string>()
  let block = ""
  let openLine = false
  let half = ""
  let plan = ""

  const close = () => {
    const end = half + (openLine || half !== "" ? "\n" : "")
    openLine = false
    half = ""
    return end
  }

  /** Blocks are separated by an empty line; a list of tool calls is one block. */
  const begin = (next: string): string => {
    if (next === block) return ""
    const apart = block !== "" && !(block.startsWith("call") && next.startsWith("call"))
    block = next
    return close() + (apart ? "\n" : "")
  }

  /** The complete characters of a streamed piece: agents cut text anywhere. */
  const joined = (piece: string): string => {
    const text = half + piece
    half = trailingSurrogate(text)
    return text.slice(0, text.length - half.length)
  }

  const stream = (name: string, piece: string, style: (text: string) => string): string => {
    if (piece === "") return ""
    const start = begin(name)
    const text = joined(piece)
    const body = plain(start === "" && openLine ? text : text.replace(/^\n+/, ""))
    if (body !== "") openLine = !body.endsWith("\n")
    return start + style(body)
  }

  const lines = (name: string, text: string): string => begin(name) + close() + text

  const remember = (patch: ToolCallPatch): ToolCallView => {
    const call = patchedCall(calls.get(patch.toolCallId), patch)
    calls.set(call.toolCallId, call)
    return call
  }

  const tool = (patch: ToolCallPatch): string => {
    const before = calls.get(patch.toolCallId)
    const call = remember(patch)
    const name = `call:${call.toolCallId}`
    const heading = `${callHeading(call, styles)}\n`
    if (!isFinished(call)) return starts && before === undefined ? lines(name, heading) : ""
    if (finished.has(call.toolCallId)) return ""
    finished.add(call.toolCallId)
    const output = callOutput(call, styles, { width: options.width, diffs: !asked.has(call.toolCallId) })
    return lines(name, heading + output)
  }

  const user = (text: string, id: string) => {
    const start = begin(id)
    const quoted = (start === "" && openLine ? "" : "> ") + plain(joined(text)).replace(/\n(?!$)/g, "\n> ")
    openLine = !quoted.endsWith("\n")
    return start + styles.bold(quoted)
  }

  const note = (text: string) => lines("note", `${styles.dim(oneLine(text))}\n`)

  const activity = (update: SessionUpdate): string => {
    switch (update.sessionUpdate) {
      case "user_message_chunk":
        return user(textOfBlock(update.content), `user:${update.messageId ?? ""}`)
      case "agent_thought_chunk":
        return stream(`thought:${update.messageId ?? ""}`, textOfBlock(update.content), styles.dim)
      case "tool_call":
      case "tool_call_update":
        return tool(update)
      case "plan": {
        const list = update.entries.map(({ content, status }) => {
          const line = `${checkbox[status]} ${oneLine(content)}`
          return `  ${status === "completed" ? styles.dim(line) : line}\n`
        }).join("")
        if (list === plan) return ""
        plan = list
        return list === "" ? "" : lines("plan", `${styles.bold("Plan")}\n${list}`)
      }
      case "notice": {
        const text = [update.title, update.description].filter((part) => part).join(": ")
        return lines("note", `${styles.yellow(`! ${oneLine(text)}`)}\n`)
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
      if (update.sessionUpdate === "agent_message_chunk" && show !== "nothing") {
        return stream(`text:${update.messageId ?? ""}`, textOfBlock(update.content), (text) => text)
      }
      if (show === "everything") return activity(update)
      if (update.sessionUpdate === "tool_call" || update.sessionUpdate === "tool_call_update") remember(update)
      return ""
    },
    question(patch) {
      const call = patchedCall(calls.get(patch.toolCallId), patch)
      asked.add(call.toolCallId)
      block = "call:question"
      return close() + callQuestion(call, styles)
    },
    close() {
      block = ""
      return close()
    },
    running: () => Array.from(calls.values()).findLast((call) => !isFinished(call))?.title
  }
}
