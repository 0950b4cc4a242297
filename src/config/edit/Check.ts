import { Effect, Result } from "effect"
import { decode } from "../load/Decode.ts"
import type { ConfigInvalid } from "../load/ConfigFile.ts"
import type { Path } from "../schema/Lookup.ts"
import { loose, sameLoose } from "../load/DanglingReferences.ts"
import { overlaps } from "../schema/Place.ts"
import { ConfigRefused, type ReadFault } from "./ConfigRefused.ts"
import type { ConfigTable } from "../schema/Schema.ts"
import { type EnvironmentVariables, overridesIn } from "../load/EnvironmentOverrides.ts"
import { fromEnvironment } from "../load/Overrides.ts"

const refused = ({ message, path, problem }: ConfigInvalid) =>
  new ConfigRefused({ reason: "invalid", message: problem ?? message, ...(path === undefined ? {} : { path }) })

/** What a candidate for `file` is worth beside the text that is there, for a change below `paths`. */
export const makeCheck = (file: string, environment: EnvironmentVariables) => {
  const names = overridesIn(environment)
  const overrides = Result.getOrElse(fromEnvironment(names, environment), () => [])

  /** As the next start would read it, and without the variables that would hide what is being written. */
  const check = Effect.fnUntraced(function*(text: string, paths: ReadonlyArray<Path>) {
    const hiding = overrides.filter(({ path }) => paths.some((written) => overlaps(path, written))).map((
      { variable }
    ) => variable)
    const found = yield* decode({ file, text }, names, environment)
    if (hiding.length === 0) return found
    return yield* decode({ file, text }, names.filter((name) => !hiding.includes(name)), environment)
  })

  const problemOf = ({ message, problem }: ConfigInvalid) => problem ?? message

  /** Whose fault it is: a file that was broken like this before is nobody's who wanted to change something else. */
  const refusal = (before: string, paths: ReadonlyArray<Path>, invalid: ConfigInvalid) =>
    Effect.matchEffect(check(before, paths), {
      onFailure: (old): Effect.Effect<never, ReadFault> =>
        problemOf(old) === problemOf(invalid) && !paths.some((path) => overlaps(path, invalid.path ?? []))
          ? Effect.fail(old)
          : Effect.fail(refused(invalid)),
      onSuccess: () => Effect.fail(refused(invalid))
    })

  /** References that led somewhere before, or were not there. */
  const loosened = Effect.fnUntraced(function*(
    before: string,
    after: ConfigTable,
    paths: ReadonlyArray<Path>
  ) {
    const found = loose(after)
    if (found.length === 0) return found
    const old = yield* Effect.match(check(before, paths), { onFailure: () => [], onSuccess: loose })
    return found.filter((one) => !old.some(sameLoose(one)))
  })

  return { check, refusal, loosened }
}
