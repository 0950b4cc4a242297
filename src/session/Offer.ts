import { Effect } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { grants } from "../policy/Knobs.ts"
import { RuleBooks } from "../policy/RuleBooks.ts"
import { type AnyTool, ruleName } from "../tool/Tool.ts"
import { Toolbox } from "../tool/Toolbox.ts"
import { TurnFailed, type TurnInput } from "./TurnLoop.ts"

/** Which tools one request to the model offers. */

const declare = (tools: ReadonlyArray<AnyTool>) => {
  const toolkit = Toolkit.make(...tools.map(({ description, inputSchema, name, parameters }) =>
    Tool.dynamic(name, { description, parameters: inputSchema ?? parameters })))
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
    const { rules } = yield* Effect.mapError(books.load(source()), ({ message }) => new TurnFailed({ message, reason: "rules_invalid" }))
    const hidden = rules.hidden(tools.map(ruleName))
    const mode = knobs().values.work_mode
    const shown = tools.filter((tool) =>
      !hidden.has(ruleName(tool)) && tool.capabilities.some((capability) => grants(mode, capability)))
    const key = shown.map(numberOf).join()
    const made = offers.get(key) ?? (yield* declare(shown))
    if (offers.size >= maxOffers) offers.clear()
    offers.set(key, made)
    return made
  })
})
