import { lstat, realpath } from "node:fs/promises"
import { join } from "node:path"
import { Effect } from "effect"
import { attempt, fault, type FileFault } from "./Files.ts"
import * as Files from "./Files.ts"
import { makeFolder } from "../platform/MakeFolder.ts"

/**
 * The files of an agent's workspace that say what it is like, and that clients may change
 * (docs/native-rpc.md#personality).
 */
export const names = [
  "SOUL.md",
  "IDENTITY.md",
  "USER.md",
  "AGENTS.md",
  "TOOLS.md",
  "HEARTBEAT.md",
  "MEMORY.md"
] as const
export type PersonalityName = typeof names[number]

export const isName = (name: string): name is PersonalityName => names.some((one) => one === name)

/** Longer files are cut where they are read to a model. */
export const maxChars = 20_000

/** A larger file is no personality. */
const maxBytes = 1024 * 1024

export interface PersonalityFile {
  readonly filename: PersonalityName
  readonly exists: boolean
  /** In bytes. */
  readonly size: number
  /** Of the last change; absent where there is no file. */
  readonly mtime_ms?: number
}

interface PersonalityText {
  /** `null` where there is no file; at most `maxChars` characters. */
  readonly content: string | null
  readonly truncated: boolean
  readonly mtime_ms?: number
}

/** The files there are; anything else in the place of one, such as a link, is none. `folder` need not exist. */
export const list = Effect.fnUntraced(
  function*(folder: string): Effect.fn.Return<ReadonlyArray<PersonalityFile>, FileFault> {
    const place = yield* canonical(folder)
    return yield* attempt(place, () => Files.inside(place, (base) => Promise.all(names.map(entryIn(base))))).pipe(
      Effect.catchIf(isMissing, () => Effect.succeed(names.map(missing)))
    )
  }
)

/** What is no text in UTF-8 fails, and so does a link, wherever it leads. */
export const get = Effect.fnUntraced(
  function*(folder: string, name: PersonalityName): Effect.fn.Return<PersonalityText, FileFault> {
    const path = join(yield* canonical(folder), name)
    const found = yield* Files.read(path, maxBytes).pipe(
      Effect.catchIf(isMissing, () => Effect.undefined)
    )
    if (found === undefined) return { content: null, truncated: false }
    const text = yield* attempt(path, async () => textOf(path, found.bytes))
    const kept = Array.from(text).slice(0, maxChars).join("")
    return { content: kept, truncated: kept.length < text.length, mtime_ms: Files.timeOf(found.stats) }
  }
)

/** Replaces one as a whole; fails with `stale` where its last change is not the one of `expected` (milliseconds). */
export const put = Effect.fnUntraced(
  function*(folder: string, name: PersonalityName, content: string, expected: number | undefined): Effect.fn.Return<
    { readonly bytes_written: number; readonly mtime_ms: number },
    FileFault
  > {
    yield* attempt(folder, async () => makeFolder(folder))
    const bytes = Buffer.from(content)
    const written = yield* Files.exchange(join(yield* canonical(folder), name), bytes, expected)
    return { bytes_written: bytes.length, mtime_ms: Files.timeOf(written) }
  }
)

const canonical = (folder: string) => Effect.promise(() => realpath(folder).catch(() => folder))

const isMissing = ({ reason }: FileFault) => reason === "missing"

const missing = (filename: PersonalityName): PersonalityFile => ({ filename, exists: false, size: 0 })

const entryIn = (base: string) => async (filename: PersonalityName): Promise<PersonalityFile> => {
  const found = await lstat(join(base, filename)).catch(() => undefined)
  return found?.isFile()
    ? { filename, exists: true, size: found.size, mtime_ms: Files.timeOf(found) }
    : missing(filename)
}

const textOf = (path: string, bytes: Buffer): string => {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
    if (!text.includes("\0")) return text
  } catch {
    // Reported below like text with a NUL.
  }
  throw fault(path, "special", "it is not text.")
}
