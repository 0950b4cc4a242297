import { Effect } from "effect"
import { isDeepStrictEqual } from "node:util"
import type { AgentSettings } from "../../config/Snapshot.ts"
import type { Principal } from "../../security/Principals.ts"
import type { SessionManager } from "../../session/lifecycle/SessionManager.ts"
import type { SessionRecord } from "../../store/SessionStore.ts"
import { mayTouch } from "../access/Access.ts"
import * as Errors from "../protocol/Errors.ts"
import type { NativeState } from "../protocol/NativeConnection.ts"
import { type Forbids, mayEnter } from "../access/FolderAccess.ts"
import {
  activeElsewhere,
  type ClientSession,
  type ClientSessions,
  ownerOf,
  type SessionClient
} from "./ClientSessions.ts"

/** What `session/new` asks for, checked. */
export interface OpenRequest {
  readonly manager: SessionManager["Service"]
  /** The manager of the other mode. */
  readonly other: SessionManager["Service"]
  readonly agent: AgentSettings
  readonly me: Principal
  readonly client: SessionClient
  readonly isConnected: (connection: NativeState) => boolean
  readonly cwd: string | undefined
  /** Folders that the caller may not use. */
  readonly forbids: Forbids
  readonly sessionId: string | undefined
  readonly surface: string | undefined
  readonly excludesMemory: boolean
}

const create = ({ agent, cwd, excludesMemory, forbids, manager, me, sessionId, surface }: OpenRequest) =>
  manager.create({
    agent,
    cwd,
    forbids,
    excludesMemory,
    sessionId,
    surface,
    additionalDirectories: [],
    owner: me.admin ? undefined : me.id
  })

/** Fails where the session of that id is not the one that was asked for. */
const agrees = Effect.fnUntraced(function*({ agent, forbids, surface }: OpenRequest, record: SessionRecord) {
  const { sessionId } = record
  yield* mayEnter(forbids, record.cwd)
  if (record.agent !== agent.alias) {
    return yield* Errors.invalid(`session ${sessionId} belongs to agent "${record.agent}"`, "agent_alias", "conflict")
  }
  if (surface !== undefined && record.surface !== null && record.surface !== surface) {
    return yield* Errors.invalid(
      `session ${sessionId} belongs to surface "${record.surface}"`,
      "interaction_surface",
      "conflict"
    )
  }
})

const activated = ({ cwd, forbids, manager }: OpenRequest, { additionalDirectories, sessionId }: SessionRecord) =>
  manager.activate(sessionId, { cwd, forbids, additionalDirectories }, (session) => Effect.succeed(session))

const restore = Effect.fnUntraced(function*(wanted: OpenRequest, sessionId: string) {
  const record = yield* wanted.manager.store.get(sessionId)
  if (!mayTouch(wanted.me, ownerOf(record))) return yield* Errors.notOwned(sessionId)
  if (record.killedAt !== null) return yield* Errors.notFound(sessionId)
  yield* agrees(wanted, record)
  return yield* activated(wanted, record)
})

/** Creates the session where the other mode does not have its id: the two would hide each other. */
const createFree = Effect.fnUntraced(function*(wanted: OpenRequest, sessionId: string) {
  const { me, other } = wanted
  const record = yield* Effect.catchTag(other.store.get(sessionId), "SessionMissing", () => Effect.undefined)
  if (record === undefined) return yield* create(wanted)
  return yield* mayTouch(me, ownerOf(record))
    ? Errors.invalid(`${sessionId} is the id of a session of ${other.mode} mode`, "chat_mode", "conflict")
    : Errors.notOwned(sessionId)
})

/**
 * Takes the session over from the client that opened it last. The commands of a session run with the environment of one client: while
 * that client is connected, no client with another environment gets the session.
 */
const rebind = Effect.fnUntraced(function*(wanted: OpenRequest, active: ClientSession) {
  const { manager, client, owner, session } = active
  const { sessionId } = session
  if (!mayTouch(wanted.me, owner)) return yield* Errors.notOwned(sessionId)
  if (manager !== wanted.manager) return yield* activeElsewhere(sessionId, active)
  yield* agrees(wanted, session.record())
  const isHeld = client.connection !== wanted.client.connection && wanted.isConnected(client.connection)
  if (isHeld && !isDeepStrictEqual(client.env, wanted.client.env)) {
    return yield* Errors.forbidden(
      `session ${sessionId} is open in a client that forwards another environment`,
      { session_id: sessionId }
    )
  }
  return yield* activated(wanted, session.record())
})

/** A new session, or the session of that id: live, stored, or created now. See docs/native-rpc.md#sessions. */
export const open = (sessions: ClientSessions["Service"], wanted: OpenRequest) => {
  const { sessionId } = wanted
  if (sessionId === undefined) return create(wanted)
  return Effect.flatMap(
    sessions.living(sessionId),
    (
      active
    ):
      | ReturnType<typeof create>
      | ReturnType<typeof createFree>
      | ReturnType<typeof restore>
      | ReturnType<typeof rebind> =>
      active === undefined
        ? Effect.catchTag(restore(wanted, sessionId), "SessionMissing", () => createFree(wanted, sessionId))
        : rebind(wanted, active)
  )
}
