import { Effect, Option, Schema } from "effect"
import * as Protocol from "./Protocol.ts"

const readMessage = Schema.decodeUnknownOption(Protocol.LogMessage)

const longest = 1000

/** Warnings of one server; what it says after that is for those who look closely. */
const mostWarnings = 50

const serious: ReadonlySet<string> = new Set(["error", "critical", "alert", "emergency"])

/** What a server logs goes to our log, where it can neither pass for ours nor flood it. */
export const make = (server: string) => {
  let warnings = 0
  return (params: unknown): Effect.Effect<void> => {
    const message = readMessage(params)
    if (Option.isNone(message)) return Effect.void
    const { data, level = "info", logger } = message.value
    const text = (typeof data === "string" ? data : JSON.stringify(data) ?? "").replace(/\s+/g, " ").slice(0, longest)
    const line = `MCP server "${server}"${logger === undefined ? "" : ` (${logger.slice(0, 80)})`} says: ${text}`
    return serious.has(level) && warnings++ < mostWarnings ? Effect.logWarning(line) : Effect.logDebug(line)
  }
}
