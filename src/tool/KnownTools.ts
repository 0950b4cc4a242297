import type { AnyTool } from "./Tool.ts"
import { Toolbox } from "./Toolbox.ts"
import { Effect, Layer } from "effect"
import type { Family, KnownTools } from "../policy/rules/Rule.ts"
import { ToolVocabulary } from "../policy/rules/ToolVocabulary.ts"

/** The family whose rules speak of a tool's calls. */
const familyOf = ({ capabilities, mcp, network }: AnyTool): Family | undefined => {
  if (mcp !== undefined) return "mcp"
  if (capabilities.includes("shell_rw")) return "shell"
  if (network === "required") return "fetch"
  return capabilities.includes("rw") ? "write" : capabilities.includes("ro") ? "read" : undefined
}

/** Only some sessions have them, and rules of all may name them. */
const memoryTools: ReadonlyArray<readonly [string, Family]> = [
  ["memory_recall", "read"],
  ["memory_export", "read"],
  ["memory_store", "write"],
  ["memory_forget", "write"],
  ["memory_purge", "write"]
]

/** What rules are read against: the tools of this process. */
export const knownTools = (tools: ReadonlyMap<string, AnyTool>): KnownTools =>
  new Map([...memoryTools, ...Array.from(tools.values(), (tool) => [tool.name, familyOf(tool)] as const)])

/** Rules of every layer may name the built-in tools. */
export const layer = Layer.effect(ToolVocabulary, Effect.map(Toolbox, ({ tools }) => knownTools(tools)))
