import { Effect } from "effect"
import type { Decision } from "../../policy/decision/Decision.ts"
import { ceiling } from "../../domain/PolicySettings.ts"
import type { RuleBook } from "../../policy/rules/RuleBooks.ts"
import type { KnownTools } from "../../policy/rules/Rule.ts"
import type { RulesInvalid } from "../../policy/rules/RulesFile.ts"
import * as Reach from "../../sandbox/plan/PathScope.ts"
import type { Sandbox } from "../../sandbox/Sandbox.ts"
import * as Confining from "../../tool/CallConfinement.ts"
import * as Readable from "../../tool/file/ReadFilter.ts"
import { type AnyTool, type ToolContext, ToolFailed } from "../../tool/Tool.ts"
import { pathIn } from "../../workspace/PlanFile.ts"
import type { TurnInput } from "./TurnLoop.ts"

/** A decision and what it was made from. */
export interface Decided extends Confining.ConfinementInput {
  readonly book: RuleBook
  readonly decision: Decision
}

type Decide = (tool: AnyTool, parameters: unknown, input: TurnInput) => Effect.Effect<Decided, RulesInvalid>

/** What a file tool reaches while its call is looked at and run; a command is held by its own process. */
export const reachOf = (
  sandbox: Sandbox["Service"],
  tool: AnyTool,
  parameters: unknown,
  { policy, workspace }: Pick<TurnInput, "policy" | "workspace">
): Reach.PathScope => {
  const { capabilities } = tool.needs(parameters)
  const reach = sandbox.reach({
    mode: ceiling(capabilities, policy.knobs().values.sandbox),
    network: false,
    roots: Confining.foldersOf(workspace),
    readable: workspace.readable
  })
  if (capabilities.some((capability) => capability !== "rw_plan")) return reach
  // The plan is written where nothing else is: Work mode pl reads only.
  const plan = pathIn(workspace.cwd)
  return { hides: reach.hides, refusal: (path, intent) => path === plan ? undefined : reach.refusal(path, intent) }
}

/** What one call may touch and ask, out of its turn and the policy in force. */
export const make = (decide: Decide, sandbox: Sandbox["Service"], known: KnownTools) => {
  return (tool: AnyTool, parameters: unknown, toolCallId: string, input: TurnInput): ToolContext => {
    const decided = (instead: unknown) =>
      Effect.mapError(decide(tool, instead, input), ({ message }) => new ToolFailed({ message }))
    const reach = Reach.lazy(() => reachOf(sandbox, tool, parameters, input))
    return {
      sessionId: input.sessionId,
      workspace: Confining.narrowed(input.workspace, reach),
      mayRead: Effect.map(decided(parameters), ({ decision, limits, rules }) => {
        const may = Readable.of(tool.name, decision, rules, limits, known)
        if (!reach.hides && limits.workspaceOnly) return may
        return (path: string) => may?.(path) !== false && reach.refusal(path, "read") === undefined
      }),
      mayFetch: (url) =>
        Effect.map(decided({ ...Object(parameters), url }), ({ decision }) => decision.outcome === "run"),
      client: input.client(),
      jobs: input.jobs,
      progress: () => Effect.void,
      plan: input.ledger.plan,
      notify: input.notify,
      askUser: (question, choices, form) =>
        input.choose({ toolCallId, question, choices, ...(form === undefined ? {} : { form }) }).pipe(
          Effect.mapError(({ why }) => new ToolFailed({ message: `There is no answer: ${why}.` }))
        )
    }
  }
}
