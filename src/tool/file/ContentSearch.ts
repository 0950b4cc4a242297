import { lstat } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { Context, Effect, Option, Schema } from "effect"
import * as Needs from "../../policy/decision/ToolRequirements.ts"
import * as BuiltinSearch from "./BuiltinSearch.ts"
import { Environment, scrub } from "../../platform/Environment.ts"
import * as Executable from "../../platform/Executable.ts"
import { Processes } from "../../sandbox/process/Processes.ts"
import * as Ripgrep from "./Ripgrep.ts"
import * as SearchHits from "./SearchHits.ts"
import * as ToolPath from "./ToolPath.ts"
import * as Tool from "../Tool.ts"

const maxResults = 1000
const maxContext = 100
const maxLocations = 20

/** Seconds a search may take. */
export const Timeout: Context.Reference<number> = Context.Reference("postern/tool/ContentSearch/Timeout", {
  defaultValue: () => 30
})

const around = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: maxContext }))

const Parameters = Schema.Struct({
  pattern: Schema.String.annotate({ description: "Regular expression, matched line by line" }),
  path: Tool.optional(Schema.String, "Folder or file to search; the workspace itself when absent"),
  output_mode: Tool.optional(
    Schema.Literals(["content", "files_with_matches", "count"]),
    "content (default): matching lines; files_with_matches: paths only; count: matching lines per file"
  ),
  include: Tool.optional(Schema.String, "Only files that match this glob, such as *.ts"),
  case_sensitive: Tool.optional(Schema.Boolean, "true when absent"),
  context_before: Tool.optional(around, "Lines to show before each match"),
  context_after: Tool.optional(around, "Lines to show after each match"),
  multiline: Tool.optional(Schema.Boolean, "Let the pattern match across lines; needs ripgrep"),
  max_results: Tool.optional(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: maxResults })),
    `Matching lines, or files, to return; ${maxResults} when absent`
  )
})

export const make = Effect.gen(function*() {
  const processes = yield* Processes
  const variables = yield* Environment
  const timeout = yield* Timeout

  /** Without a sandbox for it ripgrep is not used. */
  const search = Effect.fnUntraced(
    function*(query: SearchHits.SearchQuery, { confinement, workspace: { allowed, roots } }: Tool.RunContext) {
      const ripgrep = Executable.find("rg", variables["PATH"], [...roots, ...allowed])
      if (ripgrep === undefined) return yield* BuiltinSearch.search(query, timeout)
      const where = { cwd: query.folder, env: scrub(variables) }
      const confined = yield* Effect.option(confinement.confine([ripgrep, ...Ripgrep.argumentsOf(query)], where))
      return Option.isNone(confined)
        ? yield* BuiltinSearch.search(query, timeout)
        : yield* Ripgrep.search(confined.value, query, processes, timeout)
    }
  )

  return Tool.make<typeof Parameters.Type>({
    name: "content_search",
    description:
      "Search the content of files with a regular expression. Lines come back as path:line:text, context as " +
      "path-line-text. .git, node_modules, binary files and files above 10 MiB are not searched.",
    parameters: Parameters,
    kind: "search",
    capabilities: ["ro"],
    origin: "local",
    needs: ({ path }) => Needs.read(path ?? "."),
    preview: Effect.fnUntraced(function*(parameters, context) {
      const path = yield* ToolPath.locate(parameters.path ?? ".", "read", context)
      const title = `Search for ${Tool.firstLine(parameters.pattern, 80)}`
      if (path === undefined || path === context.workspace.cwd) return { title }
      return { title: `${title} in ${ToolPath.shown(path, context.workspace)}`, locations: [{ path }] }
    }),
    run: Effect.fnUntraced(function*(parameters, context) {
      if (parameters.pattern === "") return yield* Tool.fail("The pattern is empty.")
      const target = yield* ToolPath.resolve(parameters.path ?? ".", "read", context)
      const mayRead = yield* context.mayRead
      if (mayRead?.(target) === false) {
        return yield* Tool.fail(
          `Cannot search ${ToolPath.shown(target, context.workspace)}: the policy does not let it be read.`
        )
      }
      const isFolder = yield* kindOf(target, ToolPath.shown(target, context.workspace))
      const folder = isFolder ? target : dirname(target)
      const mode = parameters.output_mode ?? "content"
      const found = yield* search({
        folder,
        file: isFolder ? undefined : basename(target),
        pattern: parameters.pattern,
        include: parameters.include ?? undefined,
        caseSensitive: parameters.case_sensitive ?? true,
        before: parameters.context_before ?? 0,
        after: parameters.context_after ?? 0,
        multiline: parameters.multiline ?? false,
        mode,
        maxResults: parameters.max_results ?? maxResults,
        mayRead
      }, context)
      // The workspace may refuse single files below a folder it allows.
      const files = yield* Effect.filter(
        found.files,
        (file) =>
          Effect.map(
            Effect.option(context.workspace.resolve(join(folder, file.path), "read")),
            (path) => Option.isSome(path) && mayRead?.(path.value) !== false
          )
      )
      // How many they are would tell what is in them, one pattern after the other.
      const closed = mayRead === undefined ? "" : "\n[Files that the policy does not let be read are left out.]"
      const readable = { ...found, files }
      return {
        text: SearchHits.render(readable, mode, (path) => ToolPath.shown(join(folder, path), context.workspace)) +
          closed,
        locations: files.slice(0, maxLocations).map((file) => location(join(folder, file.path), file)),
        rawOutput: { files: files.length, matches: files.reduce((sum, file) => sum + file.matches, 0) }
      }
    })
  })
})

const location = (path: string, file: SearchHits.FileHits) => {
  const line = file.lines.find((candidate) => !candidate.context)?.number
  return line === undefined ? { path } : { path, line }
}

const kindOf = (target: string, name: string) =>
  Effect.tryPromise({
    try: async () => (await lstat(target)).isDirectory(),
    catch: () => Tool.fail(`Cannot search ${name}: it does not exist.`)
  })
