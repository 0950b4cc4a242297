import { Option, Predicate, Schema } from "effect"
import { lenient } from "../domain/Lenient.ts"

/**
 * What we read of the Model Context Protocol (https://modelcontextprotocol.io/specification/2025-11-25). A member that
 * is not needed may be missing or have any type.
 */

/** The newest revision we know; servers may answer with an older one. */
export const revision = "2025-11-25"

const Flags = lenient(Schema.Record(Schema.String, Schema.Unknown))

export const InitializeResult = Schema.Struct({
  protocolVersion: Schema.String,
  capabilities: lenient(Schema.Struct({ tools: Flags, resources: Flags, prompts: Flags }))
})

export type ServerCapabilities = NonNullable<typeof InitializeResult.Type["capabilities"]>

export const McpTool = Schema.Struct({
  name: Schema.NonEmptyString,
  description: lenient(Schema.String),
  inputSchema: lenient(Schema.Record(Schema.String, Schema.Unknown)),
  annotations: lenient(Schema.Struct({ readOnlyHint: lenient(Schema.Boolean) }))
})
export type McpTool = typeof McpTool.Type

const Paged = Schema.Struct({ nextCursor: lenient(Schema.String) })

/** One page of a list. Its entries are read one by one, so that a bad one does not take the others with it. */
export const readPage = <S extends Schema.Codec<any, any>>(schema: S, key: string, value: unknown): {
  readonly entries: ReadonlyArray<S["Type"]>
  readonly next: string | undefined
} => {
  const read = Schema.decodeUnknownOption(schema)
  const list = Predicate.hasProperty(value, key) && Array.isArray(value[key]) ? value[key] : []
  const next = Option.getOrUndefined(Schema.decodeUnknownOption(Paged)(value))?.nextCursor
  return { entries: list.flatMap((entry) => Option.toArray(read(entry))), next }
}

export const CallResult = Schema.Struct({
  content: lenient(Schema.Array(Schema.Unknown)),
  structuredContent: lenient(Schema.Unknown),
  isError: lenient(Schema.Boolean)
})

export const ReadResult = Schema.Struct({ contents: Schema.Array(Schema.Unknown) })

export const PromptResult = Schema.Struct({
  description: lenient(Schema.String),
  messages: Schema.Array(Schema.Struct({ role: Schema.String, content: Schema.Unknown }))
})

export const Resource = Schema.Struct({
  uri: lenient(Schema.String),
  uriTemplate: lenient(Schema.String),
  name: Schema.String,
  description: lenient(Schema.String),
  mimeType: lenient(Schema.String)
})

export const Prompt = Schema.Struct({
  name: Schema.String,
  description: lenient(Schema.String),
  arguments: lenient(Schema.Array(Schema.Struct({
    name: Schema.String,
    description: lenient(Schema.String),
    required: lenient(Schema.Boolean)
  })))
})

export const LogMessage = Schema.Struct({
  level: lenient(Schema.String),
  logger: lenient(Schema.String),
  data: Schema.optionalKey(Schema.Unknown)
})

export const Elicit = Schema.Struct({
  mode: lenient(Schema.String),
  message: Schema.String,
  requestedSchema: lenient(Schema.Record(Schema.String, Schema.Unknown))
})
