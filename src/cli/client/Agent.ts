import { Effect, type Scope } from "effect"
import { Rpc } from "effect/rpc"
import {
  SessionCancel,
  SessionList,
  SessionLoad,
  SessionNew,
  SessionPrompt,
  SessionResume
} from "../../acp/protocol/AgentMethods.ts"
import type { SessionInfo } from "../../acp/protocol/SessionSetup.ts"
import type { RpcFault } from "../../rpc/Wire.ts"
import { type Handlers, type Link, linkTo, Open } from "./AgentLink.ts"
import type { Failure } from "../Failure.ts"
import { agree, type Candidate } from "./Handshake.ts"
import { oneLine } from "../terminal/Text.ts"

const AnyPrompt = Rpc.make("session/prompt", {
  payload: SessionPrompt.payloadSchema,
  success: Open,
  error: SessionPrompt.errorSchema
})

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

/** Every page of the stored sessions; an agent that gives the same cursor twice has no more. */
const pages = Effect.fnUntraced(function*({ ask }: Link, cwd: string | undefined) {
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

/** Opens the connection and agrees on the protocol. */
export const connect = Effect.fnUntraced(function*(
  far: Candidate,
  handlers: Handlers
): Effect.fn.Return<Agent, Failure, Scope.Scope> {
  const link = yield* linkTo(far, handlers)
  const { ask, gone, notify, request } = link
  const { agentCapabilities, agentInfo: info } = yield* agree(far, link)
  const { loadSession, sessionCapabilities } = agentCapabilities ?? {}

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
    list: (cwd) => pages(link, cwd),
    prompt: (sessionId, text) =>
      Effect.catchTag(
        request(AnyPrompt, { sessionId, prompt: [{ type: "text", text }] }),
        "ConnectionClosed",
        () => gone("in the middle of the turn")
      ),
    cancel: (sessionId) => notify(SessionCancel, { sessionId })
  }
})
