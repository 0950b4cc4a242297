import { mkdirSync } from "node:fs"
import { dirname } from "node:path"
import { Context, Effect, Layer, Result } from "effect"
import type { Change, Removed } from "./Commit.ts"
import { makeCheck } from "./Check.ts"
import { type Entry, listed, makeEdits } from "./Edits.ts"
import { makeMaps, type Renamed } from "./Maps.ts"
import { type Field, fields, isMap } from "../schema/Fields.ts"
import { type ConfigInvalid, load, read } from "../load/ConfigFile.ts"
import { locked } from "./Lock.ts"
import { ConfigFailed, ConfigRefused, type ReadFault, type WriteFault } from "./ConfigRefused.ts"
import { loose } from "../load/DanglingReferences.ts"
import { overlaps, parse } from "../schema/Place.ts"
import { fallbackOf } from "../Fallback.ts"
import { isHidden, masked } from "../schema/Values.ts"
import { type EnvironmentVariables, overridesIn } from "../load/EnvironmentOverrides.ts"
import { fromEnvironment } from "../load/Overrides.ts"
import { LiveSettings } from "../LiveSettings.ts"
import { replaceFile } from "../../platform/ReplaceFile.ts"
import { Settings } from "../Settings.ts"

export type { Removed } from "./Commit.ts"
export { ConfigFailed, ConfigRefused } from "./ConfigRefused.ts"
export type { Entry } from "./Edits.ts"
export type { Renamed } from "./Maps.ts"

/** Whether a caller may write to a dotted path. */
export type MayWrite = (path: string) => boolean
/** An effect is asked again while the lock is held, before anything is changed. */
export type Authority = MayWrite | Effect.Effect<MayWrite>

export interface Got {
  /** As the path is spelled here. */
  readonly path: string
  readonly populated: boolean
  readonly isSecret: boolean
  /** Absent where nothing is set, and for secrets; secrets below a table are masked. */
  readonly value?: unknown
  /** What counts where nothing is set, if there is such a value. */
  readonly fallback?: unknown
}

/**
 * `config.toml` as a thing that can be asked and changed (spec §2, zeroclaw.md §1.6). What is read is file and environment
 * together. What is written is one whole candidate: checked as the program would read it, then put in place of the file, or not
 * at all. Other writers, in this process or another, are waited for. Comments and order stay.
 */
export class ConfigStore extends Context.Service<ConfigStore, {
  readonly file: string
  /** The whole, secrets masked. */
  readonly document: Effect.Effect<unknown, ConfigInvalid>
  readonly get: (path: string) => Effect.Effect<Got, ReadFault>
  /** What is set and what could be, below a prefix. */
  readonly list: (prefix?: string) => Effect.Effect<ReadonlyArray<Field>, ReadFault>
  /** Variables that are stronger than the file here. */
  readonly overriding: (path: string) => ReadonlyArray<string>
  /** Succeeds with what a start would only warn about: references that lead nowhere. */
  readonly validate: Effect.Effect<ReadonlyArray<string>, ConfigInvalid>
  /** 1 to 256 entries in one commit; the last one of a path wins. Succeeds with the paths as they are spelled here. */
  readonly set: (
    entries: ReadonlyArray<Entry>,
    mayWrite?: Authority
  ) => Effect.Effect<ReadonlyArray<string>, WriteFault>
  readonly remove: (path: string, mayWrite?: Authority) => Effect.Effect<Removed, WriteFault>
  /** The aliases of a table. */
  readonly keys: (path: string) => Effect.Effect<ReadonlyArray<string>, ReadFault>
  /** Whether it was made; `false` when it is there already. */
  readonly createKey: (path: string, key: string, mayWrite?: Authority) => Effect.Effect<boolean, WriteFault>
  readonly removeKey: (path: string, key: string, mayWrite?: Authority) => Effect.Effect<Removed, WriteFault>
  /** References to it change with it. */
  readonly renameKey: (
    path: string,
    from: string,
    to: string,
    mayWrite?: Authority
  ) => Effect.Effect<Renamed, WriteFault>
}>()("postern/app/ConfigStore") {
  static readonly layerFile = (
    file: string,
    environment: EnvironmentVariables,
    live: Live = { adopt: Effect.void, isGone: () => false }
  ): Layer.Layer<ConfigStore> => Layer.sync(ConfigStore, () => make(file, environment, live))

  /** What is written here is in force when the writer is told so. */
  static readonly layer = (
    environment: EnvironmentVariables = process.env
  ): Layer.Layer<ConfigStore, never, LiveSettings | Settings> =>
    Layer.unwrap(
      Effect.zipWith(Settings, LiveSettings, ({ configFile }, live) =>
        ConfigStore.layerFile(configFile, environment, live))
    )
}

