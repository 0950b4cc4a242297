import { Cause, Context, Deferred, Duration, Effect, Exit, Option, Result, Schema, type Scope } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import {
  Initialize,
  SessionCancel,
  SessionList,
  SessionLoad,
  SessionNew,
  SessionPrompt,
  SessionResume
} from "../acp/Agent.ts"
import { SessionUpdated, ZeroClawRequestPermission } from "../acp/Client.ts"
import type { SessionInfo } from "../acp/SessionSetup.ts"
import type { SessionNotification, ToolCallUpdate } from "../acp/SessionUpdate.ts"
import { version } from "../app/Version.ts"
import { type Connection, serve } from "../rpc/Peer.ts"
import type { RpcFault } from "../rpc/Wire.ts"
import type { AgentProcess } from "./AgentProcess.ts"
import type { Offer, Outcome } from "./Ask.ts"
import { type Failure, failure } from "./Failure.ts"
import { cut, oneLine } from "./Plain.ts"
import { explain, inItsWords, isMissing, unreadable } from "./Reason.ts"

/** Answers of other agents are taken as they come: what people need of them is checked where it is used. */
const Open = Schema.Record(Schema.String, Schema.Unknown)
const error = SessionPrompt.errorSchema
const AnyInitialize = Rpc.make("initialize", { payload: Initialize.payloadSchema, success: Open, error })
const AnyPrompt = Rpc.make("session/prompt", { payload: SessionPrompt.payloadSchema, success: Open, error })

export class ServedToAgents extends RpcGroup.make(SessionUpdated, ZeroClawRequestPermission) {}

export interface Handlers {
  readonly onUpdate: (notification: typeof SessionNotification.Type) => void
  /** The params of a `session/update` as the agent wrote them, before `onUpdate`, also of kinds this client does not know. */
  readonly onRawUpdate: (params: unknown) => void
  readonly onPermission: (toolCall: typeof ToolCallUpdate.Type, offers: ReadonlyArray<Offer>) => Effect.Effect<Outcome>
}

export interface Place {
  readonly cwd: string
  readonly alias: string | undefined
}

export type Listed = typeof SessionInfo.Type

export interface Agent {
  /** Name and version as the agent gives them. */
  readonly name: string
  readonly can: { readonly load: boolean; readonly resume: boolean; readonly list: boolean }
  readonly open: (place: Place) => Effect.Effect<string, Failure>
  /** The history comes as updates before this is done. */
  readonly load: (sessionId: string, cwd: string) => Effect.Effect<void, Failure>
  readonly resume: (sessionId: string, cwd: string) => Effect.Effect<void, Failure>
  /** Every stored session, of one folder if given. */
  readonly list: (cwd?: string) => Effect.Effect<ReadonlyArray<Listed>, Failure>
  readonly prompt: (
    sessionId: string,
    text: string
  ) => Effect.Effect<Readonly<Record<string, unknown>>, RpcFault | Failure>
  readonly cancel: (sessionId: string) => Effect.Effect<void>
}

/** In s. Programs that are downloaded first take their time. */
const initializeTimeout = 30
const slowAfter = "3 seconds"

export const maxFrame = 64 * 1024 * 1024

const clientCapabilities = {
  fs: { readTextFile: false, writeTextFile: false },
  terminal: false,
  session: { notices: {} }
}

export interface Far {
  readonly process: AgentProcess
  /** How it was started, for messages. */
  readonly command: string
  /** Whether it is the agent of this installation. */
  readonly own: boolean
  /** What to say of a session that the agent does not know. */
  readonly missing: (sessionId: string) => Effect.Effect<Failure>
  /** What the agent wrote before it answered and that is no message. */
  readonly junk: Deferred.Deferred<string>
  /** It takes its time to answer `initialize`. */
  readonly onSlow: () => void
}

