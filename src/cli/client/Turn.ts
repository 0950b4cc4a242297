import { Deferred, Effect } from "effect"
import { RpcFault } from "../../rpc/Wire.ts"
import type { Agent } from "./Agent.ts"
import { type Failure, failure, Interrupted } from "../Failure.ts"
import type { Interrupts } from "../terminal/Interrupts.ts"
import { explain } from "./Reason.ts"

export interface Ended {
  /** The agent's answer, or the error it gave instead. */
  readonly answer: Readonly<Record<string, unknown>> | RpcFault
  /** Ctrl-C came before the answer. */
  readonly interrupted: boolean
}

export interface Turn {
  /** Done once the person cancelled. */
  readonly cancelled: Deferred.Deferred<void>
  readonly run: Effect.Effect<Ended, Failure | Interrupted>
}

/** One prompt. The first Ctrl-C asks the agent to stop, whatever it takes; the second one gives up on it. */
export const make = (
  agent: Agent,
  interrupts: Interrupts,
  prompt: { readonly sessionId: string; readonly text: string },
  onCancel: () => void
): Turn => {
  const cancelled = Deferred.makeUnsafe<void>()
  const watch = Effect.gen(function*() {
    yield* interrupts.next
    yield* agent.cancel(prompt.sessionId)
    yield* Deferred.succeed(cancelled, undefined)
    onCancel()
    yield* interrupts.next
    return yield* new Interrupted()
  })
  const run = Effect.gen(function*() {
    yield* interrupts.forget
    const answer = yield* agent.prompt(prompt.sessionId, prompt.text).pipe(
      Effect.catchTag("RpcFault", (fault) => Effect.succeed(fault)),
      Effect.raceFirst(watch)
    )
    return { answer, interrupted: yield* Deferred.isDone(cancelled) }
  })
  return { cancelled, run }
}

const sentences: Readonly<Record<string, string>> = {
  max_tokens: "the model reached its output limit",
  max_turn_requests: "the turn reached its limit of model requests",
  refusal: "the agent refused",
  cancelled: "the agent cancelled the turn"
}

/** Why the turn did not simply end, as one line; `undefined` when it did. */
export const trouble = ({ answer }: Ended): Failure | undefined => {
  if (answer instanceof RpcFault) return failure(explain(answer))
  const reason = answer["stopReason"]
  if (reason === "end_turn") return undefined
  if (typeof reason !== "string") return failure("the agent gave no stop reason")
  return failure(sentences[reason] ?? `the turn ended with ${JSON.stringify(reason)}`)
}
