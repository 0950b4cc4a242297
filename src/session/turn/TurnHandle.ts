import { Deferred, Effect } from "effect"
import type { SessionMissing, StoreFailed, TurnRunning } from "../../store/SessionStore.ts"
import type { StopReason } from "../../domain/SessionEvent.ts"
import type * as PromptContent from "./PromptContent.ts"
import { Steering } from "./Steering.ts"
import type { TurnFailed } from "./TurnLoop.ts"

export interface TurnEnd {
  readonly stopReason: StopReason
  /** All message text of the turn. */
  readonly text: string
}

export type TurnFault = TurnFailed | TurnRunning | SessionMissing | StoreFailed

/** A turn that was asked for. */
export interface Turn {
  readonly outcome: Deferred.Deferred<TurnEnd, TurnFault>
  readonly prompt: PromptContent.Prepared
  cancelled: boolean
  /** Takes what users say while it runs. */
  readonly steering: Steering
  /** Saves what there is so far; nothing before the turn has begun. */
  checkpoint: Effect.Effect<void>
}

export const make = (prompt: PromptContent.Prepared): Turn => ({
  outcome: Deferred.makeUnsafe(),
  prompt,
  cancelled: false,
  steering: new Steering(),
  checkpoint: Effect.void
})
