import { appendFileSync, chmodSync, mkdirSync, readFileSync, statSync } from "node:fs"
import { dirname } from "node:path"
import { Effect } from "effect"
import { replaceFile } from "../../platform/ReplaceFile.ts"
import * as Chunk from "../../platform/Chunk.ts"

/** What was entered in earlier conversations and this one. */
export interface EntryHistory {
  /** The newest first. */
  readonly entries: () => ReadonlyArray<string>
  readonly add: (entry: string) => Effect.Effect<void>
}

/** Entries that are kept. */
const most = 1000
/** In characters; longer entries are pastes, which nobody looks for in a history. */
const longest = 4000
/** In bytes; the file is shortened when it has more. */
const largest = 512 * 1024

const parsed = (line: string): ReadonlyArray<string> => {
  try {
    const entry: unknown = JSON.parse(line)
    return typeof entry === "string" ? [entry] : []
  } catch {
    return []
  }
}

const read = (file: string): ReadonlyArray<string> => {
  try {
    return readFileSync(file, "utf8").split("\n").flatMap((line) => line === "" ? [] : parsed(line)).slice(-most)
  } catch {
    return []
  }
}

/** Without an entry that comes again later. */
const newestFirst = (entries: ReadonlyArray<string>): Array<string> => Array.from(new Set(entries.toReversed()))

const loadSecrets = Chunk.make(() => import("../../domain/secrets/ArgumentSecrets.ts"))

/**
 * Kept in a file, one JSON string a line, that only its owner can read. An entry with what looks like a key is remembered, but not
 * written. A file that cannot be used is as good as none.
 */
export const make = (file: string | undefined): EntryHistory => {
  let entries: Array<string> | undefined
  const all = () => entries ??= newestFirst(file === undefined ? [] : read(file))
  return {
    entries: all,
    add: Effect.fnUntraced(function*(entry) {
      const known = all().filter((one) => one !== entry)
      entries = [entry, ...known].slice(0, most)
      if (file === undefined || entry.length > longest) return
      const { leaks } = yield* loadSecrets
      if (leaks(entry, false)) return
      const append = Effect.try(() => {
        mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
        appendFileSync(file, `${JSON.stringify(entry)}\n`, { mode: 0o600 })
        const { mode, size } = statSync(file)
        if ((mode & 0o077) !== 0) chmodSync(file, 0o600)
        return size
      })
      yield* Effect.flatMap(append, (size) =>
        size <= largest
          ? Effect.void
          : replaceFile(
            file,
            newestFirst(read(file)).toReversed().slice(-most / 2).map((one) => `${JSON.stringify(one)}\n`).join(""),
            0o600
          )).pipe(
          Effect.ignore
        )
    })
  }
}
