import { Option, Result } from "effect"
import { Toml } from "effect/encoding"
import { readFileSync, statSync } from "node:fs"
import { type PolicySettings, read } from "../../../domain/PolicySettings.ts"

/** Imported where a project has a file only: the TOML parser is no part of what a session loads at its start. */

/**
 * The settings in the `[policy]` table of a project's file, for a new session. An invalid file has none: it also makes
 * every call fail.
 */
export const inFile = (file: string): Partial<PolicySettings> => {
  const text = Option.liftThrowable(() => statSync(file).isFile() ? readFileSync(file, "utf8") : "")
  return Toml.parse(Option.getOrElse(text(), () => "")).pipe(
    Result.flatMap(({ policy = {} }) => read(policy)),
    Result.getOrElse(() => ({}))
  )
}
