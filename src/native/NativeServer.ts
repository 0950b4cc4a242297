import { Clock, Context, Deferred, Duration, Effect, Exit, Result } from "effect"
import type { Admit, ConnectionSetup, PeerOptions } from "../rpc/Options.ts"
import { type Connection, serve } from "../rpc/Peer.ts"
import type { Transport } from "../rpc/Transport.ts"
import { Principals } from "../security/Principals.ts"
import * as ConnectionLog from "./daemon/ConnectionLog.ts"
import { Facts, type Far, NativeConnection, type NativeState } from "./protocol/NativeConnection.ts"
import { Native } from "./protocol/Native.ts"
import { ClientSessions } from "./session/ClientSessions.ts"
import * as Wire from "../rpc/Wire.ts"
import { RequiredGrant } from "./protocol/Contract.ts"
import * as Errors from "./protocol/Errors.ts"
import { canonical, isRecord } from "./protocol/Spelling.ts"

const needs: ReadonlyMap<string, string | undefined> = new Map(
  Array.from(Native.requests, ([method, rpc]) => [method, Context.get(rpc.annotations, RequiredGrant)])
)

/** Known to the protocol, not part of this daemon: clients that meet this error leave the feature out (zeroclaw §1.6). */
const isOutOfScope = (method: string) => method.startsWith("sops/")

/** The gate in front of the handlers: known, greeted, permitted, readable, in this order (zeroclaw §1.2). */
const admit = (state: NativeState): Admit => (method, raw) => {
  if (!needs.has(method) && !isOutOfScope(method)) return Result.fail(Wire.methodNotFound({ method }, method))
  if (!state.initialized && method !== "initialize") return Result.fail(Errors.notInitialized())
  if (isOutOfScope(method)) return Result.fail(Errors.disabled("SOP subsystem not enabled", "sop_disabled"))
  return Result.succeed(raw === undefined ? {} : isRecord(raw) ? canonical(raw) : raw)
}

/** What the principal may do is looked up with each call: a grant that was taken away is gone at once. */
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

/** What one connection may keep waiting (zeroclaw §1.3). */
export interface Limits {
  readonly maxFrame: number
  /** From the first byte of a frame to its last. */
  readonly frame: Duration.Duration
  /** From the connection to the first `initialize` that succeeds. */
  readonly greeting: Duration.Duration
  /** How long the far side may take nothing. */
  readonly stall: Duration.Duration
}

export const usualLimits: Limits = {
  maxFrame: 8 * 1024 * 1024,
  frame: Duration.seconds(30),
  greeting: Duration.seconds(30),
  stall: Duration.seconds(30)
}

/** Everything else is answered before the next message is looked at. */
const concurrent = new Set(["session/prompt", "doctor/run"])

/** The native protocol for one client over any transport. Its sessions stay when it goes; turns that it started do not. */
export const serveConnection = Effect.fnUntraced(
  function*(transport: Transport, far: Far, limits: Limits = usualLimits) {
    const principals = yield* Principals
    const clientSessions = yield* ClientSessions
    const { connections, stopping } = yield* Facts
    const scope = yield* Effect.scope
    const connectedAt = yield* Clock.currentTimeMillis

    const open = (peer: Connection["Service"]): ConnectionSetup => {
      const greeted = Deferred.makeUnsafe<void>()
      const late = Deferred.makeUnsafe<void>()
      const state: NativeState = {
        far,
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
    yield* serve(Native, transport, options)
  },
  Effect.scoped
)
