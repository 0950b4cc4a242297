import { Effect, Schema } from "effect"
import type { TranscriptWriter } from "./TranscriptWriter.ts"
import * as PromptContent from "./PromptContent.ts"
import type { TurnInput } from "./TurnLoop.ts"

type Prepared = PromptContent.Prepared

/** No turn is running that could take the message in. */
export class NoTurn extends Schema.TaggedError<NoTurn>()("NoTurn", { sessionId: Schema.String }) {}

/** Too many messages wait for the running turn. */
export class SteeringFull
  extends Schema.TaggedError<SteeringFull>()("SteeringFull", { sessionId: Schema.String, limit: Schema.Int })
{}

const maxWaiting = 32

/**
 * What users say to a turn while it runs. A message is either accepted, and then taken in by the turn or kept with its end, or refused:
 * both sides decide in one step, without anything in between.
 */
export class Steering {
  private waiting: Array<Prepared> = []
  private accepts = false

  /** From the moment the turn can keep what it accepts. */
  open(): void {
    this.accepts = true
  }

  close(): void {
    this.accepts = false
  }

  offer(message: Prepared): "accepted" | "full" | "over" {
    if (!this.accepts) return "over"
    if (this.waiting.length >= maxWaiting) return "full"
    this.waiting.push(message)
    return "accepted"
  }

  /** All that waits, in its order. A turn that `ends` accepts nothing more when there is nothing. */
  take(ends: boolean): ReadonlyArray<Prepared> {
    const taken = this.waiting
    this.waiting = []
    if (ends && taken.length === 0) this.close()
    return taken
  }
}

export const say = (
  sessionId: string,
  steering: Steering | undefined,
  message: Prepared
): Effect.Effect<void, NoTurn | SteeringFull> => {
  switch (steering?.offer(message) ?? "over") {
    case "accepted":
      return Effect.void
    case "full":
      return Effect.fail(new SteeringFull({ sessionId, limit: maxWaiting }))
    case "over":
      return Effect.fail(new NoTurn({ sessionId }))
  }
}

/** What was accepted is never lost: of an attachment that cannot be stored the words say so. */
const stored = (cwd: string, message: Prepared) =>
  Effect.catch(PromptContent.materialise(cwd, message), ({ detail }) => {
    const words = message.filter(({ _tag }) => _tag === "Ready")
    return Effect.orDie(PromptContent.materialise(cwd, [...words, PromptContent.marked(`[${detail}]`)]))
  })

export const takingIn =
  (steering: Steering, cwd: string, ledger: TranscriptWriter): TurnInput["takeIn"] => (ends, keep) =>
    Effect.uninterruptibleMask((interruptibly) =>
      Effect.flatMap(
        Effect.suspend(() => Effect.forEach(steering.take(ends), (message) => stored(cwd, message))),
        (said) => {
          if (said.length === 0) return Effect.succeed(false)
          const shown = said.map(({ blocks }) => ledger.user(blocks))
          keep(said)
          return Effect.as(interruptibly(Effect.all(shown, { discard: true })), true)
        }
      )
    )
