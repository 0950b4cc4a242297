import { Effect } from "effect"
import type { Agents } from "../session/Agents.ts"
import { caller } from "./Access.ts"
import * as Faults from "./Faults.ts"

/** The agent that is named, or the one of a session that names none, where the caller may use it (zeroclaw §1.10). */
export const agentOf = ({ resolve }: Agents["Service"]) =>
  Effect.fnUntraced(function*(alias: string | null | undefined) {
    const me = yield* caller
    const agent = yield* resolve(alias ?? undefined)
    return me.mayUseAgent(agent.alias)
      ? agent
      : yield* Faults.forbidden(`Principal "${me.id}" may not use agent "${agent.alias}"`, { agent: agent.alias })
  })
