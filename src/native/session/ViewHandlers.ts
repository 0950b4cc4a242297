import { DateTime, Effect } from "effect"
import { type SessionManager, SessionManagers } from "../../session/lifecycle/SessionManager.ts"
import type { SessionMode } from "../../session/SessionContext.ts"
import { BadCursor } from "../../store/SessionStore.ts"
import * as GitHead from "../../workspace/GitHead.ts"
import { caller, mayTouch } from "../access/Access.ts"
import * as Errors from "../protocol/Errors.ts"
import { mapRpcErrors } from "../protocol/Errors.ts"
import * as TranscriptPages from "./TranscriptPages.ts"
import { ClientSessions, ownerOf, unopened } from "./ClientSessions.ts"
import { ViewMethods } from "../protocol/SessionContracts.ts"

const usualLimit = 200
const largestLimit = 1000
const usualPageBytes = 256 * 1024
const largestPageBytes = 4 * 1024 * 1024
/** Of a client that asks for all messages: nobody else runs while a page is encoded. */
const wholePageBytes = 1024 * 1024

interface Asked {
  readonly query?: string | null
  readonly limit?: number | null
  readonly offset?: number | null
  readonly include_killed?: boolean | null
  readonly include_unprompted?: boolean | null
  readonly running?: boolean | null
}

interface Backwards {
  readonly cursor: string | null
  readonly limit?: number | null | undefined
  readonly max_bytes?: number | null | undefined
}

