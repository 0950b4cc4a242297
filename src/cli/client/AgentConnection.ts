import { Cause, Context, Deferred, Duration, Effect, Exit, Option, Result, Schema, type Scope } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import {
  Initialize,
  SessionCancel,
  SessionClose,
  SessionList,
  SessionLoad,
  SessionNew,
  SessionPrompt,
  SessionResume,
  SetConfigOption,
  SetMode
} from "../../acp/protocol/AgentMethods.ts"
import { ElicitationCreate, SessionUpdated, ZeroClawRequestPermission } from "../../acp/protocol/ClientMethods.ts"
import type { SessionInfo } from "../../acp/protocol/SessionSetup.ts"
import type { SessionNotification, ToolCallUpdate } from "../../acp/protocol/SessionUpdate.ts"
import type { ContentBlock } from "../../domain/Content.ts"
import { version } from "../../domain/Version.ts"
import { type Connection, type ConnectionClosed, serve } from "../../rpc/Peer.ts"
import { methodNotFound, type RpcFault } from "../../rpc/Wire.ts"
import { type Failure, failure } from "../Failure.ts"
import { mentions, oneLine, truncate } from "../terminal/Text.ts"
import type { AgentProcess } from "./AgentProcess.ts"
import type { FormAnswer, FormRequest } from "./Form.ts"
import type { PermissionChoice, PermissionOffer } from "./PermissionPrompt.ts"
import type { SessionSetup, Setting } from "./SessionSettings.ts"

/** The connection to an agent's process; its errors and its end become messages for people. */

/** The message of an agent's error, with the reason unless the message has it. */
export const explain = ({ data, message }: RpcFault): string => {
  const known = typeof data === "object" && data !== null
    ? data as Readonly<Record<string, unknown>>
    : { details: data }
  const more = [known["reason"], known["details"], known["detail"]]
    .filter((part): part is string => typeof part === "string" && part !== "" && !mentions(message, part))
  return oneLine(message + (more.length > 0 ? ` (${more.join("; ")})` : ""))
}

/** The error that our own agent wrote before it ended, instead of the fact that it ended. */
const reportedByAgent = (error: Failure): Failure => {
  const said = error.detail?.split("\n").findLast((line) => line.startsWith("postern: "))
  return said === undefined ? error : failure(said.slice("postern: ".length))
}

const isSessionMissing = ({ code, data }: RpcFault): boolean =>
  code === -32002 ||
  (typeof data === "object" && data !== null && "reason" in data && data.reason === "session_not_found")

const unreadable = (cause: Cause.Cause<unknown>): Failure =>
  failure(`the agent sent something that cannot be read: ${truncate(oneLine(String(Cause.squash(cause))), 200)}`)

/** Any answer: other agents may leave things out, and what is needed of an answer is checked where it is used. */
const AnyAnswer = Schema.Record(Schema.String, Schema.Unknown)

class ServedToAgents extends RpcGroup.make(SessionUpdated, ZeroClawRequestPermission, ElicitationCreate) {}

export interface AgentHandlers {
  readonly onUpdate: (notification: typeof SessionNotification.Type) => void
  /** The params of any `session/update` as the agent wrote them, before `onUpdate`, even of kinds this client does not know. */
  readonly onRawUpdate: (params: unknown) => void
  readonly onPermission: (
    toolCall: typeof ToolCallUpdate.Type,
    offers: ReadonlyArray<PermissionOffer>
  ) => Effect.Effect<PermissionChoice>
  /** Absent where nobody can fill in forms. */
  readonly onForm: ((request: FormRequest) => Effect.Effect<FormAnswer>) | undefined
}

/** In bytes, of one message. */
export const maxFrame = 64 * 1024 * 1024

/** A process that was started and may turn out to be an agent. */
interface StartedAgent {
  readonly process: AgentProcess
  /** How it was started, for messages. */
  readonly command: string
  /** Whether it is the agent of this installation. */
  readonly own: boolean
  /** The first line on its stdout that is no message. */
  readonly junk: Deferred.Deferred<string>
  /** The error for a session that the agent does not know. */
  readonly missing: (sessionId: string) => Effect.Effect<Failure>
  /** Called when the answer to `initialize` takes long. */
  readonly onSlow: () => void
}

