import { Schema } from "effect"
import { RpcGroup } from "effect/rpc"
import { PlanEntry } from "../../domain/Content.ts"
import { StopReason, TranscriptEntry, Usage } from "../../domain/SessionEvent.ts"
import { CancelWith } from "../../rpc/Peer.ts"
import { count, inBothSpellings, maybe, method, Mode, searchText, sometimes, text, texts } from "./Contract.ts"
import { FileEntry } from "./FileContracts.ts"
import { PerNativeConnection } from "./NativeConnection.ts"

/** Sessions and their turns; see docs/native-rpc.md#sessions, #turns, #views and #following. */

const ofSession = { session_id: text }

const New = method("session/new", "sessions:create", {
  agent_alias: maybe(text),
  cwd: maybe(text),
  session_id: maybe(text),
  tui_id: maybe(text),
  exclude_memory: maybe(Schema.Boolean),
  chat_mode: maybe(Mode),
  keep_siblings: maybe(Schema.Boolean),
  interaction_surface: maybe(text)
}, inBothSpellings({ ...ofSession, agent_alias: text, message_count: Schema.Int, workspace_dir: text }))

const Configure = method(
  "session/configure",
  "sessions:execute",
  {
    ...ofSession,
    overrides: Schema.Struct({ model: maybe(text), model_provider: maybe(text), temperature: maybe(Schema.Finite) })
  },
  Schema.Struct({
    ...ofSession,
    overrides: Schema.Struct({
      model: sometimes(text),
      model_provider: sometimes(text),
      temperature: sometimes(Schema.Finite)
    })
  })
)

const Close = method(
  "session/close",
  "sessions:update",
  ofSession,
  Schema.Struct({ ...ofSession, closed: Schema.Boolean })
)
const Kill = method(
  "session/kill",
  "sessions:delete",
  ofSession,
  Schema.Struct({ ...ofSession, killed: Schema.Boolean })
)
const Delete = method(
  "session/delete",
  "sessions:delete",
  ofSession,
  Schema.Struct({ ...ofSession, deleted: Schema.Boolean })
)
const Rename = method(
  "session/rename",
  "sessions:update",
  { ...ofSession, name: text },
  Schema.Struct({ ...ofSession, name: text })
)

/** Opening, changing and ending sessions. */
export class LifecycleMethods
  extends RpcGroup.make(New, Configure, Close, Kill, Delete, Rename).middleware(PerNativeConnection)
{}

const Prompt = method("session/prompt", "sessions:execute", {
  ...ofSession,
  prompt: maybe(text),
  attachments: maybe(Schema.Array(FileEntry)),
  client_turn_generation: maybe(Schema.Union([Schema.Int, text]))
}, Schema.Struct({ ...ofSession, stop_reason: StopReason, content: text })).annotate(CancelWith, "session/cancel")

const Steer = method(
  "session/steer",
  "sessions:execute",
  { ...ofSession, content: text },
  Schema.Struct({ ...ofSession, accepted: Schema.Boolean })
)
const Cancel = method(
  "session/cancel",
  "sessions:update",
  ofSession,
  Schema.Struct({ ...ofSession, cancelled: Schema.Boolean })
)
const Approve = method("session/approve", "sessions:update", {
  ...ofSession,
  request_id: text,
  decision: text,
  replacement: maybe(text)
}, Schema.Struct({ ...ofSession, request_id: text, acknowledged: Schema.Boolean }))

export class TurnMethods extends RpcGroup.make(Prompt, Steer, Cancel, Approve).middleware(PerNativeConnection) {}

const listing = {
  query: maybe(searchText),
  limit: maybe(count),
  /** How many of the newest sessions to leave out. */
  offset: maybe(Schema.Int),
  /** Lists killed sessions as well, which can be read and deleted. */
  include_killed: maybe(Schema.Boolean),
  /** Lists sessions that never had a prompt as well. */
  include_unprompted: maybe(Schema.Boolean)
}

const SessionSummary = Schema.Struct({
  ...ofSession,
  session_key: text,
  created_at: text,
  last_activity: text,
  message_count: Schema.Int,
  agent_alias: text,
  channel_id: Mode,
  workspace_dir: text,
  name: sometimes(text),
  killed_at: sometimes(text)
})
export type SessionSummary = typeof SessionSummary.Type

