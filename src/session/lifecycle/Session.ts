import type { Effect } from "effect"
import type { SessionMissing, SessionRecord, StoreFailed, TurnRunning } from "../../store/SessionStore.ts"
import type { Attachment } from "./Attachment.ts"
import type { AutonomyLevel } from "../../domain/PolicySettings.ts"
import type { PreparedPrompt } from "../turn/PromptContent.ts"
import type { NoTurn, SteeringFull } from "../turn/Steering.ts"
import type { TurnEnd, TurnFault } from "../turn/TurnEnd.ts"
import type { SessionContext, SessionOverrides } from "../SessionContext.ts"

/** A live session. Everything that it starts is in its scope; closing the scope ends the turn first. */
export interface Session
  extends Pick<SessionContext, "sessionId" | "files" | "configured" | "workspace" | "policy" | "model" | "tools">
{
  readonly record: () => SessionRecord
  /** Gives the session a title of the user's choice, as it was stored; none is made up for it any more. */
  readonly rename: (title: string) => Effect.Effect<string, SessionMissing | StoreFailed>
  readonly attach: (attachment: Attachment) => () => void
  /** How many clients are there. */
  readonly attachments: () => number
  /** In the order they came, those included whose client is away. */
  readonly attached: () => ReadonlySet<Attachment>
  /**
   * Starts a turn and gives the effect that waits for its end. A turn that is being cancelled is waited for; any other
   * running turn is `TurnRunning`. The turn goes on when the waiter is gone. `level` is the autonomy level of this turn,
   * where the configured one is not lower.
   */
  readonly begin: (
    prompt: PreparedPrompt,
    promptId?: string,
    level?: AutonomyLevel
  ) => Effect.Effect<Effect.Effect<TurnEnd, TurnFault>, TurnRunning>
  /** Waits for the end of the last turn, where it was begun with this id. */
  readonly turnOf: (promptId: string) => Effect.Effect<TurnEnd, TurnFault> | undefined
  /**
   * Says something to the running turn, which takes it in between two requests to the model and goes on with it where
   * it was about to end. Decided at once; what was accepted stays in transcript and context, also when the turn is cut
   * off.
   */
  readonly steer: (message: PreparedPrompt) => Effect.Effect<void, NoTurn | SteeringFull>
  /** A message of the user: to the running turn, else a turn of its own, which nobody waits for. */
  readonly say: (text: string) => Effect.Effect<void, TurnRunning | SteeringFull>
  /** What a client has to add: the running turn takes it in, else the next one does. */
  readonly note: (text: string) => Effect.Effect<void, SteeringFull>
  /** Interrupts the turn, if there is one, and waits until it is recorded. */
  readonly cancel: Effect.Effect<void>
  /** The same without a request from a client: the turn is recorded as `interrupted`. */
  readonly interrupt: Effect.Effect<void>
  /** Refuses new turns and waits for the running one; interrupting the wait allows new turns again. */
  readonly settle: Effect.Effect<void>
  /** Saves what a running turn has so far. */
  readonly flush: Effect.Effect<void>
  /** What the agent's configuration is replaced with, from the next turn on and until the session is deactivated. */
  readonly overrides: () => SessionOverrides
  readonly override: (overrides: SessionOverrides) => void
  /** It never had a turn, as far as it is known. */
  readonly isUnprompted: () => boolean
  /** Time of the last activity in milliseconds since the epoch; `undefined` while a turn runs. */
  readonly idleSince: () => number | undefined
  readonly touch: Effect.Effect<void>
}