interface AgentLink {
  readonly request: <R extends Rpc.Any>(
    rpc: R,
    payload: Rpc.Payload<R>
  ) => Effect.Effect<Rpc.Success<R>, RpcFault | ConnectionClosed | Failure>
  /** A request whose errors become a message for people; `sessionId` names the session that may be missing. */
  readonly ask: <R extends Rpc.Any>(
    rpc: R,
    payload: Rpc.Payload<R>,
    sessionId?: string
  ) => Effect.Effect<Rpc.Success<R>, Failure>
  readonly notify: Connection["Service"]["notify"]
  /** Fails with how the agent ended; `during` names what it did not finish. */
  readonly gone: (during: string) => Effect.Effect<never, Failure>
}

const serving = Effect.fnUntraced(function*({ process }: StartedAgent, handlers: AgentHandlers) {
  const ready = yield* Deferred.make<Connection["Service"]>()
  const served = ServedToAgents.toLayer({
    "session/update": (notification) => Effect.sync(() => handlers.onUpdate(notification)),
    "session/request_permission": ({ options, toolCall }) =>
      Effect.map(handlers.onPermission(toolCall, options), (outcome) => ({ outcome })),
    "elicitation/create": (request) =>
      handlers.onForm === undefined || request.mode !== "form"
        ? Effect.fail(methodNotFound())
        : handlers.onForm(request)
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
    Effect.ignore,
    Effect.catchCauseIf(Cause.hasDies, (cause) => Deferred.fail(broken, unreadable(cause))),
    Effect.forkScoped
  )
  const connection = yield* Deferred.await(ready)
  return { connection, broken: Deferred.await(broken) }
})

/** Serves the agent for as long as the scope is open. */
const linkTo = Effect.fnUntraced(function*(agent: StartedAgent, handlers: AgentHandlers) {
  const { missing, process } = agent
  const { broken, connection } = yield* serving(agent, handlers)
  const request = <R extends Rpc.Any>(rpc: R, payload: Rpc.Payload<R>) =>
    connection.request(rpc, payload).pipe(
      Effect.catchCauseIf(Cause.hasDies, (cause) => Effect.fail(unreadable(cause))),
      Effect.raceFirst(broken)
    )

  const gone: AgentLink["gone"] = (during) =>
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
        if (sessionId === "" || !isSessionMissing(fault)) {
          return Effect.fail(failure(`${rpc._tag} failed: ${explain(fault)}`))
        }
        return Effect.flip(missing(sessionId))
      }
    }))

  const link: AgentLink = { request, ask, gone, notify: connection.notify }
  return link
})

const AnyInitialize = Rpc.make("initialize", {
  payload: Initialize.payloadSchema,
  success: AnyAnswer,
  error: Initialize.errorSchema
})

/** Seconds; enough for a program that npx downloads first. */
const initializeTimeout = 30
const slowAfter = "3 seconds"

const capabilitiesOf = ({ onForm }: AgentHandlers) => ({
  fs: { readTextFile: false, writeTextFile: false },
  terminal: false,
  session: { notices: {} },
  ...(onForm === undefined ? {} : { elicitation: { form: {} } })
})

