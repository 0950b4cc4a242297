import { Deferred, Effect, Layer } from "effect"
import type { StopReason } from "../../src/domain/SessionEvent.ts"
import { PolicyService } from "../../src/session/policy/PolicyService.ts"
import { type TurnContext, TurnLoop } from "../../src/session/turn/TurnLoop.ts"
import { TurnFailed } from "../../src/session/turn/TurnEnd.ts"

const nobody = Effect.die("a scripted engine has no rules")

/** The prompt of a turn that no cancel ends. */
export const stuck = "stuck"

/** A turn loop a test leads by the hand: each turn says its prompt, then waits until the test ends it. */
export class Script {
  readonly started: Array<TurnContext> = []
  private readonly ends: Array<Deferred.Deferred<StopReason, TurnFailed>> = []

  readonly layer = Layer.merge(
    Layer.succeed(PolicyService, {
      rules: () => nobody,
      add: () => nobody,
      remove: () => nobody,
      look: () => Effect.void,
      test: () => nobody,
      readable: () => nobody,
      unknownTools: () => nobody,
      offered: () => nobody
    }),
    Layer.succeed(TurnLoop, {
      run: (input: TurnContext) =>
        Effect.suspend(() => {
          this.started.push(input)
          const end = Deferred.makeUnsafe<StopReason, TurnFailed>()
          this.ends.push(end)
          input.keepContext(() => JSON.stringify([input.prompt]))
          return Effect.andThen(
            input.writer.delta("Agent", `said ${input.prompt}`),
            input.prompt === stuck ? Effect.uninterruptible(Effect.never) : Deferred.await(end)
          )
        })
    })
  )

  /** Ends the newest turn. */
  readonly end = (reason: StopReason = "end_turn") => Effect.suspend(() => Deferred.succeed(this.ends.at(-1)!, reason))
  readonly fail = (message: string) =>
    Effect.suspend(() => Deferred.fail(this.ends.at(-1)!, new TurnFailed({ message, reason: "model_failed" })))
}
