import { Effect } from "effect"
import type { Rpc } from "effect/rpc"
import { LiveSettings } from "../config/LiveSettings.ts"
import type { Snapshot } from "../config/Snapshot.ts"
import { version } from "../domain/Version.ts"
import { SessionStore } from "../store/SessionStore.ts"
import { AcpConnection } from "./AcpConnection.ts"
import { type Initialize, methods as rulesMethods } from "./protocol/AgentMethods.ts"

const defaultModelIn = ({ acp, agents }: Snapshot) =>
  Array.from(agents.values()).find(({ alias }) => acp.defaultAgent === undefined || alias === acp.defaultAgent)?.model

/** Whether the default agent's model takes images; `session/prompt` checks the model of its own session. */
const seesImages = (now: Snapshot) => now.providers.get(defaultModelIn(now)?.split("/", 1)[0] ?? "")?.vision ?? false

/** Answers `initialize`: what this host offers by its configuration and its store. */
export const make = Effect.gen(function*() {
  const store = yield* SessionStore
  const { current } = yield* LiveSettings

  const capabilitiesOf = (now: Snapshot) => ({
    loadSession: store.durability === "durable",
    promptCapabilities: { image: seesImages(now), audio: false, embeddedContext: true },
    mcpCapabilities: { http: now.mcp.clients !== undefined, sse: now.mcp.clients !== undefined },
    sessionCapabilities: {
      ...(store.durability === "durable" ? { list: {}, delete: {}, resume: {}, close: {} } : {}),
      additionalDirectories: {},
      ...(now.acp.unstable ? { title: {} } : {})
    },
    _meta: { postern: { methods: rulesMethods } }
  })

  return Effect.fnUntraced(function*({ clientCapabilities }: Rpc.Payload<typeof Initialize>) {
    const connection = yield* AcpConnection
    const now = yield* current
    const defaultModel = defaultModelIn(now)
    connection.initialized = true
    connection.capabilities = clientCapabilities ?? {}
    return {
      protocolVersion: 1,
      agentCapabilities: capabilitiesOf(now),
      authMethods: [],
      agentInfo: { name: "postern", title: "Postern", version },
      _meta: {
        zeroclaw: {
          maxSessions: now.acp.maxSessions,
          sessionTimeoutSecs: now.acp.sessionTimeoutSecs,
          ...(defaultModel === undefined ? {} : { defaultModel }),
          methods: ["_zeroclaw/session/stop"]
        }
      }
    }
  })
})
