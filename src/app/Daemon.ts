import type { Socket } from "node:net"
import { Deferred, Effect, Layer, Stream, SubscriptionRef } from "effect"
import { type EndpointRefused, resolve } from "../platform/socket/Endpoint.ts"
import * as PeerCredentials from "../platform/socket/PeerCredentials.ts"
import { listen, take } from "../platform/socket/UnixSocket.ts"
import type { GatewayRefused } from "../gateway/GatewayServer.ts"
import { DaemonInfo, type PeerIdentity } from "../native/protocol/NativeConnection.ts"
import { serveConnection } from "../native/NativeServer.ts"
import { Reload } from "../native/config/Reload.ts"
import { SessionManagers } from "../session/lifecycle/SessionManager.ts"
import * as DaemonLayer from "./DaemonLayer.ts"
import * as ConfigWatcher from "../config/ConfigWatcher.ts"
import * as Chunk from "../platform/Chunk.ts"
import { hangUps, ignoreHangUp } from "../platform/Signals.ts"
import * as Logging from "../config/Logging.ts"
import type { Snapshot } from "../config/Snapshot.ts"
import { gatewayAddress } from "../config/GatewayAddress.ts"
import { type ProcessSettings, Settings, type SettingsFlags } from "../config/Settings.ts"

export interface Options {
  /** Ends when the last client has disconnected. */
  readonly ephemeral: boolean
}

/** Where the system does not say who connects, the mode of the socket lets only its owner in. */
const peerIdentityOf = (socket: Socket): PeerIdentity => {
  if (process.platform === "win32") return { label: "pipe:local", uid: undefined }
  const found = PeerCredentials.of(socket)
  return found === undefined
    ? { label: "unix:unknown", uid: process.geteuid?.() }
    : { label: `unix:pid=${found.pid},uid=${found.uid}`, uid: found.uid }
}

/** Whether the socket is for other users of the machine, who are told apart by their uid. */
const isShared = Effect.fnUntraced(function*({ table }: Snapshot) {
  const own = process.geteuid?.()
  if (own === undefined || !Object.values(table.users ?? {}).some(({ uid }) => uid !== undefined && uid !== own)) {
    return false
  }
  if (PeerCredentials.isSupported()) return true
  yield* Effect.logWarning("the uid of users has no effect: the package koffi, which tells who connects, is missing")
  return false
})

const loadGateway = Chunk.make(() => import("./Gateway.ts"))

const drainTime = "5500 millis"
const grace = "1 second"
/** How long an ephemeral daemon waits for clients after a reload. */
const returning = "10 seconds"

/** Waits for a client, at most for `patience`, and then until no client was connected for a second. */
const deserted = (clients: SubscriptionRef.SubscriptionRef<number>, patience: Effect.Effect<void>) =>
  Effect.raceFirst(Stream.runDrain(Stream.takeUntil(SubscriptionRef.changes(clients), (count) => count > 0)), patience)
    .pipe(
      Effect.andThen(
        SubscriptionRef.changes(clients).pipe(
          Stream.switchMap((count) => count > 0 ? Stream.never : Stream.fromEffect(Effect.sleep(grace))),
          Stream.take(1),
          Stream.runDrain
        )
      )
    )

/** Waits for running turns, cuts off those that take too long, and then ends the connections. */
const drainOf = (
  { live }: SessionManagers["Service"],
  { stopping }: DaemonInfo["Service"],
  clients: SubscriptionRef.SubscriptionRef<number>
) => {
  const turnsEnd = Effect.suspend(() => {
    const running = live.all().filter(({ session }) => session.idleSince() === undefined)
    if (running.length === 0) return Effect.void
    return Effect.logInfo(`waiting for ${running.length} turns to end`).pipe(
      Effect.andThen(
        Effect.forEach(running, ({ session }) => session.settle, { concurrency: "unbounded", discard: true })
      ),
      Effect.timeoutOption(drainTime)
    )
  })
  const everybodyLeft = SubscriptionRef.changes(clients).pipe(
    Stream.takeUntil((count) => count === 0),
    Stream.runDrain,
    Effect.timeoutOption("2 seconds")
  )
  return turnsEnd.pipe(
    Effect.andThen(Deferred.succeed(stopping, undefined)),
    Effect.andThen(everybodyLeft),
    Effect.asVoid
  )
}

/** The configuration that is read on a signal; one that cannot be read is logged, and the next signal is waited for. */
const signalled = (hangUp: Effect.Effect<void>, next: Reload["Service"]["next"]): Effect.Effect<ProcessSettings> =>
  Effect.andThen(hangUp, next).pipe(
    Effect.catchTag(
      "ConfigInvalid",
      ({ message }) =>
        Effect.andThen(Effect.logError(`the daemon goes on as it was: ${message}`), signalled(hangUp, next))
    )
  )

