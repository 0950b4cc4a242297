import { Effect, Option, Schema, Stream } from "effect"
import type { Message } from "../protocol/SessionContracts.ts"
import { isFinal, type TranscriptEntry } from "../../domain/SessionEvent.ts"
import { BadCursor, type MessageRow, type SessionRecord } from "../../store/SessionStore.ts"
import { outputOf, saidOf } from "./SessionUpdates.ts"
import * as Slices from "../../platform/Slices.ts"
import type { SessionManager } from "../../session/lifecycle/SessionManager.ts"

/** The transcript as `session/messages` shows it. A message keeps its index: later ones only follow. */

const ofEntry = (entry: TranscriptEntry): ReadonlyArray<Message> => {
  switch (entry._tag) {
    case "User":
      return [{ role: "user", kind: "message", content: saidOf(entry.content) }]
    case "Agent":
      return [{ role: "assistant", kind: "message", content: entry.text }]
    case "Interrupted":
      return [{ role: "system", kind: "message", content: entry.text }]
    case "ToolCall": {
      const { name, rawInput, title, toolCallId } = entry.call
      const of = { tool_call_id: toolCallId, tool_name: name }
      const call: Message = { role: "assistant", kind: "tool_call", content: title, ...of, tool_input: rawInput ?? {} }
      const output = outputOf(entry.call)
      return isFinal(entry.call)
        ? [call, { role: "tool", kind: "tool_result", content: output, ...of, tool_output: output }]
        : [call]
    }
    default:
      return []
  }
}

const lost: Message = { role: "system", kind: "message", content: "[This message cannot be read.]" }

const ofRow = ({ count, entry, index, startedAt }: MessageRow) => {
  const messages = entry === undefined ? [] : ofEntry(entry)
  return Array.from({ length: count }, (_, at) => ({
    index: index + at,
    message: { ...(messages[at] ?? lost), created_at: startedAt }
  }))
}

/** Messages that stand before index `end`, from the newest on as long as they fit into `maxBytes` of JSON; one fits in any case. */
export const bounded = Effect.fnUntraced(function*<E>(
  rows: Stream.Stream<MessageRow, E>,
  { end, limit, maxBytes }: { readonly end: number; readonly limit: number; readonly maxBytes: number }
) {
  const page: Array<Message> = []
  const slice = yield* Slices.make
  let bytes = 2
  yield* Stream.runForEachWhile(
    rows,
    (row) =>
      Effect.map(slice.pause, () =>
        ofRow(row).reverse().filter(({ index }) => index < end).every(({ message }) => {
          bytes += Buffer.byteLength(JSON.stringify(message)) + (page.length === 0 ? 0 : 1)
          const fits = page.length === 0 || (bytes <= maxBytes && page.length < limit)
          if (fits) page.push(message)
          return fits
        }))
  )
  const messages = page.reverse()
  return { messages, start: end - messages.length }
})

/** Where a page of a session's messages begins: older ones stand before that index. */
const Position = Schema.fromJsonString(Schema.Tuple([
  Schema.String,
  Schema.Int.check(Schema.isGreaterThan(0))
]))
const decodePosition = Schema.decodeUnknownOption(Position)

export const encodeCursor = (sessionId: string, before: number): string =>
  Buffer.from(JSON.stringify([sessionId, before])).toString("base64url")

/** Takes only what `encode` can have made for this session. */
export const decodeCursor = (cursor: string, sessionId: string): Effect.Effect<number, BadCursor> => {
  const position = decodePosition(Buffer.from(cursor, "base64url").toString())
  if (Option.isSome(position) && encodeCursor(sessionId, position.value[1]) === cursor) {
    return Effect.succeed(position.value[1])
  }
  return Effect.fail(new BadCursor({ cursor }))
}

/** A session as it is stored, for programs of Postern's own that show or export it. */

const mostBytes = 4 * 1024 * 1024

/** The newest entries before `before` that fit into {@link mostBytes} of JSON, one in any case, and the record of the session. */
export const entries = Effect.fnUntraced(
  function*({ mode, store }: SessionManager["Service"], record: SessionRecord, before?: number) {
    const all = yield* store.transcript(record.sessionId)
    const end = Math.min(Math.max(before ?? all.length, 0), all.length)
    let start = end
    for (let bytes = 0; start > 0; start--) {
      bytes += Buffer.byteLength(JSON.stringify(all[start - 1]))
      if (bytes > mostBytes && start < end) break
    }
    const session = { ...yield* store.get(record.sessionId), mode }
    return { session, entries: all.slice(start, end), start, total: all.length, has_older: start > 0 }
  }
)
