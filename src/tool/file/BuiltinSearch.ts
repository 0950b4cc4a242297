import { Worker } from "node:worker_threads"
import { Effect, Option } from "effect"
import * as Files from "../../workspace/Files.ts"
import * as SearchHits from "./SearchHits.ts"
import * as FolderWalk from "./FolderWalk.ts"
import * as Tool from "../Tool.ts"

const maxFiles = 100_000

/** The search of a machine without ripgrep; patterns are JavaScript's. */
export const search = Effect.fnUntraced(function*(
  query: SearchHits.SearchQuery,
  timeout: number
): Effect.fn.Return<SearchHits.SearchResult, Tool.ToolFailed> {
  if (query.multiline) return yield* Tool.fail("multiline needs ripgrep (rg), which this machine does not have.")
  const files: Array<SearchHits.FileHits> = []
  const done = yield* Effect.timeoutOption(
    Effect.gen(function*() {
      const walked = query.file === undefined
        ? yield* FolderWalk.walk(
          query.folder,
          FolderWalk.compile(FolderWalk.anywhere(query.include ?? "*")),
          maxFiles,
          query.mayRead
        )
        : { paths: [query.file], complete: true }
      const limit = yield* work(jobOf(query, walked.paths), (file) => files.push(file))
      return limit ?? (walked.complete ? undefined : "folder")
    }),
    `${timeout} seconds`
  )
  if (Option.isNone(done) && files.length === 0) {
    return yield* Tool.fail(
      `The search did not finish within ${timeout} seconds. There may be too much to search: name a smaller folder in ` +
        "path, or use include. Or the pattern needs too many attempts: avoid nested repetition such as (a+)+."
    )
  }
  const limit = Option.isNone(done) ? "time" : done.value
  return { files, ...(limit === undefined ? {} : { limit }) }
})

const jobOf = (query: SearchHits.SearchQuery, files: ReadonlyArray<string>): SearchJob => ({
  folder: query.folder,
  files,
  pattern: query.pattern,
  flags: query.caseSensitive ? "" : "i",
  before: query.before,
  after: query.after,
  mode: query.mode,
  maxResults: query.maxResults,
  maxOutput: SearchHits.maxOutput,
  maxLine: SearchHits.maxLine,
  maxFile: Files.maxBytes
})

const work = (
  job: SearchJob,
  onFile: (file: SearchHits.FileHits) => void
): Effect.Effect<SearchHits.SearchResult["limit"], Tool.ToolFailed> =>
  Effect.callback((resume) => {
    const worker = new Worker(workerSource, {
      eval: true,
      workerData: job,
      env: {},
      execArgv: [],
      stdin: false,
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: 512 }
    })
    worker.on("message", (report: SearchReport) => {
      if (report.type === "file") onFile(report.file)
      else if (report.type === "done") resume(Effect.succeed(report.limit))
      else resume(Tool.fail(`The pattern is not a valid regular expression: ${report.message}`))
    })
    worker.on("error", () => resume(Tool.fail("The search failed: it ran out of memory.")))
    worker.on("exit", () => resume(Tool.fail("The search ended early.")))
    return Effect.promise(() => worker.terminate())
  })

interface SearchJob {
  readonly folder: string
  readonly files: ReadonlyArray<string>
  readonly pattern: string
  readonly flags: string
  readonly before: number
  readonly after: number
  readonly mode: SearchHits.SearchOutputMode
  readonly maxResults: number
  readonly maxOutput: number
  readonly maxLine: number
  readonly maxFile: number
}

export type SearchReport =
  | { readonly type: "file"; readonly file: SearchHits.FileHits }
  | { readonly type: "done"; readonly limit: SearchHits.SearchResult["limit"] }
  | { readonly type: "invalid"; readonly message: string }

/**
 * The body of the worker thread. It becomes source text, so that one bundled file is enough: it may use nothing from
 * outside itself. A thread, because a pattern can keep the matcher busy for ever and only a thread can be ended.
 */
const workerMain = (): void => {
  const fs = process.getBuiltinModule("node:fs")
  const { parentPort, workerData } = process.getBuiltinModule("node:worker_threads")
  const job: SearchJob = workerData
  const post = (report: SearchReport) => parentPort?.postMessage(report)
  let results = 0
  let size = 0
  let buffer: Buffer | undefined

  /** Whatever size was announced: a file of `/proc` announces none and may be endless. */
  const readBounded = (descriptor: number): string | undefined => {
    buffer ??= Buffer.allocUnsafe(job.maxFile + 1)
    for (let length = 0;;) {
      const room = length === 0 ? 8192 : buffer.length - length
      const count = fs.readSync(descriptor, buffer, length, room, null)
      if (count === 0) return buffer.toString("utf8", 0, length)
      length += count
      if (length > job.maxFile || buffer.subarray(0, Math.min(length, 8192)).includes(0)) return undefined
    }
  }

  const readText = (path: string): string | undefined => {
    let descriptor: number | undefined
    try {
      descriptor = fs.openSync(path, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK)
      const stats = fs.fstatSync(descriptor)
      if (!stats.isFile() || stats.size > job.maxFile) return undefined
      // A folder on the way may have become a link since it was listed.
      if (process.platform === "linux" && fs.readlinkSync(`/proc/self/fd/${descriptor}`) !== path) return undefined
      return readBounded(descriptor)
    } catch {
      return undefined
    } finally {
      if (descriptor !== undefined) fs.closeSync(descriptor)
    }
  }

  const cut = (line: string) => line.length > job.maxLine ? `${line.slice(0, job.maxLine)}… [line cut]` : line

  /** The limit that was reached inside this file. */
  const searchFile = (path: string, regexp: RegExp, text: string): SearchHits.SearchResult["limit"] => {
    const source = text.split("\n").map((line) => line.endsWith("\r") ? line.slice(0, -1) : line)
    if (source.at(-1) === "") source.pop()
    const shown = new Map<number, boolean>()
    let matches = 0
    let limit: SearchHits.SearchResult["limit"]
    for (let index = 0; index < source.length; index++) {
      if (!regexp.test(source[index] ?? "")) continue
      if (results >= job.maxResults && (job.mode === "content" || matches === 0)) {
        limit = "results"
        break
      }
      if (job.mode === "content" || matches === 0) results++
      matches++
      if (job.mode === "files_with_matches") break
      if (job.mode === "count") continue
      for (let near = Math.max(0, index - job.before); near <= Math.min(source.length - 1, index + job.after); near++) {
        if (!shown.has(near)) size += Math.min(source[near]?.length ?? 0, job.maxLine)
        shown.set(near, shown.get(near) === true || near === index)
      }
      if (size > job.maxOutput) {
        limit = "size"
        break
      }
    }
    if (matches === 0) return limit
    const lines = [...shown].sort(([a], [b]) => a - b).map(([index, isMatch]) => (
      { number: index + 1, text: cut(source[index] ?? ""), context: !isMatch }
    ))
    post({ type: "file", file: { path, matches, lines } })
    return limit
  }

  let regexp: RegExp
  try {
    regexp = new RegExp(job.pattern, job.flags)
  } catch (error) {
    return post({ type: "invalid", message: error instanceof Error ? error.message : String(error) })
  }
  for (const path of job.files) {
    const text = readText(`${job.folder === "/" ? "" : job.folder}/${path}`)
    const limit = text === undefined ? undefined : searchFile(path, regexp, text)
    if (limit !== undefined) return post({ type: "done", limit })
  }
  post({ type: "done", limit: undefined })
}

export const workerSource = `(${workerMain.toString()})()`
