import { homedir } from "node:os"
import { Worker } from "node:worker_threads"
import { Context, Deferred, Effect, Option, Schema } from "effect"
import type { Hash } from "node:crypto"
import type { Stats } from "node:fs"
import { basename, dirname, join } from "node:path"
import { lstat } from "node:fs/promises"
import type { MayRead } from "./ReadFilter.ts"
import * as Files from "../../workspace/Files.ts"
import { IncludeIgnored } from "./GlobSearch.ts"
import * as IgnoreRules from "./IgnoreRules.ts"
import type { IsIgnored } from "./IgnoreRules.ts"
import * as FolderWalk from "./FolderWalk.ts"
import * as Tool from "../Tool.ts"
import type { ConfinedCommand } from "../../sandbox/Confinement.ts"
import { Processes } from "../../sandbox/process/Processes.ts"
import * as ToolRequirements from "../../policy/decision/ToolRequirements.ts"
import { Environment, scrub } from "../../platform/Environment.ts"
import * as Executable from "../../platform/Executable.ts"
import { isInside } from "../../platform/FilePath.ts"
import * as ToolPath from "./ToolPath.ts"
import { beginning } from "../../domain/Cut.ts"

/** The result of a content search by either engine, and its rendering as text. */

interface HitLine {
  readonly number: number
  readonly text: string
  /** Shown around a match, itself none. */
  readonly context: boolean
}

interface FileHits {
  /** Relative to the searched folder. */
  readonly path: string
  readonly matches: number
  readonly lines: ReadonlyArray<HitLine>
}

interface SearchResult {
  readonly files: ReadonlyArray<FileHits>
  /** Files that were another while they were looked at again. */
  readonly changed?: number
  /** Why the result is not all there is; absent when it is. */
  readonly limit?: "results" | "time" | "size" | "folder"
}

type SearchOutputMode = "content" | "files_with_matches" | "count"

/** What both search engines are asked for. */
interface SearchQuery {
  readonly folder: string
  /** One file of the folder instead of everything below it. */
  readonly file: string | undefined
  readonly pattern: string
  readonly include: string | undefined
  readonly caseSensitive: boolean
  readonly before: number
  readonly after: number
  readonly multiline: boolean
  readonly mode: SearchOutputMode
  readonly maxResults: number
  /** Of canonical paths; `undefined` is all of them. */
  readonly mayRead: MayRead | undefined
  /** `undefined` is nothing. */
  readonly isIgnored: IsIgnored | undefined
  readonly skipped: ReadonlyArray<string>
}

/** Bytes of matched text before a search ends. */
export const maxOutput = 1024 * 1024

/** Characters of one line that are kept. */
export const maxLine = 1000

const cutLine = (line: string): string => line.length > maxLine ? `${beginning(line, maxLine)}… [line cut]` : line

const limits: Readonly<Record<NonNullable<SearchResult["limit"]>, string>> = {
  results: "max_results was reached; narrow the pattern, the path or include",
  time: "the time limit was reached; narrow the path or include",
  size: "the output limit was reached; narrow the pattern, the path or include",
  folder: "the folder is too large to search completely; narrow the path"
}

export const render = (found: SearchResult, mode: SearchOutputMode, name: (path: string) => string): string => {
  const note = (found.limit === undefined ? "" : `\n[Not everything: ${limits[found.limit]}.]`) +
    changedNote(found.changed)
  if (found.files.length === 0) return `No matches.${note}`
  switch (mode) {
    case "files_with_matches":
      return found.files.map((file) => name(file.path)).join("\n") + note
    case "count":
      return found.files.map((file) => `${name(file.path)}:${file.matches}`).join("\n") + note
    case "content":
      return found.files.map((file) => renderFile(name(file.path), file.lines)).join("\n") + note
  }
}

const changedNote = (changed = 0): string =>
  changed === 0
    ? ""
    : `\n[${changed} ${changed === 1 ? "file" : "files"} left out: changed or moved during the search; search again.]`

