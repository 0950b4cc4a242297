import * as Progress from "../rpc/Progress.ts"
import { Clock, Deferred, Effect, Exit, Fiber, Scope, Semaphore } from "effect"
import type { McpServerConfig } from "../domain/McpServerConfig.ts"
import * as Wire from "../rpc/Wire.ts"
import type { ToolHost } from "../tool/SessionTools.ts"
import type { ToolContext } from "../tool/Tool.ts"
import type { Connector } from "./Connector.ts"
import * as Elicitation from "./Elicitation.ts"
import * as Handshake from "./Handshake.ts"
import {
  type McpConnection,
  type McpConnectionClosed,
  type McpProgress,
  stopped,
  Unreachable
} from "./McpConnection.ts"
import type { Permit } from "./Permit.ts"

type AskUser = Pick<ToolContext, "askUser">

interface ActiveCall {
  readonly context: AskUser
  readonly ended: Deferred.Deferred<void>
  /** Questions to the user that are open now, and those that were answered. */
  asking: number
  asked: number
}

const decline = { action: "decline" } as const

/** The calls that one server is working on: their timeouts, and the users that it may ask meanwhile. */
const makeActiveCalls = (server: string) => {
  const active = new Set<ActiveCall>()

  /** The time in which the user is asked something does not count, and what comes of the answer begins it anew. */
  const overdue = Effect.fnUntraced(function*(
    call: ActiveCall,
    seconds: number,
    progress: Progress.Progress
  ): Effect.fn.Return<never, Unreachable> {
    for (;;) {
      const before = call.asked
      yield* Progress.silent(progress, `${seconds} seconds`)
      if (call.asking === 0 && call.asked === before) {
        return yield* new Unreachable({ reason: `it did not answer within ${seconds} s` })
      }
      progress.mark()
    }
  })

  return {
    isIdle: () => active.size === 0,
    /** Fails when nothing of the answer comes for so long. */
    within: <A, E>(
      context: AskUser,
      seconds: number,
      work: (onActivity: () => void) => Effect.Effect<A, E>
    ): Effect.Effect<A, E | Unreachable> =>
      Effect.flatMap(Progress.make, (progress) => {
        const call: ActiveCall = { context, ended: Deferred.makeUnsafe(), asking: 0, asked: 0 }
        active.add(call)
        return Effect.raceFirst(work(progress.mark), overdue(call, seconds, progress)).pipe(
          Effect.ensuring(Effect.suspend(() => {
            active.delete(call)
            return Deferred.succeed(call.ended, undefined)
          }))
        )
      }),
    /** Asks the user of the newest call; without a call the question is declined. */
    elicit: (params: unknown): Effect.Effect<unknown, Wire.RpcFault> =>
      Effect.suspend(() => {
        const call = Array.from(active).at(-1)
        if (call === undefined || call.asking > 0) return Effect.succeed(decline)
        call.asking++
        return Elicitation.answer(server, params, call.context).pipe(
          Effect.catchTags({
            ToolFailed: () => Effect.succeed(decline),
            SchemaError: (error) => Effect.fail(Wire.invalidParamsFrom(error))
          }),
          Effect.raceFirst(Effect.as(Deferred.await(call.ended), { action: "cancel" } as const)),
          Effect.ensuring(Effect.sync(() => {
            call.asking--
            call.asked++
          }))
        )
      })
  }
}

/** One server of one session, started when it is needed and again after it ended. */
export interface SessionMcpServer {
  readonly id: string
  readonly config: McpServerConfig
  /** As it listed itself last. */
  readonly listed: () => Handshake.McpListing
  /** Connects, unless it is connected or has to wait; a failure is kept for `trouble`. */
  readonly start: Effect.Effect<void>
  /** Whether `start` did not fail yet, so that waiting for it makes sense. */
  readonly isHopeful: () => boolean
  /** Ends when nobody is starting it. */
  readonly settled: Effect.Effect<void>
  /** Connected, with its tools listed. */
  readonly isReady: () => boolean
  /** Why it failed last, unless it has been connected since; for people. */
  readonly problem: () => string | undefined
  readonly request: (
    method: string,
    params: Readonly<Record<string, unknown>>,
    context: AskUser,
    onProgress?: (progress: McpProgress) => void
  ) => Effect.Effect<unknown, Unreachable | Wire.RpcFault>
  /** Ends a process that may do more than the session's policy now permits; the next call starts another one. */
  readonly policyChanged: Effect.Effect<void>
  /** Why it cannot be used; each reason once. */
  readonly trouble: () => string | undefined
}

interface Live {
  readonly connection: McpConnection
  readonly scope: Scope.Closeable
  readonly permit: Permit
  /** Ends when the end of the connection has been handled. */
  readonly watching: Fiber.Fiber<void>
}

const maxDelay = 300_000

/** Milliseconds before a server is started again; the first restart is immediate. */
const delayAfter = (failures: number): number => failures <= 1 ? 0 : Math.min(1000 * 2 ** (failures - 2), maxDelay)

const reasonOf = (error: Unreachable | Wire.RpcFault | McpConnectionClosed) =>
  error._tag === "RpcFault" ? `it answered with an error (${error.code}): ${error.message}` : error.reason

