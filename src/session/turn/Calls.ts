import { Effect } from "effect"
import { textContent } from "../../domain/Content.ts"
import { Toolbox } from "../../tool/Toolbox.ts"
import type { ToolCallState } from "../../domain/SessionEvent.ts"
import type { CallResult, ModelCall } from "../context/History.ts"
import { newId } from "../../domain/Id.ts"
import { keyOf, type LoopGuard } from "./LoopGuard.ts"
import { capped } from "./ResultCap.ts"
import * as ToolCalls from "./ToolCalls.ts"
import type { TurnFailed, TurnInput } from "./TurnLoop.ts"

/** What a turn keeps in mind while it makes calls. */
export interface Watch {
  readonly guard: LoopGuard
  readonly denials: Map<string, number>
  readonly parallel: boolean
  readonly maxResultChars: number
}

const maxDenials = 5
const atOnce = 8

const duplicate: CallResult = {
  text: "Skipped: the same call with the same arguments stands earlier in this answer, and its result holds for both.",
  isFailure: false
}

/** Neighbouring calls that only read go together, every other call alone. */
const groups = (
  calls: ReadonlyArray<ModelCall>,
  together: (call: ModelCall) => boolean
): ReadonlyArray<ReadonlyArray<ModelCall>> => {
  const made: Array<Array<ModelCall>> = []
  let open = false
  for (const call of calls) {
    if (together(call) && open) made.at(-1)!.push(call)
    else made.push([call])
    open = together(call)
  }
  return made
}

/** Runs the calls of one answer, results by call id. What it gives back is why the turn has to end, if it has to. */
export const make = Effect.gen(function*() {
  const toolbox = yield* Toolbox
  const runCall = yield* ToolCalls.make
  const toolOf = (name: string, input: TurnInput) => toolbox.of(input.tools).get(name)
  const onlyReads = ({ name }: ModelCall, input: TurnInput) =>
    toolOf(name, input)?.capabilities.every((capability) => capability === "ro") ?? false

  const refuse = Effect.fnUntraced(function*({ name, params }: ModelCall, why: string, input: TurnInput) {
    const call: ToolCallState = {
      toolCallId: newId(),
      name,
      title: name,
      kind: toolOf(name, input)?.kind ?? "other",
      status: "pending",
      content: [],
      locations: [],
      rawInput: params
    }
    yield* input.ledger.toolCall(call)
    yield* input.ledger.toolCall({ ...call, status: "failed", content: [textContent(why)] })
    return { text: why, isFailure: true } satisfies CallResult
  })

  const one = Effect.fnUntraced(function*(
    call: ModelCall,
    { guard, maxResultChars }: Watch,
    input: TurnInput
  ): Effect.fn.Return<CallResult & { readonly end?: string }, TurnFailed> {
    const verdict = guard.before(call)
    if (verdict._tag === "Break") return { ...yield* refuse(call, verdict.why, input), end: verdict.why }
    if (verdict._tag === "Block") return yield* refuse(call, verdict.why, input)
    const result = yield* runCall(call, input)
    // Refusals are counted by their code.
    const warning = result.denied === undefined ? guard.after(call, result) : undefined
    const text = capped(result.text, maxResultChars)
    return { ...result, text: warning === undefined ? text : `${text}\n${warning}` }
  })

  /** The same refusal again and again is a loop as well (policy §1.9 E23). */
  const tooMany = (denials: Map<string, number>, { denied }: CallResult): string | undefined => {
    if (denied === undefined) return undefined
    const count = (denials.get(denied) ?? 0) + 1
    denials.set(denied, count)
    return count >= maxDenials ? `${maxDenials} calls were refused with ${denied}` : undefined
  }

  return Effect.fnUntraced(function*(
    calls: ReadonlyArray<ModelCall>,
    results: Map<string, CallResult>,
    watch: Watch,
    input: TurnInput
  ): Effect.fn.Return<string | undefined, TurnFailed> {
    const first = new Map(calls.toReversed().map((call) => [keyOf(call), call]))
    for (const call of calls) if (first.get(keyOf(call)) !== call) results.set(call.id, duplicate)
    const distinct = calls.filter((call) => first.get(keyOf(call)) === call)
    for (const group of groups(distinct, (call) => watch.parallel && onlyReads(call, input))) {
      const done = yield* Effect.forEach(group, (call) =>
        one(call, watch, input).pipe(
          Effect.tap((result) => Effect.sync(() => results.set(call.id, result))),
          Effect.tap(() => input.checkpoint)
        ), { concurrency: atOnce })
      for (const result of done) {
        const end = result.end ?? tooMany(watch.denials, result)
        if (end !== undefined) return end
      }
    }
    return undefined
  })
})
