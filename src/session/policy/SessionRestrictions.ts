import { Option, Schema } from "effect"
import type { Permitted } from "../../policy/decision/ToolGrants.ts"

/** What a client narrows a session to. Stored with the session; see docs/agent-client-protocol.md#restrictions */
export interface SessionRestrictions {
  /** The only tools the session may use; absent: all. Names as models or rules know them, or `mcp__SERVER` for a whole server. */
  readonly allowedTools?: ReadonlyArray<string>
  /** Tools the session may not use. */
  readonly disallowedTools?: ReadonlyArray<string>
  /** Requests to the model in one turn, at least 1. */
  readonly maxTurns?: number
  /** Text of the client behind the system prompt, or in the place of what it says about the agent and the project. */
  readonly systemPrompt?: { readonly mode: "append" | "override"; readonly text: string }
}

const Names = Schema.Array(Schema.String)

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Struct({
  allowedTools: Schema.optionalKey(Names),
  disallowedTools: Schema.optionalKey(Names),
  maxTurns: Schema.optionalKey(Schema.Int),
  systemPrompt: Schema.optionalKey(
    Schema.Struct({ mode: Schema.Literals(["append", "override"]), text: Schema.String })
  )
})))

/** Under which they are among the stored settings of a session. */
export const storedAs = "client_restrictions"

/** Where the stored text cannot be read, the session may use no tool. */
export const read = (stored: string | undefined): SessionRestrictions =>
  stored === undefined ? {} : Option.getOrElse(decode(stored), () => ({ allowedTools: [] }))

/** Tools of MCP servers have two names, `server__tool` for models and `mcp__server__tool` for rules. */
const bare = (name: string) => name.replace(/^mcp__/, "")

const isNamedBy = (entry: string, name: string): boolean =>
  bare(entry) === bare(name) || (entry.startsWith("mcp__") && bare(name).startsWith(`${bare(entry)}__`))

const isIn = (list: ReadonlyArray<string>, name: string) => list.some((entry) => isNamedBy(entry, name))

/** Both hold: no tool is added, no limit raised. The later system prompt takes the place of the earlier. */
export const merged = (one: SessionRestrictions, other: SessionRestrictions): SessionRestrictions => {
  const [first, second] = [one.allowedTools, other.allowedTools]
  const allowed = first === undefined || second === undefined
    ? first ?? second
    : Array.from(
      new Set([...second.filter((name) => isIn(first, name)), ...first.filter((name) => isIn(second, name))])
    )
  const disallowed = Array.from(new Set([...one.disallowedTools ?? [], ...other.disallowedTools ?? []]))
  const most = [one.maxTurns, other.maxTurns].filter((limit) => limit !== undefined)
  const systemPrompt = other.systemPrompt ?? one.systemPrompt
  return {
    ...(allowed === undefined ? {} : { allowedTools: allowed }),
    ...(disallowed.length === 0 ? {} : { disallowedTools: disallowed }),
    ...(most.length === 0 ? {} : { maxTurns: Math.min(...most) }),
    ...(systemPrompt === undefined ? {} : { systemPrompt })
  }
}

const listOf = (names: ReadonlyArray<string>) => names.length === 0 ? "none" : names.join(", ")

/** The tools that both the configuration and the session's client permit. */
export const narrowed = (
  granted: Permitted | undefined,
  { allowedTools, disallowedTools = [] }: SessionRestrictions
): Permitted | undefined => {
  if (allowedTools === undefined && disallowedTools.length === 0) return granted
  const isKept = (name: string) =>
    (allowedTools === undefined || isIn(allowedTools, name)) && !isIn(disallowedTools, name)
  return {
    has: (name) => isKept(name) && (granted === undefined || granted.has(name)),
    refusal: (name) =>
      isKept(name) && granted !== undefined
        ? granted.refusal(name)
        : isIn(disallowedTools, name)
        ? `The client of this session excluded the tool ${name} (disallowedTools: ${listOf(disallowedTools)})`
        : `The client of this session did not allow the tool ${name} (allowedTools: ${listOf(allowedTools ?? [])})`
  }
}

/** Empty where there is nothing to say. */
export const describe = (
  { allowedTools, disallowedTools, maxTurns, systemPrompt }: SessionRestrictions
): string =>
  [
    ...(allowedTools === undefined ? [] : [`only the tools ${listOf(allowedTools)}`]),
    ...(disallowedTools === undefined ? [] : [`not the tools ${listOf(disallowedTools)}`]),
    ...(maxTurns === undefined ? [] : [`at most ${maxTurns} requests to the model a turn`]),
    ...(systemPrompt === undefined ? [] : [`${systemPrompt.mode === "append" ? "more" : "other"} instructions`])
  ].join("; ")
