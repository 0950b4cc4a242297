import { readdir } from "node:fs/promises"
import { join, resolve } from "node:path"
import { Effect, Glob, Schema } from "effect"
import * as Files from "../../workspace/Files.ts"
import type { MayRead } from "./ReadFilter.ts"
import * as ToolRequirements from "../../policy/decision/ToolRequirements.ts"
import * as ReadFilter from "./ReadFilter.ts"
import * as ToolPath from "./ToolPath.ts"
import * as Tool from "../Tool.ts"

/** Folders no search looks into. */
export const skipped: ReadonlySet<string> = new Set([".git", "node_modules"])

/** Entries looked at before a walk gives up on completeness. */
const maxVisited = 300_000

interface WalkResult {
  /** Relative to the folder, with `/`; a folder ends in `/`. Sorted. */
  readonly paths: ReadonlyArray<string>
  /** False when a limit ended the walk early. */
  readonly complete: boolean
  /** How many matched and were refused. */
  readonly leftOut: number
}

/** A pattern without a slash is meant for names at any depth. */
export const anywhere = (pattern: string): string => pattern.includes("/") ? pattern : `**/${pattern}`

export const compile = (pattern: string): Glob.Glob => Glob.make(pattern, { dot: true })

/** What matches below `folder`. Symbolic links are neither followed nor listed; unreadable folders are passed over. */
export const walk = (
  folder: string,
  pattern: Glob.Glob,
  limit: number,
  mayRead: MayRead = () => true
): Effect.Effect<WalkResult> =>
  Effect.promise(async (abort) => {
    const wantsFolders = pattern.pattern.endsWith("/")
    const paths: Array<string> = []
    let visited = 0
    let leftOut = 0
    const enter = async (relative: string): Promise<boolean> => {
      const entries = await list(resolve(folder, relative)).catch(() => [])
      entries.sort((a, b) => a.name < b.name ? -1 : 1)
      for (const entry of entries) {
        if (abort.aborted || ++visited > maxVisited) return false
        const isFolder = entry.isDirectory()
        if (!isFolder && !entry.isFile()) continue
        const path = `${relative}${entry.name}${isFolder ? "/" : ""}`
        if (isFolder === wantsFolders && Glob.match(pattern, path)) {
          if (!mayRead(resolve(folder, path))) leftOut++
          else if (paths.length >= limit) return false
          else paths.push(path)
        }
        if (isFolder && !skipped.has(entry.name) && !(await enter(path))) return false
      }
      return true
    }
    const complete = await enter("")
    return { paths: paths.sort(), complete, leftOut }
  })

const list = (folder: string) => Files.inside(folder, (base) => readdir(base, { withFileTypes: true }))

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
    const found = yield* walk(folder, compile(pattern), maxResults, yield* context.mayRead)
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
