import { generateWith, type ResponsePart } from "../ResponseParts.ts"
import { Effect, Option, Stream } from "effect"
import { IdGenerator, LanguageModel } from "effect/ai"
import { introduce, type IntroductionOptions, showAnswer } from "./Introduction.ts"
import { offlineNotes } from "../CompactionPrompt.ts"
import { estimateTokens, type LastTurn, lastTurn } from "../LastTurn.ts"
import { withoutMemory } from "../MemoryBlock.ts"
import { parseScript, type ScriptStep } from "./Script.ts"

type Kind = "text" | "reasoning"

/** Splits text into words, each with the white space that follows it. */
export const wordsOf = (text: string): ReadonlyArray<string> => text.match(/\S+\s*|^\s+/g) ?? []

/** Builds the parts of one response: opens and closes blocks, counts bytes. */
export class OfflineParts {
  private open: { readonly kind: Kind; readonly id: string } | undefined
  private readonly spoken = new Set<Kind>()
  private blocks = 0
  bytes = 0

  /** One delta per piece. A paragraph break goes in front of all but the first utterance of a kind. */
  say(kind: Kind, pieces: ReadonlyArray<string>, continued = false): Array<ResponsePart> {
    if (pieces.length === 0) return []
    const parts: Array<ResponsePart> = []
    if (this.open?.kind !== kind) {
      parts.push(...this.close())
      this.open = { kind, id: String(this.blocks++) }
      parts.push({ type: `${kind}-start`, id: this.open.id })
    }
    const { id } = this.open
    let prefix = this.spoken.has(kind) && !continued ? "\n\n" : ""
    for (const piece of pieces) {
      const delta = prefix + piece
      this.bytes += Buffer.byteLength(delta)
      parts.push({ type: `${kind}-delta`, id, delta })
      prefix = ""
    }
    this.spoken.add(kind)
    return parts
  }

  call(id: string, name: string, params: unknown): Array<ResponsePart> {
    this.bytes += Buffer.byteLength(JSON.stringify(params) ?? "")
    return [...this.close(), { type: "tool-call", id, name, params }]
  }

  finish(reason: "stop" | "tool-calls", inputTokens: number): Array<ResponsePart> {
    const total = Math.ceil(this.bytes / 4)
    return [...this.close(), {
      type: "finish",
      reason,
      usage: { inputTokens: { total: inputTokens }, outputTokens: { total } }
    }]
  }

  private close(): Array<ResponsePart> {
    const open = this.open
    this.open = undefined
    return open === undefined ? [] : [{ type: `${open.kind}-end`, id: open.id }]
  }
}

const deltasAtOnce = 256

/** Steps after the last executed call; those before it were in earlier responses of this turn. */
const remaining = (steps: ReadonlyArray<ScriptStep>, executed: number): ReadonlyArray<ScriptStep> => {
  let calls = 0
  const next = executed === 0 ? 0 : steps.findIndex((step) => step._tag === "Call" && ++calls === executed) + 1
  return executed > 0 && next === 0 ? [] : steps.slice(next)
}

/** The next response: a pure function of the turn so far and the offered tools. */
export const decide = (
  turn: LastTurn,
  tools: ReadonlySet<string>,
  options: IntroductionOptions
): ReadonlyArray<ScriptStep> => {
  const condensed = offlineNotes(turn.text)
  if (condensed !== undefined) return [{ _tag: "Say", text: condensed }]
  const script = parseScript(withoutMemory(turn.text))
  if (script === undefined) return introduce(turn, tools, options)
  const answer = turn.answers.at(-1)
  return [
    ...(answer === undefined ? [] : [{ _tag: "Say", text: showAnswer(answer) } as const]),
    ...remaining(script, turn.answers.length)
  ]
}

interface Pause {
  readonly seconds: number
}

interface Request {
  readonly tools: ReadonlySet<string>
  readonly inputTokens: number
  readonly callId: string
}

function* deltas(speech: OfflineParts, count: number): Generator<ReadonlyArray<ResponsePart>> {
  for (let start = 0; start < count; start += deltasAtOnce) {
    const pieces: Array<string> = []
    for (let i = start + 1; i <= Math.min(start + deltasAtOnce, count); i++) {
      pieces.push(`w${String(i).padStart(6, "0")} `)
    }
    yield speech.say("text", pieces, start > 0)
  }
}

function* perform(
  steps: ReadonlyArray<ScriptStep>,
  { callId, inputTokens, tools }: Request
): Generator<ReadonlyArray<ResponsePart> | Pause> {
  const speech = new OfflineParts()
  for (const step of steps) {
    switch (step._tag) {
      case "Say":
        yield speech.say("text", wordsOf(step.text))
        break
      case "Think":
        yield speech.say("reasoning", wordsOf(step.text))
        break
      case "Stream":
        yield* deltas(speech, step.count)
        break
      case "Wait":
        yield { seconds: step.seconds }
        break
      case "Call": {
        if (tools.size > 0) {
          yield [...speech.call(callId, step.tool, step.params), ...speech.finish("tool-calls", inputTokens)]
          return
        }
        yield speech.say("text", wordsOf(`\`${step.tool}\` is not offered in this request.`))
      }
    }
  }
  yield speech.finish("stop", inputTokens)
}

type Parts = Stream.Stream<ResponsePart, never, IdGenerator.IdGenerator>

export const streamText = (options: IntroductionOptions) => (request: LanguageModel.ProviderOptions): Parts =>
  Stream.unwrap(Effect.gen(function*() {
    const ids = yield* IdGenerator.IdGenerator
    const callId = yield* ids.generateId()
    const tools = new Set(request.toolChoice === "none" ? [] : request.tools.map((tool) => tool.name))
    const steps = decide(lastTurn(request.prompt), tools, options)
    const performance = perform(steps, { tools, callId, inputTokens: estimateTokens(request.prompt) })
    return Stream.paginate(performance, (performance) => {
      const { done, value } = performance.next()
      if (done) return Effect.succeed([[], Option.none()] as const)
      const next = Option.some(performance)
      return "seconds" in value
        ? Effect.as(Effect.sleep(value.seconds * 1000), [[], next] as const)
        : Effect.succeed([value, next] as const)
    })
  }))

/**
 * The built-in offline model: no network, no key. Its answer is a function of the prompt alone, so a turn can be
 * interrupted, stored and resumed at any tool boundary. See docs/models.md#offline-model.
 */
export const make = (options: IntroductionOptions): Effect.Effect<LanguageModel.LanguageModel> =>
  LanguageModel.make({
    streamText: streamText(options),
    generateText: generateWith(streamText(options))
  })
