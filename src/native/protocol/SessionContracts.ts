import { Schema } from "effect"
import { RpcGroup } from "effect/rpc"
import { CancelWith } from "../../rpc/Peer.ts"
import { count, maybe, method, text, wanted } from "./Contract.ts"
import { PerNativeConnection } from "./NativeConnection.ts"

/** Sessions and their turns (zeroclaw §1.6–1.8). */

const ofSession = { session_id: text }

export const FileEntry = Schema.Struct({
  /** Absolute; the daemon reads the file itself. */
  path: maybe(text),
  data_b64: maybe(text),
  filename: maybe(text),
  mime_type: maybe(text),
  source: maybe(Schema.Literals(["file", "clipboard"]))
})
export type FileEntry = typeof FileEntry.Type

const New = method("session/new", "sessions:create", {
  agent_alias: maybe(text),
  cwd: maybe(text),
  session_id: maybe(text),
  tui_id: maybe(text),
  exclude_memory: maybe(Schema.Boolean),
  chat_mode: maybe(Schema.Literals(["chat", "acp"])),
  keep_siblings: maybe(Schema.Boolean),
  interaction_surface: maybe(text)
})
const Configure = method("session/configure", "sessions:execute", {
  ...ofSession,
  overrides: Schema.Struct({ model: maybe(text), model_provider: maybe(text), temperature: maybe(Schema.Finite) })
})
const Close = method("session/close", "sessions:update", ofSession)
const Kill = method("session/kill", "sessions:delete", ofSession)
const Delete = method("session/delete", "sessions:delete", ofSession)
const Rename = method("session/rename", "sessions:update", { ...ofSession, name: text })

/** Life and death. */
export class Lifecycle
  extends RpcGroup.make(New, Configure, Close, Kill, Delete, Rename).middleware(PerNativeConnection)
{}

const Prompt = method("session/prompt", "sessions:execute", {
  ...ofSession,
  prompt: maybe(text),
  attachments: maybe(Schema.Array(FileEntry)),
  client_turn_generation: maybe(Schema.Union([Schema.Int, text]))
}).annotate(CancelWith, "session/cancel")
const Steer = method("session/steer", "sessions:execute", { ...ofSession, content: text })
const Cancel = method("session/cancel", "sessions:update", ofSession)
const Approve = method("session/approve", "sessions:update", {
  ...ofSession,
  request_id: text,
  decision: text,
  replacement: maybe(text)
})

export class Turns extends RpcGroup.make(Prompt, Steer, Cancel, Approve).middleware(PerNativeConnection) {}

const listing = {
  query: maybe(wanted),
  limit: maybe(count),
  /** How many of the newest to leave out. */
  offset: maybe(Schema.Int),
  /** Killed ones as well, which can be read and deleted. */
  include_killed: maybe(Schema.Boolean)
}
const List = method("session/list", "sessions:read", { ...listing, running: maybe(Schema.Boolean) })
const ListAcp = method("session/list-acp", "sessions:read", listing)
const Messages = method("session/messages", "sessions:read", {
  ...ofSession,
  limit: maybe(count),
  before_index: maybe(Schema.Int),
  /** Its presence, also as null or "", asks for pages from the newest one backwards. */
  cursor: maybe(text),
  max_bytes: maybe(count),
  /** The record of the session and its transcript as they are stored, instead of messages; `before_index` counts entries then. */
  entries: maybe(Schema.Boolean),
  /** What the policy decided in the session, instead of messages. */
  decisions: maybe(Schema.Boolean),
  /** Other names that the client knows the session by; not needed here. */
  session_keys: maybe(Schema.Unknown)
})
const State = method("session/state", "sessions:read", ofSession)
const GitBranch = method("session/git_branch", "sessions:read", ofSession)

const Attach = method("session/attach", "sessions:read", {
  ...ofSession,
  since_seq: maybe(Schema.Int),
  epoch: maybe(text)
})

/** Hearing of turns that other connections start. */
export class Attaching extends RpcGroup.make(Attach).middleware(PerNativeConnection) {}

/** What there is to see of sessions, active and stored. */
export class Views extends RpcGroup.make(List, ListAcp, Messages, State, GitBranch).middleware(PerNativeConnection) {}
