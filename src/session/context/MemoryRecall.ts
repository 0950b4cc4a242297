import { Clock, Effect, Option } from "effect"
import { LiveSettings } from "../../config/LiveSettings.ts"
import { newId } from "../../domain/Id.ts"
import * as MemoryBlock from "../../model/MemoryBlock.ts"
import { type Memory, type MemoryEntry, MemoryStore } from "../../store/MemoryStore.ts"
import * as MemoryTools from "../../tool/memory/MemoryTools.ts"
import type { SessionTools } from "../../tool/SessionTools.ts"
import type { AnyTool } from "../../tool/Tool.ts"
import type { TurnContext } from "../turn/TurnLoop.ts"
import { beginning } from "../../domain/Cut.ts"

/** What of an agent's memory goes into a prompt, and what of a prompt into the memory. See docs/sessions.md#recall */

/** Entries that are searched for, and how many are put in at most; their lengths in characters. */
const searched = 5
const mostEntries = 4
const mostOfOne = 800
const mostOfAll = 4000

/** Days after which an entry counts half; entries of the category `core` do not fade. */
const halfLife = 7
const day = 86_400_000

const fresh = ({ category, score, timestamp }: MemoryEntry, now: number): number => {
  const days = Math.max(0, now - Date.parse(timestamp)) / day
  return (score ?? 0) * (category === "core" ? 1 : 2 ** (-days / halfLife))
}

const savedKey = "user_msg"

/** Prefixes of messages that a program sent on the user's behalf. */
const isSynthetic = (text: string): boolean =>
  /^\s*\[(memory context|tool results?|cron|heartbeat|system|delegat\w*|sub-?turn)\b/i.test(text)

const isToolText = (text: string): boolean => /\[IMAGE:|\[Tool results?\]|<tool_(call|result)\b/i.test(text)

const isFit = ({ category, content, key, sessionId }: MemoryEntry, session: string | undefined): boolean =>
  !key.startsWith(savedKey) && !key.endsWith("_history") && !isToolText(content) && !isSynthetic(content) &&
  (category !== "conversation" || (session !== undefined && sessionId === session))

const cut = (text: string, most: number): string => text.length <= most ? text : `${beginning(text, most - 1)}…`

/** On one line, without anything that would end the block. */
const value = (text: string): string => cut(MemoryBlock.escapeMarkers(text.replace(/\s+/g, " ")).trim(), mostOfOne)

/** The block that goes before the user's words, with a blank line after it; empty when no entry is relevant. */
export const block = (
  found: ReadonlyArray<MemoryEntry>,
  { least, now, sessionId }: { readonly least: number; readonly now: number; readonly sessionId: string | undefined }
): string => {
  const lines: Array<string> = []
  let length = 0
  const worthy = found.filter((entry) => isFit(entry, sessionId) && fresh(entry, now) >= least)
    .sort((a, b) => fresh(b, now) - fresh(a, now))
  for (const { content, key } of worthy) {
    const line = `- ${value(key)}: ${value(content)}`
    if (lines.length === mostEntries || length + line.length > mostOfAll) break
    lines.push(line)
    length += line.length + 1
  }
  return lines.length === 0 ? "" : MemoryBlock.wrap(lines)
}

const shortestSaved = 20
const longestSaved = 16_384

/** What is saved of a user's message; nothing of one that is short, comes from a program, or contains files. */
export const worthSaving = (prompt: string): string | undefined => {
  const text = prompt.trim()
  return text.length < shortestSaved || isSynthetic(text) || isToolText(text) ? undefined : cut(text, longestSaved)
}

const savedAs = (id: string): string => `${savedKey}_${id}`

/** The tools of a session, then those of its memory; the same map while the session's are the same. */
const joined = (tools: SessionTools, memory: ReadonlyMap<string, AnyTool>): SessionTools => {
  let own: ReadonlyMap<string, AnyTool> | undefined
  let all = memory
  return {
    ...tools,
    current: () => {
      if (own === tools.current()) return all
      own = tools.current()
      all = own.size === 0 ? memory : new Map([...own, ...memory])
      return all
    }
  }
}

const toolsOf = ({ sessionId, state, tools: own }: TurnContext, memory: Memory): SessionTools => {
  const known = state.memoryTools
  if (known?.own === own && known.memory === memory) return known.all
  const all = joined(own, MemoryTools.make(memory, sessionId))
  state.memoryTools = { own, memory, all }
  return all
}

/** A memory that fails, or takes longer than 2 s, is left out; the turn goes on. */
const harmless = <A, E extends { readonly message: string }>(
  effect: Effect.Effect<A, E>
): Effect.Effect<Option.Option<A>> =>
  effect.pipe(
    Effect.tapError(({ message }) => Effect.logWarning(`the memory is left out: ${message}`)),
    Effect.option,
    Effect.timeoutOption("2 seconds"),
    Effect.map(Option.flatten)
  )

/**
 * Chat sessions of a process that has a `MemoryStore` get the memory tools, relevant entries before their prompts, and
 * their users' messages are saved. ACP sessions never get any of it, on whatever path they became active: the mode is
 * checked in each turn, here and nowhere else. A memory belongs to the session's owner: entries of one person are
 * recalled in nobody else's sessions, the operator's included, whose tools may do more. See docs/sessions.md#memory
 */
export const make = Effect.gen(function*() {
  const store = yield* Effect.serviceOption(MemoryStore)
  const live = yield* LiveSettings

  const recalled = Effect.fnUntraced(function*({ prompt, sessionId }: TurnContext, memory: Memory) {
    const found = yield* memory.search(prompt, { limit: searched * 4 })
    const now = yield* Clock.currentTimeMillis
    return block(found, { least: live.last().memory.minRelevance, now, sessionId })
  })

  const save = ({ prompt, sessionId }: TurnContext, memory: Memory) => {
    const content = live.last().memory.autoSave ? worthSaving(prompt) : undefined
    return content === undefined
      ? Effect.void
      : memory.store({ key: savedAs(newId()), content, category: "conversation", sessionId })
  }

  /** The turn with the memory's tools, and what was recalled before its prompt. */
  return Effect.fnUntraced(function*(turn: TurnContext) {
    const excluded = turn.mode !== "chat" || turn.record.excludesMemory || turn.overrides.excludeMemory === true
    if (excluded || Option.isNone(store)) return turn
    const opened = yield* harmless(store.value.of(turn.agent, { owner: turn.record.owner }))
    if (Option.isNone(opened)) return turn
    const memory = opened.value
    const context = yield* harmless(recalled(turn, memory))
    yield* harmless(save(turn, memory))
    return { ...turn, tools: toolsOf(turn, memory), prompt: Option.getOrElse(context, () => "") + turn.prompt }
  })
})
