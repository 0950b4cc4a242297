import * as MemoryBlock from "../../model/MemoryBlock.ts"
import type { MemoryEntry } from "../../store/MemoryStore.ts"

/** What of an agent's memory goes into a prompt, and what of a prompt into the memory (zeroclaw.md §5). Pure. */

/** Entries that are looked for, and at most put in. */
export const searched = 5
const mostEntries = 4
const mostOfOne = 800
const mostOfAll = 4000

/** Days after which an entry counts half; lasting facts do not fade. */
const halfLife = 7
const day = 86_400_000

const fresh = ({ category, score, timestamp }: MemoryEntry, now: number): number => {
  const days = Math.max(0, now - Date.parse(timestamp)) / day
  return (score ?? 0) * (category === "core" ? 1 : 2 ** (-days / halfLife))
}

const savedKey = "user_msg"

/** What the program itself says in the user's place, or put before the user's words. */
const isSynthetic = (text: string): boolean =>
  /^\s*\[(memory context|tool results?|cron|heartbeat|system|delegat\w*|sub-?turn)\b/i.test(text)

const isToolText = (text: string): boolean => /\[IMAGE:|\[Tool results?\]|<tool_(call|result)\b/i.test(text)

const isFit = ({ category, content, key, sessionId }: MemoryEntry, session: string | undefined): boolean =>
  !key.startsWith(savedKey) && !key.endsWith("_history") && !isToolText(content) && !isSynthetic(content) &&
  (category !== "conversation" || (session !== undefined && sessionId === session))

const cut = (text: string, most: number): string => {
  if (text.length <= most) return text
  const kept = text.slice(0, most - 1)
  return `${/[\ud800-\udbff]$/.test(kept) ? kept.slice(0, -1) : kept}…`
}

/** One line, in which nothing ends the block. */
const value = (text: string): string => cut(MemoryBlock.escapeMarkers(text.replace(/\s+/g, " ")).trim(), mostOfOne)

/** The block that goes before the user's words, with a blank line after it; empty when nothing is worth it. */
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

/** What to keep of a user's message: nothing of what is short, made up by a program, or only a file. */
export const worthSaving = (prompt: string): string | undefined => {
  const text = prompt.trim()
  return text.length < shortestSaved || isSynthetic(text) || isToolText(text) ? undefined : cut(text, longestSaved)
}

export const savedAs = (id: string): string => `${savedKey}_${id}`
