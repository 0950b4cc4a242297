import { basename } from "node:path"
import { pathToFileURL } from "node:url"
import { Effect, Option, Schema, Semaphore } from "effect"
import type { McpServerConfig } from "../domain/McpServerConfig.ts"
import { version } from "../domain/Version.ts"
import * as Wire from "../rpc/Wire.ts"
import type { Workspace } from "../workspace/Workspace.ts"
import type { Connector } from "./Connector.ts"
import { type McpConnection, type McpListener, Unreachable } from "./McpConnection.ts"
import type { Permit } from "./Permit.ts"
import * as Protocol from "./Protocol.ts"
import { beginning } from "../domain/Cut.ts"

/** What a server has to offer. */
export interface McpListing {
  readonly tools: ReadonlyArray<Protocol.McpTool>
  readonly resources: boolean
  readonly prompts: boolean
}

export const emptyListing: McpListing = { tools: [], resources: false, prompts: false }

interface HandshakeOptions {
  readonly config: McpServerConfig
  readonly workspace: Workspace
  readonly connect: Connector["connect"]
  /** Answers a question of the server to the user. */
  readonly elicit: (params: unknown) => Effect.Effect<unknown, Wire.RpcFault>
  /** Runs when the server's tools are listed first and whenever it says that they have changed. */
  readonly onListed: (listed: McpListing) => void
}

/** Tools of one server; more than any model can choose from are left out. */
const maxTools = 256
const maxPages = 64

/** Characters of one tool's schema as JSON; a larger one is replaced by a schema that takes any object. */
const maxSchema = 64 * 1024

const anyObject = { type: "object" }

const withinLimits = ({ inputSchema, ...tool }: Protocol.McpTool): Protocol.McpTool => ({
  ...tool,
  inputSchema: inputSchema?.["type"] === "object" && JSON.stringify(inputSchema).length <= maxSchema
    ? inputSchema
    : anyObject
})

/** All pages; of two tools with one name the first counts. */
const list = Effect.fnUntraced(
  function*(connection: McpConnection, { prompts, resources, tools }: Protocol.ServerCapabilities) {
    const found = new Map<string, Protocol.McpTool>()
    let cursor: string | undefined
    for (let pages = 0; tools !== undefined && pages < maxPages; pages++) {
      const { entries, next } = Protocol.readPage(
        Protocol.McpTool,
        "tools",
        yield* connection.request("tools/list", cursor === undefined ? {} : { cursor })
      )
      for (const tool of entries) {
        if (!found.has(tool.name) && found.size < maxTools) found.set(tool.name, withinLimits(tool))
      }
      if (next === undefined || next === cursor || found.size >= maxTools) break
      cursor = next
    }
    return {
      tools: Array.from(found.values()),
      resources: resources !== undefined,
      prompts: prompts !== undefined
    } satisfies McpListing
  }
)

const readLogMessage = Schema.decodeUnknownOption(Protocol.LogMessage)

/** Characters of one log line of a server. */
const maxLogLine = 1000

/** Errors of one server that are logged as warnings; later ones are logged for debugging. */
const maxWarnings = 50

const seriousLevels: ReadonlySet<string> = new Set(["error", "critical", "alert", "emergency"])

/** Copies a server's log messages to our log, with the server's name and within limits. */
const makeLog = (server: string) => {
  let warnings = 0
  return (params: unknown): Effect.Effect<void> => {
    const message = readLogMessage(params)
    if (Option.isNone(message)) return Effect.void
    const { data, level = "info", logger } = message.value
    const text = (typeof data === "string" ? data : JSON.stringify(data) ?? "").replace(/\s+/g, " ")
    const from = logger === undefined ? "" : ` (${beginning(logger, 80)})`
    const line = `MCP server "${server}"${from} says: ${beginning(text, maxLogLine)}`
    return seriousLevels.has(level) && warnings++ < maxWarnings ? Effect.logWarning(line) : Effect.logDebug(line)
  }
}

const readInitializeResult = Schema.decodeUnknownEffect(Protocol.InitializeResult)

const unreadable = () => new Unreachable({ reason: "its answer to initialize is not readable" })

/** Connects to a server, agrees on a revision of the protocol, and lists what the server offers. */
export const make = ({ config, connect, elicit, onListed, workspace }: HandshakeOptions) => {
  const log = makeLog(config.name)

  const listenerOf = (relist: () => Effect.Effect<void>): McpListener => ({
    request: (method, params) => {
      switch (method) {
        case "ping":
          return Effect.succeed({})
        case "roots/list":
          return Effect.succeed({
            roots: workspace.roots.map((root) => ({ uri: pathToFileURL(root).href, name: basename(root) }))
          })
        case "elicitation/create":
          return elicit(params)
        default:
          return Effect.fail(Wire.methodNotFound({ method }, method))
      }
    },
    notified: (method, params) => {
      switch (method) {
        case "notifications/tools/list_changed":
          return relist()
        case "notifications/message":
          return log(params)
        default:
          return Effect.void
      }
    }
  })

  const makeLister = (connection: McpConnection, capabilities: Protocol.ServerCapabilities) => {
    const oneAtATime = Semaphore.makeUnsafe(1)
    let waiting = false
    const now = oneAtATime.withPermit(Effect.suspend(() => {
      waiting = false
      return Effect.map(list(connection, capabilities), onListed)
    }))
    // A run that waits sees every change until it begins, so one is enough.
    const again = Effect.suspend(() => {
      if (waiting) return Effect.void
      waiting = true
      return Effect.ignore(now, { log: "Debug" })
    })
    return { now, again }
  }

  /** `printed` runs whenever its process prints something. */
  return Effect.fnUntraced(function*(permit: Permit, printed: () => void) {
    let again: Effect.Effect<void> = Effect.void
    const { connection, initialized } = yield* connect(config, permit, { ...listenerOf(() => again), printed })
    const result = yield* connection.request("initialize", {
      protocolVersion: Protocol.revision,
      capabilities: { roots: {}, elicitation: {} },
      clientInfo: { name: "postern", title: "Postern", version }
    })
    const { capabilities = {}, protocolVersion } = yield* Effect.mapError(readInitializeResult(result), unreadable)
    yield* initialized(protocolVersion)
    yield* connection.notify("notifications/initialized")
    const lister = makeLister(connection, capabilities)
    again = lister.again
    yield* lister.now
    return connection
  })
}
