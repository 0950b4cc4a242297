import { Effect, Schema } from "effect"
import * as Target from "../tool/file/ToolPath.ts"
import { type ToolContext, ToolFailed, type ToolOutput } from "../tool/Tool.ts"
import { type Arguments, ask, output } from "./Asking.ts"
import type { Declaration } from "./Declaration.ts"
import * as Protocol from "./Protocol.ts"
import type { Server } from "./Server.ts"

/** Resources and prompts of a server as tools of it. */

const textField = (description: string) => ({ type: "string", description })

const schema = (properties: Readonly<Record<string, unknown>>, ...required: ReadonlyArray<string>) => ({
  type: "object",
  properties,
  required
})

const paged = schema({ cursor: textField("Where a former list left off") })

const text = (parameters: Arguments, key: string): string | undefined => {
  const value = parameters[key]
  return typeof value === "string" && value !== "" ? value : undefined
}

const needed = (parameters: Arguments, key: string): Effect.Effect<string, ToolFailed> => {
  const found = text(parameters, key)
  return found === undefined ? Effect.fail(Target.fail(`The argument ${key} is missing.`)) : Effect.succeed(found)
}

const unreadable = (server: Server) => () =>
  new ToolFailed({ message: `The MCP server ${server.id} gave an answer that is not one of the protocol.` })

const listOf = (lines: ReadonlyArray<string>, next: string | undefined): ToolOutput => ({
  text: [...lines, ...(next === undefined ? [] : [`There are more: cursor ${JSON.stringify(next)}`])].join("\n") ||
    "There are none."
})

const described = (name: string, more: ReadonlyArray<string | undefined>) =>
  `- ${[name, ...more].filter((part) => part !== undefined && part !== "").join(" · ")}`.replace(/\s+/g, " ")

const listResources = (server: Server) =>
  Effect.fnUntraced(function*(parameters: Arguments, context: ToolContext) {
    const cursor = text(parameters, "cursor")
    const one = (key: string, method: string) =>
      Effect.map(ask(server, method, cursor === undefined ? {} : { cursor }, context), (answer) =>
        Protocol.readPage(Protocol.Resource, key, answer))
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

const readResult = Schema.decodeUnknownEffect(Protocol.ReadResult)

const readResource = (server: Server) =>
  Effect.fnUntraced(function*(parameters: Arguments, context: ToolContext) {
    const uri = yield* needed(parameters, "uri")
    const { contents } = yield* Effect.mapError(
      readResult(yield* ask(server, "resources/read", { uri }, context)),
      unreadable(server)
    )
    return yield* output(context, {
      content: contents.map((resource) => ({ type: "resource", resource }))
    })
  })

const listPrompts = (server: Server) =>
  Effect.fnUntraced(function*(parameters: Arguments, context: ToolContext) {
    const cursor = text(parameters, "cursor")
    const answer = yield* ask(server, "prompts/list", cursor === undefined ? {} : { cursor }, context)
    const { entries, next } = Protocol.readPage(Protocol.Prompt, "prompts", answer)
    const lines = entries.map(({ arguments: all = [], description, name }) =>
      described(name, [description, all.map((one) => `${one.name}${one.required === true ? "" : "?"}`).join(", ")])
    )
    return listOf(lines, next)
  })

const promptResult = Schema.decodeUnknownEffect(Protocol.PromptResult)

const getPrompt = (server: Server) =>
  Effect.fnUntraced(function*(parameters: Arguments, context: ToolContext) {
    const name = yield* needed(parameters, "name")
    const given = parameters["arguments"] ?? {}
    const answer = yield* ask(server, "prompts/get", { name, arguments: given }, context)
    const { description, messages } = yield* Effect.mapError(promptResult(answer), unreadable(server))
    return yield* output(context, {
      content: [
        ...(description === undefined ? [] : [{ type: "text", text: description }]),
        ...messages.flatMap(({ content, role }) => [{ type: "text", text: `[${role}]` }, content])
      ]
    })
  })

const reading = { readOnlyHint: true }

export const resources = (server: Server): ReadonlyArray<Declaration> => [
  {
    ...reading,
    tool: "list_resources",
    description: `List the resources that the MCP server ${server.id} offers.`,
    inputSchema: paged,
    run: listResources(server)
  },
  {
    ...reading,
    tool: "read_resource",
    description: `Read a resource of the MCP server ${server.id}. Files in it are stored in the session's folder.`,
    inputSchema: schema({ uri: textField("As listed, or made from a template") }, "uri"),
    run: readResource(server)
  }
]

export const prompts = (server: Server): ReadonlyArray<Declaration> => [
  {
    ...reading,
    tool: "list_prompts",
    description: `List the prompts that the MCP server ${server.id} offers, with their arguments.`,
    inputSchema: paged,
    run: listPrompts(server)
  },
  {
    ...reading,
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