/** Agrees on the protocol, or fails with why the process is no agent for this client. */
const initialize = Effect.fnUntraced(
  function*({ command, junk, onSlow, own, process }: StartedAgent, { ask }: AgentLink, handlers: AgentHandlers) {
    const noAgent = (why: string) => failure(`${oneLine(command)} does not speak ACP: ${why}`, process.tail())
    const clientCapabilities = capabilitiesOf(handlers)
    const clientInfo = { name: "postern-client", title: "Postern", version }
    const strayed = Effect.flatMap(
      Deferred.await(junk),
      (line) => Effect.fail(noAgent(`it wrote ${JSON.stringify(truncate(oneLine(line), 120))}`))
    )
    const answer = yield* Effect.forkScoped(Effect.delay(Effect.sync(onSlow), slowAfter)).pipe(
      Effect.andThen(ask(AnyInitialize, { protocolVersion: 1, clientInfo, clientCapabilities })),
      Effect.scoped,
      Effect.raceFirst(strayed),
      Effect.mapError((error) => own ? reportedByAgent(error) : error),
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
    return initialized
  }
)

const AnyPrompt = Rpc.make("session/prompt", {
  payload: SessionPrompt.payloadSchema,
  success: AnyAnswer,
  error: SessionPrompt.errorSchema
})

export type AgentSession = typeof SessionInfo.Type

/** A session that was just opened. */
interface OpenedSession extends SessionSetup {
  readonly sessionId: string
}

export interface Agent {
  /** Name and version as the agent gives them. */
  readonly name: string
  readonly can: { readonly load: boolean; readonly resume: boolean; readonly list: boolean; readonly close: boolean }
  readonly open: (
    place: { readonly cwd: string; readonly alias: string | undefined }
  ) => Effect.Effect<OpenedSession, Failure>
  /** Succeeds after the history has come as updates. */
  readonly load: (sessionId: string, cwd: string) => Effect.Effect<SessionSetup, Failure>
  readonly resume: (sessionId: string, cwd: string) => Effect.Effect<SessionSetup, Failure>
  readonly close: (sessionId: string) => Effect.Effect<void>
  /** Every stored session, of one folder if given. */
  readonly list: (cwd?: string) => Effect.Effect<ReadonlyArray<AgentSession>, Failure>
  /** Succeeds with what the agent says about its options then, if it says anything. */
  readonly set: (sessionId: string, setting: Setting, value: string) => Effect.Effect<SessionSetup | undefined, Failure>
  readonly prompt: (
    sessionId: string,
    blocks: ReadonlyArray<ContentBlock>
  ) => Effect.Effect<Readonly<Record<string, unknown>>, RpcFault | Failure>
  readonly cancel: (sessionId: string) => Effect.Effect<void>
}

/** Every page of the stored sessions; a cursor that comes twice ends the list. */
const pages = Effect.fnUntraced(function*({ ask }: AgentLink, cwd: string | undefined) {
  const found: Array<AgentSession> = []
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

/** Opens the connection and agrees on the protocol. */
export const connect = Effect.fnUntraced(function*(
  started: StartedAgent,
  handlers: AgentHandlers
): Effect.fn.Return<Agent, Failure, Scope.Scope> {
  const link = yield* linkTo(started, handlers)
  const { ask, gone, notify, request } = link
  const { agentCapabilities, agentInfo: info } = yield* initialize(started, link, handlers)
  const { loadSession, sessionCapabilities } = agentCapabilities ?? {}

  return {
    name: oneLine([info?.title ?? info?.name ?? "agent", info?.version].filter((part) => part).join(" ")),
    can: {
      load: loadSession === true,
      resume: sessionCapabilities?.resume !== undefined,
      list: sessionCapabilities?.list !== undefined,
      close: sessionCapabilities?.close !== undefined
    },
    open: ({ alias, cwd }) =>
      ask(SessionNew, {
        cwd,
        mcpServers: [],
        ...(alias === undefined ? {} : { _meta: { zeroclaw: { agentAlias: alias } } })
      }),
    load: (sessionId, cwd) => ask(SessionLoad, { sessionId, cwd, mcpServers: [] }, sessionId),
    resume: (sessionId, cwd) => ask(SessionResume, { sessionId, cwd, mcpServers: [] }, sessionId),
    close: (sessionId) => Effect.ignore(request(SessionClose, { sessionId })),
    list: (cwd) => pages(link, cwd),
    set: (sessionId, { configId }, value) =>
      configId === undefined
        ? Effect.as(ask(SetMode, { sessionId, modeId: value }), undefined)
        : ask(SetConfigOption, { sessionId, configId, value }),
    prompt: (sessionId, blocks) =>
      Effect.catchTag(
        request(AnyPrompt, { sessionId, prompt: blocks }),
        "ConnectionClosed",
        () => gone("in the middle of the turn")
      ),
    cancel: (sessionId) => notify(SessionCancel, { sessionId })
  }
})
