import { Context, Effect, Layer } from "effect"
import { LiveSettings } from "../../config/LiveSettings.ts"
import { Settings } from "../../config/Settings.ts"
import type * as Wire from "../../rpc/Wire.ts"
import type { Principal } from "../../security/Principals.ts"
import { Agents } from "../../session/lifecycle/Agents.ts"
import { type Host, Hosts } from "../../session/lifecycle/Hosts.ts"
import type { Session } from "../../session/lifecycle/Session.ts"
import type { SessionFault } from "../../session/lifecycle/SessionFault.ts"
import { SessionMissing, type SessionRecord, StoreFailed } from "../../store/SessionStore.ts"
import { mayTouch } from "../access/Access.ts"
import { mayUse } from "../access/Entitled.ts"
import * as Eviction from "./Eviction.ts"
import { Facts } from "../protocol/DaemonInfo.ts"
import * as Faults from "../protocol/Errors.ts"
import { Feeds } from "../feeds/Feeds.ts"
import type { NativeState } from "../protocol/NativeConnection.ts"
import { type Opener, openerOf } from "./SessionClient.ts"
import * as Places from "../access/FolderAccess.ts"
import * as Queues from "./Queues.ts"

/** A turn that a client of this protocol started. */
export interface RunningTurn {
  readonly turnId: string
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  readonly connection: NativeState
}

/** An active session and what the protocol knows about it beyond the session itself. */
export interface Resident {
  readonly host: Host
  readonly session: Session
  /** The principal it belongs to. */
  readonly owner: string
  /** Who opened it last. */
  opener: Opener
  turn: RunningTurn | undefined
}

/** Whom a session without an owner in the store belongs to. */
export const ownerOf = ({ owner }: SessionRecord): string => owner ?? "operator"

/** There may be more sessions of this mode than memory has (zeroclaw §1.4): neither an empty list nor "not found" would be true. */
export const unopened = ({ mode, store }: Host): StoreFailed | undefined =>
  store.durability === "durable"
    ? undefined
    : new StoreFailed({
      message: `The store of ${mode} sessions could not be opened; the log says why`,
      cause: undefined
    })

/** Surfaces that this protocol's clients can bring back; others are left as they are for who knows them. */
const compatible = new Set<string | null>([null, "zerocode_code"])

export const activeElsewhere = (sessionId: string, { host }: Resident) =>
  Faults.invalid(`session ${sessionId} is active in ${host.mode} mode`, "chat_mode", "conflict")

/** A session that was found; `resident` where it is active. */
export interface Located {
  readonly host: Host
  readonly record: SessionRecord
  readonly resident: Resident | undefined
}

