import { Context, Exit } from "effect"
import type { TokenCounts } from "../domain/SessionEvent.ts"

/** Upper bounds of the buckets, in seconds. */
const bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800]

/** How long something took, in seconds. */
export class Histogram {
  readonly buckets = bounds.map((bound) => ({ bound, count: 0 }))
  count = 0
  sum = 0

  observe(seconds: number): void {
    this.count++
    this.sum += seconds
    for (const bucket of this.buckets) if (seconds <= bucket.bound) bucket.count++
  }
}

/** What happened how often, by a word for each kind. */
export class Tally {
  readonly counts = new Map<string, number>()

  constructor(...known: ReadonlyArray<string>) {
    for (const word of known) this.add(word, 0)
  }

  add(word: string, by = 1): void {
    this.counts.set(word, (this.counts.get(word) ?? 0) + by)
  }
}

/** What the sessions of this process have done since it began, for its operator's monitor (docs/gateway.md#metrics). */
export class Figures {
  readonly sessions = new Tally("opened")
  readonly turns = new Tally("end_turn", "cancelled", "failed", "interrupted")
  readonly turnSeconds = new Histogram()
  readonly toolCalls = new Tally("completed", "failed", "refused", "cancelled")
  readonly toolCallSeconds = new Histogram()
  readonly tokens = new Tally("input", "output")

  turnEnded(
    exit: Exit.Exit<{ readonly stopReason: string; readonly tokens?: TokenCounts }, unknown>,
    ms: number
  ): void {
    this.turnSeconds.observe(ms / 1000)
    this.turns.add(
      Exit.isSuccess(exit) ? exit.value.stopReason : Exit.hasInterrupts(exit) ? "interrupted" : "failed"
    )
    const { tokens } = Exit.isSuccess(exit) ? exit.value : {}
    this.tokens.add("input", tokens?.input ?? 0)
    this.tokens.add("output", tokens?.output ?? 0)
  }

  toolCallEnded(
    exit: Exit.Exit<{ readonly isFailure: boolean; readonly denied?: string }, unknown>,
    ms: number
  ): void {
    this.toolCallSeconds.observe(ms / 1000)
    this.toolCalls.add(
      !Exit.isSuccess(exit)
        ? "cancelled"
        : exit.value.denied !== undefined
        ? "refused"
        : exit.value.isFailure
        ? "failed"
        : "completed"
    )
  }
}

export const Activity: Context.Reference<Figures> = Context.Reference("postern/session/Activity", {
  defaultValue: () => new Figures()
})
