import { Effect } from "effect"
import type { Rpc } from "effect/rpc"
import { Settings } from "../app/Settings.ts"
import { version } from "../app/Version.ts"
import { SessionStore } from "../store/SessionStore.ts"
import { AcpConnection } from "./AcpConnection.ts"
import type { Initialize } from "./Agent.ts"
import { methods as rulesMethods } from "./Rules.ts"

/** Answers `initialize`: what this host offers by its configuration, whether or not sessions are stored. */
export const make = Effect.gen(function*() {
  const store = yield* SessionStore
  const { acp, agents: configured, mcp, providers } = yield* Settings

  const defaultModel = Array.from(configured.values()).find(({ alias }) =>
    acp.defaultAgent === undefined || alias === acp.defaultAgent
  )?.model

  /** For sessions of the usual agent; another's may take none, and say so. */
  const seesImages = providers.get(defaultModel?.split("/", 1)[0] ?? "")?.vision ?? false

  const capabilities = {
    loadSession: store.durability === "durable",
    promptCapabilities: { image: seesImages, audio: false, embeddedContext: true },
    mcpCapabilities: { http: mcp.clients !== undefined, sse: mcp.clients !== undefined },
    sessionCapabilities: {
      ...(store.durability === "durable" ? { list: {}, delete: {}, resume: {}, close: {} } : {}),
      additionalDirectories: {},
      ...(acp.unstable ? { title: {} } : {})
    },
    _meta: { postern: { methods: rulesMethods } }
  }

  return Effect.fnUntraced(function*({ clientCapabilities }: Rpc.Payload<typeof Initialize>) {
    const connection = yield* AcpConnection
    connection.initialized = true
    connection.capabilities = clientCapabilities ?? {}
    return {
      protocolVersion: 1,
      agentCapabilities: capabilities,
      authMethods: [],
      agentInfo: { name: "postern", title: "Postern", version },
      _meta: {
        zeroclaw: {
          maxSessions: acp.maxSessions,
          sessionTimeoutSecs: acp.sessionTimeoutSecs,
          ...(defaultModel === undefined ? {} : { defaultModel }),
          methods: ["_zeroclaw/session/stop"]
        }
      }
    }
  })
})