export const layer = ViewMethods.toLayer(Effect.gen(function*() {
  const { acp, chat } = yield* SessionManagers
  const clientSessions = yield* ClientSessions

  const isRunning = (mode: SessionMode, sessionId: string) => {
    const active = clientSessions.get(sessionId)
    return active?.manager.mode === mode && active.turn !== undefined
  }

  const sizeOf = ({ limit }: Asked) => Math.min(limit ?? usualLimit, largestLimit)

  const pageOf = <A extends { readonly last_activity: string }>(found: ReadonlyArray<A>, asked: Asked) => {
    const start = Math.max(asked.offset ?? 0, 0)
    return found.toSorted((a, b) => b.last_activity.localeCompare(a.last_activity)).slice(start, start + sizeOf(asked))
  }

  /** The newest ones of a mode, as many as the page needs and those before it. */
  const entries = Effect.fnUntraced(function*(manager: SessionManager["Service"], asked: Asked) {
    const { mode, store } = manager
    const lost = unopened(manager)
    // Running sessions are known from memory, so a failed store does not matter for them.
    if (lost !== undefined && asked.running !== true) return yield* lost
    const me = yield* caller
    const { query } = asked
    const found = yield* store.overview({
      limit: Math.max(asked.offset ?? 0, 0) + sizeOf(asked),
      killed: asked.include_killed === true,
      unprompted: asked.include_unprompted === true,
      ...(me.admin ? {} : { owner: me.id }),
      ...(query === undefined || query === null || query.trim() === "" ? {} : { query: query.trim() })
    })
    return found.filter(({ sessionId }) => asked.running !== true || isRunning(mode, sessionId)).map((record) => ({
      session_id: record.sessionId,
      session_key: mode === "chat" ? `rpc_${record.sessionId}` : record.sessionId,
      created_at: record.createdAt,
      last_activity: record.updatedAt,
      message_count: record.messages,
      agent_alias: record.agent,
      channel_id: mode,
      workspace_dir: record.cwd,
      ...(record.title === null ? {} : { name: record.title }),
      ...(record.killedAt === null ? {} : { killed_at: record.killedAt })
    }))
  })

  /** A session the caller may see; killed ones can still be read. */
  const visible = Effect.fnUntraced(function*(sessionId: string) {
    const me = yield* caller
    const found = yield* clientSessions.locate(sessionId, me)
    return mayTouch(me, ownerOf(found.record)) ? found : yield* Errors.notFound(sessionId)
  })

  /** As a client may know it: by its id, or by its key in ZeroClaw's store. */
  const spelled = (asked: string) => {
    const bare = asked.replace(/^(rpc|gw)_/, "")
    const others = [bare, `rpc_${asked}`, `gw_${asked}`].filter((id) => id !== asked)
    return others.reduce(
      (found, id) => Effect.catchTag(found, ["SessionMissing", "StoreFailed"], () => visible(id)),
      visible(asked)
    ).pipe(Effect.catchTag("SessionMissing", () => Effect.fail(Errors.notFound(asked))))
  }

  const backwards = Effect.fnUntraced(
    function*(manager: SessionManager["Service"], sessionId: string, asked: Backwards) {
      const { cursor, limit, max_bytes } = asked
      const size = max_bytes ?? usualPageBytes
      const before = cursor === null || cursor === ""
        ? undefined
        : yield* TranscriptPages.decodeCursor(cursor, sessionId)
      const { rows, total } = yield* manager.store.shownBefore(sessionId, before)
      const end = before ?? total
      // The session that the cursor was made for is gone, and this one only has its id.
      if (end > total) return yield* new BadCursor({ cursor: cursor ?? "" })
      const { messages, start } = yield* TranscriptPages.bounded(rows, {
        end,
        limit: Math.min(limit ?? largestLimit, largestLimit),
        maxBytes: Math.min(size, largestPageBytes)
      })
      const next = start > 0 ? { next_cursor: TranscriptPages.encodeCursor(sessionId, start) } : {}
      return { messages, total, start, has_older: start > 0, ...next }
    }
  )

  /** Without a cursor: the newest messages before an index, all of them where they fit into a page. */
  const whole = Effect.fnUntraced(
    function*(manager: SessionManager["Service"], sessionId: string, limit: number, before: number | undefined) {
      const { total } = yield* manager.store.shownBefore(sessionId)
      const end = Math.min(Math.max(before ?? total, 0), total)
      const { rows } = yield* manager.store.shownBefore(sessionId, end)
      const page = end === 0 || limit <= 0
        ? { messages: [], start: end }
        : yield* TranscriptPages.bounded(rows, { end, limit, maxBytes: wholePageBytes })
      const next = page.start > 0 ? { next_cursor: TranscriptPages.encodeCursor(sessionId, page.start) } : {}
      const messages = page.messages.map(({ created_at: _, ...message }) => message)
      return { messages, total, start: page.start, has_older: page.start > 0, ...next }
    }
  )

  return ViewMethods.of({
    "session/list": Effect.fnUntraced(function*(asked) {
      return { sessions: pageOf([...yield* entries(chat, asked), ...yield* entries(acp, asked)], asked) }
    }, mapRpcErrors),

    "session/list-acp": (asked) =>
      mapRpcErrors(Effect.map(entries(acp, asked), (found) => ({ sessions: pageOf(found, asked) }))),

    "session/messages": Effect.fnUntraced(function*(asked) {
      const { before_index, cursor, limit, max_bytes, session_id } = asked
      const { manager, record, active } = yield* spelled(session_id)
      const { sessionId } = record
      yield* active?.session.flush ?? Effect.void
      if (asked.decisions === true) return { session_id, ...yield* manager.store.policy.trail(sessionId) }
      if (asked.entries === true) {
        return { session_id, ...yield* TranscriptPages.entries(manager, record, before_index ?? undefined) }
      }
      if (cursor !== undefined) {
        return { session_id, ...yield* backwards(manager, sessionId, { cursor, limit, max_bytes }) }
      }
      return { session_id, ...yield* whole(manager, sessionId, limit ?? Infinity, before_index ?? undefined) }
    }, mapRpcErrors),

    "session/state": Effect.fnUntraced(function*({ session_id }) {
      const { manager, record, active } = yield* visible(session_id)
      if (record.killedAt !== null) return yield* Errors.notFound(session_id)
      const turn = active?.turn
      const plan = yield* manager.store.lastPlan(session_id)
      return {
        session_id,
        state: turn ? "running" as const : "idle" as const,
        ...(turn
          ? { turn_id: turn.turnId, turn_started_at: DateTime.formatIso(DateTime.makeUnsafe(turn.startedAt)) }
          : {}),
        ...(plan === undefined ? {} : { plan })
      }
    }, mapRpcErrors),

    "session/git_branch": Effect.fnUntraced(function*({ session_id }) {
      const { record } = yield* visible(session_id)
      return { session_id, ...yield* GitHead.read(record.cwd) }
    }, mapRpcErrors)
  })
}))
