import { Context, Effect, Layer, Schema } from "effect"
import { LiveSettings } from "../../config/LiveSettings.ts"
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
  /** Ids of the options that clients are offered; absent: all. */
  readonly options?: ReadonlyArray<string> | undefined
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
      policy: now.policy,
      options: now.acp.options
    }
  }
}

export class AgentUnresolved extends Schema.TaggedError<AgentUnresolved>()("AgentUnresolved", {
  message: Schema.String,
  reason: Schema.Literals(["agent_unknown", "agent_disabled", "agent_missing", "agent_unusable"])
}) {}

const choose = (
  asked: string | undefined,
  agents: Snapshot["agents"]
): Effect.Effect<AgentSettings, AgentUnresolved> => {
  const enabled = Array.from(agents.values()).filter((agent) => agent.enabled)
  const names = () => enabled.map(({ alias }) => alias).join(", ")
  const refused = (reason: AgentUnresolved["reason"], message: string) =>
    Effect.fail(new AgentUnresolved({ reason, message }))
  if (asked === undefined) {
    const only = enabled.length === 1 ? enabled[0] : undefined
    if (only) return Effect.succeed(only)
    return refused(
      "agent_missing",
      enabled.length === 0 ? "no agent is enabled" : `name one of the agents (${names()}), or set acp.default_agent`
    )
  }
  const agent = agents.get(asked)
  if (agent?.enabled) return Effect.succeed(agent)
  return agent
    ? refused("agent_disabled", `agent "${asked}" is disabled`)
    : refused("agent_unknown", `there is no agent "${asked}"; the agents are ${names()}`)
}

/** A blank alias names nobody. */
const named = (alias: string | undefined): string | undefined => alias?.trim() === "" ? undefined : alias

/** The agents as they are configured now, and which of them a session gets. See docs/sessions.md#choice-of-the-agent. */
export class Agents extends Context.Service<Agents, {
  /** Explicit alias, else the connection's, else `acp.default_agent`, else the only enabled one. */
  readonly resolve: (explicit?: string, ofConnection?: string) => Effect.Effect<AgentSettings, AgentUnresolved>
  /** The agent of a stored session; one that is gone or disabled gives way to `acp.default_agent` and to the only enabled one. */
  readonly restore: (alias: string) => Effect.Effect<AgentSettings, AgentUnresolved>
}>()("postern/session/Agents") {
  static readonly layer = Layer.effect(
    Agents,
    Effect.map(LiveSettings, ({ current }) => {
      const resolve = (explicit?: string, ofConnection?: string) =>
        Effect.flatMap(
          current,
          ({ acp, agents }) => choose(named(explicit) ?? named(ofConnection) ?? acp.defaultAgent, agents)
        )
      return Agents.of({
        resolve,
        restore: (alias) =>
          Effect.flatMap(current, ({ acp, agents }) => {
            const isEnabled = (one: string | undefined) => one !== undefined && agents.get(one)?.enabled === true
            return choose([alias, acp.defaultAgent].find(isEnabled), agents)
          })
      })
    })
  )
}
