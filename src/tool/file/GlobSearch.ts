import { join } from "node:path"
import { Effect, Schema } from "effect"
import * as ToolRequirements from "../../policy/decision/ToolRequirements.ts"
import * as FolderWalk from "./FolderWalk.ts"
import * as ReadFilter from "./ReadFilter.ts"
import * as ToolPath from "./ToolPath.ts"
import * as Tool from "../Tool.ts"

const maxResults = 1000

const Parameters = Schema.Struct({
  pattern: Schema.String.annotate({ description: "Such as src/**/*.{ts,tsx}; ** stands for any number of folders" }),
  path: Tool.optional(Schema.String, "Folder the pattern starts in; the workspace itself when absent")
})

export const GlobSearch = Tool.make<typeof Parameters.Type>({
  name: "glob_search",
  description:
    "Find files by name pattern. The result is sorted, relative to the workspace, at most 1000 paths. .git and " +
    "node_modules are not searched, symbolic links are not followed. A pattern that ends in / finds folders.",
  parameters: Parameters,
  kind: "search",
  capabilities: ["ro"],
  needs: ({ path }) => ToolRequirements.read(path ?? "."),
  preview: (parameters) => Effect.succeed({ title: `Find ${Tool.firstLine(parameters.pattern, 80)}` }),
  run: Effect.fnUntraced(function*({ path, pattern }, context) {
    if (pattern.startsWith("/") || pattern.startsWith("~") || pattern.split("/").includes("..")) {
      return yield* Tool.fail("The pattern must be relative and without \"..\"; name another start folder in path.")
    }
    const folder = yield* ToolPath.resolve(path ?? ".", "read", context)
    const found = yield* FolderWalk.walk(folder, FolderWalk.compile(pattern), maxResults, yield* context.mayRead)
    const leftOut = ReadFilter.note(found.leftOut)
    if (found.paths.length === 0) {
      const what = pattern.endsWith("/") ? "folders" : "files"
      return { text: `No ${what} match ${pattern}.${found.complete ? "" : unfinished}${leftOut}` }
    }
    const lines = found.paths.map((entry) =>
      ToolPath.shown(join(folder, entry), context.workspace) + (entry.endsWith("/") ? "/" : "")
    )
    const note = found.complete
      ? ""
      : found.paths.length === maxResults
      ? `\n[Stopped at ${maxResults} results. Use a narrower pattern or a path.]`
      : `\n[${unfinished.trim()}]`
    return { text: lines.join("\n") + note + leftOut, rawOutput: { matches: lines.length } }
  })
})

const unfinished = " The folder is too large to search completely; name a smaller one in path."
