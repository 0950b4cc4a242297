import { Effect, Latch, Predicate, Schema } from "effect"
import { outputItem, textContent, type ToolCallItem } from "../domain/Content.ts"
import * as Attachments from "../workspace/Attachments.ts"
import type { RpcFault } from "../rpc/Wire.ts"
import { type AnyTool, fail, type ToolContext, ToolFailed, type ToolOutput } from "../tool/Tool.ts"
import type { McpProgress, Unreachable } from "./McpConnection.ts"
import type { SessionMcpServer } from "./SessionMcpServer.ts"
import { type SendableSchema, sendableSchema } from "./SendableSchema.ts"
import * as Protocol from "./Protocol.ts"
import { declare, type McpToolDeclaration, type ToolArguments, toolNames } from "./McpToolDeclaration.ts"
import { beginning, ending } from "../domain/Cut.ts"

/**
 * The result of a call for the model and for the user. Bytes become files, and base64 is not shown:
 * docs/mcp.md#results.
 */
interface RenderedResult {
  readonly text: string
  readonly content: ReadonlyArray<ToolCallItem>
  /** The items as they came, with the file's marker in the place of bytes. */
  readonly items: ReadonlyArray<unknown>
}

interface RenderedItem {
  readonly text: string
  readonly content: ReadonlyArray<ToolCallItem>
  readonly raw: unknown
}

type Fields = Readonly<Record<string, unknown>>

/** The bytes in one item, wherever its type has them. */
interface Bytes {
  readonly base64: string
  readonly mimeType: string | undefined
  readonly name: string | undefined
}

const maxBlobs = 64
const maxBytes = 10 * 1024 * 1024

/** Characters of one result; the middle of a longer one is left out. */
const maxText = 200_000

const textOf = (value: unknown): string | undefined => typeof value === "string" ? value : undefined

const fieldsOf = (item: unknown): Fields => Predicate.isObject(item) ? item as Fields : { type: "unknown", value: item }

