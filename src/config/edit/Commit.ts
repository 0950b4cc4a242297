import { mkdirSync } from "node:fs"
import { dirname } from "node:path"
import { Effect, Result } from "effect"
import type { EnvironmentVariables } from "../../platform/Environment.ts"
import { replaceFile } from "../../platform/ReplaceFile.ts"
import {
  ConfigFailed,
  type ConfigInvalid,
  type ConfigReadError,
  ConfigRefused,
  type ConfigWriteError
} from "../Errors.ts"
import type { LiveSettings } from "../LiveSettings.ts"
import { maxBytes, read } from "../load/ConfigFile.ts"
import { locked } from "./ConfigLock.ts"
import { decode, fromEnvironment } from "../load/Decode.ts"
import { overridesIn } from "../load/EnvironmentOverrides.ts"
import { type DanglingReference, danglingReferences, isSameReference } from "../schema/References.ts"
import { type KeyPath, overlaps } from "../schema/KeyPath.ts"
import type { ConfigTable } from "../schema/Schema.ts"

/** The text to write, and the result, which may still refuse it for references that the change leaves dangling. */
export type Change<A> = readonly [
  text: string,
  result: (dangling: ReadonlyArray<DanglingReference>) => Effect.Effect<A, ConfigRefused>
]

/**
 * Writes what `change` makes of the text below `paths`, after all checks. A candidate that is not valid is refused; the error of a file
 * that was broken before is not blamed on the change.
 */
export type Commit = <A>(
  paths: ReadonlyArray<KeyPath>,
  change: (text: string) => Effect.Effect<Change<A>, ConfigReadError>
) => Effect.Effect<A, ConfigWriteError>

/** The configuration as the process has it, where it watches the file. */
export type LiveConfig = Pick<LiveSettings["Service"], "adopt" | "isGone">

const problemOf = ({ message, problem }: ConfigInvalid) => problem ?? message

const refused = (invalid: ConfigInvalid) =>
  new ConfigRefused({
    reason: "invalid",
    message: problemOf(invalid),
    ...(invalid.path === undefined ? {} : { path: invalid.path })
  })

export const makeCommit = (file: string, environment: EnvironmentVariables, { adopt, isGone }: LiveConfig): Commit => {
  const names = overridesIn(environment)
  const overrides = Result.getOrElse(fromEnvironment(names, environment), () => [])

  /** A text as the next start reads it, and also without the variables that would hide what is being written. */
  const check = Effect.fnUntraced(function*(text: string, paths: ReadonlyArray<KeyPath>) {
    const hiding = overrides.filter(({ path }) => paths.some((written) => overlaps(path, written)))
      .map(({ variable }) => variable)
    const found = yield* decode({ file, text }, names, environment)
    if (hiding.length === 0) return found
    return yield* decode({ file, text }, names.filter((name) => !hiding.includes(name)), environment)
  })

  /** Refuses a change, or fails with the old error where the file was broken in the same way before, at another path. */
  const refusal = (before: string, paths: ReadonlyArray<KeyPath>, invalid: ConfigInvalid) =>
    Effect.matchEffect(check(before, paths), {
      onFailure: (old): Effect.Effect<never, ConfigReadError> =>
        problemOf(old) === problemOf(invalid) && !paths.some((path) => overlaps(path, invalid.path ?? []))
          ? Effect.fail(old)
          : Effect.fail(refused(invalid)),
      onSuccess: () => Effect.fail(refused(invalid))
    })

  /** References that did not dangle before. */
  const newlyDangling = Effect.fnUntraced(function*(before: string, after: ConfigTable, paths: ReadonlyArray<KeyPath>) {
    const found = danglingReferences(after)
    if (found.length === 0) return found
    const old = yield* Effect.match(check(before, paths), { onFailure: () => [], onSuccess: danglingReferences })
    return found.filter((one) => !old.some(isSameReference(one)))
  })

  const put = Effect.fnUntraced(function*(before: string, after: string) {
    if (Buffer.byteLength(after) > maxBytes) {
      return yield* new ConfigRefused({ reason: "large", message: `${file} would have more than ${maxBytes} bytes` })
    }
    yield* Effect.try({
      try: () => mkdirSync(dirname(file), { recursive: true, mode: 0o700 }),
      catch: (error) => new ConfigFailed({ message: `${dirname(file)} cannot be made: ${String(error)}` })
    })
    yield* Effect.mapError(
      replaceFile(file, after, 0o600, before),
      ({ _tag, message }) =>
        _tag === "FileChanged" ? new ConfigRefused({ reason: "conflict", message }) : new ConfigFailed({ message })
    )
    yield* adopt
  })

  return (paths, change) =>
    Effect.gen(function*() {
      if (isGone()) {
        const message = `${file} is gone, or empty; put it back, or restart to begin without it`
        return yield* new ConfigFailed({ message })
      }
      const before = (yield* read(file)) ?? ""
      const [after, result] = yield* Effect.tapError(
        change(before),
        // A text that cannot be parsed cannot be changed: say what is wrong with it instead.
        (error) => error._tag === "ConfigRefused" && error.reason === "unsafe" ? check(before, paths) : Effect.void
      )
      const table = yield* Effect.catch(check(after, paths), (invalid) => refusal(before, paths, invalid))
      const answer = yield* result(yield* newlyDangling(before, table, paths))
      if (after !== before) yield* put(before, after)
      return answer
    }).pipe(locked(file), Effect.catchTag("FileLocked", ({ message }) => new ConfigFailed({ message })))
}
