import { lstat } from "node:fs/promises"
import { join } from "node:path"
import { Effect, Schema } from "effect"
import * as ToolRequirements from "../../policy/decision/ToolRequirements.ts"
import { Environment } from "../../platform/Environment.ts"
import * as FolderWalk from "./FolderWalk.ts"
import * as IgnoreRules from "./IgnoreRules.ts"
import * as ReadFilter from "./ReadFilter.ts"
import * as ToolPath from "./ToolPath.ts"
import * as Tool from "../Tool.ts"

const maxResults = 1000

/** Of the two searches. */
export const IncludeIgnored = Tool.optional(
  Schema.Boolean,
  "Also what .gitignore names, and node_modules; false when absent"
)

const Parameters = Schema.Struct({
  pattern: Schema.String.annotate({ description: "Such as src/**/*.{ts,tsx}; ** stands for any number of folders" }),
  path: Tool.optional(Schema.String, "Folder the pattern starts in; the workspace itself when absent"),
  include_ignored: IncludeIgnored
})

export const make = Effect.map(Environment, (variables) =>
  Tool.make<typeof Parameters.Type>({
    name: "glob_search",
    description:
      "Find files by name pattern. The result is sorted, relative to the workspace, at most 1000 paths. .git, " +
      "node_modules and what .gitignore names are not searched, symbolic links are not followed. A pattern that ends in / " +
      "finds folders.",
    parameters: Parameters,
    kind: "search",
    capabilities: ["ro"],
    needs: ({ path }) => ToolRequirements.read(path ?? "."),
    preview: (parameters) => Effect.succeed({ title: `Find ${Tool.firstLine(parameters.pattern, 80)}` }),
    run: Effect.fnUntraced(function*({ include_ignored, path, pattern }, context) {
      if (pattern.startsWith("/") || pattern.startsWith("~") || pattern.split("/").includes("..")) {
        return yield* Tool.fail("The pattern must be relative and without \"..\"; name another start folder in path.")
      }
      const folder = yield* ToolPath.resolve(path ?? ".", "read", context)
      const isFolder = yield* Effect.promise(() =>
        lstat(folder).then((found) => found.isDirectory() || found.isSymbolicLink(), () => true)
      )
      if (!isFolder) return yield* Tool.fail(`${ToolPath.shown(folder, context.workspace)} is no folder to search in.`)
      const filter = {
        mayRead: yield* context.mayRead,
        skipped: FolderWalk.skipped(include_ignored === true),
        isIgnored: include_ignored === true
          ? undefined
          : yield* IgnoreRules.load(folder, context.workspace.roots, variables)
      }
      const found = yield* FolderWalk.walk(folder, FolderWalk.compile(pattern), maxResults, filter)
      const leftOut = ReadFilter.note(found.leftOut)
      if (found.paths.length === 0) {
        const what = pattern.endsWith("/") ? "folders" : "files"
        return Tool.said(`No ${what} match ${pattern}.${found.complete ? "" : unfinished}${leftOut}`)
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
  }))

const unfinished = " The folder is too large to search completely; name a smaller one in path."
