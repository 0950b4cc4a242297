import { Context, Deferred, Effect, Layer } from "effect"
import { isDeepStrictEqual } from "node:util"
import { ConfigInvalid } from "../../config/Errors.ts"
import type { ConfigTable } from "../../config/schema/Schema.ts"
import { LiveSettings } from "../../config/LiveSettings.ts"
import { maxLocalConnections, type ProcessSettings, Settings } from "../../config/Settings.ts"

/** The answer to `config/reload` has left by then. */
const flushed = "200 millis"

/** Settings that a running daemon cannot change: these paths wait for a reload. */
const waiting: Readonly<Record<string, (table: ConfigTable) => unknown>> = {
  "rpc.max_local_connections": maxLocalConnections
}

/** Restarts the daemon inside its process: everything in it is built again. See docs/native-rpc.md#reload. */
export class Reload extends Context.Service<Reload, {
  /** The configuration for the next start. Fails for a file that is gone or still being written. */
  readonly next: Effect.Effect<ProcessSettings, ConfigInvalid>
  /** Reads the configuration, and starts the reload with it a moment later. */
  readonly begin: Effect.Effect<void, ConfigInvalid>
  /** Waits for a reload to begin, and gives the configuration that was read. */
  readonly asked: Effect.Effect<ProcessSettings>
  /** Dotted paths of settings that changed since the start and wait for a reload. */
  readonly waiting: Effect.Effect<ReadonlyArray<string>>
}>()("postern/native/Reload") {
  static readonly layer = Layer.effect(
    Reload,
    Effect.gen(function*() {
      const { again, configFile, started } = yield* Settings
      const { current, isGone, last } = yield* LiveSettings
      const scope = yield* Effect.scope
      const asked = Deferred.makeUnsafe<ProcessSettings>()
      const next = Effect.gen(function*() {
        yield* current
        if (isGone()) return yield* new ConfigInvalid({ message: `${configFile} is gone, or empty` })
        const found = yield* again
        if (isDeepStrictEqual(found.started.table, last().table)) return found
        return yield* new ConfigInvalid({ message: `${configFile} is being written; try again` })
      })
      return {
        next,
        begin: Effect.flatMap(
          next,
          (found) => Effect.forkIn(Effect.delay(Deferred.succeed(asked, found), flushed), scope)
        ).pipe(Effect.asVoid),
        asked: Deferred.await(asked),
        waiting: Effect.map(
          current,
          ({ table }) => Object.keys(waiting).filter((path) => waiting[path]!(table) !== waiting[path]!(started.table))
        )
      }
    })
  )
}
