import { join } from "node:path"
import { Deferred, Effect, Schema } from "effect"
import type { ConfinedCommand } from "../../sandbox/Confinement.ts"
import type { Processes } from "../../sandbox/process/Processes.ts"
import * as SearchHits from "./SearchHits.ts"
import { skipped } from "./FolderWalk.ts"
import * as Tool from "../Tool.ts"

const Text = Schema.Union([Schema.Struct({ text: Schema.String }), Schema.Struct({ bytes: Schema.String })])

const Message = Schema.fromJsonString(Schema.Struct({
  type: Schema.Literals(["match", "context"]),
  data: Schema.Struct({ path: Text, lines: Text, line_number: Schema.Int })
}))

const decode = Schema.decodeUnknownOption(Message)

const textOf = (value: typeof Text.Type): string =>
  "text" in value ? value.text : Buffer.from(value.bytes, "base64").toString("utf8")

/** Same rules as the built-in search: ignore files do not count, hidden files do, `.git` and `node_modules` do not. */
export const argumentsOf = (query: SearchHits.SearchQuery): ReadonlyArray<string> => [
  "--json",
  "--no-config",
  "--no-ignore",
  "--hidden",
  "--no-messages",
  "--sort",
  "path",
  "--max-filesize",
  "10M",
  query.caseSensitive ? "--case-sensitive" : "--ignore-case",
  ...(query.mode === "content" ? ["-B", `${query.before}`, "-A", `${query.after}`] : []),
  ...(query.mode === "files_with_matches" ? ["--max-count", "1"] : []),
  ...(query.multiline ? ["--multiline", "--multiline-dotall"] : []),
  ...(query.include === undefined ? [] : ["--glob", query.include]),
  ...[...skipped].flatMap((name) => ["--glob", `!${name}`]),
  "-e",
  query.pattern,
  "--",
  query.file === undefined ? "./" : `./${query.file}`
]

export const search = Effect.fnUntraced(function*(
  command: ConfinedCommand,
  query: SearchHits.SearchQuery,
  processes: Processes["Service"],
  timeout: number
): Effect.fn.Return<SearchHits.SearchResult, Tool.ToolFailed> {
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
  if (ended?.code === 2 && collector.found().files.length === 0 && errors !== "") {
    return yield* Tool.fail(`The search failed: ${errors.trim()}`)
  }
  const found = collector.found()
  if (ended?.timedOut && found.files.length === 0) {
    return yield* Tool.fail(
      `The search did not finish within ${timeout} seconds. Name a smaller folder in path, or use include.`
    )
  }
  return ended?.timedOut ? { ...found, limit: "time" } : found
})

/** Bytes of one message; a longer one comes from a file without line ends that is no text to show. */
const maxMessage = 16 * 1024 * 1024

const collect = (query: SearchHits.SearchQuery, onEnough: () => void) => {
  const files = new Map<string, { path: string; matches: number; lines: Array<SearchHits.HitLine> }>()
  let pending = Buffer.alloc(0)
  let results = 0
  let size = 0
  let limit: SearchHits.SearchResult["limit"]

  let asked: { readonly path: string; readonly refused: boolean } | undefined
  const isRefused = (path: string): boolean => {
    if (query.mayRead === undefined) return false
    if (asked?.path !== path) asked = { path, refused: !query.mayRead(join(query.folder, path)) }
    return asked.refused
  }

  const stop = (reason: NonNullable<SearchHits.SearchResult["limit"]>) => {
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
    const file = files.get(path) ?? { path, matches: 0, lines: [] }
    files.set(path, file)
    if (type === "match") file.matches++
    if (query.mode !== "content") return
    for (const [index, text] of textOf(data.lines).replace(/\r?\n$/, "").split(/\r?\n/).entries()) {
      const cut = SearchHits.cutLine(text)
      size += cut.length
      file.lines.push({ number: data.line_number + index, text: cut, context: type === "context" })
    }
    if (size > SearchHits.maxOutput) stop("size")
  }

  return {
    push: (chunk: Buffer) => {
      const all = Buffer.concat([pending, chunk])
      let start = 0
      for (let end = all.indexOf(10); end !== -1; end = all.indexOf(10, start)) {
        line(all.toString("utf8", start, end))
        start = end + 1
      }
      pending = all.subarray(start)
      if (pending.length > maxMessage) stop("size")
    },
    found: (): SearchHits.SearchResult => ({
      files: [...files.values()].filter((file) => file.matches > 0),
      ...(limit === undefined ? {} : { limit })
    })
  }
}
