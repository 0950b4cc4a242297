import { Effect, Result, Schema } from "effect"
import * as ToolRequirements from "../../policy/decision/ToolRequirements.ts"
import { pathIn, relativePath } from "../../workspace/Workspace.ts"
import * as ToolPath from "../file/ToolPath.ts"
import * as TextFile from "../file/TextFile.ts"
import * as Tool from "../Tool.ts"
import { type PlanEntry, textContent } from "../../domain/Content.ts"
import { planTool } from "../../domain/ToolName.ts"

const Plan = Schema.Struct({
  content: Schema.String.annotate({ description: "The whole plan in Markdown; it replaces the earlier one" })
})

export const PlanWrite = Tool.make<typeof Plan.Type>({
  name: "plan_write",
  description:
    `Write the plan for a larger change to ${relativePath}, for the user to read and agree to: what is to be done and why, which ` +
    "files change, how it is tested. Read it back with file_read. For the steps of the work itself use TodoWrite.",
  parameters: Plan,
  kind: "edit",
  capabilities: ["rw_plan"],
  needs: () => ToolRequirements.plan(relativePath),
  preview: ({ content }, context) =>
    Effect.succeed({
      title: "Write the plan",
      locations: [{ path: pathIn(context.workspace.cwd) }],
      rawInput: { path: relativePath, newText: content }
    }),
  disclose: Effect.fnUntraced(function*({ content }, context) {
    if (context.writesNothing) return { content: [textContent(content)] }
    const path = pathIn(context.workspace.cwd)
    const seen = yield* TextFile.look(path, context)
    return { content: TextFile.diff(path, Result.getOrNull(seen.text), content), version: seen.version }
  }),
  run: Effect.fnUntraced(function*({ content }, context) {
    if (content.trim() === "") return yield* Tool.fail("The plan is empty.")
    if (context.writesNothing) {
      return {
        text: "The plan is kept in the session, where the user sees it; nothing is written in this workspace.",
        content: [textContent(content)]
      }
    }
    const path = yield* ToolPath.resolve(relativePath, "write", context)
    if (path !== pathIn(context.workspace.cwd)) {
      return yield* Tool.fail(`${relativePath} leads to another place: ${path}`)
    }
    const seen = yield* TextFile.lookAgain(path, context)
    const bytes = yield* TextFile.write(path, content, context, seen)
    return {
      text: `Wrote the plan to ${relativePath} (${bytes} bytes).`,
      locations: [{ path }],
      content: TextFile.diff(path, Result.getOrNull(seen.text), content)
    }
  })
})

const Todo = Schema.Struct({
  content: Schema.String.annotate({ description: "What is to be done" }),
  status: Schema.Literals(["pending", "in_progress", "completed"]),
  priority: Tool.optional(Schema.Literals(["high", "medium", "low"]), "medium when absent"),
  activeForm: Tool.optional(Schema.String, "The same in the form used while it is being done")
})

const Todos = Schema.Struct({
  todos: Schema.Array(Todo).annotate({ description: "The whole list, in order; it replaces the earlier one" })
})

export const TodoWrite = Tool.make<typeof Todos.Type>({
  name: planTool,
  description:
    "Keep the plan the user sees. Send the whole list each time: one step in_progress, finished ones completed. Use " +
    "it for work of three or more steps.",
  parameters: Todos,
  kind: "think",
  capabilities: ["none"],
  needs: () => ToolRequirements.nothing,
  preview: () => Effect.succeed({ title: "Update the plan" }),
  run: Effect.fnUntraced(function*({ todos }, context) {
    if (todos.some((todo) => todo.content.trim() === "")) {
      return yield* Tool.fail("A step of the plan has no content.")
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
    return Tool.said(entries.length === 0 ? "The plan is empty now." : `The plan has ${steps}, ${done} completed.`)
  })
})
