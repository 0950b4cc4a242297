import type { LiveSettings } from "../../config/LiveSettings.ts"
import type { RiskProfile, RuntimeProfile } from "../../config/Profiles.ts"
import type { AgentSettings, Snapshot } from "../../config/Snapshot.ts"

/** What the configuration says about the agent of an active session. */
export interface Configured {
  /** Its alias and its folder are those the session was opened with. */
  readonly agent: AgentSettings
  readonly risk: RiskProfile | undefined
  readonly runtime: RuntimeProfile
  /** As written under `[policy]`. */
  readonly policy: Snapshot["policy"]
}

/**
 * As it stands now, and the same object while nothing changed. What is gone stays as it was last: the sessions of an agent that was
 * removed go on under the limits they had.
 */
export const follow = ({ last }: LiveSettings["Service"], opened: AgentSettings): () => Configured => {
  let seen: Snapshot | undefined
  let configured: Configured | undefined
  return () => {
    const now = last()
    if (configured !== undefined && now === seen) return configured
    seen = now
    const { alias, workspace } = opened
    const agent = { ...(now.agents.get(alias) ?? configured?.agent ?? opened), alias, workspace }
    return configured = {
      agent,
      risk: now.riskProfiles.get(agent.riskProfile) ?? configured?.risk,
      runtime: now.runtimeProfiles.get(agent.runtimeProfile) ?? configured?.runtime ??
        now.runtimeProfiles.get("default")!,
      policy: now.policy
    }
  }
}
