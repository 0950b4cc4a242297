import type { SessionUpdate } from "@agentclientprotocol/sdk"
import { AgentProcess } from "./AgentProcess.ts"
import type { Json } from "./Wire.ts"

export interface Turn {
  readonly result: Json
  readonly updates: ReadonlyArray<SessionUpdate>
  readonly text: string
}

/** An agent process with the steps of a session on top. */
export class AcpProcess extends AgentProcess {
  async initialize(): Promise<Json> {
    const clientCapabilities = this.options.capabilities ?? {}
    const params = this.options.dialect === "zeroclaw" ? {} : { protocolVersion: 1, clientCapabilities }
    const result = await this.request("initialize", params)
    this.cursor = this.messages.length
    return result
  }

  async newSession(params: Json = {}): Promise<string> {
    const result = await this.request("session/new", { cwd: this.options.cwd, mcpServers: [], ...params })
    this.cursor = this.messages.length
    return result["sessionId"]
  }

  async prompt(sessionId: string, prompt: string | ReadonlyArray<Json>): Promise<Turn> {
    const since = this.messages.length
    const blocks = typeof prompt === "string" ? [{ type: "text", text: prompt }] : prompt
    const result = await this.request("session/prompt", { sessionId, prompt: blocks })
    const updates = this.updates(sessionId, since)
    return { result, updates, text: textOf(updates) }
  }

  updates(sessionId: string, since = 0): ReadonlyArray<SessionUpdate> {
    return this.messages.slice(since)
      .filter((m) => m.method === "session/update" && m.params?.["sessionId"] === sessionId)
      .map((m) => m.params?.["update"] as SessionUpdate)
  }
}

export const textOf = (updates: ReadonlyArray<SessionUpdate>, kind = "agent_message_chunk"): string =>
  updates.map((u: Json) => u["sessionUpdate"] === kind ? u["content"].text ?? "" : "").join("")
