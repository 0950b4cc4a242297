import { Effect } from "effect"
import { Tool, Toolkit } from "effect/ai"
import type { Capability } from "../policy/Capability.ts"
import { grants, type WorkMode } from "../policy/Knobs.ts"
import { RuleBooks } from "../policy/RuleBooks.ts"
import { type AnyTool, ruleName } from "../tool/Tool.ts"
import { Toolbox } from "../tool/Toolbox.ts"
import { TurnFailed, type TurnInput } from "./TurnLoop.ts"

/** Which tools one request to the model offers. */

const described = ({ capabilities, description, within }: AnyTool, mode: WorkMode): string => {
  const granted = (capability: Capability) => grants(mode, capability)
  return within === undefined || capabilities.every(granted) ? description : `${description} ${within(granted)}`
}

const declare = (tools: ReadonlyArray<AnyTool>, mode: WorkMode) => {
  const toolkit = Toolkit.make(
    ...tools.map((tool) =>
      Tool.dynamic(tool.name, { description: described(tool, mode), parameters: tool.inputSchema ?? tool.parameters })
    )
  )
  return Effect.provide(toolkit, toolkit.toLayer({}))
}

export type Offer = Effect.Success<ReturnType<typeof declare>>

/** Tools of sessions come and go under the same names: each one gets a number of its own. */
const makeNumbers = () => {
  const numbers = new WeakMap<AnyTool, number>()
  let last = 0
  return (tool: AnyTool): number => {
    const number = numbers.get(tool) ?? ++last
    numbers.set(tool, number)
    return number
  }
}

const maxOffers = 64

export const make = Effect.gen(function*() {
  const toolbox = yield* Toolbox
  const books = yield* RuleBooks
  const numberOf = makeNumbers()
  const offers = new Map<string, Offer>()

  /** Only what the Work mode grants something to, and what no rule hides (policy §1.2). The same choice is the same object. */
  return Effect.fnUntraced(function*({ policy: { knobs, source }, tools: own }: TurnInput) {
    const tools = Array.from(toolbox.of(own).values())
    const { rules } = yield* Effect.mapError(
      books.load(source()),
      ({ message }) => new TurnFailed({ message, reason: "rules_invalid" })
    )
    yield* Effect.forEach(yield* books.takeNotes, (note) => Effect.logWarning(note), { discard: true })
    const hidden = rules.hidden(tools.map(ruleName))
    const mode = knobs().values.work_mode
    const shown = tools.filter((tool) =>
      !hidden.has(ruleName(tool)) && tool.capabilities.some((capability) => grants(mode, capability))
    )
    const key = [mode, ...shown.map(numberOf)].join()
    const made = offers.get(key) ?? (yield* declare(shown, mode))
    if (offers.size >= maxOffers) offers.clear()
    offers.set(key, made)
    return made
  })
})
