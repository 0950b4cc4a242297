import { Context, Effect } from "effect"
import { ruleName, type ToolName } from "../../domain/ToolName.ts"

/** The tools that a session's owner may use (zeroclaw §1.10). */
export interface Permitted {
  /** By the name models know a tool by, or the one that rules know it by. */
  readonly has: (name: string) => boolean
  /** In a sentence: whose list leaves this tool out. */
  readonly refusal: (name: string) => string
}

/**
 * What the owner of a session of that agent may use at the moment of asking; `undefined` is everything. A process whose clients are all the user's
 * own limits nobody.
 */
export const ToolGrants = Context.Reference<
  (owner: string | null, agent: string) => Effect.Effect<Permitted | undefined>
>(
  "postern/policy/ToolGrants",
  { defaultValue: () => () => Effect.undefined }
)

/** Why the owner of a session may not use this tool, if it may not. */
export const withheld = (permitted: Permitted | undefined, tool: ToolName): string | undefined =>
  permitted === undefined || permitted.has(tool.name) || permitted.has(ruleName(tool))
    ? undefined
    : permitted.refusal(tool.name)
