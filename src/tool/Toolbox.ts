import { Context, Effect, Layer } from "effect"
import { AskUser } from "./AskUser.ts"
import * as ContentSearch from "./ContentSearch.ts"
import { DeliverFile } from "./DeliverFile.ts"
import { FileEdit } from "./FileEdit.ts"
import { FileList } from "./FileList.ts"
import { FileRead } from "./FileRead.ts"
import { FileWrite } from "./FileWrite.ts"
import { GlobSearch } from "./GlobSearch.ts"
import { Processes } from "./Processes.ts"
import * as Shell from "./Shell.ts"
import { TodoWrite } from "./TodoWrite.ts"
import type { AnyTool } from "./Tool.ts"

/** The built-in tools by name, in the order models see them. */
export class Toolbox extends Context.Service<Toolbox, {
  readonly tools: ReadonlyMap<string, AnyTool>
}>()("postern/tool/Toolbox") {
  /** With the processes of another Layer, such as one that confines them. */
  static readonly layerProcesses: Layer.Layer<Toolbox, never, Processes> = Layer.effect(
    Toolbox,
    Effect.gen(function*() {
      const shell = yield* Shell.make
      const contentSearch = yield* ContentSearch.make
      const tools: ReadonlyArray<AnyTool> = [
        FileRead, FileList, GlobSearch, contentSearch, FileWrite, FileEdit, shell, DeliverFile, TodoWrite, AskUser
      ]
      return Toolbox.of({ tools: new Map(tools.map((tool) => [tool.name, tool])) })
    })
  )

  static readonly layer: Layer.Layer<Toolbox> = Toolbox.layerProcesses.pipe(Layer.provide(Processes.layer))
}
