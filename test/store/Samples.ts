import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { join } from "node:path"
import type { TranscriptEntry } from "../../src/domain/SessionEvent.ts"
import { SessionStore } from "../../src/store/SessionStore.ts"
import * as Sqlite from "../../src/store/Sqlite.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

export const tempFile = Effect.map(temporaryFolder, (folder) => join(folder, "sessions", "acp-sessions.db"))

/** A store with a connection of its own, open until the scope ends. */
export const openStore = (file: string) =>
  Effect.map(Layer.build(SessionStore.layer(file)), (context) => Context.get(context, SessionStore))

export const openClient = (file: string) => Sqlite.layer(file)

/** The store and the connection it works on. */
export const openBoth = (file: string) =>
  Effect.map(
    Layer.build(Layer.provideMerge(SessionStore.layerSql(file, "durable"), openClient(file))),
    (context) => ({ store: Context.get(context, SessionStore), sql: Context.get(context, SqlClient.SqlClient) })
  )

export const newSession = (sessionId: string, cwd = "/work") => ({
  sessionId,
  agent: "main",
  cwd,
  additionalDirectories: []
})

export const user = (text: string): TranscriptEntry => ({
  _tag: "User",
  messageId: `user ${text}`,
  content: [{ type: "text", text }]
})
export const agent = (text: string): TranscriptEntry => ({ _tag: "Agent", messageId: `agent ${text}`, text })
export const toolCall = (
  toolCallId: string,
  status: "pending" | "in_progress" | "completed" | "failed"
): TranscriptEntry => ({
  _tag: "ToolCall",
  call: {
    toolCallId,
    name: "shell",
    title: "ls",
    kind: "execute",
    status,
    content: [],
    locations: [],
    rawInput: { command: "ls" }
  }
})

/** One line an entry, as a person would tell it. */
export const tell = (entries: ReadonlyArray<TranscriptEntry>) =>
  entries.map((entry) => {
    switch (entry._tag) {
      case "User":
        return `user: ${entry.content.map((block) => block.type === "text" ? block.text : block.type).join(" ")}`
      case "Agent":
        return `agent: ${entry.text}`
      case "ToolCall":
        return `tool ${entry.call.toolCallId}: ${entry.call.status}`
      default:
        return entry._tag
    }
  })