const Sessions = Schema.Struct({ sessions: Schema.Array(SessionSummary) })
const List = method("session/list", "sessions:read", { ...listing, running: maybe(Schema.Boolean) }, Sessions)
const ListAcp = method("session/list-acp", "sessions:read", listing, Sessions)

const Message = Schema.Struct({
  role: Schema.Literals(["user", "assistant", "tool", "system"]),
  content: text,
  kind: Schema.Literals(["message", "tool_call", "tool_result"]),
  tool_call_id: sometimes(text),
  tool_name: sometimes(text),
  tool_input: sometimes(Schema.Unknown),
  tool_output: sometimes(text),
  /** When the turn of the message began; ISO 8601, UTC. */
  created_at: sometimes(text)
})
/** A message as `session/messages` shows it. It keeps its index: later messages only follow. */
export type Message = typeof Message.Type

/** `start`: the index of the first one here; `total`: how many the session has. */
const page = { start: Schema.Int, total: Schema.Int, has_older: Schema.Boolean }

const MessagePage = Schema.Struct({
  ...ofSession,
  messages: Schema.Array(Message),
  ...page,
  next_cursor: sometimes(text)
})
export type MessagePage = typeof MessagePage.Type

/** A session as the stores have it. */
const StoredSession = Schema.Struct({
  sessionId: text,
  agent: text,
  cwd: text,
  additionalDirectories: texts,
  title: Schema.NullOr(text),
  usage: Schema.NullOr(Usage),
  surface: Schema.NullOr(text),
  owner: Schema.NullOr(text),
  excludesMemory: Schema.Boolean,
  createdAt: text,
  updatedAt: text,
  killedAt: Schema.NullOr(text),
  mode: Mode
})

const EntryPage = Schema.Struct({
  ...ofSession,
  session: StoredSession,
  entries: Schema.Array(TranscriptEntry),
  ...page
})

const Decisions = Schema.Struct({
  ...ofSession,
  decisions: Schema.Array(Schema.Struct({
    callId: text,
    tool: text,
    outcome: Schema.Literals(["run", "ask", "deny"]),
    gate: text,
    code: text,
    reason: text,
    rule: Schema.NullOr(text),
    shapes: Schema.Array(Schema.Struct({ category: text, part: text })),
    knobs: text,
    at: text
  })),
  approvals: Schema.Array(Schema.Struct({
    id: text,
    callId: text,
    askedAt: text,
    answeredAt: Schema.NullOr(text),
    answer: Schema.NullOr(text)
  }))
})

const Messages = method("session/messages", "sessions:read", {
  ...ofSession,
  limit: maybe(count),
  before_index: maybe(Schema.Int),
  /** A cursor, also null or "", asks for pages from the newest one backwards. */
  cursor: maybe(text),
  max_bytes: maybe(count),
  /** Asks for the stored session and its transcript instead of messages; `before_index` counts entries then. */
  entries: maybe(Schema.Boolean),
  /** Asks for the decisions of the policy in this session instead of messages. */
  decisions: maybe(Schema.Boolean),
  /** Other names that the client knows the session by; not needed here. */
  session_keys: maybe(Schema.Unknown)
}, Schema.Union([MessagePage, EntryPage, Decisions]))

const State = method(
  "session/state",
  "sessions:read",
  ofSession,
  Schema.Struct({
    ...ofSession,
    state: Schema.Literals(["idle", "running"]),
    turn_id: sometimes(text),
    turn_started_at: sometimes(text),
    plan: sometimes(Schema.Array(PlanEntry))
  })
)
const GitBranch = method(
  "session/git_branch",
  "sessions:read",
  ofSession,
  Schema.Struct({ ...ofSession, branch: sometimes(text), hash: sometimes(text) })
)

/** What there is to see of sessions, active and stored. */
export class ViewMethods
  extends RpcGroup.make(List, ListAcp, Messages, State, GitBranch).middleware(PerNativeConnection)
{}

const Attach = method("session/attach", "sessions:read", {
  ...ofSession,
  since_seq: maybe(Schema.Int),
  epoch: maybe(text)
}, Schema.Struct({ subscription_id: text, seq: Schema.Int, epoch: text, running: Schema.Boolean }))

/** Following the turns that other connections start. */
export class AttachMethods extends RpcGroup.make(Attach).middleware(PerNativeConnection) {}
