import { Context, Duration, Effect, Layer, Predicate } from "effect"
import { LiveSettings } from "../../config/LiveSettings.ts"
import { Settings } from "../../config/Settings.ts"
import * as KeyedLock from "../../platform/KeyedLock.ts"
import type * as Wire from "../../rpc/Wire.ts"
import type { Principal } from "../../security/Principals.ts"
import { Agents } from "../../session/lifecycle/Agents.ts"
import type { SessionLimit } from "../../session/lifecycle/LiveSessions.ts"
import type { Session } from "../../session/lifecycle/Session.ts"
import type { SessionFault } from "../../session/lifecycle/SessionFault.ts"
import { type SessionManager, SessionManagers } from "../../session/lifecycle/SessionManager.ts"
import { SessionMissing, type SessionRecord, StoreFailed } from "../../store/SessionStore.ts"
import { forwarded, makeForbids, mayEnter, mayTouch, mayUse, ownerFor } from "../access/Access.ts"
import { Feeds } from "../feeds/Feeds.ts"
import { DaemonInfo, type NativeState } from "../protocol/NativeConnection.ts"
import * as Errors from "../protocol/Errors.ts"

type Manager = SessionManager["Service"]

/** A client that has a session open: its idle sessions make room for its next one. */
export interface SessionClient {
  readonly connection: NativeState
  readonly clientId: string
  /** The environment of its shell, as far as it forwards it. */
  readonly env: NativeState["env"]
}

export const sessionClientOf = (connection: NativeState, me: Principal): SessionClient => ({
  connection,
  clientId: connection.clientId,
  env: forwarded(me, connection)
})

/** A turn that a client of this protocol started. */
interface RunningTurn {
  readonly turnId: string
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  readonly connection: NativeState
}

/** A live session that a client opened. */
export interface ClientSession {
  readonly manager: Manager
  readonly session: Session
  /** The id of the principal that it belongs to. */
  readonly owner: string
  /** The client that opened it last. */
  client: SessionClient
  turn: RunningTurn | undefined
}

/** A session that was found; `active` where it is live. */
export interface LocatedSession {
  readonly manager: Manager
  readonly record: SessionRecord
  readonly active: ClientSession | undefined
}

/** The id of the principal that a stored session belongs to. */
export const ownerOf = ({ owner }: Pick<SessionRecord, "owner">): string => owner ?? "operator"

/**
 * A store that could not be opened may hold sessions of this mode that memory does not have: neither an empty list nor "not found" would
 * be true.
 */
export const unopened = ({ mode, store }: Manager): StoreFailed | undefined =>
  store.durability === "durable"
    ? undefined
    : new StoreFailed({
      message: `The store of ${mode} sessions could not be opened; the log says why`,
      cause: undefined
    })

/** Surfaces whose sessions clients of this protocol bring back; a session of another surface is left to its own clients. */
const compatible = new Set<string | null>([null, "zerocode_code"])

export const activeElsewhere = (sessionId: string, { manager }: ClientSession) =>
  Errors.invalid(`session ${sessionId} is active in ${manager.mode} mode`, "chat_mode", "conflict")

const patienceSecs = 30

/** Calls on one session, one after the other; see docs/native-rpc.md#framing-and-limits. */
export const makeCallQueue = () =>
  KeyedLock.make<Wire.RpcFault>({
    waiting: 32,
    patience: Duration.seconds(patienceSecs),
    full: Errors.queueFull,
    late: (sessionId) => Errors.queueTimeout(sessionId, patienceSecs)
  })

