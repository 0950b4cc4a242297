import { Deferred, Effect, Stream, SubscriptionRef } from "effect"
import { resolve } from "../net/Endpoint.ts"
import { listen } from "../net/UnixSocket.ts"
import { Facts } from "../native/Facts.ts"
import type { NativeState } from "../native/NativeConnection.ts"
import { serveConnection } from "../native/NativeServer.ts"
import { Residents } from "../native/Residents.ts"
import { layerBase } from "./App.ts"
import * as DaemonLayer from "./DaemonLayer.ts"
import { type Flags, Settings } from "./Settings.ts"
import { ignoreHangUp } from "./Signals.ts"

export interface Options {
  /** Ends by itself when the last client has left. */
  readonly ephemeral: boolean
}

/** Of a Unix socket that only its owner can open; Node.js cannot ask for more (zeroclaw §1.1). */
const far: NativeState["far"] = process.platform === "win32"
  ? { label: "pipe:local", uid: undefined }
  : { label: "unix:unknown", uid: process.geteuid?.() }

const drainTime = "5500 millis"
const grace = "1 second"

/** Waits until there was a client and none is left for a second. */
const deserted = (clients: SubscriptionRef.SubscriptionRef<number>) =>
  SubscriptionRef.changes(clients).pipe(
    Stream.dropUntil((count) => count > 0),
    Stream.switchMap((count) => count > 0 ? Stream.never : Stream.fromEffect(Effect.sleep(grace))),
    Stream.take(1),
    Stream.runDrain
  )

const serve = Effect.fnUntraced(function*({ ephemeral }: Options, endpoint: string) {
  const { notes, rpc, socket } = yield* Settings
  const residents = yield* Residents
  const { stopping } = yield* Facts
  yield* Effect.forEach(notes, (note) => Effect.logWarning(note), { discard: true })
  const services = yield* Effect.context<Effect.Services<ReturnType<typeof serveConnection>>>()
  const clients = yield* SubscriptionRef.make(0)
  const count = (by: number) => SubscriptionRef.update(clients, (now) => now + by)

  const turnsEnd = Effect.suspend(() => {
    const running = residents.all().filter(({ turn }) => turn !== undefined)
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
  const drain = turnsEnd.pipe(
    Effect.andThen(Deferred.succeed(stopping, undefined)),
    Effect.andThen(everybodyLeft),
    Effect.asVoid
  )

  const { failed } = yield* listen(
    { endpoint, isOwnFolder: socket === undefined, maxConnections: rpc.maxLocalConnections, drain },
    (transport) =>
      Effect.acquireUseRelease(count(1), () => serveConnection(transport, far), () => count(-1)).pipe(
        Effect.provideContext(services)
      )
  )
  yield* Effect.sync(() => process.stdout.write(`postern daemon: process ${process.pid} serves ${endpoint}\n`))
  yield* ephemeral ? Effect.raceFirst(failed, deserted(clients)) : failed
})

/** `postern daemon`: native RPC on a local socket, until it is told to stop (spec §1). */
export const run = (flags: Flags, options: Options) =>
  Effect.flatMap(Settings, (settings) => {
    const endpoint = resolve(settings)
    // Who started it may go before its last client does.
    if (options.ephemeral) ignoreHangUp()
    return Effect.scoped(serve(options, endpoint)).pipe(Effect.provide(DaemonLayer.layer(endpoint)))
  }).pipe(Effect.provide(layerBase(flags)))
