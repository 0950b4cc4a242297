import type { Response } from "effect/ai"
import { notes, type ThoughtNotes } from "./AnthropicMessages.ts"
import type { Learned } from "../Learned.ts"
import {
  endedEarly,
  endedWith,
  failsWith,
  type Lack,
  nothingCame,
  type ResponseMetadata,
  ResponseParts,
  type ResponseReader,
  type ResponseUsage
} from "../ResponseParts.ts"
import { type TaggedText, ThoughtTags } from "../ThoughtTags.ts"
import { calledName, joinedArguments, parseArguments } from "../CalledTool.ts"

/** Reads the events of the Messages API. Unknown kinds are ignored: the API announces that more will come. */

interface Usage {
  readonly input_tokens?: number | null
  readonly output_tokens?: number | null
  readonly cache_read_input_tokens?: number | null
  readonly cache_creation_input_tokens?: number | null
}

interface ContentBlock {
  readonly type?: string
  readonly text?: string
  readonly thinking?: string
  readonly signature?: string
  readonly data?: string
  readonly id?: string
  readonly name?: string
  readonly input?: unknown
}

interface Event {
  readonly type?: string
  readonly index?: number
  readonly message?: { readonly usage?: Usage }
  readonly content_block?: ContentBlock
  readonly delta?: {
    readonly type?: string
    readonly text?: string
    readonly thinking?: string
    readonly signature?: string
    readonly partial_json?: unknown
    readonly stop_reason?: string | null
  }
  readonly usage?: Usage
  /** Of a whole message. */
  readonly content?: ReadonlyArray<ContentBlock> | string
  readonly stop_reason?: string | null
}

const word = (value: unknown): string => typeof value === "string" ? value : ""

const finishReasons: Readonly<Record<string, Response.FinishReason>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  tool_use: "tool-calls",
  refusal: "content-filter",
  pause_turn: "pause"
}

