import { Effect, Predicate, Result } from "effect"
import { Toml } from "effect/encoding"
import { readFileSync, statSync } from "node:fs"
import { assign } from "../../config/schema/KeyPath.ts"
import { RulesInvalid } from "./RulesFile.ts"
import { tomlProblem } from "../../config/toml/TomlProblem.ts"
import { overridesIn, prefix } from "../../config/load/EnvironmentOverrides.ts"
import type { EnvironmentVariables } from "../../platform/Environment.ts"

const rulesPrefix = `${prefix}policy__rules__`

/**
 * `[policy.rules]` as `config.toml` has it now, with the environment on top: for processes whose rules follow the file while the rest of
 * the configuration is read once.
 */
export const userRules = Effect.fnUntraced(function*(
  file: string,
  environment: EnvironmentVariables = process.env
): Effect.fn.Return<unknown, RulesInvalid> {
  const refuse = (problem: string) => new RulesInvalid({ file, problem })
  const text = yield* Effect.try({
    try: () => statSync(file, { throwIfNoEntry: false }) === undefined ? "" : readFileSync(file, "utf8"),
    catch: (error) => refuse(`cannot be read: ${String(error)}`)
  })
  const root = yield* Effect.fromResult(
    Result.mapError(Toml.parse(text), (error) => refuse(tomlProblem(error)))
  )
  const names = overridesIn(environment).filter((name) => name.startsWith(rulesPrefix))
  if (names.length > 0) {
    const { fromEnvironment } = yield* Effect.promise(() => import("../../config/load/Decode.ts"))
    const overrides = yield* Effect.fromResult(Result.mapError(fromEnvironment(names, environment), refuse))
    for (const override of overrides) assign(root, override)
  }
  const { policy = {} } = root
  if (!Predicate.isObject(policy)) return yield* refuse("policy must be a table")
  return Object.hasOwn(policy, "rules") ? Reflect.get(policy, "rules") : undefined
})
