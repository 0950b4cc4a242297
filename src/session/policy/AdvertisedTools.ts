import { Context, Effect, Layer } from "effect"
import { Tool } from "effect/ai"
import type { Capability } from "../../domain/Capability.ts"
import { isFrozen } from "../../domain/EmergencyStop.ts"
import { defaults, grants, type WorkMode } from "../../domain/PolicySettings.ts"
import { declarationOf } from "../../model/ToolSchemas.ts"
import { beyondReading } from "../../policy/decision/Boundary.ts"
import { RuleBooks } from "../../policy/rules/source/RuleBooks.ts"
import { withheld } from "../../policy/decision/ToolGrants.ts"
import type { AnyTool } from "../../tool/Tool.ts"
import { ruleName } from "../../domain/ToolName.ts"
import { Toolbox } from "../../tool/Toolbox.ts"
import type { ToolAudience } from "./PolicyService.ts"
import { TurnFailed } from "../turn/TurnEnd.ts"

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

/** Declarations for the model. Tools of sessions come and go; equal ones share a declaration, because their schemas are costly. */
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

/** The tools of a request by their names, in the order in which models see them. */
export interface Advertisement {
  readonly tools: Readonly<Record<string, Tool.AnyDynamic>>
}

const advertise = (declarations: ReadonlyArray<Declaration>): Advertisement => ({
  tools: Object.fromEntries(declarations.map(({ tool }) => [tool.name, tool]))
})

/** Those that are of no use where nobody is asked. */
const askingTools = new Set(["ask_user", "escalate_to_human"])

const maxKept = 64

const usualMode = defaults.work_mode

/** The tools that requests to the model advertise. */
export class AdvertisedTools extends Context.Service<AdvertisedTools, {
  /**
   * Those to which the Work mode grants something, which the owner may use, and which no rule hides. The same choice is the same object.
   * See docs/policy.md#work-modes
   */
  readonly of: (session: ToolAudience) => Effect.Effect<Advertisement, TurnFailed>
  /** No tools, for an agent that has none. */
  readonly none: Advertisement
}>()("postern/session/AdvertisedTools") {
  static readonly layer = Layer.effect(
    AdvertisedTools,
    Effect.gen(function*() {
      const toolbox = yield* Toolbox
      const books = yield* RuleBooks
      const declared = makeDeclarations()
      const kept = new Map<string, Advertisement>()
      // Otherwise the first turn waits for the schemas of all tools.
      yield* Effect.forEach(
        toolbox.tools.values(),
        (tool) => Effect.andThen(Effect.yieldNow, Effect.sync(() => declarationOf(declared(tool, usualMode).tool))),
        { discard: true }
      ).pipe(Effect.delay("30 millis"), Effect.forkScoped)

      return {
        none: advertise([]),
        of: Effect.fnUntraced(function*({ policy: { permitted, settings, source, stop }, tools: own }) {
          const tools = Array.from(toolbox.of(own).values())
          const { rules } = yield* Effect.mapError(
            Effect.flatMap(source, books.load),
            ({ message }) => new TurnFailed({ message, reason: "rules_invalid" })
          )
          yield* Effect.forEach(yield* books.takeNotes, (note) => Effect.logWarning(note), { discard: true })
          const hidden = rules.hidden(tools.map(ruleName))
          const { level, values: { approval_response: response, work_mode: mode } } = settings()
          const allowed = yield* permitted
          const halted = stop.state()
          const shown = tools.filter((tool) =>
            withheld(allowed, tool) === undefined && !hidden.has(ruleName(tool)) && !isFrozen(halted, tool) &&
            !(response === "never" && askingTools.has(tool.name)) &&
            tool.capabilities.some((capability) =>
              grants(mode, capability) && (level !== "readonly" || !beyondReading.has(capability))
            )
          )
          const declarations = shown.map((tool) => declared(tool, mode))
          const key = declarations.map(({ number }) => number).join()
          const made = kept.get(key) ?? advertise(declarations)
          if (kept.size >= maxKept) kept.clear()
          kept.set(key, made)
          return made
        })
      }
    })
  )
}
