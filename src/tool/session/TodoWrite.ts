import { Effect, Schema } from "effect"
import * as Needs from "../../policy/decision/ToolRequirements.ts"
import type { PlanEntry } from "../../domain/Content.ts"
import * as Target from "../file/ToolPath.ts"
import * as Tool from "../Tool.ts"

const Todo = Schema.Struct({
  content: Schema.String.annotate({ description: "What is to be done" }),
  status: Schema.Literals(["pending", "in_progress", "completed"]),
  priority: Target.optional(Schema.Literals(["high", "medium", "low"]), "medium when absent"),
  activeForm: Target.optional(Schema.String, "The same in the form used while it is being done")
})

const Parameters = Schema.Struct({
  todos: Schema.Array(Todo).annotate({ description: "The whole list, in order; it replaces the earlier one" })
})

export const TodoWrite = Tool.make<typeof Parameters.Type>({
  name: "TodoWrite",
  description:
    "Keep the plan the user sees. Send the whole list each time: one step in_progress, finished ones completed. Use " +
    "it for work of three or more steps.",
  parameters: Parameters,
  kind: "think",
  capabilities: ["none"],
  needs: () => Needs.nothing,
  preview: () => Effect.succeed({ title: "Update the plan" }),
  run: Effect.fnUntraced(function*({ todos }, context) {
    if (todos.some((todo) => todo.content.trim() === "")) {
      return yield* Target.fail("A step of the plan has no content.")
    }
    const entries = todos.map(({ activeForm, content, priority, status }): PlanEntry => ({
      content,
      priority: priority ?? "medium",
      status,
      ...(typeof activeForm === "string" && activeForm.trim() !== "" ? { activeForm } : {})
    }))
    yield* context.plan(entries)
    const done = entries.filter((entry) => entry.status === "completed").length
    const steps = entries.length === 1 ? "1 step" : `${entries.length} steps`
    return { text: entries.length === 0 ? "The plan is empty now." : `The plan has ${steps}, ${done} completed.` }
  })
})
