import { Effect, Layer } from "effect"
import type { TranscriptEntry } from "../../domain/SessionEvent.ts"
import type { Mode } from "../../session/turn/TurnLoop.ts"
import type { Daemon } from "../daemon/DaemonClient.ts"
import { failure } from "../Failure.ts"
import { type Document, type Listed, Shelf, type Trail } from "./SessionRepository.ts"

const pageSize = 1000

/** As `session/list` has it. */
interface Row {
  readonly session_id: string
  readonly agent_alias: string
  readonly channel_id: Mode
  readonly workspace_dir: string
  readonly name?: string
  readonly created_at: string
  readonly last_activity: string
  readonly killed_at?: string
}

interface Part {
  readonly session: Document["session"]
  readonly entries: ReadonlyArray<TranscriptEntry>
  readonly start: number
}

const listed = (row: Row): Listed => ({
  sessionId: row.session_id,
  mode: row.channel_id,
  agent: row.agent_alias,
  cwd: row.workspace_dir,
  title: row.name ?? null,
  createdAt: row.created_at,
  updatedAt: row.last_activity,
  killedAt: row.killed_at ?? null
})

/** The sessions of a running daemon, as far as its principal may see them. */
export const layer = ({ call }: Daemon): Layer.Layer<Shelf> => {
  const all = Effect.gen(function*() {
    const found = new Map<string, Listed>()
    for (let offset = 0;; offset += pageSize) {
      const { sessions } = yield* call("session/list", { limit: pageSize, offset, include_killed: true })
      const rows = sessions as ReadonlyArray<Row>
      // One that was at work meanwhile is on two pages.
      for (const row of rows) found.set(`${row.channel_id} ${row.session_id}`, listed(row))
      if (rows.length < pageSize) return Array.from(found.values())
    }
  })

  const document = Effect.fnUntraced(function*({ sessionId }: Listed) {
    const parts: Array<Part> = []
    do {
      const before = parts[0] === undefined ? {} : { before_index: parts[0].start }
      parts.unshift((yield* call("session/messages", { session_id: sessionId, entries: true, ...before })) as Part)
    } while ((parts[0]?.start ?? 0) > 0)
    const { session } = parts[0] as Part
    return { session, transcript: parts.flatMap(({ entries }) => entries) }
  })

  const told = (method: string) => ({ sessionId }: Listed) =>
    Effect.asVoid(call(`session/${method}`, { session_id: sessionId }))

  return Layer.succeed(Shelf, {
    all,
    document,
    trail: ({ sessionId }) =>
      Effect.map(
        call("session/messages", { session_id: sessionId, decisions: true }),
        ({ approvals, decisions }) => ({ decisions, approvals }) as Trail
      ),
    close: told("close"),
    kill: told("kill"),
    remove: Effect.fnUntraced(function*({ sessionId }) {
      const { deleted } = yield* call("session/delete", { session_id: sessionId })
      if (deleted !== true) return yield* failure(`there is no session ${JSON.stringify(sessionId)} any more`)
    })
  })
}
