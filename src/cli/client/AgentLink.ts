import { Cause, Context, Deferred, Effect, Exit, Option, Result, Schema } from "effect"
import { type Rpc, RpcGroup } from "effect/rpc"
import { SessionUpdated, ZeroClawRequestPermission } from "../../acp/protocol/ClientMethods.ts"
import type { SessionNotification, ToolCallUpdate } from "../../acp/protocol/SessionUpdate.ts"
import { type Connection, type ConnectionClosed, serve } from "../../rpc/Peer.ts"
import type { RpcFault } from "../../rpc/Wire.ts"
import type { AgentProcess } from "./AgentProcess.ts"
import type { Offer, Outcome } from "./PermissionPrompt.ts"
import { type Failure, failure } from "../Failure.ts"
import { explain, isMissing, unreadable } from "./Reason.ts"

/** The connection to an agent's process, and what its faults and its end mean to people. */

/** Answers of other agents are taken as they come: what people need of them is checked where it is used. */
export const Open = Schema.Record(Schema.String, Schema.Unknown)

export class ServedToAgents extends RpcGroup.make(SessionUpdated, ZeroClawRequestPermission) {}

export interface Handlers {
  readonly onUpdate: (notification: typeof SessionNotification.Type) => void
  /** The params of a `session/update` as the agent wrote them, before `onUpdate`, also of kinds this client does not know. */
  readonly onRawUpdate: (params: unknown) => void
  readonly onPermission: (toolCall: typeof ToolCallUpdate.Type, offers: ReadonlyArray<Offer>) => Effect.Effect<Outcome>
}

/** In bytes, of one message. */
export const maxFrame = 64 * 1024 * 1024

/** The side that is talked to. */
export interface Far {
  readonly process: AgentProcess
  /** What to say of a session that the agent does not know. */
  readonly missing: (sessionId: string) => Effect.Effect<Failure>
}

export interface Link {
  readonly request: <R extends Rpc.Any>(
    rpc: R,
    payload: Rpc.Payload<R>
  ) => Effect.Effect<Rpc.Success<R>, RpcFault | ConnectionClosed | Failure>
  /** A request whose faults are told in words; `sessionId` names the session that may be missing. */
  readonly ask: <R extends Rpc.Any>(
    rpc: R,
    payload: Rpc.Payload<R>,
    sessionId?: string
  ) => Effect.Effect<Rpc.Success<R>, Failure>
  readonly notify: Connection["Service"]["notify"]
  /** Says how the agent ended: `during` is what it did not finish. */
  readonly gone: (during: string) => Effect.Effect<never, Failure>
}

const serving = Effect.fnUntraced(function*({ process }: Far, handlers: Handlers) {
  const ready = yield* Deferred.make<Connection["Service"]>()
  const served = ServedToAgents.toLayer({
    "session/update": (notification) => Effect.sync(() => handlers.onUpdate(notification)),
    "session/request_permission": ({ options, toolCall }) =>
      Effect.map(handlers.onPermission(toolCall, options), (outcome) => ({ outcome }))
  })
  const options = {
    maxFrame,
    outbox: 256,
    stall: "30 seconds",
    idPrefix: "client-",
    open: (connection: Connection["Service"]) => {
      Deferred.doneUnsafe(ready, Exit.succeed(connection))
      return {
        admit: (method: string, params: unknown) => {
          if (method === "session/update") handlers.onRawUpdate(params)
          return Result.succeed(params)
        },
        services: Context.empty(),
        onEnd: Effect.void
      }
    }
  } as const
  const broken = yield* Deferred.make<never, Failure>()
  yield* serve(ServedToAgents, process.transport, options).pipe(
    Effect.provide(served),
    Effect.catchCauseIf(Cause.hasDies, (cause) => Deferred.fail(broken, unreadable(cause))),
    Effect.forkScoped
  )
  const connection = yield* Deferred.await(ready)
  return { connection, broken: Deferred.await(broken) }
})

/** Serves the agent for as long as the scope is open. */
export const linkTo = Effect.fnUntraced(function*(far: Far, handlers: Handlers) {
  const { missing, process } = far
  const { broken, connection } = yield* serving(far, handlers)
  const request = <R extends Rpc.Any>(rpc: R, payload: Rpc.Payload<R>) =>
    connection.request(rpc, payload).pipe(
      Effect.catchCauseIf(Cause.hasDies, (cause) => Effect.fail(unreadable(cause))),
      Effect.raceFirst(broken)
    )

  const gone: Link["gone"] = (during) =>
    process.ended.pipe(
      Effect.timeoutOption("1 second"),
      Effect.flatMap((how) => {
        const end = Option.isSome(how) ? `ended (${how.value})` : "closed its side of the connection"
        return Effect.fail(failure(`the agent ${end} ${during}`, process.tail()))
      })
    )
  const ask = <R extends Rpc.Any>(
    rpc: R,
    payload: Rpc.Payload<R>,
    sessionId = ""
  ): Effect.Effect<Rpc.Success<R>, Failure> =>
    request(rpc, payload).pipe(Effect.catchTags({
      ConnectionClosed: () => gone(`before it answered ${rpc._tag}`),
      RpcFault: (fault) => {
        if (sessionId === "" || !isMissing(fault)) return Effect.fail(failure(`${rpc._tag} failed: ${explain(fault)}`))
        return Effect.flip(missing(sessionId))
      }
    }))

  const link: Link = { request, ask, gone, notify: connection.notify }
  return link
})
