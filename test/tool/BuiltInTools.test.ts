import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { builtInTools } from "../../src/domain/ToolName.ts"
import { knownTools, Toolbox } from "../../src/tool/Toolbox.ts"

describe("the names of the built-in tools", () => {
  it.effect("are those of the tools that there are", () =>
    Effect.map(Toolbox, ({ tools }) => {
      assert.deepStrictEqual(builtInTools.toSorted(), Array.from(knownTools(tools).keys()).toSorted())
    }).pipe(Effect.provide(Toolbox.layer)))
})
