import { Effect } from "effect"
import type { RpcFault } from "../../rpc/Wire.ts"
import type { Principal } from "../../security/Principals.ts"
import type { Agents } from "../../session/lifecycle/Agents.ts"
import { caller } from "./Access.ts"
import * as Faults from "../protocol/Errors.ts"

/** Agents that are taken away from somebody are gone at once, for sessions that are open as well (zeroclaw §1.10). */
export const mayUse = (me: Principal, alias: string): Effect.Effect<void, RpcFault> =>
  me.mayUseAgent(alias)
    ? Effect.void
    : Effect.fail(Faults.forbidden(`Principal "${me.id}" may not use agent "${alias}"`, { agent: alias }))

/** The agent that is named, or the one of a session that names none, where the caller may use it (zeroclaw §1.10). `field`: the parameter it is named by. */
export const agentOf = ({ resolve }: Agents["Service"]) =>
  Effect.fnUntraced(function*(alias: string | null | undefined, field = "agent") {
    const me = yield* caller
    const agent = yield* Effect.mapError(resolve(alias ?? undefined), (error) => Faults.unresolved(error, field))
    yield* mayUse(me, agent.alias)
    return agent
  })
