import { DateTime, Effect } from "effect"
import { type Host, Hosts } from "../session/Hosts.ts"
import * as GitHead from "../workspace/GitHead.ts"
import { caller, mayTouch } from "./Access.ts"
import * as Faults from "./Faults.ts"
import { faulty } from "./Faulty.ts"
import * as Messages from "./Messages.ts"
import { ownerOf, Residents } from "./Residents.ts"
import { Views } from "./SessionContracts.ts"

const usualLimit = 200
const largestLimit = 1000

interface Asked {
  readonly query?: string | null
  readonly limit?: number | null
  readonly running?: boolean | null
}

export const layer = Views.toLayer(Effect.gen(function*() {
  const { acp, chat } = yield* Hosts
  const residents = yield* Residents

  const isRunning = (sessionId: string) => residents.get(sessionId)?.turn !== undefined

  const sizeOf = ({ limit }: Asked) => Math.min(Math.max(limit ?? usualLimit, 1), largestLimit)

  const entries = Effect.fnUntraced(function*({ mode, store }: Host, asked: Asked) {
    const me = yield* caller
    const { query } = asked
    const found = yield* store.overview({
      limit: sizeOf(asked),
      ...(me.admin ? {} : { owner: me.id }),
      ...(query === undefined || query === null || query.trim() === "" ? {} : { query: query.trim() })
    })
    return found.filter(({ sessionId }) => asked.running !== true || isRunning(sessionId)).map((record) => ({
      session_id: record.sessionId,
      session_key: mode === "chat" ? `rpc_${record.sessionId}` : record.sessionId,
      created_at: record.createdAt,
      last_activity: record.updatedAt,
      message_count: record.messages,
      agent_alias: record.agent,
      channel_id: mode,
      workspace_dir: record.cwd,
      ...(record.title === null ? {} : { name: record.title })
    }))
  })

  /** A session the caller may see; killed ones can still be read. */
  const visible = Effect.fnUntraced(function*(sessionId: string) {
    const me = yield* caller
    const found = yield* residents.locate(sessionId)
    return mayTouch(me, ownerOf(found.record)) ? found : yield* Faults.notFound(sessionId)
  })

  return Views.of({
    "session/list": Effect.fnUntraced(function*(asked) {
      const both = [...yield* entries(chat, asked), ...yield* entries(acp, asked)]
      return { sessions: both.sort((a, b) => b.last_activity.localeCompare(a.last_activity)).slice(0, sizeOf(asked)) }
    }, faulty),

    "session/list-acp": (asked) => faulty(Effect.map(entries(acp, asked), (sessions) => ({ sessions }))),

    "session/messages": Effect.fnUntraced(function*({ before_index, limit, session_id }) {
      const { host } = yield* visible(session_id)
      yield* residents.get(session_id)?.session.flush ?? Effect.void
      const messages = Messages.of(yield* host.store.transcript(session_id))
      if (limit !== undefined && limit !== null && limit < 1) return yield* Faults.invalid("limit: at least 1", "limit")
      return { session_id, ...Messages.page(messages, limit ?? undefined, before_index ?? undefined) }
    }, faulty),

    "session/state": Effect.fnUntraced(function*({ session_id }) {
      const { host, record } = yield* visible(session_id)
      if (record.killedAt !== null) return yield* Faults.notFound(session_id)
      const turn = residents.get(session_id)?.turn
      const plan = (yield* host.store.transcript(session_id)).findLast((entry) => entry._tag === "Plan")
      return {
        session_id,
        state: turn ? "running" : "idle",
        ...(turn
          ? { turn_id: turn.turnId, turn_started_at: DateTime.formatIso(DateTime.makeUnsafe(turn.startedAt)) }
          : {}),
        ...(plan?._tag === "Plan" ? { plan: plan.entries } : {})
      }
    }, faulty),

    "session/git_branch": Effect.fnUntraced(function*({ session_id }) {
      const { record } = yield* visible(session_id)
      return { session_id, ...yield* GitHead.read(record.cwd) }
    }, faulty)
  })
}))
