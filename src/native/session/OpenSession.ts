import { Effect } from "effect"
import { isDeepStrictEqual } from "node:util"
import type { AgentSettings } from "../../config/Snapshot.ts"
import type { Principal } from "../../security/Principals.ts"
import type { Host } from "../../session/lifecycle/Hosts.ts"
import type { SessionRecord } from "../../store/SessionStore.ts"
import { mayTouch } from "../access/Access.ts"
import * as Faults from "../protocol/Errors.ts"
import type { NativeState } from "../protocol/NativeConnection.ts"
import { type Forbids, mayEnter } from "../access/FolderAccess.ts"
import type { Opener } from "./SessionClient.ts"
import { activeElsewhere, ownerOf, type Resident, type Residents } from "./Residents.ts"

/** What `session/new` asks for, checked. */
export interface Wanted {
  readonly host: Host
  /** Of the other mode. */
  readonly other: Host
  readonly agent: AgentSettings
  readonly me: Principal
  readonly opener: Opener
  readonly isConnected: (connection: NativeState) => boolean
  readonly cwd: string | undefined
  /** Folders that the caller may not have. */
  readonly forbids: Forbids
  readonly sessionId: string | undefined
  readonly surface: string | undefined
  readonly excludesMemory: boolean
}

const create = ({ agent, cwd, excludesMemory, forbids, host, me, sessionId, surface }: Wanted) =>
  host.sessions.create({
    agent,
    cwd,
    forbids,
    excludesMemory,
    sessionId,
    surface,
    additionalDirectories: [],
    owner: me.admin ? undefined : me.id
  })

/** It is the session that was asked for, not only its id. */
const agrees = Effect.fnUntraced(function*({ agent, forbids, surface }: Wanted, record: SessionRecord) {
  const { sessionId } = record
  yield* mayEnter(forbids, record.cwd)
  if (record.agent !== agent.alias) {
    return yield* Faults.invalid(`session ${sessionId} belongs to agent "${record.agent}"`, "agent_alias", "conflict")
  }
  if (surface !== undefined && record.surface !== null && record.surface !== surface) {
    return yield* Faults.invalid(
      `session ${sessionId} belongs to surface "${record.surface}"`,
      "interaction_surface",
      "conflict"
    )
  }
})

const activated = ({ cwd, forbids, host }: Wanted, { additionalDirectories, sessionId }: SessionRecord) =>
  host.sessions.activate(sessionId, { cwd, forbids, additionalDirectories }, (session) => Effect.succeed(session))

const restore = Effect.fnUntraced(function*(wanted: Wanted, sessionId: string) {
  const record = yield* wanted.host.store.get(sessionId)
  if (!mayTouch(wanted.me, ownerOf(record))) return yield* Faults.notOwned(sessionId)
  if (record.killedAt !== null) return yield* Faults.notFound(sessionId)
  yield* agrees(wanted, record)
  return yield* activated(wanted, record)
})

/** An id that the other mode has would make the two hide each other. */
const createFree = Effect.fnUntraced(function*(wanted: Wanted, sessionId: string) {
  const { me, other } = wanted
  const record = yield* Effect.catchTag(other.store.get(sessionId), "SessionMissing", () => Effect.undefined)
  if (record === undefined) return yield* create(wanted)
  return yield* mayTouch(me, ownerOf(record))
    ? Faults.invalid(`${sessionId} is the id of a session of ${other.mode} mode`, "chat_mode", "conflict")
    : Faults.notOwned(sessionId)
})

/**
 * Taken over from whoever opened it last. The commands of a session run with the shell of one client: while that one is connected, nobody
 * with another shell gets in.
 */
const rebind = Effect.fnUntraced(function*(wanted: Wanted, resident: Resident) {
  const { host, opener, owner, session } = resident
  const { sessionId } = session
  if (!mayTouch(wanted.me, owner)) return yield* Faults.notOwned(sessionId)
  if (host !== wanted.host) return yield* activeElsewhere(sessionId, resident)
  yield* agrees(wanted, session.record())
  const isHeld = opener.connection !== wanted.opener.connection && wanted.isConnected(opener.connection)
  if (isHeld && !isDeepStrictEqual(opener.env, wanted.opener.env)) {
    return yield* Faults.forbidden(
      `session ${sessionId} is open in a client that forwards another environment`,
      { session_id: sessionId }
    )
  }
  return yield* activated(wanted, session.record())
})

/** A new session, or the one of that id: active, stored, or made now (zeroclaw §1.7). */
export const open = (residents: Residents["Service"], wanted: Wanted) => {
  const { sessionId } = wanted
  if (sessionId === undefined) return create(wanted)
  return Effect.flatMap(
    residents.living(sessionId),
    (
      resident
    ):
      | ReturnType<typeof create>
      | ReturnType<typeof createFree>
      | ReturnType<typeof restore>
      | ReturnType<typeof rebind> =>
      resident === undefined
        ? Effect.catchTag(restore(wanted, sessionId), "SessionMissing", () => createFree(wanted, sessionId))
        : rebind(wanted, resident)
  )
}
