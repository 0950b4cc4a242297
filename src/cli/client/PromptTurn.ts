import { Deferred, Effect } from "effect"
import type { ContentBlock } from "../../domain/Content.ts"
import { RpcFault } from "../../rpc/Wire.ts"
import { type Failure, failure, Interrupted } from "../Failure.ts"
import type * as Interrupts from "../terminal/Interrupts.ts"
import { type Agent, explain } from "./AgentConnection.ts"
import type { ClientView } from "./View.ts"

export interface EndedTurn {
  /** The agent's answer, or the error it gave instead. */
  readonly answer: Readonly<Record<string, unknown>> | RpcFault
  /** The user pressed Ctrl-C before the answer. */
  readonly interrupted: boolean
}

interface PromptTurn {
  /** Done when the user has cancelled the turn. */
  readonly cancelled: Deferred.Deferred<void>
  readonly run: Effect.Effect<EndedTurn, Failure | Interrupted>
}

interface TurnPrompt {
  readonly sessionId: string
  readonly blocks: ReadonlyArray<ContentBlock>
}

/** One prompt. The first Ctrl-C asks the agent to stop and waits for it; the second one gives up on it. */
const makeTurn = (
  agent: Agent,
  interrupts: Interrupts.Interrupts,
  { blocks, sessionId }: TurnPrompt,
  onCancel: () => void
): PromptTurn => {
  const cancelled = Deferred.makeUnsafe<void>()
  const watch = Effect.gen(function*() {
    yield* interrupts.next
    yield* agent.cancel(sessionId)
    yield* Deferred.succeed(cancelled, undefined)
    onCancel()
    yield* interrupts.next
    return yield* new Interrupted()
  })
  const run = Effect.gen(function*() {
    yield* interrupts.clear
    const answer = yield* agent.prompt(sessionId, blocks).pipe(
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

/** Why the turn did not reach its end, as one line; `undefined` when it did. */
export const troubleOf = ({ answer }: EndedTurn): Failure | undefined => {
  if (answer instanceof RpcFault) return failure(explain(answer))
  const reason = answer["stopReason"]
  if (reason === "end_turn") return undefined
  if (typeof reason !== "string") return failure("the agent gave no stop reason")
  return failure(sentences[reason] ?? `the turn ended with ${JSON.stringify(reason)}`)
}

/** Who takes part in a conversation. */
export interface Participants {
  readonly agent: Agent
  readonly view: ClientView
  readonly interrupts: Interrupts.Interrupts
}

/** One prompt with its updates on the screen. */
export const runTurn = Effect.fnUntraced(function*({ agent, interrupts, view }: Participants, prompt: TurnPrompt) {
  const turn = makeTurn(agent, interrupts, prompt, () => {
    view.close()
    // With something to do instead, the user has not given up on it.
    if (!view.hasInstead()) view.screen.note("postern: cancelling; Ctrl-C again gives up on the agent")
  })
  const [first] = prompt.blocks
  view.beginTurn(turn.cancelled, first?.type === "text" ? first.text : "")
  const ended = yield* view.working(view.running, turn.run).pipe(Effect.ensuring(Effect.sync(view.close)))
  view.finish(ended.answer, prompt.sessionId)
  return ended
})
