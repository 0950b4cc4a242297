import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { bench, toolbox } from "../Call.ts"

describe("TodoWrite", () => {
  layer(toolbox())((it) => {
    it.effect("replaces the plan as a whole", () =>
      Effect.gen(function*() {
        const { failure, plans, text } = yield* bench
        const todos = [
          { content: "Look", status: "completed", priority: "high" },
          { content: "Build", status: "in_progress", activeForm: "Building", priority: null },
          { content: "Ship", status: "pending", activeForm: " " }
        ]
        assert.strictEqual(yield* text("TodoWrite", { todos }), "The plan has 3 steps, 1 completed.")
        assert.deepStrictEqual(plans, [[
          { content: "Look", status: "completed", priority: "high" },
          { content: "Build", status: "in_progress", priority: "medium", activeForm: "Building" },
          { content: "Ship", status: "pending", priority: "medium" }
        ]])
        assert.match(yield* failure("TodoWrite", { todos: [{ content: "x", status: "done" }] }), /status/)
        assert.match(yield* failure("TodoWrite", { todos: [{ content: " ", status: "pending" }] }), /no content/)
        assert.strictEqual(plans.length, 1)
      }))
  })
})
