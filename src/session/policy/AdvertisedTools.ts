import { Effect } from "effect"
import { Tool, Toolkit } from "effect/ai"
import type { Capability } from "../../domain/Capability.ts"
import { grants, type WorkMode } from "../../domain/PolicySettings.ts"
import { RuleBooks } from "../../policy/rules/RuleBooks.ts"
import { withheld } from "../../policy/decision/ToolGrants.ts"
import type { AnyTool } from "../../tool/Tool.ts"
import { ruleName } from "../../domain/ToolName.ts"
import { Toolbox } from "../../tool/Toolbox.ts"
import type { Prospect } from "./PolicyService.ts"
import { TurnFailed } from "../turn/TurnLoop.ts"

/** Which tools one request to the model offers. */

const described = ({ capabilities, description, limitedDescription }: AnyTool, mode: WorkMode): string => {
  const granted = (capability: Capability) => grants(mode, capability)
  return limitedDescription === undefined || capabilities.every(granted)
    ? description
    : `${description} ${limitedDescription(granted)}`
}

interface Declaration {
  readonly number: number
  readonly tool: Tool.AnyDynamic
}

/** What a tool says to the model. Tools of sessions come and go; those that say the same are one, as their schemas are costly. */
const makeDeclarations = () => {
  const bySchema = new WeakMap<object, Map<string, Declaration>>()
  let last = 0
  return (tool: AnyTool, mode: WorkMode): Declaration => {
    const { name } = tool
    const parameters = tool.inputSchema ?? tool.parameters
    const description = described(tool, mode)
    const known = bySchema.get(parameters) ?? new Map<string, Declaration>()
    bySchema.set(parameters, known)
    const key = `${name} ${description}`
    const made = known.get(key) ?? { number: ++last, tool: Tool.dynamic(name, { description, parameters }) }
    known.set(key, made)
    return made
  }
}

const offer = (declarations: ReadonlyArray<Declaration>) => {
  const toolkit = Toolkit.make(...declarations.map(({ tool }) => tool))
  return Effect.provide(toolkit, toolkit.toLayer({}))
}

export type AdvertisedTools = Effect.Success<ReturnType<typeof offer>>

const maxOffers = 64

export const make = Effect.gen(function*() {
  const toolbox = yield* Toolbox
  const books = yield* RuleBooks
  const declared = makeDeclarations()
  const offers = new Map<string, AdvertisedTools>()

  /** Only what the Work mode grants something to, what the owner may use, and what no rule hides (policy §1.2). The same choice is the same object. */
  return Effect.fnUntraced(
    function*({ policy: { knobs, permitted, source }, tools: own }: Prospect) {
      const tools = Array.from(toolbox.of(own).values())
      const { rules } = yield* Effect.mapError(
        Effect.flatMap(source, books.load),
        ({ message }) => new TurnFailed({ message, reason: "rules_invalid" })
      )
      yield* Effect.forEach(yield* books.takeNotes, (note) => Effect.logWarning(note), { discard: true })
      const hidden = rules.hidden(tools.map(ruleName))
      const mode = knobs().values.work_mode
      const allowed = yield* permitted
      const shown = tools.filter((tool) =>
        withheld(allowed, tool) === undefined && !hidden.has(ruleName(tool)) &&
        tool.capabilities.some((capability) => grants(mode, capability))
      )
      const declarations = shown.map((tool) => declared(tool, mode))
      const key = declarations.map(({ number }) => number).join()
      const made = offers.get(key) ?? (yield* offer(declarations))
      if (offers.size >= maxOffers) offers.clear()
      offers.set(key, made)
      return made
    }
  )
})
