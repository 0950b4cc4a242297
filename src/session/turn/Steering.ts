import { Effect, Schema } from "effect"
import type { SessionFiles } from "../SessionFiles.ts"
import * as PromptContent from "./PromptContent.ts"
import type { TranscriptWriter } from "./TranscriptWriter.ts"
import type { TurnContext } from "./TurnLoop.ts"

type Prepared = PromptContent.PreparedPrompt

/** No turn is running that could take the message. */
export class NoTurn extends Schema.TaggedError<NoTurn>()("NoTurn", { sessionId: Schema.String }) {}

/** Too many messages wait for the running turn. */
export class SteeringFull
  extends Schema.TaggedError<SteeringFull>()("SteeringFull", { sessionId: Schema.String, limit: Schema.Int })
{}

const maxWaiting = 32

/**
 * Messages of users to a running turn. A message is either accepted, and then taken by the turn or saved when it ends, or refused.
 * Offering and taking are synchronous, so no message falls between the two.
 */
export class Steering {
  private waiting: Array<Prepared> = []
  private accepts = false

  /** Called once the turn can keep what it accepts. */
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

  /** The waiting messages, in their order. A turn that `ends` accepts no more once there are none. */
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

/** An accepted message is never lost: where an attachment cannot be stored, a text in its place says why. */
const stored = (kept: SessionFiles, message: Prepared) =>
  Effect.catch(PromptContent.materialise(kept, message), ({ detail }) => {
    const words = message.filter(({ _tag }) => _tag === "Ready")
    return Effect.orDie(PromptContent.materialise(kept, [...words, PromptContent.marked(`[${detail}]`)]))
  })

export const taker =
  (steering: Steering, kept: SessionFiles, writer: TranscriptWriter): TurnContext["takeSteering"] => (ends, keep) =>
    Effect.uninterruptibleMask((interruptibly) =>
      Effect.flatMap(
        Effect.suspend(() => Effect.forEach(steering.take(ends), (message) => stored(kept, message))),
        (messages) => {
          if (messages.length === 0) return Effect.succeed(false)
          const shown = messages.map(({ blocks }) => writer.user(blocks))
          keep(messages)
          return Effect.as(interruptibly(Effect.all(shown, { discard: true })), true)
        }
      )
    )
