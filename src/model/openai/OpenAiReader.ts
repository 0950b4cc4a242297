import type { Response } from "effect/ai"
import { type CallNotes, notes, type ReasoningNotes } from "./OpenAiMessages.ts"
import type { Learned } from "../Learned.ts"
import { failsWith, type ResponseMetadata, ResponseParts, type ResponseReader } from "../ResponseParts.ts"
import { type TaggedText, ThoughtTags } from "../ThoughtTags.ts"
import { calledName, parseArguments } from "../ToolSchemas.ts"

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
  content_filter: "content-filter",
  safety: "content-filter",
  refusal: "content-filter",
  tool_calls: "tool-calls",
  function_call: "tool-calls",
  tool_use: "tool-calls"
}

/** A limit or a filter ended the answer: that it is empty is no fault. */
const isCut = (finish: string | undefined): boolean => {
  const meaning = finishReasons[(finish ?? "").toLowerCase()]
  return meaning === "length" || meaning === "content-filter"
}

interface Call {
  readonly index: unknown
  id: string
  name: string
  json: string
  extra: unknown
}

const usageOf = (usage: Json | undefined): typeof Response.Usage.Encoded => {
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

const isWhole = (json: string): boolean => json.trim() !== "" && typeof parseArguments(json) !== "string"

/** A name may come in pieces, whole in each piece, or longer in each. */
const joinedName = (known: string, piece: string): string =>
  piece === "" || piece === known ? known : piece.startsWith(known) ? piece : known + piece

interface ReaderOptions {
  /** Unique to this response: calls without an id get theirs from it. */
  readonly id: string
  /** The alias of the provider. */
  readonly provider: string
  readonly learned: Pick<Learned, "opensUntagged">
}

export const make = ({ id, learned, provider }: ReaderOptions): ResponseReader => {
  const parts = new ResponseParts()
  const calls: Array<Call> = []
  const details: Array<Record<string, unknown>> = []
  const tags = new ThoughtTags(learned.opensUntagged)
  let thought: string | undefined
  let usage: Json | undefined
  let finish: string | undefined
  let refused = false
  let heard = false
  let done = false

  const onCall = (value: unknown) => {
    const delta = object(value)
    const called = object(delta?.["function"])
    if (delta === undefined || called === undefined) return
    const [id, name, index] = [word(delta["id"]), word(called["name"]), delta["index"]]
    const args = called["arguments"]
    const last = calls.at(-1)
    const numbered = () => calls.find((call) => call.index === index) ?? (id === "" && name === "" ? last : undefined)
    const unnumbered = () => name === "" ? last : calls.find((call) => id !== "" && call.id === id)
    const same = index === undefined || index === null ? unnumbered() : numbered()
    // Some servers give every whole call the index 0: another id with a name is another call, and so is a name behind
    // whole arguments.
    const isOther = same !== undefined && name !== "" &&
      (id !== "" && same.id !== "" ? same.id !== id : id === "" && same.name !== name && isWhole(same.json))
    const known = isOther ? calls.find((call) => id !== "" && call.id === id) : same
    const call = known ?? { index, id, name, json: "", extra: undefined }
    if (known === undefined) calls.push(call)
    else call.name = joinedName(call.name, name)
    if (call.id === "") call.id = id
    call.json += typeof args === "string" ? args : object(args) === undefined ? "" : JSON.stringify(args)
    if (delta["extra_content"] !== undefined) call.extra = delta["extra_content"]
  }

  const say = (found: TaggedText) => {
    if (found === "retract") {
      learned.opensUntagged = tags.opensUntagged
      parts.retract()
    } else parts.say(...found)
  }

  const onDelta = (delta: Json) => {
    for (const field of ["reasoning_content", "reasoning"]) {
      const text = word(delta[field])
      if (text === "") continue
      if (thought === undefined) {
        thought = field
        tags.apart()
      }
      if (thought === field) parts.say("reasoning", text, noted({ by: provider, field }))
    }
    for (const detail of list(delta["reasoning_details"])) {
      const piece = object(detail)
      if (piece !== undefined) addDetail(details, piece)
    }
    const refusal = word(delta["refusal"])
    refused ||= refusal !== ""
    const said = word(delta["content"]) || list(delta["content"]).map((part) => word(object(part)?.["text"])).join("")
    if (said + refusal !== "") tags.split(said + refusal).forEach(say)
    list(delta["tool_calls"]).forEach(onCall)
  }

  const reason = (whole: boolean): Response.FinishReason => {
    if (refused) return "content-filter"
    const said = finishReasons[(finish ?? "").toLowerCase()]
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
      const choice = object(list(chunk["choices"])[0])
      const delta = object(choice?.["delta"]) ?? object(choice?.["message"])
      heard ||= choice !== undefined
      if (delta !== undefined) onDelta(delta)
      const finished = word(choice?.["finish_reason"])
      if (finished === "error") return { error: object(choice?.["error"]) === undefined ? chunk : choice }
      if (finished !== "") finish = finished
      return undefined
    },
    finish: (marked) => {
      if (done) return undefined
      if (finish === undefined && !(marked && heard)) {
        return heard
          ? "the connection ended before the answer did"
          : "nothing came"
      }
      if (finish !== undefined && failsWith(finish)) return `it ended with "${finish}"`
      tags.rest().forEach(say)
      if (!refused && calls.length === 0 && !isCut(finish) && parts.lack !== undefined) return parts.lack
      done = true
      if (details.length > 0) {
        parts.begin("reasoning", noted({ by: provider, details }))
        parts.end()
      }
      const read = calls.map((call) => ({ ...call, params: parseArguments(call.json) }))
      // A call whose arguments a limit cut off is dropped.
      const whole = finish !== undefined && finishReasons[finish] === "length"
        ? read.filter(({ params }) => typeof params !== "string")
        : read
      for (const [at, { extra, name, params, ...call }] of whole.entries()) {
        const own = call.id !== "" && whole.findIndex((other) => other.id === call.id) === at
        parts.push({
          type: "tool-call",
          id: own ? call.id : `${id}_${at}`,
          name: calledName(name),
          params,
          ...(extra === undefined ? {} : { metadata: noted({ extra }) })
        })
      }
      parts.push({ type: "finish", reason: reason(whole.length > 0), usage: usageOf(usage) })
      return undefined
    }
  }
}
