import { Schema } from "effect"
import { RpcGroup } from "effect/rpc"
import { count, maybe, method, searchText, sometimes, text } from "./Contract.ts"
import { PerNativeConnection } from "./NativeConnection.ts"

/** Following the daemon's log and the life of its sessions; see docs/native-rpc.md#following. */

const from = { since_seq: maybe(Schema.Int), epoch: maybe(text) }
const Subscription = Schema.Struct({
  subscribed: Schema.Boolean,
  subscription_id: text,
  seq: Schema.Int,
  epoch: text
})

const LogEvent = Schema.Struct({
  id: text,
  timestamp: text,
  severity: text,
  message: text,
  category: sometimes(text),
  action: sometimes(text),
  outcome: sometimes(text),
  trace_id: sometimes(text)
})

const LogsSubscribe = method("logs/subscribe", "logs:read", from, Subscription)
const LogsQuery = method(
  "logs/query",
  "logs:read",
  {
    q: maybe(searchText),
    severity_min: maybe(text),
    since_ts: maybe(text),
    until_ts: maybe(text),
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
  },
  Schema.Struct({
    events: Schema.Array(LogEvent),
    at_end: Schema.Boolean,
    next_cursor: Schema.NullOr(text),
    next_cursor_line_offset: Schema.NullOr(Schema.Int)
  })
)
const LogsGet = method(
  "logs/get",
  "logs:read",
  { id: Schema.Union([text, Schema.Int]) },
  Schema.Struct({ event: LogEvent })
)

const SessionEvent = Schema.Struct({
  seq: Schema.Int,
  type: Schema.Literals([
    "session_opened",
    "session_closed",
    "session_killed",
    "session_deleted",
    "turn_started",
    "turn_complete"
  ]),
  session_id: text,
  timestamp: text,
  outcome: sometimes(text)
})
const EventsSubscribe = method("events/subscribe", "logs:read", from, Subscription)
const EventsHistory = method(
  "events/history",
  "logs:read",
  {},
  Schema.Struct({ events: Schema.Array(SessionEvent), epoch: text })
)
const Cancel = method(
  "subscription/cancel",
  undefined,
  { subscription_id: text },
  Schema.Struct({ subscription_id: text, cancelled: Schema.Boolean })
)

export class FeedMethods
  extends RpcGroup.make(LogsSubscribe, LogsQuery, LogsGet, EventsSubscribe, EventsHistory, Cancel).middleware(
    PerNativeConnection
  )
{}
