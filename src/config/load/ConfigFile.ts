import { Effect, Predicate } from "effect"
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs"
import type { EnvironmentVariables } from "../../platform/Environment.ts"
import { ConfigInvalid } from "../Errors.ts"
import type { ConfigTable } from "../schema/Schema.ts"
import { overridesIn } from "./EnvironmentOverrides.ts"
import * as Chunk from "../../platform/Chunk.ts"

const loadDecode = Chunk.make(() => import("./Decode.ts"))

const reasons: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EISDIR: "it is a folder, not a file",
  ENOTDIR: "a part of its path is a file, not a folder"
}

/** In bytes; a larger file is neither read nor written. */
export const maxBytes = 1024 * 1024

/** The caller waits for it, so nothing is read that may never end, such as a pipe. */
const textOf = (file: string): string => {
  const handle = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const found = fstatSync(handle)
    if (found.isDirectory()) throw Object.assign(new Error(), { code: "EISDIR" })
    if (!found.isFile()) throw new Error("it is not a plain file")
    if (found.size > maxBytes) throw new Error(`it has more than ${maxBytes} bytes`)
    return readFileSync(handle, "utf8")
  } finally {
    closeSync(handle)
  }
}

/**
 * The text of `config.toml`; a missing file is no error. Read synchronously: the first asynchronous read of a process costs more
 * than a millisecond, and nothing else can start before the settings are known.
 */
export const read = (file: string): Effect.Effect<string | undefined, ConfigInvalid> =>
  Effect.try({
    try: (): string | undefined => textOf(file),
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
  const text = yield* read(file)
  const names = overridesIn(environment)
  if (text === undefined && names.length === 0) return {} satisfies ConfigTable as ConfigTable
  const { decode } = yield* loadDecode
  return yield* decode({ file, text }, names, environment)
})
