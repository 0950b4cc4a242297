import { Context, Effect, type Scope } from "effect"
import type { Snapshot } from "./Snapshot.ts"

/**
 * The configuration as it is now. A daemon watches its file; other processes keep what they started with. What a process keeps for its
 * whole life is in `Settings`.
 */
export class LiveSettings extends Context.Service<LiveSettings, {
  /**
   * Looks at the file, which costs one `stat` when nothing changed. Waits until the last write is a tenth of a second old; while the file
   * is broken this is the last good state.
   */
  readonly current: Effect.Effect<Snapshot>
  /** What `current` last found, without a look at the file. The same object while nothing changed. */
  readonly last: () => Snapshot
  /** Reads a file that was just replaced as a whole, without waiting for further writes. */
  readonly adopt: Effect.Effect<void>
  /** Whether the file has been removed or emptied since it was read. */
  readonly isGone: () => boolean
  /** `[policy.rules]` of `last`, where a process watches the file; others read the rules themselves, as they are on disk. */
  readonly rules: (() => unknown) | undefined
  /** Runs in the background whenever the configuration has changed, as long as the scope lives. */
  readonly onChange: (run: Effect.Effect<void>) => Effect.Effect<void, never, Scope.Scope>
}>()("postern/config/LiveSettings") {
  static readonly constant = (snapshot: Snapshot): LiveSettings["Service"] => ({
    current: Effect.succeed(snapshot),
    last: () => snapshot,
    adopt: Effect.void,
    isGone: () => false,
    rules: undefined,
    onChange: () => Effect.void
  })
}
