import { Clock, Effect, Exit, Fiber, Scope, Semaphore } from "effect"
import type { RpcFault } from "../rpc/Wire.ts"
import type { ToolHost } from "../tool/SessionTools.ts"
import type { ToolContext } from "../tool/Tool.ts"
import * as Calls from "./Calls.ts"
import type { Dial } from "./Dialer.ts"
import * as Greeting from "./Greeting.ts"
import type { Link, Progress } from "./Link.ts"
import * as Listing from "./Listing.ts"
import type { Permit } from "./Permit.ts"
import type { McpServerConfig } from "../domain/McpServerConfig.ts"
import { stopped, Unreachable } from "./Unreachable.ts"

/** One server of one session, started when it is needed and again after it ended. */
export interface Server {
  readonly id: string
  readonly config: McpServerConfig
  /** As it listed itself last. */
  readonly listed: () => Listing.Listed
  /** Connects, unless that is done or has to wait; a failure is kept for `trouble`. */
  readonly start: Effect.Effect<void>
  /** Whether `start` did not fail yet, so that waiting for it makes sense. */
  readonly isHopeful: () => boolean
  readonly request: (
    method: string,
    params: Readonly<Record<string, unknown>>,
    context: Pick<ToolContext, "askUser">,
    onProgress?: (progress: Progress) => void
  ) => Effect.Effect<unknown, Unreachable | RpcFault>
  /** Ends a process that may do more than the session's policy now permits; the next call starts another one. */
  readonly policyChanged: Effect.Effect<void>
  /** Why it cannot be used, once for each reason. */
  readonly trouble: () => string | undefined
}

interface Live {
  readonly link: Link
  readonly scope: Scope.Closeable
  readonly permit: Permit
  /** Ends once the end of the connection has been dealt with. */
  readonly watching: Fiber.Fiber<void>
}

const maxDelay = 300_000

/** The first restart is at once, the others are not. */
const delayAfter = (failures: number): number => failures <= 1 ? 0 : Math.min(1000 * 2 ** (failures - 2), maxDelay)

const sentence = (error: Unreachable | RpcFault | { readonly _tag: "LinkClosed"; readonly reason: string }) =>
  error._tag === "RpcFault" ? `it answered with an error (${error.code}): ${error.message}` : error.reason

export const make = Effect.fnUntraced(function*(
  id: string,
  config: McpServerConfig,
  workspace: ToolHost["workspace"],
  permission: Effect.Effect<Permit, Unreachable>,
  dial: Dial,
  changed: () => void
): Effect.fn.Return<Server, never, Scope.Scope> {
  const session = yield* Effect.scope
  const oneAtATime = Semaphore.makeUnsafe(1)
  const calls = Calls.make(id)
  let listed: Listing.Listed = Listing.nothing
  let live: Live | undefined
  let failures = 0
  let retryAt = 0
  let problem: string | undefined
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

  const greet = Greeting.make({
    config,
    workspace,
    calls,
    dial,
    onListed: (now) => {
      if (Listing.same(listed, now)) return
      listed = now
      changed()
    }
  })

  /** A server that ends by itself is trouble; one that we ended is not. */
  const watch = (link: Link) =>
    Effect.flatMap(
      link.closed,
      (reason) => Effect.suspend(() => live?.link === link ? Effect.andThen(failed(reason), drop) : Effect.void)
    )

  const connect = Effect.fnUntraced(function*(permit: Permit) {
    const scope = yield* Scope.fork(session)
    const link = yield* greet(permit).pipe(
      Scope.provide(scope),
      Effect.mapError((error) => new Unreachable({ reason: sentence(error) })),
      Effect.timeoutOrElse({
        duration: `${config.initTimeoutSecs} seconds`,
        orElse: () => Effect.fail(new Unreachable({ reason: `it was not ready within ${config.initTimeoutSecs} s` }))
      }),
      Effect.tapError(({ reason }) => failed(reason)),
      Effect.onError(() => Scope.close(scope, Exit.void))
    )
    live = { link, scope, permit, watching: yield* Effect.forkIn(watch(link), session) }
    problem = told = undefined
    if (yield* fits(live)) return link
    yield* drop
    return yield* new Unreachable({ reason: "the session's policy has changed while it was started" })
  })

  /** A call that runs is left alone (policy §1.9 E2). */
  const calmDown = Effect.gen(function*() {
    const one = live
    if (one !== undefined && calls.isIdle() && !(yield* fits(one)) && live === one) yield* drop
  })

  const connected = oneAtATime.withPermit(Effect.gen(function*() {
    const permit = yield* permission
    if (live?.link.isOpen() === false) yield* Fiber.await(live.watching)
    if (live?.permit.key === permit.key) return live.link
    yield* drop
    const wait = retryAt - (yield* Clock.currentTimeMillis)
    if (wait > 0) {
      return yield* new Unreachable({
        reason: `${problem ?? "it failed"}; it is not started again for ${Math.ceil(wait / 1000)} s`
      })
    }
    return yield* connect(permit)
  }))

  return {
    id,
    config,
    listed: () => listed,
    start: Effect.ignore(connected),
    isHopeful: () => failures === 0,
    request: (method, params, context, onProgress) =>
      Effect.flatMap(
        connected,
        (link) => calls.within(context, config.toolTimeoutSecs, link.request(method, params, onProgress))
      ).pipe(
        Effect.tap(() =>
          Effect.sync(() => {
            failures = 0
          })
        ),
        Effect.catchTag("LinkClosed", ({ reason }) => Effect.fail(new Unreachable({ reason }))),
        Effect.ensuring(calmDown)
      ),
    policyChanged: calmDown,
    trouble: () => {
      const reason = problem === told ? undefined : problem
      told = problem
      return reason
    }
  }
})
