import { Worker } from "node:worker_threads"
import { Effect, Option } from "effect"
import * as Files from "../../workspace/Files.ts"
import * as Hits from "./SearchHits.ts"
import * as SearchWorker from "./SearchWorker.ts"
import * as Target from "./ToolPath.ts"
import type { ToolFailed } from "../Tool.ts"
import * as Walk from "./FolderWalk.ts"

const maxFiles = 100_000

/** The search of a machine without ripgrep; patterns are JavaScript's. */
export const search = Effect.fnUntraced(function*(
  query: Hits.SearchQuery,
  timeout: number
): Effect.fn.Return<Hits.SearchResult, ToolFailed> {
  if (query.multiline) return yield* Target.fail("multiline needs ripgrep (rg), which this machine does not have.")
  const files: Array<Hits.FileHits> = []
  const done = yield* Effect.timeoutOption(
    Effect.gen(function*() {
      const walked = query.file === undefined
        ? yield* Walk.walk(query.folder, Walk.compile(Walk.anywhere(query.include ?? "*")), maxFiles, query.mayRead)
        : { paths: [query.file], complete: true }
      const limit = yield* work(jobOf(query, walked.paths), (file) => files.push(file))
      return limit ?? (walked.complete ? undefined : "folder")
    }),
    `${timeout} seconds`
  )
  if (Option.isNone(done) && files.length === 0) {
    return yield* Target.fail(
      `The search did not finish within ${timeout} seconds. There may be too much to search: name a smaller folder in ` +
        "path, or use include. Or the pattern needs too many attempts: avoid nested repetition such as (a+)+."
    )
  }
  const limit = Option.isNone(done) ? "time" : done.value
  return { files, ...(limit === undefined ? {} : { limit }) }
})

const jobOf = (query: Hits.SearchQuery, files: ReadonlyArray<string>): SearchWorker.SearchJob => ({
  folder: query.folder,
  files,
  pattern: query.pattern,
  flags: query.caseSensitive ? "" : "i",
  before: query.before,
  after: query.after,
  mode: query.mode,
  maxResults: query.maxResults,
  maxOutput: Hits.maxOutput,
  maxLine: Hits.maxLine,
  maxFile: Files.maxBytes
})

const work = (
  job: SearchWorker.SearchJob,
  onFile: (file: Hits.FileHits) => void
): Effect.Effect<Hits.SearchResult["limit"], ToolFailed> =>
  Effect.callback((resume) => {
    const worker = new Worker(SearchWorker.source, {
      eval: true,
      workerData: job,
      env: {},
      execArgv: [],
      stdin: false,
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: 512 }
    })
    worker.on("message", (report: SearchWorker.SearchReport) => {
      if (report.type === "file") onFile(report.file)
      else if (report.type === "done") resume(Effect.succeed(report.limit))
      else resume(Target.fail(`The pattern is not a valid regular expression: ${report.message}`))
    })
    worker.on("error", () => resume(Target.fail("The search failed: it ran out of memory.")))
    worker.on("exit", () => resume(Target.fail("The search ended early.")))
    return Effect.promise(() => worker.terminate())
  })
