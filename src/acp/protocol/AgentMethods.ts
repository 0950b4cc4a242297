import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { RpcFault } from "../../rpc/Wire.ts"
import { lenient } from "../../domain/Lenient.ts"
import { AgentCapabilities, AuthMethod, ClientCapabilities, Implementation, Meta } from "./Capabilities.ts"
import { SessionConfigOption, SessionId, SessionInfo, setup, setupResult } from "./SessionSetup.ts"
import { CancelWith } from "../../rpc/Peer.ts"
import { StopReason } from "../../domain/SessionEvent.ts"
import { ContentBlock } from "../../domain/Content.ts"
import { PerAcpConnection } from "../AcpConnection.ts"

/**
 * What a client may call on the agent: stable ACP v1 (https://agentclientprotocol.com/protocol/v1/schema), what
 * ZeroClaw's clients add, and Postern's own methods for rules. See docs/agent-client-protocol.md#methods.
 */

const error = RpcFault
const ofSession = { sessionId: SessionId, _meta: Meta }
const List = Schema.Literals(["deny", "ask", "allow"])

const RulesList = Rpc.make("_rules/list", {
  payload: ofSession,
  success: Schema.Struct({
    rules: Schema.Array(Schema.Struct({
      id: Schema.String,
      list: List,
      rule: Schema.String,
      layer: Schema.String,
      reason: Schema.optionalKey(Schema.String),
      /** Present for an allow rule that does not cover dangerous calls. */
      guard: Schema.optionalKey(Schema.Literal(true)),
      /**
       * `false` for a rule that is ignored: an allow rule of an untrusted folder, or one of a layer that `user_rules`
       * leaves out.
       */
      counts: Schema.optionalKey(Schema.Literal(false))
    }))
  }),
  error
})

/**
 * Without a layer the rule belongs to the session. `user` and `project` are files: the rule counts from the next call
 * on in every session that reads them. An invalid rule answers −32602 and names the place; so does a rule for the layer
 * `managed`.
 */
