import { Context, Effect, Layer } from "effect"
import { AskUser } from "./AskUser.ts"
import * as ContentSearch from "./ContentSearch.ts"
import { DeliverFile } from "./DeliverFile.ts"
import { EscalateToHuman } from "./EscalateToHuman.ts"
import { FileEdit } from "./FileEdit.ts"
import { FileList } from "./FileList.ts"
import { FileRead } from "./FileRead.ts"
import { FileWrite } from "./FileWrite.ts"
import { GlobSearch } from "./GlobSearch.ts"
import * as HttpRequest from "./HttpRequest.ts"
import { JobKill, JobList, JobOutput } from "./JobTools.ts"
import { PlanWrite } from "./PlanWrite.ts"
import { Processes } from "./Processes.ts"
import { ReadSkill } from "./ReadSkill.ts"
import * as Shell from "./Shell.ts"
import type { SessionTools } from "./SessionTools.ts"
import { TodoWrite } from "./TodoWrite.ts"
import type { AnyTool } from "./Tool.ts"
import * as WebFetch from "./WebFetch.ts"

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
      const webFetch = yield* WebFetch.make
      const httpRequest = yield* HttpRequest.make
      const tools: ReadonlyArray<AnyTool> = [
        FileRead,
        FileList,
        GlobSearch,
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
}
