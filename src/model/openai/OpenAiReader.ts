import type { Response } from "effect/ai"
import { type CallNotes, notes, type ReasoningNotes } from "./OpenAiMessages.ts"
import type { Learned } from "../Learned.ts"
import {
  endedEarly,
  endedWith,
  failsWith,
  nothingCame,
  type ResponseMetadata,
  ResponseParts,
  type ResponseReader,
  type ResponseUsage
} from "../ResponseParts.ts"
import { type TaggedText, ThoughtTags } from "../ThoughtTags.ts"
import { calledName, isWhole, joinedArguments, parseArguments } from "../CalledTool.ts"

/**
 * Reads the events of chat completions. Servers in the field omit fields, send null or other types, so each field is
 * checked before use.
 */

type Json = Readonly<Record<string, unknown>>

const object = (value: unknown): Json | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? value as Json : undefined
const list = (value: unknown): ReadonlyArray<unknown> => Array.isArray(value) ? value : []
const word = (value: unknown): string => typeof value === "string" ? value : ""
const count = (value: unknown): number | undefined =>
  typeof value === "number" && value >= 0 ? Math.round(value) : undefined

const finishReasons: Readonly<Record<string, Response.FinishReason>> = {
  stop: "stop",
  eos: "stop",
  eos_token: "stop",
  end_turn: "stop",
  stop_sequence: "stop",
  length: "length",
  max_tokens: "length",
  model_length: "length",
  tool_calls: "tool-calls",
  function_call: "tool-calls",
  tool_use: "tool-calls"
}

/** Words for an answer that a filter ended; Gemini alone has ten of them. */
const filtered =
  /filter|safety|recitation|blocklist|prohibited|spii|sensitive|refus|guardrail|^language$|moderation|model_armor/

const meaningOf = (finish: string | undefined): Response.FinishReason | undefined => {
  const word = (finish ?? "").toLowerCase()
  return finishReasons[word] ?? (filtered.test(word) ? "content-filter" : undefined)
}

/** A limit or a filter ended the answer: that it is empty is no fault. */
const isCut = (finish: string | undefined): boolean => {
  const meaning = meaningOf(finish)
  return meaning === "length" || meaning === "content-filter"
}

/** Fields of thoughts; of a message with several the first one that has any counts. */
const thoughtFields = ["reasoning_content", "reasoning", "reasoning_text", "thinking", "thought"]

/** The text of a thought or a part, whatever holds it. */
const textIn = (value: unknown): string => {
  if (typeof value === "string") return value
  if (Array.isArray(value)) return value.map(textIn).join("")
  const holder = object(value)
  if (holder === undefined) return ""
  return ["text", "content", "thinking", "summary", "reasoning", "refusal"].reduce(
    (found, key) => found === "" ? textIn(holder[key]) : found,
    ""
  )
}

interface Call {
  readonly index: number | undefined
  id: string
  name: string
  readonly pieces: Array<string>
  extra: unknown
}

const usageOf = (usage: Json | undefined): ResponseUsage => {
  const input = object(usage?.["prompt_tokens_details"])
  const output = object(usage?.["completion_tokens_details"])
  const prompt = count(usage?.["prompt_tokens"])
  const cacheRead = count(input?.["cached_tokens"]) ?? count(usage?.["prompt_cache_hit_tokens"])
  const cacheWrite = count(input?.["cache_write_tokens"])
  const cached = (cacheRead ?? 0) + (cacheWrite ?? 0)
  // Some servers leave out of the prompt what they had in a cache.
  const total = prompt === undefined || cached <= prompt ? prompt : prompt + cached
  return {
    inputTokens: {
      total,
      cacheRead,
      cacheWrite,
      uncached: total === undefined ? undefined : total - cached
    },
    outputTokens: {
      total: count(usage?.["completion_tokens"]),
      text: undefined,
      reasoning: count(output?.["reasoning_tokens"])
    }
  }
}

/** Joins the pieces of one reasoning detail; the provider expects it back as a whole. */
const addDetail = (details: Array<Record<string, unknown>>, piece: Json): void => {
  const open = details.find((detail) =>
    detail["index"] !== undefined && detail["index"] === piece["index"] && detail["type"] === piece["type"]
  )
  if (open === undefined) return void details.push({ ...piece })
  for (const [key, value] of Object.entries(piece)) {
    const joined = key === "text" || key === "summary" || key === "data"
    if (value !== null && value !== undefined) open[key] = joined ? `${word(open[key])}${word(value)}` : value
  }
}

