import { pathToFileURL } from "node:url"
import { basename } from "node:path"
import { Clock, Effect, Exit, Fiber, Schema, Scope, Semaphore } from "effect"
import { version } from "../app/Version.ts"
import * as Wire from "../rpc/Wire.ts"
import type { ToolHost } from "../tool/SessionTools.ts"
import type { ToolContext } from "../tool/Tool.ts"
import * as Calls from "./Calls.ts"
import type { Dial } from "./Dialer.ts"
import type { Link, Listener, Progress } from "./Link.ts"
import * as Listing from "./Listing.ts"
import * as ServerLog from "./ServerLog.ts"
import type { Permit } from "./Permit.ts"
import * as Protocol from "./Protocol.ts"
import type { ServerConfig } from "./ServerConfig.ts"
import { stopped, Unreachable } from "./Unreachable.ts"

/** One server of one session, started when it is needed and again after it ended. */
export interface Server {
  readonly id: string
  readonly config: ServerConfig
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
  ) => Effect.Effect<unknown, Unreachable | Wire.RpcFault>
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

const readHello = Schema.decodeUnknownEffect(Protocol.Hello)

const maxDelay = 300_000

/** The first restart is at once, the others are not. */
const delayAfter = (failures: number): number => failures <= 1 ? 0 : Math.min(1000 * 2 ** (failures - 2), maxDelay)

const sentence = (error: Unreachable | Wire.RpcFault | { readonly _tag: "LinkClosed"; readonly reason: string }) =>
  error._tag === "RpcFault" ? `it answered with an error (${error.code}): ${error.message}` : error.reason

export const make = Effect.fnUntraced(function*(
  id: string,
  config: ServerConfig,
  workspace: ToolHost["workspace"],
  permission: Effect.Effect<Permit, Unreachable>,
  dial: Dial,
  changed: () => void
): Effect.fn.Return<Server, never, Scope.Scope> {
  const session = yield* Effect.scope
  const oneAtATime = Semaphore.makeUnsafe(1)
  const calls = Calls.make(id)
  const log = ServerLog.make(config.name)
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

  const list = Effect.fnUntraced(function*(link: Link, offers: Listing.Offers) {
    const next = yield* Listing.read(link, offers)
    if (Listing.same(listed, next)) return
    listed = next
    changed()
  })

  const listenerOf = (relist: () => Effect.Effect<void>): Listener => ({
    request: (method, params) => {
      switch (method) {
        case "ping": return Effect.succeed({})
        case "roots/list": return Effect.succeed({
          roots: workspace.roots.map((root) => ({ uri: pathToFileURL(root).href, name: basename(root) }))
        })
        case "elicitation/create": return calls.elicit(params)
        default: return Effect.fail(Wire.methodNotFound({ method }, method))
      }
    },
    notified: (method, params) => {
      switch (method) {
        case "notifications/tools/list_changed": return relist()
        case "notifications/message": return log(params)
        default: return Effect.void
      }
    }
  })

  const greet = Effect.fnUntraced(function*(permit: Permit, scope: Scope.Closeable) {
    const oneListing = Semaphore.makeUnsafe(1)
    let again: Effect.Effect<void> = Effect.void
    const { initialized, link } = yield* dial(config, permit, listenerOf(() => again)).pipe(Scope.provide(scope))
    const { capabilities = {}, protocolVersion } = yield* readHello(yield* link.request("initialize", {
      protocolVersion: Protocol.revision,
      capabilities: { roots: {}, elicitation: {} },
      clientInfo: { name: "postern", title: "Postern", version }
    })).pipe(Effect.catchTag("SchemaError", () => Effect.fail(new Unreachable({ reason: "its answer to initialize is not readable" }))))
    yield* initialized(protocolVersion)
    yield* link.notify("notifications/initialized")
    let waiting = false
    const relist = oneListing.withPermit(Effect.suspend(() => {
      waiting = false
      return list(link, capabilities)
    }))
    // One that waits will see whatever changes until then.
    again = Effect.suspend(() => {
      if (waiting) return Effect.void
      waiting = true
      return Effect.ignore(relist, { log: "Debug" })
    })
    yield* relist
    return link
  })

  /** A server that ends by itself is trouble; one that we ended is not. */
  const watch = (link: Link) =>
    Effect.flatMap(link.closed, (reason) =>
      Effect.suspend(() => live?.link === link ? Effect.andThen(failed(reason), drop) : Effect.void))

  const connect = Effect.fnUntraced(function*(permit: Permit) {
    const scope = yield* Scope.fork(session)
    const link = yield* greet(permit, scope).pipe(
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
    if (wait > 0) return yield* new Unreachable({ reason: `${problem ?? "it failed"}; it is not started again for ${Math.ceil(wait / 1000)} s` })
    return yield* connect(permit)
  }))

  return {
    id,
    config,
    listed: () => listed,
    start: Effect.ignore(connected),
    isHopeful: () => failures === 0,
    request: (method, params, context, onProgress) =>
      Effect.flatMap(connected, (link) => calls.within(context, config.toolTimeoutSecs, link.request(method, params, onProgress))).pipe(
        Effect.tap(() => Effect.sync(() => {
          failures = 0
        })),
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
