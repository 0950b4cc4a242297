import { Context, Effect, Layer } from "effect"
import { AskUser, EscalateToHuman } from "./session/UserQuestions.ts"
import * as ContentSearch from "./file/ContentSearch.ts"
import { DeliverFile } from "./session/DeliverFile.ts"
import { FileEdit } from "./file/FileEdit.ts"
import { FileList } from "./file/FileList.ts"
import { FileRead } from "./file/FileRead.ts"
import { FileWrite } from "./file/FileWrite.ts"
import * as GlobSearch from "./file/GlobSearch.ts"
import * as HttpRequest from "./web/HttpRequest.ts"
import { JobKill, JobList, JobOutput } from "./shell/JobTools.ts"
import { PlanWrite, TodoWrite } from "./session/PlanTools.ts"
import { Processes } from "../sandbox/process/Processes.ts"
import { ReadSkill } from "./session/ReadSkill.ts"
import * as Shell from "./shell/Shell.ts"
import type { SessionTools } from "./SessionTools.ts"
import type { AnyTool } from "./Tool.ts"
import * as WebFetch from "./web/WebFetch.ts"
import { type KnownTools, type ToolFamily, ToolVocabulary } from "../policy/rules/Rule.ts"

const make = (tools: ReadonlyMap<string, AnyTool>): Toolbox["Service"] => {
  const known = new WeakMap<ReadonlyMap<string, AnyTool>, ReadonlyMap<string, AnyTool>>()
  return {
    tools,
    of: (session) => {
      const own = session.current()
      if (own.size === 0) return tools
      const all = known.get(own) ?? new Map([...tools, ...Array.from(own).filter(([name]) => !tools.has(name))])
      known.set(own, all)
      return all
    }
  }
}

/** The built-in tools by name, in the order models see them. */
export class Toolbox extends Context.Service<Toolbox, {
  readonly tools: ReadonlyMap<string, AnyTool>
  /** With those of one session after them; the same map while those are the same. */
  readonly of: (session: SessionTools) => ReadonlyMap<string, AnyTool>
}>()("postern/tool/Toolbox") {
  static readonly layer: Layer.Layer<Toolbox> = Layer.effect(
    Toolbox,
    Effect.gen(function*() {
      const shell = yield* Shell.make
      const contentSearch = yield* ContentSearch.make
      const globSearch = yield* GlobSearch.make
      const webFetch = yield* WebFetch.make
      const httpRequest = yield* HttpRequest.make
      const tools: ReadonlyArray<AnyTool> = [
        FileRead,
        FileList,
        globSearch,
        contentSearch,
        FileWrite,
        FileEdit,
        shell,
        JobOutput,
        JobList,
        JobKill,
        webFetch,
        httpRequest,
        DeliverFile,
        ReadSkill,
        PlanWrite,
        TodoWrite,
        AskUser,
        EscalateToHuman
      ]
      return make(new Map(tools.map((tool) => [tool.name, tool])))
    })
  ).pipe(Layer.provide(Processes.layer))

  /** The names that rules of every layer may use: those of the built-in tools. */
  static readonly layerVocabulary: Layer.Layer<ToolVocabulary, never, Toolbox> = Layer.effect(
    ToolVocabulary,
    Effect.map(Toolbox, ({ tools }) => knownTools(tools))
  )
}

/** The family whose rules speak of a tool's calls. */
const familyOf = ({ capabilities, mcp, network }: AnyTool): ToolFamily | undefined => {
  if (mcp !== undefined) return "mcp"
  if (capabilities.includes("shell_rw")) return "shell"
  if (network === "required") return "fetch"
  return capabilities.includes("rw") ? "write" : capabilities.includes("ro") ? "read" : undefined
}

/** Only some sessions have them, and rules of all may name them. */
const memoryTools: ReadonlyArray<readonly [string, ToolFamily]> = [
  ["memory_recall", "read"],
  ["memory_export", "read"],
  ["memory_store", "write"],
  ["memory_forget", "write"],
  ["memory_purge", "write"]
]

/** What rules are read against: the tools of this process. */
export const knownTools = (tools: ReadonlyMap<string, AnyTool>): KnownTools =>
  new Map([...memoryTools, ...Array.from(tools.values(), (tool) => [tool.name, familyOf(tool)] as const)])
