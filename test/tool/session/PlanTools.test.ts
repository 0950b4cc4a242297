import { mkdirSync, readFileSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { bench, toolbox } from "../Call.ts"

describe("plan_write", () => {
  layer(toolbox())((it) => {
    it.effect("writes the one plan file and shows what changes in it", () =>
      Effect.gen(function*() {
        const { cwd, preview, run } = yield* bench
        const path = join(cwd, ".postern", "plan.md")
        assert.strictEqual(
          (yield* run("plan_write", { content: "# Plan\n" })).text,
          "Wrote the plan to .postern/plan.md (7 bytes)."
        )
        const shown = yield* preview("plan_write", { content: "# Other\n" })
        assert.deepStrictEqual(shown.content, [{ type: "diff", path, oldText: "# Plan\n", newText: "# Other\n" }])
        yield* run("plan_write", { content: "# Other\n" }, { preview: shown })
        assert.strictEqual(readFileSync(path, "utf8"), "# Other\n")
      }))

    it.effect("writes nowhere else, wherever a link leads", () =>
      Effect.gen(function*() {
        const { cwd, failure } = yield* bench
        mkdirSync(join(cwd, "src"))
        symlinkSync("src", join(cwd, ".postern"))
        assert.match(yield* failure("plan_write", { content: "x" }), /leads to another place/)
        assert.match(yield* failure("plan_write", { content: " " }), /empty/)
      }))
  })
})

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
