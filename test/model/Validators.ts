import type { Json } from "./Server.ts"

/**
 * What the strictest servers of each wire refuse, from their published rules. Each check gives the first problem.
 */

const name = /^[a-zA-Z0-9_-]{1,64}$/

const objectIn = (text: unknown): string | undefined => {
  if (typeof text !== "string") return "arguments are no string"
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null && !Array.isArray(value) ? undefined : "arguments are no object"
  } catch {
    return "arguments are no JSON"
  }
}

/**
 * https://platform.openai.com/docs/api-reference/chat/create, and stricter:
 * https://docs.mistral.ai/capabilities/function_calling (roles, results), https://api-docs.deepseek.com/guides/thinking_mode
 */
export const openAiProblem = (messages: ReadonlyArray<Json>): string | undefined => {
  const ids = new Set<string>()
  let waiting: Array<string> = []
  let before = "system"
  const thinks = messages.some((one) => typeof one["reasoning_content"] === "string" && one["reasoning_content"] !== "")
  for (const [at, message] of messages.entries()) {
    const role = String(message["role"])
    const content = message["content"]
    const calls = (message["tool_calls"] ?? []) as ReadonlyArray<Json>
    if (role === "tool") {
      const place = waiting.indexOf(String(message["tool_call_id"]))
      if (place === -1) return `${at}: a result without a call`
      waiting.splice(place, 1)
      if (typeof content !== "string" || content.trim() === "") return `${at}: an empty result`
      before = role
      continue
    }
    if (waiting.length > 0) return `${at}: a call without a result`
    if (role === "user" && before !== "system" && before !== "assistant") return `${at}: user behind ${before}`
    if (role === "assistant" && before !== "user" && before !== "tool") return `${at}: assistant behind ${before}`
    if (role === "system" && before !== "system") return `${at}: system behind ${before}`
    const isEmpty = typeof content === "string"
      ? content.trim() === ""
      : !Array.isArray(content) || content.length === 0 ||
        content.some((part: Json) => part["type"] === "text" && String(part["text"]).trim() === "")
    if (isEmpty && !(role === "assistant" && content === null && calls.length > 0)) return `${at}: empty`
    for (const call of calls) {
      const id = String(call["id"])
      if (id === "" || id.length > 64 || ids.has(id)) return `${at}: the id ${id}`
      ids.add(id)
      if (!name.test(call["function"]["name"])) return `${at}: the name ${call["function"]["name"]}`
      const wrong = objectIn(call["function"]["arguments"])
      if (wrong !== undefined) return `${at}: ${wrong}`
      waiting.push(id)
    }
    if (calls.length > 0 && thinks && typeof message["reasoning_content"] !== "string") {
      return `${at}: no reasoning_content`
    }
    before = role
  }
  if (waiting.length > 0) return "a call without a result at the end"
  return before === "user" || before === "tool" ? undefined : `${before} at the end`
}

/** https://docs.anthropic.com/en/api/messages and https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/implement-tool-use */
export const anthropicProblem = (messages: ReadonlyArray<Json>): string | undefined => {
  const ids = new Set<string>()
  let waiting: ReadonlyArray<string> = []
  let before = "assistant"
  if (messages.length === 0) return "no message"
  for (const [at, { content, role }] of messages.entries()) {
    if (role === before) return `${at}: ${role} behind ${before}`
    before = role
    const blocks = content as ReadonlyArray<Json>
    if (blocks.length === 0) return `${at}: empty`
    const results = blocks.filter(({ type }) => type === "tool_result").map((block) => String(block["tool_use_id"]))
    if (role === "user") {
      if (results.toSorted().join() !== waiting.toSorted().join()) return `${at}: results do not match the calls`
      if (blocks.slice(0, results.length).some(({ type }) => type !== "tool_result")) return `${at}: results not first`
    } else if (waiting.length > 0 || results.length > 0) return `${at}: results of an assistant`
    const calls = blocks.filter(({ type }) => type === "tool_use")
    for (const block of blocks) {
      if (block["type"] === "text" && String(block["text"]).trim() === "") return `${at}: an empty text`
      if (block["type"] === "tool_result" && String(block["content"]).trim() === "") return `${at}: an empty result`
    }
    for (const call of calls) {
      const id = String(call["id"])
      if (!/^[a-zA-Z0-9_-]{1,64}$/.test(id) || ids.has(id)) return `${at}: the id ${id}`
      ids.add(id)
      if (!name.test(call["name"])) return `${at}: the name ${call["name"]}`
      const { input } = call
      if (typeof input !== "object" || input === null || Array.isArray(input)) return `${at}: input is no object`
    }
    if (blocks.every(({ type }) => type === "thinking" || type === "redacted_thinking")) return `${at}: thoughts alone`
    waiting = role === "assistant" ? calls.map(({ id }) => String(id)) : []
  }
  return waiting.length > 0 ? "a call without a result at the end" : undefined
}
