import type { Response } from "effect/ai"
import { notes, type ThoughtNotes } from "./AnthropicMessages.ts"
import { type ResponseMetadata, ResponseParts, type ResponseReader } from "../ResponseParts.ts"
import { parseArguments } from "../ToolSchemas.ts"

/** Reads the events of the Messages API. Unknown kinds are ignored: the API announces that more will come. */

interface Usage {
  readonly input_tokens?: number | null
  readonly output_tokens?: number | null
  readonly cache_read_input_tokens?: number | null
  readonly cache_creation_input_tokens?: number | null
}

interface Event {
  readonly type?: string
  readonly index?: number
  readonly message?: { readonly usage?: Usage }
  readonly content_block?: {
    readonly type?: string
    readonly text?: string
    readonly thinking?: string
    readonly signature?: string
    readonly data?: string
    readonly id?: string
    readonly name?: string
    readonly input?: object
  }
  readonly delta?: {
    readonly type?: string
    readonly text?: string
    readonly thinking?: string
    readonly signature?: string
    readonly partial_json?: string
    readonly stop_reason?: string | null
  }
  readonly usage?: Usage
}

const finishReasons: Readonly<Record<string, Response.FinishReason>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  tool_use: "tool-calls",
  refusal: "content-filter",
  pause_turn: "pause"
}

const usageOf = (usage: Usage): typeof Response.Usage.Encoded => {
  const cacheRead = usage.cache_read_input_tokens ?? 0
  const cacheWrite = usage.cache_creation_input_tokens ?? 0
  const uncached = usage.input_tokens ?? 0
  return {
    inputTokens: { total: uncached + cacheRead + cacheWrite, uncached, cacheRead, cacheWrite },
    outputTokens: { total: usage.output_tokens ?? 0 }
  }
}

/** Later counts replace earlier ones where they are present. */
const counted = (before: Usage, now: Usage | undefined): Usage => ({
  ...before,
  ...Object.fromEntries(Object.entries(now ?? {}).filter(([, count]) => typeof count === "number"))
})

interface Call {
  readonly id: string
  readonly name: string
  readonly whole: object
  json: string
}

export const make = (model: string): ResponseReader => {
  const parts = new ResponseParts()
  const broken: Array<Call> = []
  let call: Call | undefined
  let signature = ""
  let usage: Usage = {}
  let stop: string | null | undefined
  let done = false
  let begun = false

  const noted = (value: Omit<ThoughtNotes, "model">): ResponseMetadata => ({ [notes]: { model, ...value } })
  const emit = ({ id, name }: Call, params: unknown) => parts.push({ type: "tool-call", id, name, params })

  const start = (
    { data = "", id = "", input = {}, name = "", signature: given = "", text = "", thinking = "", type }: NonNullable<
      Event["content_block"]
    >
  ) => {
    switch (type) {
      case "text":
        parts.begin("text")
        return parts.say("text", text)
      case "thinking":
        parts.begin("reasoning")
        signature = given
        return parts.say("reasoning", thinking)
      case "redacted_thinking":
        return parts.begin("reasoning", noted({ redacted: data }))
      case "tool_use":
        call = { id, name, whole: input, json: "" }
    }
  }

  const change = (
    { partial_json = "", signature: piece = "", text = "", thinking = "", type }: NonNullable<Event["delta"]>
  ) => {
    switch (type) {
      case "text_delta":
        return parts.say("text", text)
      case "thinking_delta":
        return parts.say("reasoning", thinking)
      case "signature_delta":
        return void (signature += piece)
      case "input_json_delta":
        if (call !== undefined) call.json += partial_json
    }
  }

  const close = () => {
    if (call === undefined) {
      if (signature !== "") parts.annotate(noted({ signature }))
      parts.end()
    } else {
      const params = call.json === "" ? call.whole : parseArguments(call.json)
      if (typeof params === "string") broken.push(call)
      else emit(call, params)
    }
    call = undefined
    signature = ""
  }

  const finish = () => {
    if (done) return
    done = true
    close()
    // A call whose arguments a limit cut off is dropped.
    if (finishReasons[stop ?? ""] !== "length") broken.forEach((call) => emit(call, call.json))
    parts.push({ type: "finish", reason: finishReasons[stop ?? ""] ?? "other", usage: usageOf(usage) })
  }

  return {
    parts,
    isDone: () => done,
    event: (value) => {
      const event = value as Event
      if (done || typeof event !== "object" || event === null) return undefined
      switch (event.type) {
        case "message_start":
          begun = true
          usage = counted(usage, event.message?.usage)
          return undefined
        case "content_block_start":
          return void start(event.content_block ?? {})
        case "content_block_delta":
          return void change(event.delta ?? {})
        case "content_block_stop":
          return void close()
        case "message_delta":
          stop = event.delta?.stop_reason ?? stop
          usage = counted(usage, event.usage)
          return undefined
        case "message_stop":
          return void finish()
        case "error":
          return { error: event }
        default:
          return undefined
      }
    },
    finish: () => {
      if (stop === undefined || stop === null) {
        return begun
          ? "the connection ended before the answer did"
          : "nothing came"
      }
      finish()
      return undefined
    }
  }
}
