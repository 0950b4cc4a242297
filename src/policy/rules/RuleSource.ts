import type { Effect } from "effect"
import type { RiskProfile } from "../../config/Profiles.ts"
import type { RuleRecord } from "../../store/SessionStore.ts"
import type { Workspace } from "../../workspace/Workspace.ts"
import type { PolicySettings } from "../../domain/PolicySettings.ts"

/** Where a project keeps its rules, and settings that narrow (docs/policy.md#rule-layers). */
export const projectFile = (workspace: string): string => `${workspace}/.postern/rules.toml`

/** What belongs to a session and decides which rules count for it. */
export interface RuleSource {
  readonly workspace: Workspace
  /** The name of the risk profile, and what it says. */
  readonly riskProfile: string
  readonly profile: RiskProfile | undefined
  readonly userRules: PolicySettings["user_rules"]
  readonly session: ReadonlyArray<RuleRecord>
  /** Is told, whenever the rules are looked up, which knobs the project's file has. */
  readonly onProject?: (knobs: Partial<PolicySettings>) => Effect.Effect<void>
}
