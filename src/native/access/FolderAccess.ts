import { Effect } from "effect"
import type { LiveSettings } from "../../config/LiveSettings.ts"
import type { Settings } from "../../config/Settings.ts"
import { canonicalFolder, ownFolders } from "../../policy/decision/Limits.ts"
import { deepest } from "../../sandbox/plan/PathScope.ts"
import type { RpcFault } from "../../rpc/Wire.ts"
import type { Principal } from "../../security/Principals.ts"
import * as Errors from "../protocol/Errors.ts"

/** Why somebody may not work in a folder or look into it, by its canonical path; `undefined` where nothing is in the way. */
export type Forbids = (folder: string) => string | undefined

/**
 * Who is no admin gets neither into Postern's own folders nor into the workspace of an agent it may not use, whatever session or listing
 * it asks for. Of folders inside each other the innermost decides: an agent's usual workspace lies in Postern's own.
 */
export const make = (settings: Settings["Service"], { last }: LiveSettings["Service"]) => (me: Principal): Forbids => {
  if (me.admin) return () => undefined
  return (folder) => {
    const agents = Array.from(last().agents.values())
    const workspaces = (mine: boolean) =>
      agents.filter(({ alias }) => me.mayUseAgent(alias) === mine).flatMap((
        { workspace }
      ) => [workspace, canonicalFolder(workspace)])
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
