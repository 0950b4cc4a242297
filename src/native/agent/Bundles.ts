import { Effect } from "effect"
import { join } from "node:path"
import { LiveSettings } from "../../config/LiveSettings.ts"
import { Settings } from "../../config/Settings.ts"
import type { AgentSettings } from "../../config/Snapshot.ts"
import { Agents } from "../../session/lifecycle/Agents.ts"
import { caller } from "../access/Access.ts"
import * as Entitled from "../access/Entitled.ts"

/** A folder of skills, by a name that no other one has (zeroclaw §1.6). */
export interface Bundle {
  readonly alias: string
  readonly directory: string
}

/** The one that belongs to no agent. */
export const shared = "shared"

const apart = `agents/${shared}`

/** What the bundle of an agent is called. */
export const nameOf = (agent: string): string => agent === shared ? apart : agent

/** The agent whose bundle is called so. */
export const agentNamed = (bundle: string): string => bundle === apart ? shared : bundle

/**
 * The bundles of the agent that is named; of all agents the caller may use where none is, that of `acp.default_agent` first. Each is called
 * as its agent is; the one that all agents share comes last.
 */
export const make = Effect.gen(function*() {
  const { configDir } = yield* Settings
  const live = yield* LiveSettings
  const agentOf = Entitled.agentOf(yield* Agents)
  const ofAll: Bundle = { alias: shared, directory: join(configDir, "shared", "skills") }

  const inOrder = Effect.map(live.current, ({ acp, agents }) => {
    const enabled = Array.from(agents.values()).filter((agent) => agent.enabled)
    const isDefault = ({ alias }: AgentSettings) => alias === acp.defaultAgent
    return [...enabled.filter(isDefault), ...enabled.filter((agent) => !isDefault(agent))]
  })

  const ownOf = ({ alias, workspace }: AgentSettings): Bundle => ({
    alias: nameOf(alias),
    directory: join(workspace, "skills")
  })

  return Effect.fnUntraced(function*(named: string | null | undefined) {
    const me = yield* caller
    const usable = typeof named === "string" ? [] : (yield* inOrder).filter(({ alias }) => me.mayUseAgent(alias))
    const meant = usable.length > 0 ? usable : [yield* agentOf(named)]
    return [...meant.map(ownOf), ofAll]
  })
})

/** Whether the first of these bundles is meant where none is named: it is the default agent's, or there is no other agent's. */
export const isPlain = (bundles: ReadonlyArray<string>, defaultAgent: string | undefined): boolean =>
  bundles.filter((alias) => alias !== shared).length < 2 ||
  (defaultAgent !== undefined && bundles[0] === nameOf(defaultAgent))