/** The life of a daemon between two readings of its configuration. */
interface Generation {
  readonly endpoint: string
  readonly settings: ProcessSettings
  /** Waits for the next SIGHUP. */
  readonly hangUp: Effect.Effect<void>
  /** How long an ephemeral daemon waits for a first client; others do not end by themselves. */
  readonly patience: Effect.Effect<void> | undefined
  /** Reports that the daemon serves. */
  readonly ready: Effect.Effect<void>
}

/** Ends with what the next generation begins with, or with nothing where the last client of an ephemeral daemon has left. */
const serve = Effect.fnUntraced(function*({ endpoint, hangUp, patience, ready, settings }: Generation) {
  const reload = yield* Reload
  yield* Effect.forEach(settings.started.notes, (note) => Effect.logWarning(note), { discard: true })
  const services = yield* Effect.context<Effect.Services<ReturnType<typeof serveConnection>>>()
  const clients = yield* SubscriptionRef.make(0)
  const count = (by: number) => SubscriptionRef.update(clients, (now) => now + by)
  const drain = drainOf(yield* SessionManagers, yield* DaemonInfo, clients)
  const counted = <A, E, R>(connection: Effect.Effect<A, E, R>) =>
    Effect.acquireUseRelease(count(1), () => connection, () => count(-1))
  // Made first, closed last: its clients see their turns end.
  const gateway = settings.started.gateway.enabled
    ? yield* Effect.flatMap(
      loadGateway,
      (gateway) => gateway.serve({ settings: settings.started.gateway, counted })
    )
    : undefined
  const { failed } = yield* listen(
    { endpoint, maxConnections: settings.maxLocalConnections, drain, isShared: yield* isShared(settings.started) },
    (transport, socket) =>
      Effect.suspend(() => Effect.provideContext(counted(serveConnection(transport, peerIdentityOf(socket))), services))
  )
  yield* ready
  return yield* Effect.raceAllFirst([
    failed,
    gateway?.failed ?? Effect.never,
    reload.asked,
    signalled(hangUp, reload.next),
    patience === undefined ? Effect.never : Effect.as(deserted(clients, patience), undefined)
  ])
})

const layerOf = (settings: ProcessSettings, endpoint: string) =>
  DaemonLayer.layer(endpoint).pipe(
    Layer.provideMerge(Logging.layerLive),
    Layer.provideMerge(ConfigWatcher.layer),
    Layer.provideMerge(Layer.succeed(Settings, settings))
  )

/** Each generation is a scope: the next one begins when nothing of it is left. */
const live = (generation: Generation): Effect.Effect<void, EndpointRefused | GatewayRefused> =>
  Effect.scoped(serve(generation)).pipe(
    Effect.provide(layerOf(generation.settings, generation.endpoint)),
    Effect.flatMap((next) =>
      next === undefined ? Effect.void : live({
        ...generation,
        settings: next,
        patience: generation.patience && Effect.sleep(returning),
        ready: Effect.logInfo("the daemon began anew, with the configuration as it is now")
      })
    )
  )

/**
 * The collector waits until the heap has grown by a fifth, not by its multiple: hundreds of sessions with short turns
 * leave much behind, and a daemon shares its machine. V8 reads this flag with each collection.
 */
const keepHeapSmall = () => process.getBuiltinModule("node:v8").setFlagsFromString("--heap-growing-percent=20")

/** `postern daemon`: native RPC on a local socket, until it is told to stop. The socket stays taken from one generation to the next. See docs/native-rpc.md#socket. */
export const run = (flags: SettingsFlags, { ephemeral }: Options) =>
  Effect.scoped(Effect.gen(function*() {
    const settings = yield* Settings.load(flags)
    const endpoint = resolve(settings)
    yield* take(endpoint, settings.socket === undefined)
    yield* Effect.forkScoped(Effect.delay(Chunk.keepAll, "500 millis"))
    keepHeapSmall()
    // The process that spawned an ephemeral daemon may exit before the last client disconnects; on Windows a closing console ends its processes.
    if (ephemeral) ignoreHangUp()
    const hangUp = ephemeral || process.platform === "win32" ? Effect.never : (yield* hangUps).next
    yield* live({
      endpoint,
      settings,
      hangUp,
      patience: ephemeral ? Effect.never : undefined,
      ready: Effect.sync(() => {
        const { enabled } = settings.started.gateway
        const also = enabled ? ` and ${gatewayAddress(settings.started.gateway)}` : ""
        process.stdout.write(`postern daemon: process ${process.pid} serves ${endpoint}${also}\n`)
      })
    })
  }))
