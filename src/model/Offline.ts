import { Effect, Option, Stream } from "effect"
import { IdGenerator, LanguageModel } from "effect/ai"
import { showAnswer } from "./Answers.ts"
import { notes } from "./Condense.ts"
import { estimateTokens, type LastTurn, lastTurn } from "./LastTurn.ts"
import { past } from "./MemoryBlock.ts"
import type { Part } from "./Parts.ts"
import { parse, type Step } from "./Script.ts"
import { Speech, words } from "./Speech.ts"
import { summarise, type SummaryOptions } from "./Summary.ts"
import { generateWith } from "./Whole.ts"

const deltasAtOnce = 256

/** Steps behind the last executed call; everything before it was said in earlier responses of this turn. */
const remaining = (steps: ReadonlyArray<Step>, executed: number): ReadonlyArray<Step> => {
  let calls = 0
  const next = executed === 0 ? 0 : steps.findIndex((step) => step._tag === "Call" && ++calls === executed) + 1
  return executed > 0 && next === 0 ? [] : steps.slice(next)
}

/** What the model does next: a pure function of the turn so far and the tools it is offered. */
export const decide = (turn: LastTurn, tools: ReadonlySet<string>, options: SummaryOptions): ReadonlyArray<Step> => {
  const condensed = notes(turn.text)
  if (condensed !== undefined) return [{ _tag: "Say", text: condensed }]
  const script = parse(past(turn.text))
  if (script === undefined) return summarise(turn, tools, options)
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

function* deltas(speech: Speech, count: number): Generator<ReadonlyArray<Part>> {
  for (let start = 0; start < count; start += deltasAtOnce) {
    const pieces: Array<string> = []
    for (let i = start + 1; i <= Math.min(start + deltasAtOnce, count); i++) {
      pieces.push(`w${String(i).padStart(6, "0")} `)
    }
    yield speech.say("text", pieces, start > 0)
  }
}

function* perform(
  steps: ReadonlyArray<Step>,
  { callId, inputTokens, tools }: Request
): Generator<ReadonlyArray<Part> | Pause> {
  const speech = new Speech()
  for (const step of steps) {
    switch (step._tag) {
      case "Say":
        yield speech.say("text", words(step.text))
        break
      case "Think":
        yield speech.say("reasoning", words(step.text))
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
        yield speech.say("text", words(`\`${step.tool}\` is not offered in this request.`))
      }
    }
  }
  yield speech.finish("stop", inputTokens)
}

type Parts = Stream.Stream<Part, never, IdGenerator.IdGenerator>

export const streamText = (options: SummaryOptions) => (request: LanguageModel.ProviderOptions): Parts =>
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
 * The built-in offline model (spec §2): no network, no key. Its answer is a function of the prompt alone, so that a turn can be
 * cut off, stored and taken up again at any tool boundary.
 */
export const make = (options: SummaryOptions): Effect.Effect<LanguageModel.LanguageModel> =>
  LanguageModel.make({
    streamText: streamText(options),
    generateText: generateWith(streamText(options))
  })
