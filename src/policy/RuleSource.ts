import type { Effect } from "effect"
import type { StoredRule } from "../store/SessionStore.ts"
import type { Workspace } from "../workspace/Workspace.ts"
import type { Knobs } from "./Knobs.ts"

/** Where a project keeps its rules, and knobs that narrow (policy §2.6). */
export const projectFile = (workspace: string): string => `${workspace}/.postern/rules.toml`

/** What belongs to a session and decides which rules count for it. */
export interface RuleSource {
  readonly workspace: Workspace
  readonly riskProfile: string
  readonly userRules: Knobs["user_rules"]
  readonly session: ReadonlyArray<StoredRule>
  /** Is told, whenever the rules are looked up, which knobs the project's file has. */
  readonly onProject?: (knobs: Partial<Knobs>) => Effect.Effect<void>
}