/** Every active session of the daemon, of both modes; an id is active in one mode only (zeroclaw §1.7). */
export class Residents extends Context.Service<Residents, {
  readonly get: (sessionId: string) => Resident | undefined
  /** The same, and not one that another process killed or deleted: that one is forgotten. */
  readonly living: (sessionId: string) => Effect.Effect<Resident | undefined>
  readonly all: () => ReadonlyArray<Resident>
  readonly admit: (host: Host, session: Session, opener: Opener) => Effect.Effect<Resident>
  /** Nothing where the id is active in the other mode. */
  readonly forget: (
    host: Host,
    sessionId: string,
    how: "session_closed" | "session_killed" | "session_deleted"
  ) => Effect.Effect<void>
  /** One call on a session after the other. */
  readonly queued: Queues.Queues["within"]
  /**
   * Where a session is: the active one, else the chat store's, else the ACP store's. Where both modes have the id, one that the caller may
   * touch goes before one it may not, and then one that was not killed. It is missing only if both could be looked into.
   */
  readonly locate: (sessionId: string, me: Principal) => Effect.Effect<Located, SessionMissing | StoreFailed>
  /** The active session; a stored one that may come back is made active (spec §4). For who may use its agent now. */
  readonly recall: (
    sessionId: string,
    connection: NativeState,
    me: Principal
  ) => Effect.Effect<Resident, SessionFault | Wire.RpcFault>
}>()("postern/native/Residents") {
  static readonly layer = Layer.effect(
    Residents,
    Effect.gen(function*() {
      const { acp, chat } = yield* Hosts
      const agents = yield* Agents
      const { connections } = yield* Facts
      const { note, sessions } = yield* Feeds
      const forbids = Places.make(yield* Settings, yield* LiveSettings)
      const residents = new Map<string, Resident>()
      const { within: queued } = Queues.make()

      const admit = (host: Host, session: Session, opener: Opener) =>
        Effect.suspend(() => {
          const { sessionId } = session
          const known = residents.get(sessionId)
          if (known?.session === session) {
            known.opener = opener
            return Effect.succeed(known)
          }
          const owner = ownerOf(session.record())
          const resident: Resident = { host, session, owner, opener, turn: undefined }
          residents.set(sessionId, resident)
          return Effect.as(note({ type: "session_opened", session_id: sessionId, owner }), resident)
        })

      const stored = (host: Host, sessionId: string) =>
        host.store.get(sessionId).pipe(
          Effect.map((record): ReadonlyArray<Located> => [{ host, record, resident: undefined }]),
          Effect.catchTag("SessionMissing", () => Effect.succeed([]))
        )

      const forget: Residents["Service"]["forget"] = (host, sessionId, type) =>
        Effect.suspend(() => {
          const resident = residents.get(sessionId)
          if (resident?.host !== host) return Effect.void
          residents.delete(sessionId)
          sessions.release(sessionId)
          return note({ type, session_id: sessionId, owner: resident.owner })
        })

      const living = Effect.fnUntraced(function*(sessionId: string) {
        const resident = residents.get(sessionId)
        if (resident === undefined || (yield* resident.host.sessions.isPresent(resident.session))) return resident
        const isStored = yield* Effect.isSuccess(resident.host.store.get(sessionId))
        // As it is now: the id may be another session's meanwhile.
        const now = residents.get(sessionId)
        if (now !== resident) return now
        yield* forget(resident.host, sessionId, isStored ? "session_killed" : "session_deleted")
        return undefined
      })

      const locate = Effect.fnUntraced(function*(sessionId: string, me: Principal) {
        const resident = yield* living(sessionId)
        const isMine = ({ record }: Located) => mayTouch(me, ownerOf(record))
        const found: Array<Located> = []
        if (resident) found.push({ host: resident.host, record: resident.session.record(), resident })
        for (const host of [chat, acp]) {
          const best = found.find((one) => isMine(one) && one.record.killedAt === null)
          if (best) return best
          if (host !== resident?.host) found.push(...yield* stored(host, sessionId))
        }
        return found.find((one) => isMine(one) && one.record.killedAt === null) ?? found.find(isMine) ?? found[0] ??
          (yield* (unopened(chat) ?? unopened(acp) ?? new SessionMissing({ sessionId })))
      })

      const seats = {
        get: (sessionId: string) => residents.get(sessionId),
        all: () => Array.from(residents.values()),
        forget,
        queued
      }

      return Residents.of({
        ...seats,
        admit,
        living,
        locate,
        recall: Effect.fnUntraced(function*(sessionId, connection, me) {
          const { host, record, resident } = yield* locate(sessionId, me)
          if (!mayTouch(me, ownerOf(record))) return yield* new SessionMissing({ sessionId })
          // The one that it would go on with, where its own is gone.
          yield* mayUse(me, resident ? record.agent : (yield* agents.restore(record.agent)).alias)
          yield* Places.mayEnter(forbids(me), record.cwd)
          if (resident) return resident
          const other = residents.get(sessionId)
          if (other) return yield* activeElsewhere(sessionId, other)
          if (!compatible.has(record.surface)) return yield* new SessionMissing({ sessionId })
          const setup = { additionalDirectories: record.additionalDirectories, forbids: forbids(me) }
          return yield* host.sessions.activate(
            sessionId,
            setup,
            (session) => admit(host, session, openerOf(connection, me))
          ).pipe(Eviction.withRoom(seats, connections))
        })
      })
    })
  )
}
