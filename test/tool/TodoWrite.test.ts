import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { bench, toolbox } from "./Call.ts"

describe("TodoWrite", () => {
  layer(toolbox())((it) => {
    it.effect("replaces the plan as a whole", () =>
      Effect.gen(function*() {
        const { failure, plans, text } = yield* bench
        const todos = [
          { content: "Look", status: "completed", priority: "high" },
          { content: "Build", status: "in_progress", activeForm: "Building", priority: null }
        ]
        assert.strictEqual(yield* text("TodoWrite", { todos }), "The plan has 2 steps, 1 completed.")
        assert.deepStrictEqual(plans, [[
          { content: "Look", status: "completed", priority: "high" },
          { content: "Build", status: "in_progress", priority: "medium" }
        ]])
        assert.match(yield* failure("TodoWrite", { todos: [{ content: "x", status: "done" }] }), /status/)
        assert.match(yield* failure("TodoWrite", { todos: [{ content: " ", status: "pending" }] }), /no content/)
        assert.strictEqual(plans.length, 1)
      }))
  })
})