export const make = Effect.fnUntraced(function*(
  id: string,
  config: McpServerConfig,
  workspace: ToolHost["workspace"],
  permission: Effect.Effect<Permit, Unreachable>,
  connector: Connector,
  changed: () => void
): Effect.fn.Return<SessionMcpServer, never, Scope.Scope> {
  const session = yield* Effect.scope
  const oneAtATime = Semaphore.makeUnsafe(1)
  const calls = makeActiveCalls(id)
  let listed: Handshake.McpListing = Handshake.emptyListing
  let live: Live | undefined
  let failures = 0
  let retryAt = 0
  let problem: string | undefined
  /** The problem that `trouble` has named. */
  let told: string | undefined

  const fits = ({ permit }: Live) =>
    Effect.match(permission, { onFailure: () => false, onSuccess: ({ key }) => key === permit.key })

  const failed = Effect.fnUntraced(function*(reason: string) {
    if (reason === stopped) return
    failures++
    problem = reason
    retryAt = (yield* Clock.currentTimeMillis) + delayAfter(failures)
    yield* Effect.logWarning(`MCP server "${config.name}": ${reason}`)
  })

  const drop = Effect.suspend(() => {
    const { scope } = live ?? {}
    live = undefined
    return scope === undefined ? Effect.void : Scope.close(scope, Exit.void)
  })

  const handshake = Handshake.make({
    config,
    workspace,
    connect: connector.connect,
    elicit: calls.elicit,
    onListed: (now) => {
      if (JSON.stringify(now) === JSON.stringify(listed)) return
      listed = now
      changed()
    }
  })

  /** A server that ends by itself counts as failed; one that we ended does not. */
  const watch = (connection: McpConnection) =>
    Effect.flatMap(
      connection.closed,
      (reason) =>
        Effect.suspend(() => live?.connection === connection ? Effect.andThen(failed(reason), drop) : Effect.void)
    )

  /** Ends with a failure once it neither printed anything nor got further with its download for so long. */
  const stuck = Effect.fnUntraced(function*(progress: Progress.Progress): Effect.fn.Return<never, Unreachable> {
    const limit = config.initTimeoutSecs
    let before = yield* connector.downloaded(config)
    for (;;) {
      yield* Progress.silent(progress, `${limit} seconds`)
      const now = yield* connector.downloaded(config)
      if (now === before) {
        return yield* new Unreachable({ reason: `it was not ready, and showed no progress for ${limit} s` })
      }
      before = now
      progress.mark()
    }
  })

  const connect = Effect.fnUntraced(function*(permit: Permit) {
    const scope = yield* Scope.fork(session)
    const progress = yield* Progress.make
    const connection = yield* handshake(permit, progress.mark).pipe(
      Scope.provide(scope),
      Effect.mapError((error) => new Unreachable({ reason: reasonOf(error) })),
      Effect.raceFirst(stuck(progress)),
      Effect.tapError(({ reason }) => failed(reason)),
      Effect.onError(() => Scope.close(scope, Exit.void))
    )
    live = { connection, scope, permit, watching: yield* Effect.forkIn(watch(connection), session) }
    problem = told = undefined
    if (yield* fits(live)) return connection
    yield* drop
    return yield* new Unreachable({ reason: "the session's policy has changed while it was started" })
  })

  /** A running call is left alone: docs/mcp.md#sandbox-of-a-server. */
  const dropIfOutdated = Effect.gen(function*() {
    const one = live
    if (one !== undefined && calls.isIdle() && !(yield* fits(one)) && live === one) yield* drop
  })

  const connectedNow = Effect.gen(function*() {
    const permit = yield* permission
    if (live?.connection.isOpen() === false) yield* Fiber.await(live.watching)
    if (live?.permit.key === permit.key) return live.connection
    yield* drop
    const wait = retryAt - (yield* Clock.currentTimeMillis)
    if (wait > 0) {
      return yield* new Unreachable({
        reason: `${problem ?? "it failed"}; it is not started again for ${Math.ceil(wait / 1000)} s`
      })
    }
    return yield* connect(permit)
  })
  const connected = oneAtATime.withPermit(connectedNow)

  /** What failed while this waited its turn is not tried again at once. */
  const start = Effect.suspend(() => {
    const before = failures
    return oneAtATime.withPermit(Effect.suspend(() => failures > before ? Effect.void : Effect.ignore(connectedNow)))
  })

  return {
    id,
    config,
    listed: () => listed,
    start,
    settled: oneAtATime.withPermit(Effect.void),
    isHopeful: () => failures === 0,
    isReady: () => live?.connection.isOpen() === true,
    problem: () => problem === undefined ? undefined : `the MCP server ${id} cannot be used: ${problem}`,
    request: (method, params, context, onProgress) =>
      Effect.flatMap(
        connected,
        (connection) =>
          calls.within(
            context,
            config.toolTimeoutSecs,
            (onActivity) => connection.request(method, params, onProgress, onActivity)
          )
      ).pipe(
        Effect.tap(() =>
          Effect.sync(() => {
            failures = 0
          })
        ),
        Effect.catchTag("McpConnectionClosed", ({ reason }) => Effect.fail(new Unreachable({ reason }))),
        Effect.ensuring(dropIfOutdated)
      ),
    policyChanged: dropIfOutdated,
    trouble: () => {
      const reason = problem === told ? undefined : problem
      told = problem
      return reason
    }
  }
})
