import type { SessionUpdate } from "../../acp/protocol/SessionUpdate.ts"
import { textOfBlock } from "./Content.ts"
import type { Paint } from "../terminal/Style.ts"
import { halfAtEnd, oneLine, plain } from "../terminal/Text.ts"
import * as ToolCard from "./ToolCard.ts"

export interface Renderer {
  /** The text one update adds to the terminal; empty for updates people need not see. */
  readonly update: (update: SessionUpdate) => string
  /** What to decide about, whole. */
  readonly question: (patch: ToolCard.Patch) => string
  /** Ends a line that is still open. Before anybody else writes. */
  readonly close: () => string
  /** The title of the newest call that still runs. */
  readonly running: () => string | undefined
}

const checkbox = { pending: "☐", in_progress: "◐", completed: "☑" } as const

/**
 * Turns a session's updates into text. `width` limits the lines of cards; `starts` is off where something else shows what runs.
 * What is not shown is still known.
 */
export const make = (options: {
  readonly paint: Paint
  readonly width: number
  readonly show?: "everything" | "answer" | "nothing"
  readonly starts?: boolean
}): Renderer => {
  const { paint, show = "everything", starts = true } = options
  const cards = new Map<string, ToolCard.Card>()
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

  /** Blocks are set apart by an empty line; a list of cards is one block to the eye. */
  const begin = (next: string): string => {
    if (next === block) return ""
    const apart = block !== "" && !(block.startsWith("card") && next.startsWith("card"))
    block = next
    return close() + (apart ? "\n" : "")
  }

  /** What can be shown of a streamed piece: programs cut text anywhere. */
  const joined = (piece: string): string => {
    const text = half + piece
    half = halfAtEnd(text)
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

  const remember = (patch: ToolCard.Patch): ToolCard.Card => {
    const card = ToolCard.patched(cards.get(patch.toolCallId), patch)
    cards.set(card.toolCallId, card)
    return card
  }

  const tool = (patch: ToolCard.Patch): string => {
    const before = cards.get(patch.toolCallId)
    const card = remember(patch)
    const name = `card:${card.toolCallId}`
    const heading = `${ToolCard.heading(card, paint)}\n`
    if (!ToolCard.isFinal(card)) return starts && before === undefined ? lines(name, heading) : ""
    if (finished.has(card.toolCallId)) return ""
    finished.add(card.toolCallId)
    const output = ToolCard.output(card, paint, { width: options.width, diffs: !asked.has(card.toolCallId) })
    return lines(name, heading + output)
  }

  const user = (text: string, id: string) => {
    const start = begin(id)
    const quoted = (start === "" && openLine ? "" : "> ") + plain(joined(text)).replace(/\n(?!$)/g, "\n> ")
    openLine = !quoted.endsWith("\n")
    return start + paint.bold(quoted)
  }

  const note = (text: string) => lines("note", `${paint.dim(oneLine(text))}\n`)

  const activity = (update: SessionUpdate): string => {
    switch (update.sessionUpdate) {
      case "user_message_chunk":
        return user(textOfBlock(update.content), `user:${update.messageId ?? ""}`)
      case "agent_thought_chunk":
        return stream(`thought:${update.messageId ?? ""}`, textOfBlock(update.content), paint.dim)
      case "tool_call":
      case "tool_call_update":
        return tool(update)
      case "plan": {
        const list = update.entries.map(({ content, status }) => {
          const line = `${checkbox[status]} ${oneLine(content)}`
          return `  ${status === "completed" ? paint.dim(line) : line}\n`
        }).join("")
        if (list === plan) return ""
        plan = list
        return list === "" ? "" : lines("plan", `${paint.bold("Plan")}\n${list}`)
      }
      case "notice": {
        const text = [update.title, update.description].filter((part) => part).join(": ")
        return lines("note", `${paint.yellow(`! ${oneLine(text)}`)}\n`)
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
      const card = ToolCard.patched(cards.get(patch.toolCallId), patch)
      asked.add(card.toolCallId)
      block = "card:question"
      return close() + ToolCard.question(card, paint)
    },
    close() {
      block = ""
      return close()
    },
    running: () => Array.from(cards.values()).findLast((card) => !ToolCard.isFinal(card))?.title
  }
}
