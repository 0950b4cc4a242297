import { type Effect, Option, Result } from "effect"
import type { RiskProfile } from "../../../config/Profiles.ts"
import type { RuleRecord } from "../../../store/SessionStore.ts"
import type { Workspace } from "../../../workspace/Workspace.ts"
import { type PolicySettings, read } from "../../../domain/PolicySettings.ts"
import { Toml } from "effect/encoding"
import { readFileSync, statSync } from "node:fs"

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
  readonly onProject?: (knobs: Partial<PolicySettings>) => Effect.Effect<void>
}

/**
 * The settings in the `[policy]` table of a project's file, for a new session. An invalid file has none: it also makes
 * every call fail.
 */
export const inFile = (file: string): Partial<PolicySettings> => {
  const text = Option.liftThrowable(() => statSync(file).isFile() ? readFileSync(file, "utf8") : "")
  return Toml.parse(Option.getOrElse(text(), () => "")).pipe(
    Result.flatMap(({ policy = {} }) => read(policy)),
    Result.getOrElse(() => ({}))
  )
}
