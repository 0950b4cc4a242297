import { Effect } from "effect"
import { LiveSettings } from "../../config/LiveSettings.ts"
import { Settings } from "../../config/Settings.ts"
import type { AgentSettings } from "../../config/Snapshot.ts"
import { Agents } from "../../session/lifecycle/Agents.ts"
import { PolicyService, unopened } from "../../session/policy/PolicyService.ts"
import { MemoryStore } from "../../store/MemoryStore.ts"
import { caller, usableAgent } from "../access/Access.ts"
import * as Errors from "../protocol/Errors.ts"
import { mapRpcErrors } from "../protocol/Errors.ts"
import { ToolMethods } from "../protocol/AgentContracts.ts"
import * as Chunk from "../../platform/Chunk.ts"

const loadMemoryTools = Chunk.make(() => import("../../tool/memory/MemoryTools.ts"))

/** Of other daemons; nothing here belongs to them. */
const empty: ReadonlySet<string> = new Set(["channel_refs", "peer_targets", "peer_groups"])

const domains = ["agent_aliases", "tool_names", "memory_categories", ...empty]

export const layer = ToolMethods.toLayer(Effect.gen(function*() {
  const settings = yield* Settings
  const live = yield* LiveSettings
  const agentOf = usableAgent(yield* Agents)
  const policy = yield* PolicyService
  const store = yield* MemoryStore

  /** As in a chat session; a memory that cannot be used is left out there as well. */
  const memoryTools = ({ alias }: AgentSettings) =>
    store.of(alias).pipe(
      Effect.flatMap((memory) => Effect.map(loadMemoryTools, ({ make }) => make(memory, ""))),
      Effect.orElseSucceed(() => new Map())
    )

  /** What a new chat session of the caller's with this agent has; servers of MCP are started with a session, and not here. */
  const toolsOf = Effect.fnUntraced(
    function*(agent: AgentSettings) {
      const me = yield* caller
      const session = yield* unopened(agent, me.tools, yield* memoryTools(agent))
      return yield* Effect.mapError(policy.offered(session), ({ message }) => Errors.disabled(message, "rules_invalid"))
    },
    Effect.provideService(Settings, settings),
    Effect.provideService(LiveSettings, live)
  )

  const categories = Effect.fnUntraced(function*({ alias }: AgentSettings) {
    const me = yield* caller
    if (!me.allows("memory:read")) return yield* Errors.missingGrant(me.id, "memory:read", "memory_categories")
    const memory = yield* store.of(alias, me.admin ? "everybody" : { owner: me.id })
    return Array.from(new Set((yield* memory.list({})).map(({ category }) => category))).sort()
  })

  const aliases = Effect.gen(function*() {
    const me = yield* caller
    return Array.from((yield* live.current).agents.keys()).filter(me.mayUseAgent)
  })

  const valuesOf = Effect.fnUntraced(function*(domain: string, agent: string | null | undefined) {
    switch (domain) {
      case "agent_aliases":
        return yield* aliases
      case "tool_names":
        return (yield* toolsOf(yield* agentOf(agent))).map(({ name }) => name)
      case "memory_categories":
        return yield* categories(yield* agentOf(agent))
      default:
        return empty.has(domain)
          ? []
          : yield* Errors.invalid(`domain: must be one of ${domains.join(", ")}`, "domain")
    }
  })

  return ToolMethods.of({
    "tools/list": Effect.fnUntraced(function*({ agent }) {
      return { tools: yield* toolsOf(yield* agentOf(agent)) }
    }, mapRpcErrors),

    "tools/param-options": Effect.fnUntraced(function*({ agent, domain }) {
      return { options: (yield* valuesOf(domain, agent)).map((value) => ({ value })) }
    }, mapRpcErrors)
  })
}))
