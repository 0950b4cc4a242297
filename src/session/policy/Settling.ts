import { Effect, Result } from "effect"
import * as Escalation from "../../policy/decision/Escalation.ts"
import { explain } from "../../policy/decision/Explanation.ts"
import { Gate } from "./Gate.ts"
import { type RuleBook, RuleBooks } from "../../policy/rules/RuleBooks.ts"
import type { RulesInvalid } from "../../policy/rules/RulesFile.ts"
import type { Entry } from "../../policy/rules/RuleSet.ts"
import type { AnyTool } from "../../tool/Tool.ts"
import { ruleName } from "../../domain/ToolName.ts"
import type { PermissionAnswer, PermissionRequest } from "../lifecycle/Attachment.ts"
import type * as CallContext from "../turn/CallContext.ts"
import type { ToolCallState } from "../../domain/SessionEvent.ts"
import * as KeptRules from "./KeptRules.ts"
import type { TurnFailed, TurnInput } from "../turn/TurnLoop.ts"
import { notAllowed, refused, type Verdict } from "./Authorization.ts"

type Proposal = ReturnType<RuleBook["propose"]>

/** What becomes of a tool call: the gates decide, and where they say so, a person (spec §5). */
export const make = Effect.gen(function*() {
  const gate = yield* Gate
  const books = yield* RuleBooks
  const { keep, scopes } = yield* KeptRules.make

  const decide = Effect.fnUntraced(function*(tool: AnyTool, parameters: unknown, { policy, workspace }: TurnInput) {
    const { source, switches } = policy
    const book = yield* books.load(yield* source)
    const { rules } = book
    const knobs = policy.knobs()
    const limits = yield* policy.limits
    const decision = gate.decide(tool, parameters, workspace, {
      knobs,
      limits,
      rules,
      switches: switches(),
      permitted: yield* policy.permitted
    })
    return { book, decision, knobs, limits, rules, workspace } satisfies CallContext.Decided
  })

  /** The answer of a person, in the light of what has changed since it was asked for (policy §1.9 E1). */
  const answered = Effect.fnUntraced(function*(
    answer: PermissionAnswer,
    proposed: Proposal,
    again: Effect.Effect<CallContext.Decided, RulesInvalid>,
    input: TurnInput
  ): Effect.fn.Return<Verdict, RulesInvalid> {
    switch (answer._tag) {
      case "Dismissed":
        return notAllowed("APPROVAL_CANCELLED", "the question was closed without an answer")
      case "RejectAlways":
        yield* keep(proposed.deny, answer.scope, input)
        return notAllowed("APPROVAL_REJECTED", "the user rejected this call")
      case "RejectOnce":
        return notAllowed("APPROVAL_REJECTED", "the user rejected this call")
      case "Replace":
        return { _tag: "Replaced", text: answer.text }
      case "AllowOnce":
      case "AllowAlways": {
        const decided = yield* again
        if (decided.decision.outcome === "deny") return refused(decided.decision)
        if (answer._tag === "AllowAlways") yield* keep(proposed.allow, answer.scope, input)
        return { _tag: "Run", decided }
      }
    }
  })

  const settle = Effect.fnUntraced(
    function*(
      tool: AnyTool,
      parameters: unknown,
      call: ToolCallState,
      input: TurnInput
    ): Effect.fn.Return<Verdict, RulesInvalid | TurnFailed> {
      const decided = yield* decide(tool, parameters, input)
      const { book, decision } = decided
      yield* input.policy.decided(call.toolCallId, tool.name, decision)
      if (decision.outcome === "run") return { _tag: "Run", decided }
      if (decision.outcome === "deny") return refused(decision)
      const rules = book.propose(ruleName(tool), decision)
      const proposed = decision.code === Escalation.escalationCode ? { ...rules, allow: [] } : rules
      const texts = (entries: ReadonlyArray<Entry>) => entries.map(({ rule }) => rule.text)
      const question: PermissionRequest = {
        call,
        explanation: explain(decision),
        allow: texts(proposed.allow),
        deny: texts(proposed.deny),
        scopes: yield* scopes(input)
      }
      const again = decide(tool, parameters, input).pipe(
        // What a grant no longer holds against belongs into the trail as well.
        Effect.tap(({ decision: now }) =>
          now.outcome === "deny" ? input.policy.decided(call.toolCallId, tool.name, now) : Effect.void
        )
      )
      yield* input.checkpoint
      const answer = yield* Effect.result(input.ask(question))
      return Result.isSuccess(answer)
        ? yield* answered(answer.success, proposed, again, input)
        : notAllowed(answer.failure.code, answer.failure.why)
    }
  )

  return { decide, settle }
})