/** Opens the connection and agrees on the protocol. */
export const connect = Effect.fnUntraced(function*(
  { command, junk, missing, onSlow, own, process }: Far,
  handlers: Handlers
): Effect.fn.Return<Agent, Failure, Scope.Scope> {
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
  const request = <R extends Rpc.Any>(rpc: R, payload: Rpc.Payload<R>) =>
    connection.request(rpc, payload).pipe(
      Effect.catchCauseIf(Cause.hasDies, (cause) => Effect.fail(unreadable(cause))),
      Effect.raceFirst(Deferred.await(broken))
    )

  const gone = (during: string) =>
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

  const noAgent = (why: string) => failure(`${oneLine(command)} does not speak ACP: ${why}`, process.tail())
  const clientInfo = { name: "postern-client", title: "Postern", version }
  const strayed = Effect.flatMap(
    Deferred.await(junk),
    (line) => Effect.fail(noAgent(`it wrote ${JSON.stringify(cut(oneLine(line), 120))}`))
  )
  const answer = yield* Effect.forkScoped(Effect.delay(Effect.sync(onSlow), slowAfter)).pipe(
    Effect.andThen(ask(AnyInitialize, { protocolVersion: 1, clientInfo, clientCapabilities })),
    Effect.scoped,
    Effect.raceFirst(strayed),
    Effect.mapError((error) => own ? inItsWords(error) : error),
    Effect.timeoutOrElse({
      duration: Duration.seconds(initializeTimeout),
      orElse: () =>
        Effect.fail(
          failure(`${oneLine(command)} did not answer initialize within ${initializeTimeout} s`, process.tail())
        )
    })
  )
  const initialized = Option.getOrUndefined(Schema.decodeUnknownOption(Initialize.successSchema)(answer))
  if (initialized === undefined) return yield* noAgent("its answer to initialize has no protocol version")
  if (initialized.protocolVersion !== 1) {
    return yield* noAgent(`it wants protocol version ${initialized.protocolVersion}, this client has 1`)
  }
  const { loadSession, sessionCapabilities } = initialized.agentCapabilities ?? {}
  const info = initialized.agentInfo

  const pages = Effect.fnUntraced(function*(cwd: string | undefined) {
    const found: Array<Listed> = []
    const seen = new Set<string>()
    let cursor: string | undefined
    do {
      const page: typeof SessionList.successSchema.Type = yield* ask(SessionList, {
        ...(cwd === undefined ? {} : { cwd }),
        ...(cursor === undefined ? {} : { cursor })
      })
      for (const session of page.sessions) found.push(session)
      cursor = page.nextCursor || undefined
      if (cursor !== undefined && seen.has(cursor)) break
      if (cursor !== undefined) seen.add(cursor)
    } while (cursor !== undefined)
    return found.filter((session) => cwd === undefined || session.cwd === cwd)
  })

  return {
    name: oneLine([info?.title ?? info?.name ?? "agent", info?.version].filter((part) => part).join(" ")),
    can: {
      load: loadSession === true,
      resume: sessionCapabilities?.resume !== undefined,
      list: sessionCapabilities?.list !== undefined
    },
    open: ({ alias, cwd }) =>
      Effect.map(
        ask(SessionNew, {
          cwd,
          mcpServers: [],
          ...(alias === undefined ? {} : { _meta: { zeroclaw: { agentAlias: alias } } })
        }),
        ({ sessionId }) => sessionId
      ),
    load: (sessionId, cwd) => Effect.asVoid(ask(SessionLoad, { sessionId, cwd, mcpServers: [] }, sessionId)),
    resume: (sessionId, cwd) => Effect.asVoid(ask(SessionResume, { sessionId, cwd, mcpServers: [] }, sessionId)),
    list: pages,
    prompt: (sessionId, text) =>
      Effect.catchTag(
        request(AnyPrompt, { sessionId, prompt: [{ type: "text", text }] }),
        "ConnectionClosed",
        () => gone("in the middle of the turn")
      ),
    cancel: (sessionId) => connection.notify(SessionCancel, { sessionId })
  }
})
