import { Effect } from "effect"
import type { RpcFault } from "../../rpc/Wire.ts"
import { type Principal, Principals } from "../../security/Principals.ts"
import * as Errors from "../protocol/Errors.ts"
import { isLocal, NativeConnection, type NativeState } from "../protocol/NativeConnection.ts"
import type { Agents } from "../../session/lifecycle/Agents.ts"

/** Who is calling, as the configuration stands now. */
export const caller: Effect.Effect<Principal, RpcFault, NativeConnection | Principals> = Effect.gen(function*() {
  const { principal } = yield* NativeConnection
  const { find } = yield* Principals
  const found = yield* find(principal)
  return found ?? (yield* Errors.notAuthenticated(`principal "${principal}" is not known any more`))
})

/** People see their own sessions; the others do not exist for them. */
export const mayTouch = ({ admin, id }: Principal, owner: string): boolean => admin || id === owner

/** Whom the sessions belong to that somebody opens. */
export const ownerFor = ({ admin, id }: Principal): string => admin ? "operator" : id

/** What of its shell a client forwards to the commands of its sessions: only of this machine, and unconstrained (zeroclaw §1.5). */
export const forwarded = ({ admin }: Principal, { env, far }: NativeState): NativeState["env"] =>
  admin && isLocal(far) ? env : {}

/** Agents that are taken away from somebody are gone at once, for sessions that are open as well (zeroclaw §1.10). */
export const mayUse = (me: Principal, alias: string): Effect.Effect<void, RpcFault> =>
  me.mayUseAgent(alias)
    ? Effect.void
    : Effect.fail(Errors.forbidden(`Principal "${me.id}" may not use agent "${alias}"`, { agent: alias }))

/** The agent that is named, or the one of a session that names none, where the caller may use it (zeroclaw §1.10). `field`: the parameter it is named by. */
export const usableAgent = ({ resolve }: Agents["Service"]) =>
  Effect.fnUntraced(function*(alias: string | null | undefined, field = "agent") {
    const me = yield* caller
    const agent = yield* Effect.mapError(resolve(alias ?? undefined), (error) => Errors.unresolved(error, field))
    yield* mayUse(me, agent.alias)
    return agent
  })
