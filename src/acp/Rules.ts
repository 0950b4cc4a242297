import { Schema } from "effect"
import { Rpc } from "effect/rpc"
import { RpcFault } from "../rpc/Wire.ts"
import { lenient } from "../domain/Lenient.ts"
import { Meta } from "./Capabilities.ts"
import { SessionId } from "./SessionSetup.ts"

/** Rules over ACP: Postern's own methods, advertised in `_meta` of the agent capabilities (policy §1.10). */

const error = RpcFault
const ofSession = { sessionId: SessionId, _meta: Meta }
const List = Schema.Literals(["deny", "ask", "allow"])

export const RulesList = Rpc.make("_rules/list", {
  payload: ofSession,
  success: Schema.Struct({
    rules: Schema.Array(Schema.Struct({
      id: Schema.String,
      list: List,
      rule: Schema.String,
      layer: Schema.String,
      reason: Schema.optionalKey(Schema.String),
      /** Absent where the rule has a say: allow rules of an untrusted folder have none, nor layers that `user_rules` leaves out. */
      counts: Schema.optionalKey(Schema.Literal(false))
    }))
  }),
  error
})

/**
 * Without a layer the rule is the session's own. `user` and `project` are files: it counts from the next call on in every session that
 * reads them. An unreadable rule is −32602 and says where, as is one for the operator's layer.
 */
export const RulesAdd = Rpc.make("_rules/add", {
  payload: {
    ...ofSession,
    list: List,
    rule: Schema.String,
    layer: Schema.optionalKey(Schema.NullOr(Schema.Literals(["managed", "user", "project", "session"]))),
    reason: lenient(Schema.String)
  },
  success: Schema.Struct({ id: Schema.String }),
  error
})

export const RulesRemove = Rpc.make("_rules/remove", {
  payload: { ...ofSession, id: Schema.String },
  success: Schema.Struct({ removed: Schema.Boolean }),
  error
})

/** A dry run: the trace of `postern policy explain` for this session. */
export const RulesTest = Rpc.make("_rules/test", {
  payload: { ...ofSession, tool: Schema.String, arguments: lenient(Schema.Record(Schema.String, Schema.Unknown)) },
  success: Schema.Record(Schema.String, Schema.Unknown),
  error
})

export const methods = [RulesList, RulesAdd, RulesRemove, RulesTest].map(({ _tag }) => _tag)
