import { Effect } from "effect"
import type { Decision } from "../policy/Decision.ts"
import type { RuleBook } from "../policy/RuleBooks.ts"
import type { KnownTools } from "../policy/rules/Rule.ts"
import type { RulesInvalid } from "../policy/rules/RulesFile.ts"
import * as Readable from "../tool/Readable.ts"
import { type AnyTool, type ToolContext, ToolFailed } from "../tool/Tool.ts"
import type { TurnInput } from "./TurnLoop.ts"

type Decide = (tool: AnyTool, parameters: unknown, input: TurnInput) => Effect.Effect<
  { readonly book: RuleBook; readonly decision: Decision },
  RulesInvalid
>

/** What one call may touch and ask, out of its turn and the policy in force. */
export const make = (decide: Decide, known: KnownTools) => (tool: AnyTool, parameters: unknown, toolCallId: string, input: TurnInput): ToolContext => {
  const decided = (instead: unknown) =>
    Effect.mapError(decide(tool, instead, input), ({ message }) => new ToolFailed({ message }))
  return {
    sessionId: input.sessionId,
    workspace: input.workspace,
    mayRead: Effect.gen(function*() {
      const { book, decision } = yield* decided(parameters)
      return Readable.of(tool.name, decision, book.rules, yield* input.policy.limits, known)
    }),
    mayFetch: (url) => Effect.map(decided({ ...Object(parameters), url }), ({ decision }) => decision.outcome === "run"),
    progress: () => Effect.void,
    plan: input.ledger.plan,
    notify: input.notify,
    askUser: (question, choices, form) =>
      input.choose({ toolCallId, question, choices, ...(form === undefined ? {} : { form }) }).pipe(
        Effect.mapError(({ why }) => new ToolFailed({ message: `There is no answer: ${why}.` }))
      )
  }
}
