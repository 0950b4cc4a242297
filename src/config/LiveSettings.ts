import { Context, Effect, type Scope } from "effect"
import type { Snapshot } from "./Snapshot.ts"

/**
 * The configuration as it stands now. A daemon follows its file, whoever changed it; other processes have what they started with. What
 * a process keeps for its whole life is in `Settings`.
 */
export class LiveSettings extends Context.Service<LiveSettings, {
  /**
   * Looks at the file, which costs one `stat` when nothing changed. A change that is younger than a tenth of a second is waited for; while
   * the file is broken this is the last good state.
   */
  readonly current: Effect.Effect<Snapshot>
  /** What `current` last found, for anybody; costs nothing. The same object while nothing changed. */
  readonly last: () => Snapshot
  /** Looks at a file that was just replaced as a whole: nobody can still be writing it. */
  readonly adopt: Effect.Effect<void>
  /** Whether there was a file, and now there is none, or an empty one. */
  readonly isGone: () => boolean
  /** `[policy.rules]` of `last`, where a process follows the file; others read the rules themselves, as they are on disk. */
  readonly rules: (() => unknown) | undefined
  /** Runs in the background whenever `current` has found something new, as long as the scope lives. */
  readonly onChange: (run: Effect.Effect<void>) => Effect.Effect<void, never, Scope.Scope>
}>()("postern/app/LiveSettings") {
  static readonly constant = (snapshot: Snapshot): LiveSettings["Service"] => ({
    current: Effect.succeed(snapshot),
    last: () => snapshot,
    adopt: Effect.void,
    isGone: () => false,
    rules: undefined,
    onChange: () => Effect.void
  })
}
