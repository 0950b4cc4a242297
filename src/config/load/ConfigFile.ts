import { Effect, Predicate, Schema } from "effect"
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs"
import type { ConfigTable } from "../schema/Schema.ts"
import { type EnvironmentVariables, overridesIn } from "./EnvironmentOverrides.ts"

/** A broken configuration (spec §2) in one line: the file and line, or the variable, and what is allowed. Nothing starts. */
export class ConfigInvalid extends Schema.TaggedError<ConfigInvalid>()("ConfigInvalid", {
  message: Schema.String,
  /** What is wrong without where that is, and the keys that lead there. */
  problem: Schema.optionalKey(Schema.String),
  path: Schema.optionalKey(Schema.Array(Schema.String))
}) {}

export interface Source {
  readonly file: string
  readonly text: string
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EISDIR: "it is a folder, not a file",
  ENOTDIR: "a part of its path is a file, not a folder"
}

/** In bytes, as much as is written. */
const longest = 1024 * 1024

/** Whoever reads it waits for it, so nothing is read that may never end. */
const textOf = (file: string): string => {
  const handle = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const found = fstatSync(handle)
    if (found.isDirectory()) throw Object.assign(new Error(), { code: "EISDIR" })
    if (!found.isFile()) throw new Error("it is not a plain file")
    if (found.size > longest) throw new Error(`it has more than ${longest} bytes`)
    return readFileSync(handle, "utf8")
  } finally {
    closeSync(handle)
  }
}

/**
 * The text of `config.toml`; a missing file is no error. Read synchronously: the first asynchronous read of a process costs more
 * than a millisecond, and nothing else can start before the settings are known.
 */
export const read = (file: string): Effect.Effect<Source | undefined, ConfigInvalid> =>
  Effect.try({
    try: (): Source | undefined => ({ file, text: textOf(file) }),
    catch: (error) =>
      Predicate.hasProperty(error, "code")
        ? String(error.code)
        : error instanceof Error
        ? error.message
        : "unknown error"
  }).pipe(
    Effect.catch((code) =>
      code === "ENOENT"
        ? Effect.undefined
        : Effect.fail(new ConfigInvalid({ message: `${file}: cannot be read: ${reasons[code] ?? code}` }))
    )
  )

/**
 * File and environment as one validated table. The schema costs several milliseconds to build, so it is only loaded when there is
 * something to validate.
 */
export const load = Effect.fnUntraced(function*(file: string, environment: EnvironmentVariables) {
  const source = yield* read(file)
  const names = overridesIn(environment)
  if (source === undefined && names.length === 0) return {} satisfies ConfigTable as ConfigTable
  const { decode } = yield* Effect.promise(() => import("./Decode.ts"))
  return yield* decode(source, names, environment)
})
