import type { StoredRule } from "../store/SessionStore.ts"
import type { Workspace } from "../workspace/Workspace.ts"
import type { Knobs } from "./Knobs.ts"

/** What belongs to a session and decides which rules count for it. */
export interface RuleSource {
  readonly workspace: Workspace
  readonly riskProfile: string
  readonly userRules: Knobs["user_rules"]
  readonly session: ReadonlyArray<StoredRule>
  /** More rules, for a dry run. */
  readonly extra?: Partial<Record<StoredRule["list"], ReadonlyArray<string>>>
}

