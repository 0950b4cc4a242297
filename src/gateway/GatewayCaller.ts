import { Effect } from "effect"
import type { AcpAccess } from "../acp/AcpAccess.ts"
import type { LiveSettings } from "../config/LiveSettings.ts"
import type { Settings } from "../config/Settings.ts"
import { makeForbids } from "../native/access/Access.ts"
import * as Errors from "../native/protocol/Errors.ts"
import type { Principals } from "../security/Principals.ts"

/** Who a request comes from, once its token was accepted. */
export interface GatewayCaller {
  readonly principal: string
  /** Of the token that was shown; its connections end when it is revoked. */
  readonly tokenId: string | undefined
  readonly address: string
}

/** The grant that each method of ACP needs; the others need none. */
const needs: Readonly<Record<string, string>> = {
  "session/new": "sessions:create",
  "session/load": "sessions:read",
  "session/resume": "sessions:read",
  "session/fork": "sessions:create",
  "session/list": "sessions:read",
  "session/prompt": "sessions:execute",
  "session/set_mode": "sessions:execute",
  "session/set_model": "sessions:execute",
  "session/set_config_option": "sessions:execute",
  "_rules/list": "sessions:read",
  "_rules/add": "sessions:execute",
  "_rules/remove": "sessions:execute",
  "_rules/test": "sessions:read",
  "session/set_title": "sessions:update",
  "session/cancel": "sessions:update",
  "session/close": "sessions:update",
  "session/stop": "sessions:update",
  "_zeroclaw/session/stop": "sessions:update",
  "session/delete": "sessions:delete"
}

/** What the principal of a caller may do over ACP, as the configuration is now. */
export const accessOf = (
  { principal: id }: GatewayCaller,
  principals: Principals["Service"],
  settings: Settings["Service"],
  live: LiveSettings["Service"]
): AcpAccess => {
  const forbids = makeForbids(settings, live)
  const principal = Effect.filterOrFail(
    principals.find(id),
    (found) => found !== undefined,
    () => Errors.notAuthenticated(`principal "${id}" is not known any more`)
  )
  return {
    permit: (method) =>
      Effect.flatMap(principal, ({ allows }) => {
        const need = needs[method]
        return need === undefined || allows(need) ? Effect.void : Effect.fail(Errors.missingGrant(id, need, method))
      }),
    rights: Effect.map(principal, (me) => ({
      owner: me.admin ? null : me.id,
      admin: me.admin,
      mayUseAgent: me.mayUseAgent,
      forbids: me.admin ? undefined : forbids(me)
    }))
  }
}
