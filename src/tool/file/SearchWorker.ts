import type * as Hits from "./SearchHits.ts"

export interface SearchJob {
  readonly folder: string
  readonly files: ReadonlyArray<string>
  readonly pattern: string
  readonly flags: string
  readonly before: number
  readonly after: number
  readonly mode: Hits.SearchOutputMode
  readonly maxResults: number
  readonly maxOutput: number
  readonly maxLine: number
  readonly maxFile: number
}

export type SearchReport =
  | { readonly type: "file"; readonly file: Hits.FileHits }
  | { readonly type: "done"; readonly limit: Hits.SearchResult["limit"] }
  | { readonly type: "invalid"; readonly message: string }

/**
 * The body of the worker thread. It becomes source text, so that one bundled file is enough: it may use nothing from
 * outside itself. A thread, because a pattern can keep the matcher busy for ever and only a thread can be ended.
 */
const main = (): void => {
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
  const searchFile = (path: string, regexp: RegExp, text: string): Hits.SearchResult["limit"] => {
    const source = text.split("\n").map((line) => line.endsWith("\r") ? line.slice(0, -1) : line)
    if (source.at(-1) === "") source.pop()
    const shown = new Map<number, boolean>()
    let matches = 0
    let limit: Hits.SearchResult["limit"]
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

export const source = `(${main.toString()})()`
