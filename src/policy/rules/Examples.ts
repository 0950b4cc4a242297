import type { ActionContext, CallAction } from "../decision/CallAction.ts"
import type { Analyse } from "../decision/ShellAnalysis.ts"
import type { Facts } from "./Call.ts"
import { named } from "./Paths.ts"
import { familyOf, type KnownTools } from "./Rule.ts"
import { type Entry, make } from "./RuleSet.ts"

/** Calls made up from a text, to try a rule before it is used: the self-tests of a rules file, and warnings about dangerous shapes. */

export interface Trial {
  readonly place: ActionContext
  readonly tools: KnownTools
  readonly analyse: Analyse
}

interface Example {
  readonly tool: string
  readonly parts: ReadonlyArray<CallAction>
  readonly facts: Facts
}

const factsOf = (place: ActionContext): Facts => ({
  place,
  opaque: false,
  parseError: false,
  canonical: (path) => named(path, place.cwd, place.home, () => undefined).written
})

export const shellCall = (command: string, { analyse, place }: Trial) => {
  const { inner, opaque, parseError, parts, shapes } = analyse(command, place)
  return { tool: "shell", parts, shapes, facts: { ...factsOf(place), opaque, parseError, inner } }
}

const parametersOf = (text: string) =>
  Object.fromEntries(
    text.split(",").map((one) => {
      const border = one.indexOf("=")
      return border < 0 ? [one.trim(), ""] : [one.slice(0, border).trim(), one.slice(border + 1).trim()]
    })
  )

const callOf = ({ rule: { specifier, tool } }: Entry, text: string, trial: Trial): Example => {
  const family = tool._tag === "Glob" ? undefined : familyOf(tool.name, trial.tools)
  const call = (parts: ReadonlyArray<CallAction>, name = tool.name): Example => ({
    tool: name,
    parts,
    facts: factsOf(trial.place)
  })
  if (specifier?._tag === "Parameters") {
    return call([{ kind: "tool", text, name: tool.name, parameters: parametersOf(text) }])
  }
  switch (family) {
    case "shell":
      return shellCall(text, trial)
    case "read":
    case "write":
      return call([{ kind: family, text, path: text }])
    case "fetch":
      return call([{ kind: "fetch", text, url: text.includes("://") ? text : `https://${text}` }])
    case "mcp": {
      const [server = "", name = ""] = text.startsWith("mcp__") ? text.slice(5).split("__") : text.split("/")
      return call(
        [{ kind: "mcp", text, server, tool: name }],
        tool._tag === "Family" ? `mcp__${server}__${name}` : text
      )
    }
  }
  return call([{ kind: "tool", text, name: text, parameters: {} }], text)
}

/** Whether the rule alone decides the call that `text` stands for: a command, a path, an address, `server/tool`, or a tool's name. */
export const decides = (entry: Entry, text: string, trial: Trial): boolean => {
  const { facts, parts, tool } = callOf(entry, text, trial)
  return make([entry], trial.tools).decide(tool, parts, facts) !== undefined
}
