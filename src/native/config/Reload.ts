import { Context, Deferred, Effect, Layer } from "effect"
import { isDeepStrictEqual } from "node:util"
import { ConfigInvalid } from "../../config/Errors.ts"
import type { ConfigTable } from "../../config/schema/Schema.ts"
import { LiveSettings } from "../../config/LiveSettings.ts"
import { maxLocalConnections, type ProcessSettings, Settings } from "../../config/Settings.ts"

/** What answers a client before its connection ends has left by then (zeroclaw §1.6). */
const flushed = "200 millis"

/** What a running daemon cannot change: these paths wait until it begins anew. */
const waiting: Readonly<Record<string, (table: ConfigTable) => unknown>> = {
  "rpc.max_local_connections": maxLocalConnections
}

/** The daemon beginning anew in the same process: everything in it is built again (zeroclaw §1.6). */
export class Reload extends Context.Service<Reload, {
  /** What the daemon would begin anew with; a file that is gone, or still being written, is none. */
  readonly next: Effect.Effect<ProcessSettings, ConfigInvalid>
  /** Reads the configuration; a moment later the daemon begins anew with what was read. */
  readonly begin: Effect.Effect<void, ConfigInvalid>
  /** Waits for the moment, and gives what was read. */
  readonly asked: Effect.Effect<ProcessSettings>
  /** Dotted paths of what was changed since the start and waits. */
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
