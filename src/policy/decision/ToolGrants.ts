import { Context, Effect } from "effect"
import { ruleName, type ToolName } from "../../domain/ToolName.ts"

/** The tools that a session's owner may use. See docs/policy.md#tool-lists. */
export interface Permitted {
  /** By the name for models, or the one for rules. */
  readonly has: (name: string) => boolean
  /** A sentence that names the list without this tool. */
  readonly refusal: (name: string) => string
}

/**
 * The tools that the owner of a session of that agent may use now; `undefined` is all. A process that serves only its
 * own user limits nobody.
 */
export const ToolGrants = Context.Reference<
  (owner: string | null, agent: string) => Effect.Effect<Permitted | undefined>
>(
  "postern/policy/ToolGrants",
  { defaultValue: () => () => Effect.undefined }
)

/**
 * The workspaces of agents that the owner of a session may not use now, as they are named and with links followed. A
 * process that serves only its own user has none. See docs/users.md#grants.
 */
export const ForeignFolders = Context.Reference<(owner: string | null) => ReadonlyArray<string>>(
  "postern/policy/ForeignFolders",
  { defaultValue: () => () => [] }
)

/** Why the owner of a session may not use this tool, if it may not. */
export const withheld = (permitted: Permitted | undefined, tool: ToolName): string | undefined =>
  permitted === undefined || permitted.has(tool.name) || permitted.has(ruleName(tool))
    ? undefined
    : permitted.refusal(tool.name)
