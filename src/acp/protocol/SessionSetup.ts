import { Schema } from "effect"
import { lenient } from "../../domain/Lenient.ts"
import { Meta } from "./Capabilities.ts"

/** What `session/new`, `load`, `resume` and `list` exchange. */

export const SessionId = Schema.String
export type SessionId = typeof SessionId.Type

const NameValue = Schema.Struct({ name: Schema.String, value: Schema.String, _meta: Meta })

/** `null` reads as an empty list. */
const listOf = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.NullOr(Schema.Array(schema)))

export const AcpMcpServer = Schema.Union([
  Schema.Struct({
    type: Schema.Literals(["http", "sse"]),
    name: Schema.String,
    url: Schema.String,
    headers: listOf(NameValue),
    _meta: Meta
  }),
  Schema.Struct({
    type: lenient(Schema.Literal("stdio")),
    name: Schema.String,
    command: Schema.String,
    args: listOf(Schema.String),
    env: listOf(NameValue),
    _meta: Meta
  })
])
export type AcpMcpServer = typeof AcpMcpServer.Type

export const SessionMode = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  description: lenient(Schema.String),
  _meta: Meta
})
export const SessionModeState = Schema.Struct({
  currentModeId: Schema.String,
  availableModes: Schema.Array(SessionMode),
  _meta: Meta
})

const SelectOption = Schema.Struct({
  value: Schema.String,
  name: Schema.String,
  description: lenient(Schema.String),
  _meta: Meta
})
const optionBase = {
  id: Schema.String,
  name: Schema.String,
  description: lenient(Schema.String),
  category: lenient(Schema.String),
  _meta: Meta
}
export const SessionConfigOption = Schema.Union([
  Schema.Struct({
    ...optionBase,
    type: Schema.Literal("select"),
    currentValue: Schema.String,
    options: Schema.Union([
      Schema.Array(SelectOption),
      Schema.Array(
        Schema.Struct({ group: Schema.String, name: Schema.String, options: Schema.Array(SelectOption), _meta: Meta })
      )
    ])
  }),
  Schema.Struct({ ...optionBase, type: Schema.Literal("boolean"), currentValue: Schema.Boolean })
])

/** What ACP had before the option `model`; older clients read it and call `session/set_model`. */
export const SessionModelState = Schema.Struct({
  currentModelId: Schema.String,
  availableModels: Schema.Array(
    Schema.Struct({ modelId: Schema.String, name: Schema.String, description: lenient(Schema.String), _meta: Meta })
  ),
  _meta: Meta
})

export const SessionInfo = Schema.Struct({
  sessionId: SessionId,
  cwd: Schema.String,
  additionalDirectories: lenient(Schema.Array(Schema.String)),
  title: lenient(Schema.String),
  updatedAt: lenient(Schema.String),
  _meta: Meta
})

/**
 * Keys that `new`, `load` and `resume` share. `cwd` may be missing: then the stored folder, or the agent's own, is
 * used.
 */
export const setup = {
  cwd: Schema.optionalKey(Schema.String),
  mcpServers: listOf(AcpMcpServer),
  additionalDirectories: listOf(Schema.String),
  /** Unstable in ACP: `{mode, content}`. */
  systemPrompt: Schema.optionalKey(Schema.Unknown),
  _meta: Meta
}

export const setupResult = {
  modes: lenient(SessionModeState),
  models: lenient(SessionModelState),
  configOptions: lenient(Schema.Array(SessionConfigOption)),
  _meta: Meta
}
