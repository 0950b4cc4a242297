import { Schema } from "effect"
import { RpcGroup } from "effect/rpc"
import { count, maybe, method, text, wanted } from "./Contract.ts"
import { PerNativeConnection } from "./NativeConnection.ts"

const from = { since_seq: maybe(Schema.Int), epoch: maybe(text) }

const LogsSubscribe = method("logs/subscribe", "logs:read", from)
const LogsQuery = method("logs/query", "logs:read", {
  q: maybe(wanted),
  severity_min: maybe(text),
  since_ts: maybe(text),
  until_ts: maybe(text),
  /** Only entries that carry this word. */
  category: maybe(text),
  action: maybe(text),
  outcome: maybe(text),
  trace_id: maybe(text),
  /** Only entries before this one, which is not among them. */
  until_id: maybe(Schema.Union([text, Schema.Int])),
  /** The same, as `next_cursor_line_offset` of the page before names it. */
  until_line_offset: maybe(Schema.Int),
  /** Accepted: no entry of this log is internal. */
  hide_internal: maybe(Schema.Boolean),
  limit: maybe(count)
})
const LogsGet = method("logs/get", "logs:read", { id: Schema.Union([text, Schema.Int]) })
const EventsSubscribe = method("events/subscribe", "logs:read", from)
const EventsHistory = method("events/history", "logs:read", {})
const Cancel = method("subscription/cancel", undefined, { subscription_id: text })

/** Following the daemon's log and what becomes of its sessions. */
export class Following
  extends RpcGroup.make(LogsSubscribe, LogsQuery, LogsGet, EventsSubscribe, EventsHistory, Cancel).middleware(
    PerNativeConnection
  )
{}
