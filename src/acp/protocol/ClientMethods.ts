import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { RpcFault } from "../../rpc/Wire.ts"
import { lenient } from "../../domain/Lenient.ts"
import { Meta } from "./Capabilities.ts"
import { SessionId } from "./SessionSetup.ts"
import { SessionNotification, ToolCallUpdate } from "./SessionUpdate.ts"

/**
 * What the agent may call on a client: stable ACP v1; all but updates and permission requests only where the client
 * offers it. See docs/agent-client-protocol.md#client-methods.
 */

const error = RpcFault
const ofSession = { sessionId: SessionId, _meta: Meta }
const ofTerminal = { ...ofSession, terminalId: Schema.String }
/** Clients answer `null` as well as `{}`. */
const Done = Schema.NullOr(Schema.Struct({ _meta: Meta }))

export const SessionUpdated = Rpc.make("session/update", { payload: SessionNotification })

/** Tells ZeroClaw's clients that messages left the model's context. */
export const HistoryTrimmed = Rpc.make("_zeroclaw/history_trimmed", {
  payload: { sessionId: SessionId, droppedMessages: Schema.Int, keptTurns: Schema.Int, reason: Schema.String }
})

export const PermissionOption = Schema.Struct({
  optionId: Schema.String,
  name: Schema.String,
  kind: Schema.Literals(["allow_once", "allow_always", "reject_once", "reject_always"]),
  _meta: Meta
})

/** `replacementContent` is what ZeroClaw's clients send with `reject-with-edit`. */
export const Selected = Schema.Struct({
  outcome: Schema.Literal("selected"),
  optionId: Schema.String,
  replacementContent: lenient(Schema.String),
  _meta: Meta
})

export const PermissionOutcome = Schema.Union([
  Selected,
  Schema.Struct({ outcome: Schema.Literal("cancelled"), _meta: Meta })
])

const permission = <S extends Schema.Constraint>(option: S) => ({
  payload: { ...ofSession, toolCall: ToolCallUpdate, options: Schema.Array(option) },
  success: Schema.Struct({ outcome: PermissionOutcome, _meta: Meta }),
  error
})
export const RequestPermission = Rpc.make("session/request_permission", permission(PermissionOption))

export const ReadTextFile = Rpc.make("fs/read_text_file", {
  payload: { ...ofSession, path: Schema.String, line: lenient(Schema.Int), limit: lenient(Schema.Int) },
  success: Schema.Struct({ content: Schema.String, _meta: Meta }),
  error
})
export const WriteTextFile = Rpc.make("fs/write_text_file", {
  payload: { ...ofSession, path: Schema.String, content: Schema.String },
  success: Done,
  error
})

const ExitStatus = { exitCode: lenient(Schema.Int), signal: lenient(Schema.String) }
export const TerminalCreate = Rpc.make("terminal/create", {
  payload: {
    ...ofSession,
    command: Schema.String,
    args: lenient(Schema.Array(Schema.String)),
    env: lenient(Schema.Array(Schema.Struct({ name: Schema.String, value: Schema.String }))),
    cwd: lenient(Schema.String),
    outputByteLimit: lenient(Schema.Int)
  },
  success: Schema.Struct({ terminalId: Schema.String, _meta: Meta }),
  error
})
export const TerminalOutput = Rpc.make("terminal/output", {
  payload: ofTerminal,
  success: Schema.Struct({
    output: Schema.String,
    truncated: Schema.Boolean,
    exitStatus: lenient(Schema.Struct(ExitStatus)),
    _meta: Meta
  }),
  error
})
export const TerminalWaitForExit = Rpc.make("terminal/wait_for_exit", {
  payload: ofTerminal,
  success: Schema.Struct({ ...ExitStatus, _meta: Meta }),
  error
})
export const TerminalKill = Rpc.make("terminal/kill", { payload: ofTerminal, success: Done, error })
export const TerminalRelease = Rpc.make("terminal/release", { payload: ofTerminal, success: Done, error })

/**
 * Form mode carries `requestedSchema`, url mode `url` and `elicitationId`; an unknown action never counts as accept.
 */
export const ElicitationCreate = Rpc.make("elicitation/create", {
  payload: {
    message: Schema.String,
    mode: Schema.Literals(["form", "url"]),
    sessionId: Schema.optionalKey(SessionId),
    toolCallId: Schema.optionalKey(Schema.String),
    requestId: Schema.optionalKey(Schema.Union([Schema.String, Schema.Int, Schema.Null])),
    requestedSchema: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)),
    url: Schema.optionalKey(Schema.String),
    elicitationId: Schema.optionalKey(Schema.String),
    _meta: Meta
  },
  success: Schema.Struct({
    action: Schema.String,
    content: lenient(Schema.Record(Schema.String, Schema.Unknown)),
    _meta: Meta
  }),
  error
})
const ElicitationComplete = Rpc.make("elicitation/complete", {
  payload: { elicitationId: Schema.String, _meta: Meta }
})

export class AcpClient extends RpcGroup.make(
  SessionUpdated,
  RequestPermission,
  ReadTextFile,
  WriteTextFile,
  TerminalCreate,
  TerminalOutput,
  TerminalWaitForExit,
  TerminalKill,
  TerminalRelease,
  ElicitationCreate,
  ElicitationComplete
) {}

/**
 * ZeroClaw's clients know a fifth kind for file edits; a specification client would refuse the whole request over it.
 */
export const ZeroClawRequestPermission = Rpc.make(
  "session/request_permission",
  permission(Schema.Struct({ ...PermissionOption.fields, kind: Schema.String }))
)