const noted = (value: ReasoningNotes | CallNotes): ResponseMetadata => ({ [notes]: value as ResponseMetadata[string] })

/** A name may come in pieces, whole in each piece, or longer in each. */
const joinedName = (known: string, piece: string): string =>
  piece === "" || piece === known ? known : piece.startsWith(known) ? piece : known + piece

interface ReaderOptions {
  /** Unique to this response: calls without an id get theirs from it. */
  readonly id: string
  /** The alias of the provider. */
  readonly provider: string
  /** The names of the tools that were offered. */
  readonly tools: ReadonlyArray<string>
  readonly learned: Pick<Learned, "opensUntagged">
}

export const make = ({ id, learned, provider, tools }: ReaderOptions): ResponseReader => {
  const parts = new ResponseParts()
  const calls: Array<Call> = []
  const details: Array<Record<string, unknown>> = []
  const tags = new ThoughtTags(learned.opensUntagged)
  /** Where the thoughts come from: the field of the first. */
  let thought: string | undefined
  /** The index of the choice that counts. */
  let chosen: unknown
  let spoken = false
  let usage: Json | undefined
  let finish: string | undefined
  let refused = false
  let heard = false
  let done = false

  /** The call that a piece goes on with; of several with one index the newest. */
  const knownCall = (index: number | undefined, id: string, name: string): Call | undefined => {
    const last = calls.at(-1)
    if (index === undefined) {
      return id === "" ? last : calls.findLast((call) => call.id === id) ?? (name === "" ? last : undefined)
    }
    return calls.findLast((call) => call.index === index && call.id === id) ??
      calls.findLast((call) => call.index === index) ?? (id + name === "" ? last : undefined)
  }

  /**
   * Whether a piece with a name begins another call than the one it seems to go on with: some servers give every call
   * the index 0, one id, or none.
   */
  const isOther = (call: Call, id: string, name: string, args: string): boolean => {
    const json = joinedArguments(call.pieces).trim()
    const begins = args.trimStart().startsWith("{")
    const whole = isWhole(json)
    if (id !== "" && call.id !== "" && id !== call.id) return json === "" || whole || args === "" || begins
    if (!whole) return false
    if (!begins) return joinedName(call.name, name) !== call.name
    return args.trim() !== json && (json !== "{}" || name !== call.name)
  }

  const onCall = (value: unknown) => {
    const delta = object(value)
    if (delta === undefined) return
    const called = object(delta["function"]) ?? delta
    const id = typeof delta["id"] === "number" ? String(delta["id"]) : word(delta["id"])
    const name = word(called["name"])
    const index = delta["index"] === undefined || delta["index"] === null ? undefined : Number(delta["index"])
    const given = called["arguments"]
    const args = object(given) === undefined ? word(given) : JSON.stringify(given)
    const same = knownCall(index, id, name)
    const known = same === undefined || (name !== "" && isOther(same, id, name, args)) ? undefined : same
    if (known === undefined && id + name + args === "") return
    const call = known ?? { index, id, name, pieces: [], extra: undefined }
    if (known === undefined) calls.push(call)
    else call.name = joinedName(call.name, name)
    if (call.id === "") call.id = id
    if (args !== "") call.pieces.push(args)
    if (delta["extra_content"] !== undefined) call.extra = delta["extra_content"]
  }

  const say = (found: TaggedText) => {
    if (found === "retract") {
      learned.opensUntagged = tags.opensUntagged
      parts.retract()
    } else parts.say(...found)
  }

  /** `field`: the one that is sent back with it. */
  const onThought = (source: string, text: string, field?: string) => {
    if (text === "") return
    if (thought === undefined) {
      thought = source
      tags.apart()
    }
    if (thought === source) {
      parts.say("reasoning", text, noted({ by: provider, ...(field === undefined ? {} : { field }) }))
    }
  }

  const onContent = (content: unknown): void => {
    if (typeof content === "string") {
      spoken ||= content !== ""
      tags.split(content).forEach(say)
      return
    }
    for (const part of Array.isArray(content) ? content as ReadonlyArray<unknown> : [content]) {
      const type = word(object(part)?.["type"])
      if (typeof part === "string") onContent(part)
      else if (/thinking|reasoning/.test(type)) onThought("content", textIn(part))
      else if (type === "refusal") onRefusal(textIn(part))
      else if (/^(?:output_)?text$|^$/.test(type)) onContent(word(object(part)?.["text"]))
    }
  }

  const onRefusal = (refusal: string) => {
    if (refusal === "") return
    refused = true
    parts.say("text", refusal)
  }

  const onDelta = (delta: Json) => {
    for (const field of thoughtFields) {
      const value = delta[field]
      // What came in another form than text is not sent back.
      onThought(field, textIn(value), typeof value === "string" ? field : undefined)
    }
    for (const detail of list(delta["reasoning_details"])) {
      const piece = object(detail)
      if (piece === undefined) continue
      addDetail(details, piece)
      onThought("reasoning_details", textIn(piece))
    }
    onContent(delta["content"])
    onRefusal(word(delta["refusal"]))
    const called = delta["tool_calls"]
    if (object(called) !== undefined) onCall(called)
    else list(called).forEach(onCall)
    const former = object(delta["function_call"])
    if (former !== undefined && !called) onCall({ index: -1, ...former })
  }

  /** A whole message: some servers repeat in it what they had streamed. */
  const onMessage = (message: Json) => {
    const { content, function_call, refusal, tool_calls, ...rest } = message
    onDelta({
      ...(thought === undefined ? rest : {}),
      ...(spoken ? {} : { content, refusal }),
      ...(calls.length === 0 ? { tool_calls, function_call } : {})
    })
  }

  /** Of several choices one counts: the one of index 0, else the first that came. */
  const choiceIn = (chunk: Json): Json | undefined => {
    const choices = list(chunk["choices"]).map(object).filter((choice) => choice !== undefined)
    const indexOf = (choice: Json) => choice["index"] ?? 0
    const found = choices.find((choice) => indexOf(choice) === (chosen ?? 0)) ??
      (chosen === undefined ? choices[0] : undefined)
    if (found !== undefined) chosen = indexOf(found)
    return found
  }

  /** Gemini's word for a prompt that it does not answer. */
  const isBlocked = (chunk: Json): boolean => {
    const feedback = object(chunk["promptFeedback"]) ?? object(chunk["prompt_feedback"])
    return word(feedback?.["blockReason"] ?? feedback?.["block_reason"]) !== ""
  }

  const reason = (whole: boolean): Response.FinishReason => {
    if (refused) return "content-filter"
    const said = meaningOf(finish)
    if (said === "length" || said === "content-filter") return said
    return whole && calls.length > 0 ? "tool-calls" : said ?? (finish === undefined ? "unknown" : "other")
  }

  return {
    parts,
    isDone: () => done,
    event: (value) => {
      const chunk = object(value)
      if (chunk === undefined || done) return undefined
      if (chunk["error"] !== undefined && chunk["error"] !== null) return { error: chunk }
      if (chunk["object"] === "error") return { error: chunk }
      usage = object(chunk["usage"]) ?? usage
      if (isBlocked(chunk)) {
        heard = true
        finish = "content_filter"
      }
      const choice = choiceIn(chunk)
      heard ||= choice !== undefined
      const [delta, message] = [object(choice?.["delta"]), object(choice?.["message"])]
      if (delta !== undefined) onDelta(delta)
      if (message !== undefined) onMessage(message)
      if (typeof choice?.["text"] === "string") onContent(choice["text"])
      const finished = word(choice?.["finish_reason"])
      if (finished === "error") return { error: object(choice?.["error"]) === undefined ? chunk : choice }
      if (finished !== "") finish = finished
      return undefined
    },
    finish: (marked) => {
      if (done) return undefined
      if (finish === undefined && !(marked && heard)) {
        return heard ? endedEarly : nothingCame
      }
      if (finish !== undefined && failsWith(finish)) return endedWith(finish)
      tags.rest().forEach(say)
      if (!refused && calls.length === 0 && !isCut(finish) && parts.lack !== undefined) return parts.lack
      done = true
      if (details.length > 0) {
        parts.begin("reasoning", noted({ by: provider, details }))
        parts.end()
      }
      const read = calls.map(({ pieces, ...call }) => ({ ...call, json: joinedArguments(pieces) }))
      // A call whose arguments a limit cut off is dropped.
      const whole = meaningOf(finish) === "length" ? read.filter(({ json }) => isWhole(json)) : read
      for (const [at, { extra, json, name, ...call }] of whole.entries()) {
        const own = call.id !== "" && whole.findIndex((other) => other.id === call.id) === at
        parts.push({
          type: "tool-call",
          id: own ? call.id : `${id}_${at}`,
          name: calledName(name, tools),
          params: parseArguments(json),
          ...(extra === undefined ? {} : { metadata: noted({ extra }) })
        })
      }
      parts.push({ type: "finish", reason: reason(whole.length > 0), usage: usageOf(usage) })
      return undefined
    }
  }
}