const renderFile = (name: string, lines: ReadonlyArray<HitLine>): string => {
  const grouped = lines.some((line) => line.context)
  return lines.map((line, index) => {
    const sign = line.context ? "-" : ":"
    const previous = lines[index - 1]?.number ?? line.number
    const gap = grouped && line.number > previous + 1 ? "--\n" : ""
    return `${gap}${name}${sign}${line.number}${sign}${line.text}`
  }).join("\n")
}

const maxFiles = 100_000

/** The search of a machine without ripgrep; patterns are JavaScript's. */
const builtinSearch = Effect.fnUntraced(function*(
  query: SearchQuery,
  timeout: number
): Effect.fn.Return<SearchResult, Tool.ToolFailed> {
  if (query.multiline) return yield* Tool.fail("multiline needs ripgrep (rg), which this machine does not have.")
  const files: Array<FileHits> = []
  const done = yield* Effect.timeoutOption(
    Effect.gen(function*() {
      const walked = query.file === undefined
        ? yield* FolderWalk.walk(
          query.folder,
          FolderWalk.compile(FolderWalk.anywhere(query.include ?? "*")),
          maxFiles,
          query
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

const jobOf = (query: SearchQuery, files: ReadonlyArray<string>): SearchJob => ({
  folder: query.folder,
  files,
  pattern: query.pattern,
  flags: query.caseSensitive ? "" : "i",
  before: query.before,
  after: query.after,
  mode: query.mode,
  maxResults: query.maxResults,
  maxOutput: maxOutput,
  maxLine: maxLine,
  maxFile: Files.maxBytes
})

const work = (
  job: SearchJob,
  onFile: (file: FileHits) => void
): Effect.Effect<SearchResult["limit"], Tool.ToolFailed> =>
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
  readonly mode: SearchOutputMode
  readonly maxResults: number
  readonly maxOutput: number
  readonly maxLine: number
  readonly maxFile: number
}

export type SearchReport =
  | { readonly type: "file"; readonly file: FileHits }
  | { readonly type: "done"; readonly limit: SearchResult["limit"] }
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

  const wide = (bytes: Buffer): "le" | "be" | undefined =>
    bytes[0] === 0xff && bytes[1] === 0xfe ? "le" : bytes[0] === 0xfe && bytes[1] === 0xff ? "be" : undefined

  const decoded = (bytes: Buffer): string => {
    const order = wide(bytes)
    if (order === undefined) return bytes.toString("utf8")
    const even = Buffer.from(bytes.subarray(0, bytes.length - bytes.length % 2))
    return (order === "be" ? even.swap16() : even).toString("utf16le", 2)
  }

  /** Whatever size was announced: a file of `/proc` announces none and may be endless. */
  const readBounded = (descriptor: number): string | undefined => {
    buffer ??= Buffer.allocUnsafe(job.maxFile + 1)
    for (let length = 0;;) {
      const room = length === 0 ? 8192 : buffer.length - length
      const count = fs.readSync(descriptor, buffer, length, room, null)
      if (count === 0) return decoded(buffer.subarray(0, length))
      length += count
      const start = buffer.subarray(0, Math.min(length, 8192))
      const isBinary = wide(start) === undefined && start.includes(0)
      if (length > job.maxFile || isBinary) return undefined
    }
  }

  const isAt = (descriptor: number, { dev, ino }: Stats, path: string): boolean => {
    if (process.platform === "linux") return fs.readlinkSync(`/proc/self/fd/${descriptor}`) === path
    const now = fs.lstatSync(path)
    return fs.realpathSync.native(path) === path && now.dev === dev && now.ino === ino
  }

  const readText = (path: string): string | undefined => {
    let descriptor: number | undefined
    try {
      descriptor = fs.openSync(path, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK)
      const stats = fs.fstatSync(descriptor)
      if (!stats.isFile() || stats.size > job.maxFile) return undefined
      // A folder on the way may have become a link since it was listed.
      if (!isAt(descriptor, stats, path)) return undefined
      return readBounded(descriptor)
    } catch {
      return undefined
    } finally {
      if (descriptor !== undefined) fs.closeSync(descriptor)
    }
  }

  const cut = (line: string) =>
    line.length > job.maxLine ? `${line.slice(0, job.maxLine).replace(/[\uD800-\uDBFF]$/, "")}… [line cut]` : line

  /** The limit that was reached inside this file. */
  const searchFile = (path: string, regexp: RegExp, text: string): SearchResult["limit"] => {
    const source = (text.startsWith("\uFEFF") ? text.slice(1) : text).split("\n").map((line) =>
      line.endsWith("\r") ? line.slice(0, -1) : line
    )
    if (source.at(-1) === "") source.pop()
    const shown = new Map<number, boolean>()
    let matches = 0
    let limit: SearchResult["limit"]
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

const Text = Schema.Union([Schema.Struct({ text: Schema.String }), Schema.Struct({ bytes: Schema.String })])

const Message = Schema.fromJsonString(Schema.Struct({
  type: Schema.Literals(["match", "context"]),
  data: Schema.Struct({ path: Text, lines: Text, line_number: Schema.Int })
}))

const decode = Schema.decodeUnknownOption(Message)

const textOf = (value: typeof Text.Type): string =>
  "text" in value ? value.text : Buffer.from(value.bytes, "base64").toString("utf8")

const includes = (pattern: string): ReadonlyArray<string> => {
  const literal = FolderWalk.literalBrackets(pattern)
  // What is no class in these patterns either, such as the [...slug] of a route.
  const globs = literal === undefined ? [pattern] : /\[(\[|\.\.\.)/.test(pattern) ? [literal] : [pattern, literal]
  return globs.flatMap((glob) => ["--glob", glob])
}

/**
 * Same rules as the built-in search: hidden files count, `.git` does not. Ignore files only spare ripgrep the work; which
 * hits count is decided here, for both searches.
 */
const argumentsOf = (query: SearchQuery): ReadonlyArray<string> => [
  "--json",
  "--no-config",
  ...(query.isIgnored === undefined ? ["--no-ignore"] : ["--no-ignore-dot", "--no-ignore-global"]),
  "--hidden",
  "--crlf",
  "--no-messages",
  "--sort",
  "path",
  "--max-filesize",
  "10M",
  query.caseSensitive ? "--case-sensitive" : "--ignore-case",
  ...(query.mode === "content" ? ["-B", `${query.before}`, "-A", `${query.after}`] : []),
  ...(query.mode === "files_with_matches" ? ["--max-count", "1"] : []),
  ...(query.multiline ? ["--multiline", "--multiline-dotall"] : []),
  ...(query.include === undefined ? [] : includes(query.include)),
  ...query.skipped.flatMap((name) => ["--glob", `!${name}`]),
  "-e",
  query.pattern,
  "--",
  query.file === undefined ? "./" : `./${query.file}`
]

const ripgrepSearch = Effect.fnUntraced(function*(
  command: ConfinedCommand,
  query: SearchQuery,
  processes: Processes["Service"],
  timeout: number
): Effect.fn.Return<SearchResult, Tool.ToolFailed> {
  const enough = Deferred.makeUnsafe<void>()
  const collector = collect(query, () => Deferred.doneUnsafe(enough, Effect.void))
  let errors = ""
  const run = processes.run({
    ...command,
    timeout: `${timeout} seconds`,
    onOutput: (chunk, from) => {
      if (from === "stdout") collector.push(chunk)
      else if (errors.length < 4096) errors += chunk.toString("utf8")
    }
  })
  const ended = yield* Effect.raceFirst(run, Deferred.await(enough)).pipe(
    Effect.mapError((failed) => Tool.fail(`The search could not be started (${failed.message}).`))
  )
  // The sandbox refused to start it, as where a folder was just exchanged for a link.
  if (ended?.attribution?.kind === "runner-failed") return yield* builtinSearch(query, timeout)
  const seen = collector.found()
  if (ended?.code === 2 && seen.files.length === 0 && errors !== "") {
    return yield* Tool.fail(`The search failed: ${errors.trim()}`)
  }
  if (ended?.timedOut && seen.files.length === 0) {
    return yield* Tool.fail(
      `The search did not finish within ${timeout} seconds. Name a smaller folder in path, or use include.`
    )
  }
  const files = yield* Effect.filter(seen.files, (file) => isInFile(join(query.folder, file.path), file), {
    concurrency: 8
  })
  const changed = seen.files.length - files.length
  return { ...seen, ...(ended?.timedOut ? { limit: "time" as const } : {}), files, changed }
})

/** What ripgrep said of a file. */
interface Claim extends FileHits {
  /** Of every line it printed. */
  readonly numbers: ReadonlyArray<number>
  readonly digest: string
}

/** As ripgrep reads it: UTF-16 where the file says so. */
const linesOf = (bytes: Buffer): ReadonlyArray<string> => {
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe
    ? "utf-16le"
    : bytes[0] === 0xfe && bytes[1] === 0xff
    ? "utf-16be"
    : undefined
  const text = encoding === undefined ? bytes.toString("utf8") : new TextDecoder(encoding).decode(bytes)
  return withoutMark(text).split("\n").map((line) => line.endsWith("\r") ? line.slice(0, -1) : line)
}

const withoutMark = (text: string): string => text.startsWith("\uFEFF") ? text.slice(1) : text

/**
 * Ripgrep opens files by path, and another command may exchange a folder for a link meanwhile. What it printed counts
 * only where it is found again in the file itself, opened without following links.
 */
const isInFile = (path: string, { digest, numbers }: Claim): Effect.Effect<boolean> =>
  Effect.match(Files.read(path), {
    onFailure: () => false,
    onSuccess: ({ bytes }) => {
      const lines = linesOf(bytes)
      const hash = newHash()
      for (const number of numbers) hash.update(`${lines[number - 1] ?? ""}\n`)
      return hash.digest("hex") === digest
    }
  })

const newHash = () => process.getBuiltinModule("node:crypto").createHash("sha256")

/** Bytes of one message; a longer one comes from a file without line ends that is no text to show. */
const maxMessage = 16 * 1024 * 1024

const collect = (query: SearchQuery, onEnough: () => void) => {
  const files = new Map<
    string,
    { path: string; matches: number; lines: Array<HitLine>; numbers: Array<number>; hash: Hash }
  >()
  /** The pieces of a message whose end has not come yet, and how long they are. */
  let pending: Array<Buffer> = []
  let waiting = 0
  let results = 0
  let size = 0
  let limit: SearchResult["limit"]

  let asked: { readonly path: string; readonly refused: boolean } | undefined
  const isRefused = (path: string): boolean => {
    if (asked?.path !== path) {
      const closed = query.mayRead?.(join(query.folder, path)) === false
      asked = { path, refused: closed || query.isIgnored?.(path) === true }
    }
    return asked.refused
  }

  const stop = (reason: NonNullable<SearchResult["limit"]>) => {
    limit = reason
    onEnough()
  }

  const line = (raw: string) => {
    const message = limit === undefined ? decode(raw) : undefined
    if (message?._tag !== "Some") return
    const { data, type } = message.value
    const path = textOf(data.path).replace(/^\.\//, "")
    if (isRefused(path)) return
    const isResult = type === "match" && (query.mode === "content" || !files.has(path))
    if (isResult && results >= query.maxResults) return stop("results")
    if (isResult) results++
    const file = files.get(path) ?? { path, matches: 0, lines: [], numbers: [], hash: newHash() }
    files.set(path, file)
    if (type === "match") file.matches++
    const printed = textOf(data.lines).replace(/\r?\n$/, "").split(/\r?\n/)
    for (const [index, text] of printed.entries()) {
      const number = data.line_number + index
      file.numbers.push(number)
      file.hash.update(`${number === 1 ? withoutMark(text) : text}\n`)
      if (query.mode !== "content") continue
      const cut = cutLine(text)
      size += cut.length
      file.lines.push({ number, text: cut, context: type === "context" })
    }
    if (size > maxOutput) stop("size")
  }

  return {
    push: (chunk: Buffer) => {
      if (limit !== undefined) return
      let start = 0
      for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
        line(Buffer.concat([...pending, chunk.subarray(start, end)]).toString("utf8"))
        pending = []
        waiting = 0
        start = end + 1
      }
      if (start === chunk.length) return
      pending.push(chunk.subarray(start))
      waiting += chunk.length - start
      if (waiting > maxMessage) stop("size")
    },
    found: (): SearchResult & { readonly files: ReadonlyArray<Claim> } => ({
      files: [...files.values()].filter((file) => file.matches > 0).map(({ hash, ...file }) => ({
        ...file,
        digest: hash.copy().digest("hex")
      })),
      ...(limit === undefined ? {} : { limit })
    })
  }
}

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
  include_ignored: IncludeIgnored,
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
    function*(query: SearchQuery, { confinement, workspace: { allowed, roots } }: Tool.RunContext) {
      const ripgrep = Executable.find("rg", variables["PATH"], [...roots, ...allowed])
      // In its narrow view a command sees nothing of the home folder but the session's folders below it.
      const holdsHome = isInside(query.folder, homedir())
      if (ripgrep === undefined || holdsHome) return yield* builtinSearch(query, timeout)
      // Where a folder is exchanged for a link meanwhile, the link leads to nothing that the tool may not read.
      const where = { cwd: query.folder, env: scrub(variables), only: query.folder }
      const confined = yield* Effect.option(confinement.confine([ripgrep, ...argumentsOf(query)], where))
      return Option.isNone(confined)
        ? yield* builtinSearch(query, timeout)
        : yield* ripgrepSearch(confined.value, query, processes, timeout)
    }
  )

  return Tool.make<typeof Parameters.Type>({
    name: "content_search",
    description:
      "Search the content of files with a regular expression. Lines come back as path:line:text, context as " +
      "path-line-text. .git, node_modules, what .gitignore names, binary files and files above 10 MiB are not searched.",
    parameters: Parameters,
    kind: "search",
    capabilities: ["ro"],
    origin: "local",
    needs: ({ path }) => ToolRequirements.read(path ?? "."),
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
        mayRead,
        skipped: FolderWalk.skipped(parameters.include_ignored === true),
        // A file that is named is meant.
        isIgnored: parameters.include_ignored === true || !isFolder
          ? undefined
          : yield* IgnoreRules.load(folder, context.workspace.roots, variables)
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
        text: render(readable, mode, (path) => ToolPath.shown(join(folder, path), context.workspace)) +
          closed,
        locations: files.slice(0, maxLocations).map((file) => location(join(folder, file.path), file)),
        rawOutput: { files: files.length, matches: files.reduce((sum, file) => sum + file.matches, 0) }
      }
    })
  })
})

const location = (path: string, file: FileHits) => {
  const line = file.lines.find((candidate) => !candidate.context)?.number
  return line === undefined ? { path } : { path, line }
}

const kindOf = (target: string, name: string) =>
  Effect.tryPromise({
    try: () => lstat(target),
    catch: () => Tool.fail(`Cannot search ${name}: it does not exist.`)
  }).pipe(
    Effect.filterOrFail(
      (found) => found.isDirectory() || found.isFile(),
      () => Tool.fail(`Cannot search ${name}: it is not a regular file.`)
    ),
    Effect.map((found) => found.isDirectory())
  )
