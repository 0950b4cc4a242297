import type { Json } from "./Wire.ts"

/**
 * What a client holds of a conversation after it took in all its updates, by the rules of the protocol
 * (https://agentclientprotocol.com/protocol/v1/prompt-turn#3-agent-reports-output).
 */
export interface Held {
  /** Messages, thoughts, calls and compactions where they first came up. */
  readonly timeline: ReadonlyArray<Json>
  readonly plan: Json | undefined
}

const texts: Readonly<Record<string, string>> = {
  user_message_chunk: "user",
  agent_message_chunk: "agent",
  agent_thought_chunk: "thought"
}

/** Absent and `null` leave a field as it was. */
const given = (update: Json) =>
  Object.fromEntries(Object.entries(update).filter(([, value]) => value !== null && value !== undefined))

/** An empty list says no more than none. */
const trimmed = (item: Json) =>
  Object.fromEntries(Object.entries(item).filter(([, value]) => !(Array.isArray(value) && value.length === 0)))

/** Prompts of the client itself are user messages without an id, as it sent them. */
export const said = (text: string): Json => ({ sessionUpdate: "user_message_chunk", content: { type: "text", text } })

export const held = (updates: ReadonlyArray<unknown>): Held => {
  const timeline: Array<Json> = []
  let plan: Json | undefined
  const at = (kind: string, id: unknown) => {
    const known = timeline.find((item) => item["kind"] === kind && item["id"] === id && id !== undefined)
    if (known) return known
    const made: Json = { kind, id }
    timeline.push(made)
    return made
  }
  for (const update of updates as ReadonlyArray<Json>) {
    const { _meta: _, messageId, sessionUpdate, ...rest } = update
    const who = texts[sessionUpdate]
    if (who !== undefined) {
      const message = at(who, who === "user" ? undefined : messageId)
      message["content"] = [...message["content"] ?? [], rest["content"]]
    } else if (sessionUpdate === "tool_call" || sessionUpdate === "tool_call_update") {
      Object.assign(at("call", rest["toolCallId"]), {
        call: { ...at("call", rest["toolCallId"])["call"], ...given(rest) }
      })
    } else if (sessionUpdate === "compaction_update") {
      Object.assign(at("compaction", rest["compactionId"]), given(rest))
    } else if (sessionUpdate === "plan") {
      plan = rest["entries"]
    }
  }
  return {
    plan,
    timeline: timeline.map(({ call, content, id, kind, ...more }) => ({
      kind,
      ...(kind === "user" ? {} : { id }),
      ...(content === undefined ? {} : { content: joined(content) }),
      ...(call === undefined ? {} : { call: trimmed(call) }),
      ...more
    }))
  }
}

/** Neighbouring text is one text, however it was cut. */
const joined = (content: ReadonlyArray<Json>): ReadonlyArray<Json> =>
  content.reduce<ReadonlyArray<Json>>((whole, block) => {
    const last = whole.at(-1)
    return last?.["type"] === "text" && block["type"] === "text"
      ? [...whole.slice(0, -1), { ...last, text: last["text"] + block["text"] }]
      : [...whole, block]
  }, [])