/** The live sessions of the daemon as its clients have them, of both modes. Clients have an id open in one mode only. */
export class ClientSessions extends Context.Service<ClientSessions, {
  readonly get: (sessionId: string) => ClientSession | undefined
  /** The same, unless another process killed or deleted the session. */
  readonly living: (sessionId: string) => Effect.Effect<ClientSession | undefined>
  readonly all: () => ReadonlyArray<ClientSession>
  /** Notes that a client opened the session. */
  readonly admit: (manager: Manager, session: Session, client: SessionClient) => Effect.Effect<ClientSession>
  /** Runs after the calls on this session that came before. */
  readonly queued: KeyedLock.KeyedLock<Wire.RpcFault>["within"]
  /** How many calls wait for those before them. */
  readonly waiting: () => number
  /**
   * Where a session is: the live one, else the chat store's, else the ACP store's. Where both modes have the id, one that the caller may
   * touch goes before one it may not, and then one that was not killed. It is missing only if both stores could be read.
   */
  readonly locate: (sessionId: string, me: Principal) => Effect.Effect<LocatedSession, SessionMissing | StoreFailed>
  /** The live session; a stored one that may come back is opened. For callers who may use its agent now. */
  readonly recall: (
    sessionId: string,
    connection: NativeState,
    me: Principal
  ) => Effect.Effect<ClientSession, SessionFault | Wire.RpcFault>
  /** Closes the idle sessions of the same client, owner and mode, except one; a session with a running turn stays open. */
  readonly closeSiblings: (
    manager: Manager,
    client: SessionClient,
    me: Principal,
    except: Session | undefined
  ) => Effect.Effect<void>
  /** Where the limit is reached, closes the session that was idle longest and whose client is gone, and tries again. */
  readonly makingRoom: <A, E, R>(
    opens: Effect.Effect<A, E | SessionLimit, R>
  ) => Effect.Effect<A, E | SessionLimit, R>
}>()("postern/native/ClientSessions") {
  static readonly layer = Layer.effect(ClientSessions, Effect.suspend(() => make))
}

