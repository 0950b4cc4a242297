import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs"
import { Result } from "effect"
import { Toml } from "effect/encoding"
import { tomlProblem } from "../../../config/toml/TomlProblem.ts"
import { type PolicySettings, read as readSettings } from "../../../domain/PolicySettings.ts"

/**
 * The text of a rules file, read once and parsed once: its settings, its rules and the hash that trust is bound to come
 * of the same bytes. It knows no rule and is light: a session that begins reads settings with it.
 */
export interface RulesText {
  readonly text: string
  /** SHA-256 of the bytes, in hexadecimal digits. */
  readonly sha256: string
  /** The parsed table. */
  readonly root: Readonly<Record<string, unknown>>
}

/** In bytes. */
const maxSize = 262_144

export const hash = (bytes: string | Uint8Array): string =>
  process.getBuiltinModule("node:crypto").createHash("sha256").update(bytes).digest("hex")

/** What a file that is not there counts as: it says as much as an empty one. */
export const absent: RulesText = { text: "", sha256: hash(""), root: {} }

export const parseText = (text: string, bytes: string | Uint8Array = text): Result.Result<RulesText, string> =>
  Result.mapBoth(Toml.parse(text), {
    onSuccess: (root) => ({ text, sha256: hash(bytes), root }),
    onFailure: tomlProblem
  })

interface Version {
  readonly stamp: string
  readonly found: Result.Result<RulesText, string>
}

/** By path, the last version that was read. */
const known = new Map<string, Version>()
const maxKnown = 64

const isMissing = (error: unknown): boolean =>
  error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR")

const readAll = (descriptor: number): Buffer => {
  const buffer = Buffer.alloc(maxSize + 1)
  let length = 0
  for (let count = -1; count !== 0 && length < buffer.length; length += count) {
    count = readSync(descriptor, buffer, length, buffer.length - length, null)
  }
  return buffer.subarray(0, length)
}

/** A failure says what is wrong with the file, without its name. A pipe in its place is not waited for. */
export const read = (file: string): Result.Result<RulesText, string> => {
  let descriptor: number | undefined
  try {
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
    const info = fstatSync(descriptor)
    if (!info.isFile()) return Result.fail("is not a file")
    if (info.size > maxSize) return Result.fail(`has more than ${maxSize} bytes`)
    // The change time cannot be set back, as the modification time can.
    const stamp = `${info.dev}/${info.ino}/${info.size}/${info.mtimeMs}/${info.ctimeMs}`
    const last = known.get(file)
    if (last?.stamp === stamp) return last.found
    const bytes = readAll(descriptor)
    if (bytes.length > maxSize) return Result.fail(`has more than ${maxSize} bytes`)
    const found = parseText(bytes.toString("utf8"), bytes)
    // A file of this moment may be written again without another stamp.
    if (Date.now() - info.ctimeMs > 100) {
      if (known.size >= maxKnown) known.clear()
      known.set(file, { stamp, found })
    }
    return found
  } catch (error) {
    if (isMissing(error)) return Result.succeed(absent)
    return Result.fail(`cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

/**
 * The settings in the `[policy]` table of a project's file, for a new session. An invalid file has none: it also makes
 * every call fail.
 */
export const settingsIn = (file: string): Partial<PolicySettings> =>
  read(file).pipe(
    Result.flatMap(({ root: { policy = {} } }) => readSettings(policy)),
    Result.getOrElse(() => ({}))
  )
