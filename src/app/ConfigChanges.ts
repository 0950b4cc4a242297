import { Context, Effect, Layer, PubSub, Stream } from "effect"
import { statSync } from "node:fs"
import { isDeepStrictEqual } from "node:util"
import { type ConfigInvalid, load } from "./ConfigFile.ts"
import { dotted } from "./ConfigKeys.ts"
import type { ConfigTable } from "./ConfigSchema.ts"
import type { Environment } from "./Environment.ts"
import { Settings } from "./Settings.ts"

/** Paths below which the values of two tables differ, as deep as both of them are tables. */
const differing = (before: unknown, after: unknown, path: ReadonlyArray<string> = []): ReadonlyArray<string> => {
  if (isDeepStrictEqual(before, after)) return []
  const tables = [before, after].every((value) => typeof value === "object" && value !== null && !Array.isArray(value))
  if (!tables) return [dotted(path)]
  const keys = new Set([...Object.keys(Object(before)), ...Object.keys(Object(after))])
  return Array.from(keys).flatMap((key) => differing(Object(before)[key], Object(after)[key], [...path, key]))
}

/** Tells two states of a file apart without reading it. */
const stampOf = (file: string): string => {
  try {
    const found = statSync(file, { bigint: true, throwIfNoEntry: false })
    return found === undefined ? "none" : `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`
  } catch {
    return "unreadable"
  }
}

/**
 * The configuration as it is now, whoever changed it. `Settings` is what this process started with; what has to follow the file
 * (who may do what, for one) asks here. `[policy.rules]` follow it by themselves; everything else takes effect with the next start.
 */
export class ConfigChanges extends Context.Service<ConfigChanges, {
  /** File and environment; the last good state while the file is broken, which is logged once. Costs one `stat` when nothing changed. */
  readonly current: Effect.Effect<ConfigTable, ConfigInvalid>
  /** Dotted paths of what is different, whenever `current` finds something. */
  readonly changes: Stream.Stream<ReadonlyArray<string>>
}>()("postern/app/ConfigChanges") {
  static readonly layerFile = (file: string, environment: Environment): Layer.Layer<ConfigChanges> =>
    Layer.effect(ConfigChanges, make(file, environment))

  static readonly layer = (environment: Environment = process.env): Layer.Layer<ConfigChanges, never, Settings> =>
    Layer.unwrap(Effect.map(Settings, ({ configFile }) => ConfigChanges.layerFile(configFile, environment)))
}

const make = Effect.fnUntraced(function*(file: string, environment: Environment) {
  const published = yield* PubSub.unbounded<ReadonlyArray<string>>()
  let good: ConfigTable | undefined
  let stamp = ""

  const current = Effect.gen(function*() {
    const now = stampOf(file)
    if (now === stamp && good !== undefined) return good
    const found = yield* load(file, environment).pipe(Effect.catch((error) =>
      good === undefined
        ? Effect.fail(error)
        : Effect.as(Effect.logWarning(`the configuration stays as it was: ${error.message}`), good)
    ))
    const before = good
    stamp = now
    good = found
    const paths = before === undefined ? [] : differing(before, found)
    if (paths.length > 0) yield* PubSub.publish(published, paths)
    return found
  })

  return ConfigChanges.of({ current, changes: Stream.fromPubSub(published) })
})