const make = Effect.gen(function*() {
  const { acp, chat, live } = yield* SessionManagers
  const agents = yield* Agents
  const { connections } = yield* DaemonInfo
  const { note, sessions } = yield* Feeds
  const forbids = makeForbids(yield* Settings, yield* LiveSettings)
  const { waiting, within: queued } = makeCallQueue()
  const known = new WeakMap<Session, ClientSession>()

  live.onEnd(({ session }, ending) => {
    const ended = known.get(session)
    if (ended === undefined) return Effect.void
    const { sessionId } = session
    sessions.release(sessionId)
    return note({ type: `session_${ending}`, session_id: sessionId, owner: ended.owner })
  })

  const get = (sessionId: string): ClientSession | undefined => {
    for (const { mode } of [chat, acp]) {
      const found = live.get(mode, sessionId)
      const session = found && known.get(found.session)
      if (session) return session
    }
    return undefined
  }

  const all = () =>
    live.all().flatMap(({ session }) => {
      const found = known.get(session)
      return found ? [found] : []
    })

  const admit = (manager: Manager, session: Session, client: SessionClient) =>
    Effect.suspend(() => {
      const { sessionId } = session
      const before = known.get(session)
      if (before !== undefined) {
        before.client = client
        return Effect.succeed(before)
      }
      const owner = ownerOf(session.record())
      const opened: ClientSession = { manager, session, owner, client, turn: undefined }
      known.set(session, opened)
      return Effect.as(note({ type: "session_opened", session_id: sessionId, owner }), opened)
    })

  const living = (sessionId: string) =>
    Effect.suspend(() => {
      const found = get(sessionId)
      return found === undefined
        ? Effect.undefined
        : Effect.map(found.manager.isPresent(found.session), (isPresent) => isPresent ? found : get(sessionId))
    })

  const stored = (manager: Manager, sessionId: string) =>
    manager.store.get(sessionId).pipe(
      Effect.map((record): ReadonlyArray<LocatedSession> => [{ manager, record, active: undefined }]),
      Effect.catchTag("SessionMissing", () => Effect.succeed([]))
    )

  const locate = Effect.fnUntraced(function*(sessionId: string, me: Principal) {
    const active = yield* living(sessionId)
    const isMine = ({ record }: LocatedSession) => mayTouch(me, ownerOf(record))
    const found: Array<LocatedSession> = []
    if (active) found.push({ manager: active.manager, record: active.session.record(), active })
    for (const manager of [chat, acp]) {
      const best = found.find((one) => isMine(one) && one.record.killedAt === null)
      if (best) return best
      if (manager !== active?.manager) found.push(...yield* stored(manager, sessionId))
    }
    return found.find((one) => isMine(one) && one.record.killedAt === null) ?? found.find(isMine) ?? found[0] ??
      (yield* (unopened(chat) ?? unopened(acp) ?? new SessionMissing({ sessionId })))
  })

  /** Whether it was closed: not where a turn has begun meanwhile. */
  const closeIdle = (
    { manager, session }: Pick<ClientSession, "manager" | "session">
  ): Effect.Effect<boolean> =>
    queued(session.sessionId)(Effect.suspend(() => {
      const { sessionId } = session
      const isLive = live.get(manager.mode, sessionId)?.session === session
      if (!isLive || session.idleSince() === undefined || known.get(session)?.turn !== undefined) {
        return Effect.succeed(false)
      }
      return Effect.as(Effect.ignore(manager.close(sessionId)), true)
    })).pipe(Effect.orElseSucceed(() => false))

  const makingRoom: ClientSessions["Service"]["makingRoom"] = <A, E, R>(
    opens: Effect.Effect<A, E | SessionLimit, R>
  ) => {
    const isAbandoned = (session: Session) => {
      const client = known.get(session)
      return session.idleSince() !== undefined && session.attachments() === 0 &&
        (client === undefined || (client.turn === undefined && !connections.has(client.client.connection)))
    }
    const abandoned = () =>
      live.all().filter(({ session }) => isAbandoned(session))
        .sort((a, b) => (a.session.idleSince() ?? Infinity) - (b.session.idleSince() ?? Infinity))
        .map(({ mode, session }) => ({ session, manager: mode === "acp" ? acp : chat }))
    const closeOne = Effect.gen(function*() {
      for (const one of abandoned()) if (yield* closeIdle(one)) return true
      return false
    })
    const attempt: Effect.Effect<A, E | SessionLimit, R> = Effect.catchIf(
      opens,
      (error): error is Extract<E | SessionLimit, SessionLimit> => Predicate.isTagged(error, "SessionLimit"),
      (full) => Effect.flatMap(closeOne, (closed) => closed ? attempt : Effect.fail(full))
    )
    return attempt
  }

  return ClientSessions.of({
    get,
    all,
    living,
    admit,
    queued,
    waiting,
    locate,
    makingRoom,
    closeSiblings: (manager, client, me, except) =>
      Effect.forEach(
        all().filter((one) =>
          one.manager === manager && one.client.clientId === client.clientId && one.owner === ownerFor(me) &&
          one.turn === undefined && one.session !== except
        ),
        closeIdle,
        { discard: true }
      ),
    recall: Effect.fnUntraced(function*(sessionId, connection, me) {
      const { active, manager, record } = yield* locate(sessionId, me)
      if (!mayTouch(me, ownerOf(record))) return yield* new SessionMissing({ sessionId })
      // A session whose agent was removed goes on with another one.
      yield* mayUse(me, active ? record.agent : (yield* agents.restore(record.agent)).alias)
      yield* mayEnter(forbids(me), record.cwd)
      if (active) return active
      const other = get(sessionId)
      if (other) return yield* activeElsewhere(sessionId, other)
      if (!compatible.has(record.surface)) return yield* new SessionMissing({ sessionId })
      const options = { additionalDirectories: record.additionalDirectories, forbids: forbids(me) }
      return yield* makingRoom(manager.activate(
        sessionId,
        options,
        (session) => admit(manager, session, sessionClientOf(connection, me))
      ))
    })
  })
})
