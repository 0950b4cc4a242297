import { Effect } from "effect"
import type { SessionManager } from "../../session/lifecycle/SessionManager.ts"
import type { SessionRecord } from "../../store/SessionStore.ts"

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
