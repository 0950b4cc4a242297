import { Effect, Result, Schema } from "effect"
import * as Needs from "../../policy/decision/ToolRequirements.ts"
import { pathIn, relativePath } from "../../workspace/PlanFile.ts"
import * as Target from "../file/ToolPath.ts"
import * as Text from "../file/TextFile.ts"
import * as Tool from "../Tool.ts"

const Parameters = Schema.Struct({
  content: Schema.String.annotate({ description: "The whole plan in Markdown; it replaces the earlier one" })
})

export const PlanWrite = Tool.make<typeof Parameters.Type>({
  name: "plan_write",
  description:
    `Write the plan for a larger change to ${relativePath}, for the user to read and agree to: what is to be done and why, which ` +
    "files change, how it is tested. Read it back with file_read. For the steps of the work itself use TodoWrite.",
  parameters: Parameters,
  kind: "edit",
  capabilities: ["rw_plan"],
  needs: () => Needs.plan(relativePath),
  preview: Effect.fnUntraced(function*({ content }, context) {
    const path = pathIn(context.workspace.cwd)
    const seen = yield* Text.look(path, context)
    return {
      title: "Write the plan",
      locations: [{ path }],
      content: Text.diff(path, Result.getOrNull(seen.text), content),
      rawInput: { path: relativePath, newText: content },
      version: seen.version
    }
  }),
  run: Effect.fnUntraced(function*({ content }, context) {
    if (content.trim() === "") return yield* Target.fail("The plan is empty.")
    const path = yield* Target.resolve(relativePath, "write", context)
    if (path !== pathIn(context.workspace.cwd)) {
      return yield* Target.fail(`${relativePath} leads to another place: ${path}`)
    }
    const seen = yield* Text.lookAgain(path, context)
    const bytes = yield* Text.write(path, content, context)
    return {
      text: `Wrote the plan to ${relativePath} (${bytes} bytes).`,
      locations: [{ path }],
      content: Text.diff(path, Result.getOrNull(seen.text), content)
    }
  })
})
