import { Clock, Context, Deferred, Duration, Effect, Exit, Result } from "effect"
import { DaemonInfo, NativeConnection, type NativeState, type PeerIdentity } from "./protocol/NativeConnection.ts"
import { canonical, isRecord, RequiredGrant } from "./protocol/Contract.ts"
import type { Admit, ConnectionSetup, PeerOptions } from "../rpc/Options.ts"
import { type Connection, serve } from "../rpc/Peer.ts"
import type { Transport } from "../rpc/Transport.ts"
import { Principals } from "../security/Principals.ts"
import * as ConnectionLog from "./daemon/ConnectionLog.ts"
import { Native } from "./protocol/Native.ts"
import { ClientSessions } from "./session/ClientSessions.ts"
import * as Wire from "../rpc/Wire.ts"
import * as Errors from "./protocol/Errors.ts"

const needs: ReadonlyMap<string, string | undefined> = new Map(
  Array.from(Native.requests, ([method, rpc]) => [method, Context.get(rpc.annotations, RequiredGrant)])
)

/** Methods that this daemon does not have: clients that get this error leave the feature out. See docs/native-rpc.md#not-part-of-this-daemon. */
const isOutOfScope = (method: string) => method.startsWith("sops/")

/** What is checked before a handler runs: the method, `initialize`, the grant, the params, in this order. See docs/native-rpc.md#handshake. */
const admit = (state: NativeState): Admit => (method, raw) => {
  if (!needs.has(method) && !isOutOfScope(method)) return Result.fail(Wire.methodNotFound({ method }, method))
  if (!state.initialized && method !== "initialize") return Result.fail(Errors.notInitialized())
  if (isOutOfScope(method)) return Result.fail(Errors.disabled("SOP subsystem not enabled", "sop_disabled"))
  return Result.succeed(raw === undefined ? {} : isRecord(raw) ? canonical(raw) : raw)
}

/** Looks up the grant with each call, so that a grant that was taken away no longer counts. */
const permit = (state: NativeState, principals: Principals["Service"]) =>
  Effect.fnUntraced(function*(method: string) {
    const need = needs.get(method)
    if (need === undefined) return
    const principal = yield* principals.find(state.principal)
    if (principal === undefined) {
      return yield* Errors.notAuthenticated(`principal "${state.principal}" is not known any more`)
    }
    if (!principal.allows(need)) return yield* Errors.missingGrant(principal.id, need, method)
  })

/** The limits of one connection; see docs/native-rpc.md#framing-and-limits. */
export interface ConnectionLimits {
  readonly maxFrame: number
  /** How long an unfinished frame may bring no byte. */
  readonly frame: Duration.Duration
  /** From the connection to the first `initialize` that succeeds. */
  readonly greeting: Duration.Duration
  /** How long the client may read nothing. */
  readonly stall: Duration.Duration
}

export const usualLimits: ConnectionLimits = {
  maxFrame: 8 * 1024 * 1024,
  frame: Duration.seconds(30),
  greeting: Duration.seconds(30),
  stall: Duration.seconds(30)
}

/** Any other call is answered before the next message is read. */
const concurrent = new Set(["session/prompt", "doctor/run", "pairing/wait"])

/** Serves the native protocol to one client over any transport. When it disconnects, its sessions stay live and its turns are cancelled. */
export const serveConnection = Effect.fnUntraced(
  function*(transport: Transport, peerIdentity: PeerIdentity, limits: ConnectionLimits = usualLimits) {
    const principals = yield* Principals
    const clientSessions = yield* ClientSessions
    const { connections, stopping } = yield* DaemonInfo
    const scope = yield* Effect.scope
    const connectedAt = yield* Clock.currentTimeMillis

    const open = (peer: Connection["Service"]): ConnectionSetup => {
      const greeted = Deferred.makeUnsafe<void>()
      const late = Deferred.makeUnsafe<void>()
      const state: NativeState = {
        peerIdentity,
        peer,
        connectedAt,
        scope,
        subscriptions: new Map(),
        greeted,
        gone: Deferred.makeUnsafe(),
        initialized: false,
        principal: "",
        clientId: "",
        clientKind: undefined,
        forms: false,
        keepsTurns: false,
        env: {}
      }
      connections.add(state)
      const abandon = Effect.suspend(() => {
        connections.delete(state)
        Deferred.doneUnsafe(state.gone, Exit.void)
        const own = clientSessions.all().filter(({ turn }) => turn?.connection === state && !state.keepsTurns)
        return Effect.andThen(
          ConnectionLog.left(state),
          Effect.forEach(own, ({ session }) => session.interrupt, { concurrency: "unbounded", discard: true })
        )
      })
      return {
        admit: admit(state),
        permit: permit(state, principals),
        services: Context.make(NativeConnection, state) as Context.Context<never>,
        until: ConnectionLog.connected(state).pipe(
          Effect.andThen(Deferred.await(greeted)),
          Effect.timeoutOrElse({ duration: limits.greeting, orElse: () => Deferred.succeed(late, undefined) }),
          Effect.andThen(Deferred.await(late)),
          Effect.raceFirst(Deferred.await(stopping))
        ),
        onEnd: abandon
      }
    }
    const options: PeerOptions = {
      maxFrame: limits.maxFrame,
      strict: true,
      endsOversize: true,
      frameTimeout: limits.frame,
      outbox: 64,
      stall: limits.stall,
      idPrefix: "zc-out-",
      concurrent: (method) => concurrent.has(method),
      open
    }
    yield* Effect.ignore(serve(Native, transport, options))
  },
  Effect.scoped
)
