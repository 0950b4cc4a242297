import { Effect } from "effect"
import type { LiveSettings } from "../../config/LiveSettings.ts"
import type { Settings } from "../../config/Settings.ts"
import { ownFolders } from "../../policy/decision/Limits.ts"
import { deepest } from "../../sandbox/plan/PathScope.ts"
import type { RpcFault } from "../../rpc/Wire.ts"
import { type Principal, Principals, workspacesOf } from "../../security/Principals.ts"
import * as Errors from "../protocol/Errors.ts"
import { isLocal, NativeConnection, type NativeState } from "../protocol/NativeConnection.ts"
import type { Agents } from "../../session/lifecycle/Agents.ts"

/** Why a principal may not work in a folder or read it, by its canonical path; `undefined` where it may. */
export type Forbids = (folder: string) => string | undefined

/**
 * Who is no admin gets neither into Postern's own folders nor into the workspace of an agent it may not use, whatever
 * session or listing it asks for. Of folders inside each other the innermost decides: an agent's usual workspace lies
 * in Postern's own.
 */
export const makeForbids =
  (settings: Settings["Service"], { last }: LiveSettings["Service"]) => (me: Principal): Forbids => {
    if (me.admin) return () => undefined
    return (folder) => {
      const { agents } = last()
      const workspaces = (mine: boolean) => workspacesOf(agents, (alias) => me.mayUseAgent(alias) === mine)
      const others = deepest([...ownFolders(settings), ...workspaces(false)], folder)
      return others >= 0 && others > deepest(workspaces(true), folder)
        ? `principal "${me.id}" may not use this folder: it belongs to Postern or to an agent of others`
        : undefined
    }
  }

/** For a session that works in the folder already. */
export const mayEnter = (forbids: Forbids, folder: string): Effect.Effect<void, RpcFault> => {
  const reason = forbids(folder)
  return reason === undefined ? Effect.void : Effect.fail(Errors.forbidden(`cwd: ${reason}`, { field: "cwd" }))
}

/** The principal of the caller, as the configuration is now. */
export const caller: Effect.Effect<Principal, RpcFault, NativeConnection | Principals> = Effect.gen(function*() {
  const { principal } = yield* NativeConnection
  const { find } = yield* Principals
  const found = yield* find(principal)
  return found ?? (yield* Errors.notAuthenticated(`principal "${principal}" is not known any more`))
})

/** For what would let others have rights that the caller gives away. `what`: the end of the sentence "Only the operator and admins". */
export const operatorOnly = (what: string): Effect.Effect<void, RpcFault, NativeConnection | Principals> =>
  Effect.flatMap(
    caller,
    ({ admin }) => admin ? Effect.void : Effect.fail(Errors.forbidden(`Only the operator and admins ${what}`))
  )

/** Users see their own sessions; for them the others do not exist. */
export const mayTouch = ({ admin, id }: Principal, owner: string): boolean => admin || id === owner

/** The owner of the sessions that a principal opens. */
export const ownerFor = ({ admin, id }: Principal): string => admin ? "operator" : id

/**
 * The environment that a client forwards to the commands of its sessions: only an admin on this machine. See
 * docs/native-rpc.md#handshake.
 */
export const forwarded = ({ admin }: Principal, { env, peerIdentity }: NativeState): NativeState["env"] =>
  admin && isLocal(peerIdentity) ? env : {}

/** A user who loses an agent loses it at once, also for open sessions. See docs/users.md#grants. */
export const mayUse = (me: Principal, alias: string): Effect.Effect<void, RpcFault> =>
  me.mayUseAgent(alias)
    ? Effect.void
    : Effect.fail(Errors.forbidden(`Principal "${me.id}" may not use agent "${alias}"`, { agent: alias }))

/** The agent that is named, else the default one, where the caller may use it. `field`: the parameter that names it. */
export const usableAgent = ({ resolve }: Agents["Service"]) =>
  Effect.fnUntraced(function*(alias: string | null | undefined, field = "agent") {
    const me = yield* caller
    const agent = yield* Effect.mapError(resolve(alias ?? undefined), (error) => Errors.unresolved(error, field))
    yield* mayUse(me, agent.alias)
    return agent
  })
