import { Context, Effect, Layer, Schema } from "effect"
import { type Agent, Settings } from "../app/Settings.ts"

export class AgentUnresolved extends Schema.TaggedError<AgentUnresolved>()("AgentUnresolved", {
  message: Schema.String,
  reason: Schema.Literals(["agent_unknown", "agent_disabled", "agent_missing", "agent_unusable"])
}) {}

/** The configured agents, and which of them a session gets (spec §3). */
export class Agents extends Context.Service<Agents, {
  /** Explicit alias, else the connection's, else `acp.default_agent`, else the only enabled one. */
  readonly resolve: (explicit?: string, ofConnection?: string) => Effect.Effect<Agent, AgentUnresolved>
  /** The agent of a stored session; one that is gone is replaced as if none had been named. */
  readonly restore: (alias: string) => Effect.Effect<Agent, AgentUnresolved>
}>()("postern/session/Agents") {
  static readonly layer = Layer.effect(
    Agents,
    Effect.gen(function*() {
      const { acp, agents } = yield* Settings
      const enabled = Array.from(agents.values()).filter((agent) => agent.enabled)
      const names = () => enabled.map(({ alias }) => alias).join(", ")

      const choose = (asked: string | undefined): Effect.Effect<Agent, AgentUnresolved> => {
        if (asked === undefined) {
          const only = enabled.length === 1 ? enabled[0] : undefined
          return only ? Effect.succeed(only) : Effect.fail(
            new AgentUnresolved({
              reason: "agent_missing",
              message: enabled.length === 0
                ? "no agent is enabled"
                : `name one of the agents (${names()}), or set acp.default_agent`
            })
          )
        }
        const agent = agents.get(asked)
        if (agent?.enabled) return Effect.succeed(agent)
        return Effect.fail(
          new AgentUnresolved(
            agent
              ? { reason: "agent_disabled", message: `agent "${asked}" is disabled` }
              : { reason: "agent_unknown", message: `there is no agent "${asked}"; the agents are ${names()}` }
          )
        )
      }

      const resolve = (explicit?: string, ofConnection?: string) => choose(explicit ?? ofConnection ?? acp.defaultAgent)
      return Agents.of({
        resolve,
        restore: (alias) => Effect.catch(resolve(alias), () => resolve())
      })
    })
  )
}