const RulesAdd = Rpc.make("_rules/add", {
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

const RulesRemove = Rpc.make("_rules/remove", {
  payload: { ...ofSession, id: Schema.String },
  success: Schema.Struct({ removed: Schema.Boolean }),
  error
})

/** A dry run: the trace of `postern policy explain` for this session. */
const RulesTest = Rpc.make("_rules/test", {
  payload: { ...ofSession, tool: Schema.String, arguments: lenient(Schema.Record(Schema.String, Schema.Unknown)) },
  success: Schema.Record(Schema.String, Schema.Unknown),
  error
})

export const methods = [RulesList, RulesAdd, RulesRemove, RulesTest].map(({ _tag }) => _tag)

const Done = Schema.Struct({ _meta: Meta })

export const Initialize = Rpc.make("initialize", {
  payload: {
    /** A missing version counts as 1; the answer is always 1. */
    protocolVersion: Schema.optionalKey(Schema.NullOr(Schema.Int)),
    clientCapabilities: lenient(ClientCapabilities),
    clientInfo: lenient(Implementation),
    _meta: Meta
  },
  success: Schema.Struct({
    protocolVersion: Schema.Int,
    agentCapabilities: lenient(AgentCapabilities),
    authMethods: lenient(Schema.Array(AuthMethod)),
    agentInfo: lenient(Implementation),
    _meta: Meta
  }),
  error
})

const Authenticate = Rpc.make("authenticate", {
  payload: { methodId: Schema.String, _meta: Meta },
  success: Done,
  error
})
const Logout = Rpc.make("logout", { payload: { _meta: Meta }, success: Done, error })

export const SessionNew = Rpc.make("session/new", {
  payload: { ...setup, agentAlias: lenient(Schema.String) },
  success: Schema.Struct({ sessionId: SessionId, workspaceDir: Schema.optionalKey(Schema.String), ...setupResult }),
  error
})
export const SessionLoad = Rpc.make("session/load", {
  payload: { sessionId: SessionId, ...setup },
  success: Schema.Struct(setupResult),
  error
})
export const SessionResume = Rpc.make("session/resume", {
  payload: { sessionId: SessionId, ...setup },
  success: Schema.Struct(setupResult),
  error
})
export const SessionList = Rpc.make("session/list", {
  payload: {
    cwd: Schema.optionalKey(Schema.NullOr(Schema.String)),
    cursor: Schema.optionalKey(Schema.NullOr(Schema.String)),
    _meta: Meta
  },
  success: Schema.Struct({ sessions: Schema.Array(SessionInfo), nextCursor: lenient(Schema.String), _meta: Meta }),
  error
})
export const SessionFork = Rpc.make("session/fork", {
  payload: { sessionId: SessionId, ...setup },
  success: Schema.Struct({ sessionId: SessionId, ...setupResult }),
  error
})
const SessionDelete = Rpc.make("session/delete", { payload: ofSession, success: Done, error })
export const SessionClose = Rpc.make("session/close", { payload: ofSession, success: Done, error })

export const SessionPrompt = Rpc.make("session/prompt", {
  payload: { ...ofSession, prompt: Schema.Array(ContentBlock) },
  success: Schema.Struct({
    stopReason: StopReason,
    /** Of the turn, as its providers counted. */
    usage: Schema.optionalKey(Schema.Struct({
      totalTokens: Schema.Int,
      inputTokens: Schema.Int,
      outputTokens: Schema.Int,
      cachedReadTokens: Schema.optionalKey(Schema.Int),
      cachedWriteTokens: Schema.optionalKey(Schema.Int),
      thoughtTokens: Schema.optionalKey(Schema.Int)
    })),
    /** `sessionId` and `content` at the root are the ZeroClaw dialect. */
    sessionId: Schema.optionalKey(SessionId),
    content: Schema.optionalKey(Schema.String),
    _meta: Meta
  }),
  error
}).annotate(CancelWith, "session/cancel")
/** The answer to a prompt whose connection was lost; `promptId` stood in `_meta.postern` of the prompt. */
const SessionTurn = Rpc.make("_postern/session/turn", {
  payload: { ...ofSession, promptId: Schema.String },
  success: SessionPrompt.successSchema,
  error
})
export const SessionCancel = Rpc.make("session/cancel", { payload: ofSession, success: Done, error })

export const SetMode = Rpc.make("session/set_mode", {
  payload: { ...ofSession, modeId: Schema.String },
  success: Done,
  error
})
/** What ACP had before the option `model`. */
const SetModel = Rpc.make("session/set_model", {
  payload: { ...ofSession, modelId: Schema.String },
  success: Done,
  error
})
export const SetConfigOption = Rpc.make("session/set_config_option", {
  payload: {
    ...ofSession,
    configId: Schema.String,
    value: Schema.Union([Schema.String, Schema.Boolean]),
    type: lenient(Schema.String)
  },
  success: Schema.Struct({ configOptions: Schema.Array(SessionConfigOption), _meta: Meta }),
  error
})

/** Unstable in ACP: served only with `acp.unstable`. */
const SetTitle = Rpc.make("session/set_title", {
  payload: { ...ofSession, title: Schema.String },
  success: Schema.Struct({ title: Schema.String, _meta: Meta }),
  error
})

const Stopped = Schema.Struct({ sessionId: SessionId, stopped: Schema.Boolean })
const SessionStop = Rpc.make("session/stop", { payload: ofSession, success: Stopped, error })
const ZeroClawSessionStop = Rpc.make("_zeroclaw/session/stop", { payload: ofSession, success: Stopped, error })

const inboundEvent = {
  payload: {
    ...ofSession,
    type: lenient(Schema.String),
    update: lenient(
      Schema.Struct({ sessionUpdate: lenient(Schema.String), content: Schema.optionalKey(Schema.Unknown) })
    ),
    content: Schema.optionalKey(Schema.Unknown),
    data: Schema.optionalKey(Schema.Unknown)
  },
  success: Schema.Struct({ sessionId: SessionId, type: Schema.String, status: Schema.Literal("processed") }),
  error
}
export const InboundUpdate = Rpc.make("session/update", inboundEvent)
const InboundEvent = Rpc.make("session/event", inboundEvent)

/** Every stable method of ACP v1. */
export class AcpAgent extends RpcGroup.make(
  Initialize,
  Authenticate,
  Logout,
  SessionNew,
  SessionLoad,
  SessionResume,
  SessionList,
  SessionDelete,
  SessionClose,
  SessionPrompt,
  SessionCancel,
  SetMode,
  SetConfigOption
) {}

/** The policy of a session: modes, configuration options, and Postern's own methods for rules. */
export class PolicyAgent
  extends RpcGroup.make(SetMode, SetModel, SetConfigOption, RulesList, RulesAdd, RulesRemove, RulesTest)
    .middleware(PerAcpConnection)
{}

/** Sessions and their turns. */
export class SessionAgent extends AcpAgent.omit("logout", "session/set_mode", "session/set_config_option")
  .add(SessionFork, SetTitle, SessionTurn, SessionStop, ZeroClawSessionStop, InboundUpdate, InboundEvent)
  .middleware(PerAcpConnection)
{}

/** The methods that this build serves. Others are not advertised and answer −32601. */
export class ServedAgent extends SessionAgent.merge(PolicyAgent) {}
