import { Effect } from "effect"
import type { Agent } from "../app/Settings.ts"
import type { Principal } from "../security/Principals.ts"
import type { Host } from "../session/Hosts.ts"
import type { Session } from "../session/Session.ts"
import { mayTouch } from "./Access.ts"
import * as Faults from "./Faults.ts"
import { ownerOf, type Residents } from "./Residents.ts"

/** What `session/new` asks for, checked. */
export interface Wanted {
  readonly host: Host
  readonly agent: Agent
  readonly me: Principal
  readonly cwd: string | undefined
  readonly sessionId: string | undefined
  readonly surface: string | undefined
  readonly excludesMemory: boolean
}

const create = ({ agent, cwd, excludesMemory, host, me, sessionId, surface }: Wanted) =>
  host.sessions.create({
    agent,
    cwd,
    excludesMemory,
    sessionId,
    surface,
    additionalDirectories: [],
    owner: me.admin ? undefined : me.id
  })

const restore = Effect.fnUntraced(function*({ agent, cwd, host, me, surface }: Wanted, sessionId: string) {
  const record = yield* host.store.get(sessionId)
  if (!mayTouch(me, ownerOf(record))) return yield* Faults.notOwned(sessionId)
  if (record.killedAt !== null) return yield* Faults.notFound(sessionId)
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
  const setup = { cwd, additionalDirectories: record.additionalDirectories }
  return yield* host.sessions.activate(sessionId, setup, (session) => Effect.succeed(session))
})

/** A new session, or the one of that id: active, stored, or made now (zeroclaw §1.7). */
export const open = (residents: Residents["Service"], wanted: Wanted) => {
  const { host, me, sessionId } = wanted
  if (sessionId === undefined) return create(wanted)
  return Effect.suspend((): ReturnType<typeof create> | ReturnType<typeof restore> => {
    const resident = residents.get(sessionId)
    if (resident === undefined) {
      return Effect.catchTag(restore(wanted, sessionId), "SessionMissing", () => create(wanted))
    }
    if (!mayTouch(me, resident.owner)) return Effect.fail(Faults.notOwned(sessionId))
    if (resident.host !== host) {
      return Effect.fail(
        Faults.invalid(`session ${sessionId} is active in ${resident.host.mode} mode`, "chat_mode", "conflict")
      )
    }
    return Effect.as(resident.session.touch, resident.session)
  })
}

/** Idle sessions of the same client and mode make room; what runs goes on (zeroclaw §1.7). */
export const evict = Effect.fnUntraced(
  function*(residents: Residents["Service"], host: Host, clientId: string, except: Session | undefined) {
    const siblings = residents.all().filter((resident) =>
      resident.host === host && resident.clientId === clientId && resident.turn === undefined &&
      resident.session !== except
    )
    for (const { session: { sessionId } } of siblings) {
      yield* residents.queued(sessionId)(Effect.suspend(() => {
        const now = residents.get(sessionId)
        if (now === undefined || now.turn !== undefined) return Effect.void
        return Effect.andThen(
          Effect.ignore(host.sessions.close(sessionId)),
          residents.forget(sessionId, "session_closed")
        )
      })).pipe(Effect.ignore)
    }
  }
)