const nameOf = (uri: string | undefined) => uri?.replace(/[?#].*$/s, "").split("/").at(-1) || undefined

const bytesOf = (item: Fields): Bytes | undefined => {
  const resource = fieldsOf(item["resource"])
  const inside = item["type"] === "resource" ? textOf(resource["blob"]) : undefined
  if (inside !== undefined) {
    return { base64: inside, mimeType: textOf(resource["mimeType"]), name: nameOf(textOf(resource["uri"])) }
  }
  const own = item["type"] === "image" || item["type"] === "audio" ? textOf(item["data"]) : undefined
  return own === undefined ? undefined : { base64: own, mimeType: textOf(item["mimeType"]), name: undefined }
}

/** Bytes of the decoded data, without decoding it: docs/mcp.md#results. */
const sizeOf = ({ base64 }: Bytes): number => base64.length / 4 * 3 - (/={0,2}$/.exec(base64)?.[0].length ?? 0)

const without = (item: Fields, marker: string): unknown => {
  if (item["type"] !== "resource") {
    const { data: _, ...rest } = item
    return { ...rest, materialized: marker }
  }
  const { blob: _, ...resource } = fieldsOf(item["resource"])
  return { ...item, resource: { ...resource, materialized: marker } }
}

const unavailable = (item: Fields, why: string): RenderedItem => {
  const marker = `[Attachment unavailable: ${why}]`
  return { text: marker, content: [textContent(marker)], raw: without(item, marker) }
}

const store = (folder: () => string, item: Fields, { base64, mimeType, name }: Bytes): Effect.Effect<RenderedItem> =>
  Attachments.decodeBase64(base64).pipe(
    Effect.flatMap((bytes) => Attachments.store(folder(), bytes, { filename: name, mimeType })),
    Effect.map(({ bytes, name: stored, path }): RenderedItem => {
      const marker = mimeType?.startsWith("image/") === true
        ? `[IMAGE:${path}]`
        : `[Document: ${name ?? stored}] ${path}`
      const link = { type: "resource_link", uri: `file://${path}`, name: name ?? stored, size: bytes } as const
      return {
        text: marker,
        content: [{ type: "content", content: mimeType === undefined ? link : { ...link, mimeType } }],
        raw: without(item, marker)
      }
    }),
    Effect.catch(({ detail }) => Effect.succeed(unavailable(item, detail)))
  )

const plain = (item: Fields): RenderedItem => {
  const shown = (text: string): RenderedItem => ({ text, content: [outputItem(text)], raw: item })
  const resource = fieldsOf(item["resource"])
  switch (item["type"]) {
    case "text":
      return shown(textOf(item["text"]) ?? "")
    case "resource":
      return shown(`[Resource ${textOf(resource["uri"]) ?? ""}]\n${textOf(resource["text"]) ?? ""}`)
    case "resource_link": {
      const [uri, name, description] = ["uri", "name", "description"].map((key) => textOf(item[key]))
      return shown(`[Link: ${name ?? uri ?? ""}] ${uri ?? ""}${description === undefined ? "" : `\n${description}`}`)
    }
    default:
      return shown(JSON.stringify(item))
  }
}

/** Structured content, unless the text says the same. */
const structured = (value: unknown, items: ReadonlyArray<RenderedItem>): ReadonlyArray<RenderedItem> => {
  if (value === undefined || value === null) return []
  const text = JSON.stringify(value)
  const texts = new Set(items.map((item) => item.text))
  const wrapped = Predicate.isObject(value) &&
    Object.values(value).every((part) => typeof part === "string" && texts.has(part))
  const said = wrapped || items.some((item) => {
    try {
      return JSON.stringify(JSON.parse(item.text)) === text
    } catch {
      return false
    }
  })
  return said ? [] : [{ text, content: [outputItem(text)], raw: undefined }]
}

const bounded = (text: string): string => {
  if (text.length <= maxText) return text
  const [head, tail] = [Math.ceil(maxText * 2 / 3), Math.floor(maxText / 3)]
  return `${beginning(text, head)}\n[${text.length - head - tail} characters left out]\n${ending(text, tail)}`
}

/** `folder` is where the bytes are stored, as attachments of the session. */
export const render = Effect.fnUntraced(
  function*(folder: () => string, content: ReadonlyArray<unknown>, structuredContent?: unknown) {
    const items = content.map(fieldsOf)
    const blobs = items.flatMap((item) => bytesOf(item) ?? [])
    const tooMuch = blobs.length > maxBlobs || blobs.reduce((sum, blob) => sum + sizeOf(blob), 0) > maxBytes
    const rendered = yield* Effect.forEach(items, (item): Effect.Effect<RenderedItem> => {
      const bytes = bytesOf(item)
      if (bytes === undefined) return Effect.succeed(plain(item))
      return tooMuch
        ? Effect.succeed(unavailable(item, `the result has more than ${maxBlobs} files or ${maxBytes} bytes.`))
        : store(folder, item, bytes)
    })
    const all = [...rendered, ...structured(structuredContent, rendered)]
    return {
      text: bounded(all.map(({ text }) => text).join("\n")),
      content: all.flatMap((item) => item.content),
      items: rendered.map(({ raw }) => raw)
    } satisfies RenderedResult
  }
)

/** Characters of raw output, which repeats the content; a longer one is left out. */
const maxRaw = 256 * 1024

/** A call shows its progress at most this often. */
const progressInterval = "250 millis"

const progressText = ({ message, progress, total }: McpProgress): string =>
  [total === undefined ? `${progress}` : `${progress} of ${total}`, ...(message === undefined ? [] : [message])].join(
    ": "
  )

/** Shows the newest progress, no more often than `progressInterval`, for as long as the call runs. */
const reporting = (context: ToolContext) => {
  const changed = Latch.makeUnsafe()
  let latest: McpProgress | undefined
  return {
    onProgress: (progress: McpProgress) => {
      latest = progress
      changed.openUnsafe()
    },
    report: Effect.forever(Effect.gen(function*() {
      yield* changed.await
      changed.closeUnsafe()
      if (latest !== undefined) yield* context.progress([textContent(progressText(latest))])
      yield* Effect.sleep(progressInterval)
    }))
  }
}

const failure = (server: string, error: Unreachable | RpcFault): ToolFailed =>
  new ToolFailed({
    message: error._tag === "Unreachable"
      ? `The MCP server ${server} cannot be used: ${error.reason}`
      : `The MCP server ${server} answered with an error (${error.code}): ${error.message}`
  })

/** One request to the server on behalf of a call, with its progress shown. */
const ask = Effect.fnUntraced(function*(
  server: SessionMcpServer,
  method: string,
  parameters: ToolArguments,
  context: ToolContext
): Effect.fn.Return<unknown, ToolFailed> {
  const { onProgress, report } = reporting(context)
  return yield* Effect.raceFirst(server.request(method, parameters, context, onProgress), report).pipe(
    Effect.mapError((error) => failure(server.id, error))
  )
})

/** The result for the model; fails where the server calls it an error. */
const output = Effect.fnUntraced(function*(
  context: ToolContext,
  { content = [], isError = false, structuredContent }: typeof Protocol.CallResult.Type
): Effect.fn.Return<ToolOutput, ToolFailed> {
  const rendered = yield* render(context.attachments, content, structuredContent)
  const text = rendered.text === "" ? "(no output)" : rendered.text
  const shown = rendered.content.length === 0 ? [textContent(text)] : rendered.content
  if (isError) return yield* new ToolFailed({ message: text, content: shown })
  const raw = { content: rendered.items, ...(structuredContent === undefined ? {} : { structuredContent }) }
  return { text, content: shown, ...(JSON.stringify(raw).length > maxRaw ? {} : { rawOutput: raw }) }
})

const unreadable = (server: SessionMcpServer) => () =>
  new ToolFailed({ message: `The MCP server ${server.id} gave an answer that is not one of the protocol.` })

const textField = (description: string) => ({ type: "string", description })

const schema = (properties: Readonly<Record<string, unknown>>, ...required: ReadonlyArray<string>) => ({
  type: "object",
  properties,
  required
})

const paged = schema({ cursor: textField("Where a former list left off") })

const textArgument = (parameters: ToolArguments, key: string): string | undefined => {
  const value = parameters[key]
  return typeof value === "string" && value !== "" ? value : undefined
}

const requiredArgument = (parameters: ToolArguments, key: string): Effect.Effect<string, ToolFailed> => {
  const found = textArgument(parameters, key)
  return found === undefined ? Effect.fail(fail(`The argument ${key} is missing.`)) : Effect.succeed(found)
}

const listOf = (lines: ReadonlyArray<string>, next: string | undefined): ToolOutput => ({
  text: [...lines, ...(next === undefined ? [] : [`There are more: cursor ${JSON.stringify(next)}`])].join("\n") ||
    "There are none."
})

const described = (name: string, more: ReadonlyArray<string | undefined>) =>
  `- ${[name, ...more].filter((part) => part !== undefined && part !== "").join(" · ")}`.replace(/\s+/g, " ")

const listResources = (server: SessionMcpServer) =>
  Effect.fnUntraced(function*(parameters: ToolArguments, context: ToolContext) {
    const cursor = textArgument(parameters, "cursor")
    const one = (key: string, method: string) =>
      Effect.map(
        ask(server, method, cursor === undefined ? {} : { cursor }, context),
        (answer) => Protocol.readPage(Protocol.Resource, key, answer)
      )
    const { entries, next } = yield* one("resources", "resources/list")
    // Templates come with the first page; a server without any may not even know the question.
    const templates = cursor === undefined
      ? yield* Effect.orElseSucceed(one("resourceTemplates", "resources/templates/list"), () => ({ entries: [] }))
      : { entries: [] }
    const lines = [...entries, ...templates.entries].map(({ description, mimeType, name, uri, uriTemplate }) =>
      described(uri ?? uriTemplate ?? name, [
        uriTemplate === undefined ? undefined : "template",
        name,
        mimeType,
        description
      ])
    )
    return listOf(lines, next)
  })

const readReadResult = Schema.decodeUnknownEffect(Protocol.ReadResult)

const readResource = (server: SessionMcpServer) =>
  Effect.fnUntraced(function*(parameters: ToolArguments, context: ToolContext) {
    const uri = yield* requiredArgument(parameters, "uri")
    const { contents } = yield* Effect.mapError(
      readReadResult(yield* ask(server, "resources/read", { uri }, context)),
      unreadable(server)
    )
    return yield* output(context, {
      content: contents.map((resource) => ({ type: "resource", resource }))
    })
  })

const listPrompts = (server: SessionMcpServer) =>
  Effect.fnUntraced(function*(parameters: ToolArguments, context: ToolContext) {
    const cursor = textArgument(parameters, "cursor")
    const answer = yield* ask(server, "prompts/list", cursor === undefined ? {} : { cursor }, context)
    const { entries, next } = Protocol.readPage(Protocol.Prompt, "prompts", answer)
    const lines = entries.map(({ arguments: all = [], description, name }) =>
      described(name, [description, all.map((one) => `${one.name}${one.required === true ? "" : "?"}`).join(", ")])
    )
    return listOf(lines, next)
  })

const readPromptResult = Schema.decodeUnknownEffect(Protocol.PromptResult)

const getPrompt = (server: SessionMcpServer) =>
  Effect.fnUntraced(function*(parameters: ToolArguments, context: ToolContext) {
    const name = yield* requiredArgument(parameters, "name")
    const given = parameters["arguments"] ?? {}
    const answer = yield* ask(server, "prompts/get", { name, arguments: given }, context)
    const { description, messages } = yield* Effect.mapError(readPromptResult(answer), unreadable(server))
    return yield* output(context, {
      content: [
        ...(description === undefined ? [] : [{ type: "text", text: description }]),
        ...messages.flatMap(({ content, role }) => [{ type: "text", text: `[${role}]` }, content])
      ]
    })
  })

const readOnly = { readOnlyHint: true }

const resourceTools = (server: SessionMcpServer): ReadonlyArray<McpToolDeclaration> => [
  {
    ...readOnly,
    tool: "list_resources",
    description: `List the resources that the MCP server ${server.id} offers.`,
    inputSchema: paged,
    run: listResources(server)
  },
  {
    ...readOnly,
    tool: "read_resource",
    description: `Read a resource of the MCP server ${server.id}. Files in it are stored in the session's folder.`,
    inputSchema: schema({ uri: textField("As listed, or made from a template") }, "uri"),
    run: readResource(server)
  }
]

const promptTools = (server: SessionMcpServer): ReadonlyArray<McpToolDeclaration> => [
  {
    ...readOnly,
    tool: "list_prompts",
    description: `List the prompts that the MCP server ${server.id} offers, with their arguments.`,
    inputSchema: paged,
    run: listPrompts(server)
  },
  {
    ...readOnly,
    tool: "get_prompt",
    description: `Get a prompt of the MCP server ${server.id} with its arguments filled in.`,
    inputSchema: schema({
      name: textField("As listed"),
      arguments: {
        type: "object",
        additionalProperties: { type: "string" },
        description: "Values by name of the argument"
      }
    }, "name"),
    run: getPrompt(server)
  }
]

const readCallResult = Schema.decodeUnknownEffect(Protocol.CallResult)

const call = (server: SessionMcpServer, tool: string, restore: SendableSchema["restore"]) =>
  Effect.fnUntraced(function*(parameters: ToolArguments, context: ToolContext) {
    const answer = yield* ask(server, "tools/call", { name: tool, arguments: restore(parameters) }, context)
    const result = yield* Effect.mapError(readCallResult(answer), unreadable(server))
    return yield* output(context, result)
  })

/** Names of the tools that are listed and whose arguments are no object. */
export const unsendable = (server: SessionMcpServer): ReadonlyArray<string> =>
  server.listed().tools.flatMap(({ inputSchema, name }) => sendableSchema(inputSchema) === undefined ? [name] : [])

/**
 * Every tool of a server as it is listed now, then those for its resources and prompts
 * (docs/mcp.md#resources-and-prompts).
 */
export const of = (server: SessionMcpServer): ReadonlyArray<AnyTool> => {
  const { prompts, resources, tools } = server.listed()
  const own = tools.flatMap(
    ({ annotations, description = "", inputSchema = {}, name }): ReadonlyArray<McpToolDeclaration> => {
      const sendable = sendableSchema(inputSchema)
      return sendable === undefined ? [] : [{
        tool: name,
        description,
        inputSchema: sendable.schema,
        readOnlyHint: annotations?.readOnlyHint ?? false,
        run: call(server, name, sendable.restore)
      }]
    }
  )
  const more = [...(resources ? resourceTools(server) : []), ...(prompts ? promptTools(server) : [])]
  const all = [...own, ...more.filter(({ tool }) => !own.some((one) => one.tool === tool))]
  const names = toolNames(server.id, all.map(({ tool }) => tool))
  return all.map((one) => declare(server.id, server.config, names.get(one.tool) ?? one.tool, one))
}
