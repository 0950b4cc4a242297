import { Schema } from "effect"
import { lenient } from "../../domain/Lenient.ts"

/** Capability objects of ACP v1 (`initialize`). Absent means unsupported; a marker object means supported. */

export const Meta = lenient(Schema.Record(Schema.String, Schema.Unknown))

const Marker = lenient(Schema.Record(Schema.String, Schema.Unknown))

export const Implementation = Schema.Struct({
  name: Schema.String,
  version: Schema.String,
  title: lenient(Schema.String),
  _meta: Meta
})

export const ClientCapabilities = Schema.Struct({
  fs: lenient(
    Schema.Struct({ readTextFile: lenient(Schema.Boolean), writeTextFile: lenient(Schema.Boolean), _meta: Meta })
  ),
  terminal: lenient(Schema.Boolean),
  auth: lenient(Schema.Struct({ terminal: lenient(Schema.Boolean), _meta: Meta })),
  session: lenient(Schema.Struct({
    configOptions: lenient(Schema.Struct({ boolean: Marker, _meta: Meta })),
    compaction: Marker,
    notices: Marker,
    _meta: Meta
  })),
  elicitation: lenient(Schema.Struct({ form: Marker, url: Marker, _meta: Meta })),
  _meta: Meta
})
export type ClientCapabilities = typeof ClientCapabilities.Type

export const AgentCapabilities = Schema.Struct({
  loadSession: lenient(Schema.Boolean),
  promptCapabilities: lenient(Schema.Struct({
    image: lenient(Schema.Boolean),
    audio: lenient(Schema.Boolean),
    embeddedContext: lenient(Schema.Boolean),
    _meta: Meta
  })),
  mcpCapabilities: lenient(Schema.Struct({ http: lenient(Schema.Boolean), sse: lenient(Schema.Boolean), _meta: Meta })),
  sessionCapabilities: lenient(Schema.Struct({
    list: Marker,
    delete: Marker,
    additionalDirectories: Marker,
    resume: Marker,
    close: Marker,
    title: Marker,
    fork: Marker,
    _meta: Meta
  })),
  auth: lenient(Schema.Struct({ logout: Marker, _meta: Meta })),
  _meta: Meta
})

/**
 * Agent kind (no `type`, or `"agent"`) goes through `authenticate`; terminal kind is run by the client as its own
 * process.
 */
export const AuthMethod = Schema.Union([
  Schema.Struct({
    type: Schema.Literal("terminal"),
    id: Schema.String,
    name: Schema.String,
    description: lenient(Schema.String),
    args: lenient(Schema.Array(Schema.String)),
    env: lenient(Schema.Record(Schema.String, Schema.String)),
    _meta: Meta
  }),
  Schema.Struct({
    type: lenient(Schema.Literal("agent")),
    id: Schema.String,
    name: Schema.String,
    description: lenient(Schema.String),
    _meta: Meta
  })
])
