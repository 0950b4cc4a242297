import type { Effect } from "effect"
import type { RiskProfile } from "../../../config/Profiles.ts"
import type { RuleRecord } from "../../../store/SessionStore.ts"
import type { Workspace } from "../../../workspace/Workspace.ts"
import type { PolicySettings } from "../../../domain/PolicySettings.ts"

/** The file with a project's rules, and with settings that only narrow. See docs/policy.md#rule-layers. */
export const projectFile = (workspace: string): string => `${workspace}/.postern/rules.toml`

/** The inputs that decide which rules count for a session. */
export interface RuleSource {
  readonly workspace: Workspace
  /** The name of the risk profile. */
  readonly riskProfile: string
  readonly profile: RiskProfile | undefined
  readonly userRules: PolicySettings["user_rules"]
  readonly session: ReadonlyArray<RuleRecord>
  /** Called with the settings of the project's file whenever the rules are looked up. */
  readonly onProject?: (settings: Partial<PolicySettings>) => Effect.Effect<void>
}
