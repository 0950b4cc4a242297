import { Option, Result } from "effect"
import { Toml } from "effect/encoding"
import { readFileSync, statSync } from "node:fs"
import { type PolicySettings, read } from "../../domain/PolicySettings.ts"

/**
 * The knobs in the `[policy]` table of a project's file, for a session that begins. A file that cannot be used has none: no call
 * passes the gates while it is there.
 */
export const inFile = (file: string): Partial<PolicySettings> => {
  const text = Option.liftThrowable(() => statSync(file).isFile() ? readFileSync(file, "utf8") : "")
  return Toml.parse(Option.getOrElse(text(), () => "")).pipe(
    Result.flatMap(({ policy = {} }) => read(policy)),
    Result.getOrElse(() => ({}))
  )
}