const usageOf = (usage: Usage): ResponseUsage => {
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

/** A block between its start and its stop; blocks may be open at the same time. */
type Block =
  | { readonly kind: "text" }
  | { readonly kind: "thought"; signature: string }
  | {
    readonly kind: "call"
    readonly id: string
    readonly name: string
    readonly whole: unknown
    readonly pieces: Array<string>
  }
  /** One whose type is not known, or not of use here. */
  | { readonly kind: "other" }

type Call = Extract<Block, { kind: "call" }>

interface ReaderOptions {
  /** Unique to this response: calls without an id of their own get theirs from it. */
  readonly id: string
  readonly model: string
  /** The names of the tools that were offered. */
  readonly tools: ReadonlyArray<string>
  readonly learned: Pick<Learned, "opensUntagged">
}

export const make = ({ id: base, learned, model, tools }: ReaderOptions): ResponseReader => {
  const parts = new ResponseParts()
  const tags = new ThoughtTags(learned.opensUntagged)
  const broken: Array<Call> = []
  let empty: Call | undefined
  const open = new Map<unknown, Block>()
  const used = new Set<string>()
  /** The block whose text is being said. */
  let saying: Block | undefined
  let usage: Usage = {}
  let stop: string | null | undefined
  let done = false
  let begun = false

  const noted = (value: Omit<ThoughtNotes, "model">): ResponseMetadata => ({ [notes]: { model, ...value } })

  const ownId = (id: string): string => {
    const own = id === "" || used.has(id) ? `${base}_${used.size}` : id
    used.add(own)
    return own
  }

  const emit = ({ id, name }: Call, params: unknown) =>
    parts.push({ type: "tool-call", id: ownId(id), name: calledName(name, tools), params })

  const sayTagged = (found: TaggedText) => {
    if (found === "retract") {
      learned.opensUntagged = tags.opensUntagged
      parts.retract()
    } else parts.say(...found)
  }

  const say = (block: Block, text: string) => {
    if (text === "" || (block.kind !== "text" && block.kind !== "thought")) return
    if (saying !== block) {
      parts.begin(block.kind === "text" ? "text" : "reasoning")
      saying = block
    }
    if (block.kind === "text") tags.split(text).forEach(sayTagged)
    else {
      tags.apart()
      parts.say("reasoning", text)
    }
  }

  const start = (index: unknown, given: NonNullable<Event["content_block"]>) => {
    close(index)
    giveEmpty()
    switch (given.type) {
      case "text": {
        const block: Block = { kind: "text" }
        open.set(index, block)
        return say(block, word(given.text))
      }
      case "thinking": {
        const block: Block = { kind: "thought", signature: word(given.signature) }
        open.set(index, block)
        parts.begin("reasoning")
        saying = block
        return say(block, word(given.thinking))
      }
      case "redacted_thinking":
        saying = undefined
        return parts.begin("reasoning", noted({ redacted: word(given.data) }))
      case "tool_use": {
        const { id, input = {}, name } = given
        open.set(index, { kind: "call", id: word(id), name: word(name), whole: input, pieces: [] })
        return
      }
      default:
        if (given.type !== undefined) open.set(index, { kind: "other" })
    }
  }

  /** The open block for a piece; one of the kind is begun where none is. */
  const blockFor = (index: unknown, kind: "text" | "thought"): Block => {
    const known = open.get(index)
    if (known?.kind === kind) return known
    close(index)
    const block: Block = kind === "text" ? { kind } : { kind, signature: "" }
    open.set(index, block)
    return block
  }

  const change = (index: unknown, delta: NonNullable<Event["delta"]>) => {
    const block = open.get(index)
    switch (delta.type) {
      case "text_delta":
        return say(blockFor(index, "text"), word(delta.text))
      case "thinking_delta":
        return say(blockFor(index, "thought"), word(delta.thinking))
      case "signature_delta":
        if (block?.kind === "thought") block.signature += word(delta.signature)
        return
      case "input_json_delta": {
        const json = delta.partial_json
        const call = block ?? Array.from(open.values()).findLast(({ kind }) => kind === "call")
        if (call?.kind === "call") call.pieces.push(typeof json === "object" ? JSON.stringify(json) : word(json))
      }
    }
  }

  const paramsOf = ({ pieces, whole }: Call): unknown => {
    const json = joinedArguments(pieces.filter((piece) => piece !== ""))
    const params = json === "" ? whole : parseArguments(json)
    // Some servers send the input whole at the start, and then an empty one.
    if (json.trim() === "{}" && typeof whole === "object") return whole
    return typeof params === "string" ? parseArguments(params) : params
  }

  const isEmpty = ({ pieces, whole }: Call) =>
    pieces.join("") === "" && typeof whole === "object" && Object.keys(whole ?? {}).length === 0

  /** A call without arguments is not cut off where something follows it. */
  const giveEmpty = () => {
    if (empty !== undefined) emit(empty, {})
    empty = undefined
  }

  const close = (index: unknown) => {
    const block = open.get(index)
    if (block === undefined) return
    giveEmpty()
    open.delete(index)
    if (block.kind === "call") {
      const params = paramsOf(block)
      if (typeof params === "string") broken.push(block)
      else if (isEmpty(block)) empty = block
      else emit(block, params)
      saying = undefined
      return
    }
    if (saying !== block) return
    // Text that may be the beginning of a tag is decided at the end.
    if (block.kind === "thought") {
      if (block.signature !== "") parts.annotate(noted({ signature: block.signature }))
      parts.end()
      saying = undefined
    }
  }

  /** The reason of an answer that its server marked as ended without one. */
  const assumed = () => parts.lack === undefined || open.size > 0 || empty !== undefined ? "end_turn" : stop

  /** What is missing for a whole answer. */
  const finish = (): Lack | undefined => {
    if (done) return undefined
    const reason = finishReasons[stop ?? ""]
    if (reason === undefined && failsWith(stop ?? "")) return endedWith(stop ?? "")
    for (const index of Array.from(open.keys())) close(index)
    tags.rest().forEach(sayTagged)
    parts.end()
    // A call whose arguments a limit cut off is dropped.
    if (reason === "length") empty = undefined
    else {
      giveEmpty()
      broken.splice(0).forEach((call) => emit(call, joinedArguments(call.pieces) || call.whole))
    }
    if (reason !== "length" && reason !== "content-filter" && reason !== "pause" && parts.lack !== undefined) {
      return parts.lack
    }
    done = true
    parts.push({ type: "finish", reason: reason ?? "other", usage: usageOf(usage) })
    return undefined
  }

  /** An answer that came as a whole, from a server that does not stream. */
  const whole = ({ content, stop_reason, usage: counts }: Event) => {
    begun = true
    usage = counted(usage, counts)
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content ?? []
    for (const [index, block] of blocks.entries()) {
      start(index, block)
      close(index)
    }
    stop = stop_reason ?? "end_turn"
    return void finish()
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
          return void start(event.index, event.content_block ?? {})
        case "content_block_delta":
          return void change(event.index, event.delta ?? {})
        case "content_block_stop":
          return void close(event.index)
        case "message_delta":
          stop = event.delta?.stop_reason ?? stop
          usage = counted(usage, event.usage)
          return undefined
        case "message_stop":
          stop ??= assumed()
          return void finish()
        case "message":
          return whole(event)
        case "error":
          return { error: event }
        default:
          return undefined
      }
    },
    finish: (marked) => {
      if (marked && begun) stop ??= assumed()
      if (stop !== undefined && stop !== null) return finish()
      return begun ? endedEarly : nothingCame
    }
  }
}