/** The configuration as the process has it, where it follows the file. */
type Live = Pick<LiveSettings["Service"], "adopt" | "isGone">

/** A configuration of more bytes than this is not written. */
const maxBytes = 1024 * 1024

const make = (file: string, environment: EnvironmentVariables, { adopt, isGone }: Live) => {
  const names = overridesIn(environment)
  const overrides = Result.getOrElse(fromEnvironment(names, environment), () => [])
  const table = load(file, environment)
  const { check, loosened, refusal } = makeCheck(file, environment)
  const textNow = Effect.map(read(file), (source) => source?.text ?? "")

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

  const commit = <A>(
    paths: ReadonlyArray<ReadonlyArray<string>>,
    change: (text: string) => Effect.Effect<Change<A>, ReadFault>
  ): Effect.Effect<A, WriteFault> =>
    Effect.gen(function*() {
      if (isGone()) {
        const message = `${file} is gone, or empty; put it back, or begin anew with what there is by a restart`
        return yield* new ConfigFailed({ message })
      }
      const before = yield* textNow
      const [after, answerTo] = yield* Effect.tapError(
        change(before),
        // No text can be changed that cannot be read.
        (error) => error._tag === "ConfigRefused" && error.reason === "unsafe" ? check(before, paths) : Effect.void
      )
      const found = yield* Effect.catch(check(after, paths), (invalid) => refusal(before, paths, invalid))
      const answer = yield* answerTo(yield* loosened(before, found, paths))
      if (after !== before) yield* put(before, after)
      return answer
    }).pipe(locked(file), Effect.catchTag("FileLocked", ({ message }) => new ConfigFailed({ message })))

  const at = (root: unknown, path: ReadonlyArray<string>): unknown =>
    path.reduce<unknown>(
      (value, key) => Object.hasOwn(Object(value), key) ? Object(value)[key] as unknown : undefined,
      root
    )

  const placed = (path: string) =>
    Effect.mapError(Effect.fromResult(parse(path)), (message) => new ConfigRefused({ reason: "unknown", message }))

  const edits = makeEdits(placed, commit)

  return ConfigStore.of({
    file,
    document: Effect.map(table, (root) => masked(root)),
    get: Effect.fnUntraced(function*(named) {
      const { name, path } = yield* placed(named)
      const root = yield* table
      const value = at(root, path)
      const isSecret = isHidden(path, value)
      const fallback = value === undefined ? fallbackOf(path, root, environment) : undefined
      return {
        path: name,
        populated: value !== undefined,
        isSecret,
        ...(isSecret || value === undefined ? {} : { value: masked(value, path) }),
        ...(fallback === undefined ? {} : { fallback })
      }
    }),
    list: Effect.fnUntraced(function*(prefix = "") {
      const all = fields(yield* table, overrides.map(({ path }) => path))
      return prefix === "" ? all : listed(all, (yield* placed(prefix)).name)
    }),
    overriding: (named) =>
      Result.match(parse(named), {
        onSuccess: ({ path }) => overrides.filter((one) => overlaps(one.path, path)).map(({ variable }) => variable),
        onFailure: () => []
      }),
    validate: Effect.map(table, (found) => loose(found).map(({ problem }) => problem)),
    keys: Effect.fnUntraced(function*(named) {
      const { ast, name, path } = yield* placed(named)
      if (!isMap(ast)) return yield* new ConfigRefused({ reason: "invalid", message: `${name} has fixed keys` })
      const value = at(yield* table, path)
      return typeof value === "object" && value !== null && !Array.isArray(value) ? Object.keys(value) : []
    }),
    ...edits,
    ...makeMaps(placed, commit, edits.remove)
  })
}
