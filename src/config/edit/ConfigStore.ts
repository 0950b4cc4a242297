import { Context, Effect, Layer, Result } from "effect"
import { Environment, type EnvironmentVariables } from "../../platform/Environment.ts"
import { type ConfigInvalid, type ConfigReadError, ConfigRefused, type ConfigWriteError } from "../Errors.ts"
import { fallbackOf } from "../Fallback.ts"
import { LiveSettings } from "../LiveSettings.ts"
import { load } from "../load/ConfigFile.ts"
import { fromEnvironment } from "../load/Decode.ts"
import { overridesIn } from "../load/EnvironmentOverrides.ts"
import { type DanglingReference, danglingReferences, referencesTo } from "../schema/References.ts"
import { type ConfigField, fields, isMap } from "../schema/Fields.ts"
import {
  dotted,
  isAlias,
  isReserved,
  isTable,
  type KeyPath,
  overlaps,
  reservedIn,
  type Table,
  valueAt
} from "../schema/KeyPath.ts"
import { resolvePath } from "../schema/Lookup.ts"
import { convert, isHidden, masked } from "../schema/Values.ts"
import { Settings } from "../Settings.ts"
import * as TomlEdit from "../toml/TomlEdit.ts"
import { assignmentOf, layoutOf } from "../toml/TomlLayout.ts"
import { type LiveConfig, makeCommit } from "./Commit.ts"

/** Whether a caller may write to a dotted path. */
export type MayWrite = (path: string) => boolean
/**
 * An effect is run again while the lock is held, before anything is changed: the caller may have lost a right while it
 * waited.
 */
type WriteAuthority = MayWrite | Effect.Effect<MayWrite>

interface ConfigValue {
  /** As the path is spelled here. */
  readonly path: string
  readonly populated: boolean
  readonly isSecret: boolean
  /** Absent where nothing is set, and for secrets; secrets below a table are masked. */
  readonly value?: unknown
  /** The value that holds where nothing is set, if there is one. */
  readonly fallback?: unknown
}

export interface ConfigChange {
  readonly path: string
  /** Any JSON; a string is read as the type that the path has. */
  readonly value: unknown
  /** Put above the line. */
  readonly comment?: string | undefined
}

export interface ConfigRemoved {
  /** Whether it was set. */
  readonly deleted: boolean
  /** References that dangle now. */
  readonly warnings: ReadonlyArray<string>
}

interface AliasRenamed {
  /** Paths of the references that changed with it. */
  readonly rewritten: ReadonlyArray<string>
  readonly warnings: ReadonlyArray<string>
}

/**
 * Reads and changes `config.toml` (docs/configuration.md#changing-the-configuration). Values are those of file and
 * environment together. A change is one candidate for the whole file: it is checked as the program would read it, then
 * replaces the file, or nothing is written. Other writers, of this process or another, are waited for. Comments and
 * order stay.
 */
export class ConfigStore extends Context.Service<ConfigStore, {
  readonly file: string
  /** The whole configuration, secrets masked. */
  readonly document: Effect.Effect<unknown, ConfigInvalid>
  readonly get: (path: string) => Effect.Effect<ConfigValue, ConfigReadError>
  /** Keys that are set or could be, below a prefix. */
  readonly list: (prefix?: string) => Effect.Effect<ReadonlyArray<ConfigField>, ConfigReadError>
  /** Variables that take precedence over the file here. */
  readonly overriding: (path: string) => ReadonlyArray<string>
  /** Succeeds with what a start would only warn about: references that dangle. */
  readonly validate: Effect.Effect<ReadonlyArray<string>, ConfigInvalid>
  /**
   * 1 to 256 entries in one commit; the last one of a path wins. The paths of `without` are removed in the same commit. Succeeds
   * with the paths as they are spelled here.
   */
  readonly set: (
    entries: ReadonlyArray<ConfigChange>,
    mayWrite?: WriteAuthority,
    without?: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<string>, ConfigWriteError>
  readonly remove: (path: string, mayWrite?: WriteAuthority) => Effect.Effect<ConfigRemoved, ConfigWriteError>
  /** The aliases of a table. */
  readonly keys: (path: string) => Effect.Effect<ReadonlyArray<string>, ConfigReadError>
  /** Whether it was made; `false` when it is there already. */
  readonly createKey: (path: string, key: string, mayWrite?: WriteAuthority) => Effect.Effect<boolean, ConfigWriteError>
  readonly removeKey: (
    path: string,
    key: string,
    mayWrite?: WriteAuthority
  ) => Effect.Effect<ConfigRemoved, ConfigWriteError>
  /** References to it change with it. */
  readonly renameKey: (
    path: string,
    from: string,
    to: string,
    mayWrite?: WriteAuthority
  ) => Effect.Effect<AliasRenamed, ConfigWriteError>
}>()("postern/config/ConfigStore") {
  static readonly layerFile = (
    file: string,
    live: LiveConfig = { adopt: Effect.void, isGone: () => false }
  ): Layer.Layer<ConfigStore> =>
    Layer.effect(ConfigStore, Effect.map(Environment, (environment) => make(file, environment, live)))

  /** A change is in force when `set`, `remove` and the like succeed. */
  static readonly layer: Layer.Layer<ConfigStore, never, LiveSettings | Settings> = Layer.unwrap(
    Effect.zipWith(Settings, LiveSettings, ({ configFile }, live) => ConfigStore.layerFile(configFile, live))
  )
}

const maxEntries = 256

const refuse = (reason: ConfigRefused["reason"], message: string, index?: number) =>
  new ConfigRefused({ reason, message, ...(index === undefined ? {} : { index }) })

type AliasRole = ConfigRefused["alias"] & string

const refuseAlias = (alias: AliasRole, reason: ConfigRefused["reason"], message: string) =>
  new ConfigRefused({ reason, message, alias })

const unsafe = <A>(edit: Effect.Effect<A, TomlEdit.TomlNotEdited>) =>
  Effect.mapError(edit, ({ message }) => refuse("unsafe", message))

const everything: MayWrite = () => true

const rightsOf = (authority: WriteAuthority): Effect.Effect<MayWrite> =>
  Effect.isEffect(authority) ? authority : Effect.succeed(authority)

/** A name that is no path is `undefined` here, and refused later. */
const authorized = Effect.fnUntraced(
  function*(names: ReadonlyArray<string | undefined>, authority: WriteAuthority) {
    const mayWrite = yield* rightsOf(authority)
    const forbidden = names.findIndex((name) => name !== undefined && !mayWrite(name))
    if (forbidden >= 0) return yield* refuse("forbidden", `${names[forbidden]} may not be changed here`, forbidden)
  }
)

/** The same for requests that have no entries to count. */
const authorizedAll = (names: ReadonlyArray<string>, authority: WriteAuthority) =>
  Effect.mapError(authorized(names, authority), ({ message, reason }) => refuse(reason, message))

/** A value that is set must not name what does not exist. */
const unlessDangling =
  <A>(answer: A) => (dangling: ReadonlyArray<DanglingReference>): Effect.Effect<A, ConfigRefused> => {
    const missing = dangling.find(({ isDisabled }) => !isDisabled)
    return missing === undefined
      ? Effect.succeed(answer)
      : new ConfigRefused({ reason: "invalid", message: missing.problem, path: missing.path })
  }

/** The text with a comment above the line that assigns the key; `undefined` where no line of its own does. */
const commented = Effect.fnUntraced(function*(text: string, path: KeyPath, comment: string) {
  const line = assignmentOf(yield* layoutOf(text), path)
  const words = comment.replace(/[^\S\n]+/g, " ").trim()
  if (line === undefined || /[\u0000-\u0008\u000b-\u001f\u007f]/.test(words)) return undefined
  const lines = text.split("\n")
  lines.splice(line, 0, ...words.split("\n").map((one) => `# ${one.trim()}`.trimEnd()))
  return lines.join("\n")
})

const hasKey = (root: Table, path: KeyPath): boolean => {
  const table = valueAt(root, path.slice(0, -1))
  return isTable(table) && Object.hasOwn(table, path.at(-1) ?? "")
}

/** The keys of a path that a file does not have yet. */
const newKeys = (root: Table, path: KeyPath): ReadonlyArray<string> =>
  path.slice(0, -1).filter((_, depth) => !hasKey(root, path.slice(0, depth + 1)))

const make = (file: string, environment: EnvironmentVariables, live: LiveConfig) => {
  const overrides = Result.getOrElse(fromEnvironment(overridesIn(environment), environment), () => [])
  const table = load(file, environment)
  const commit = makeCommit(file, environment, live)

  const resolve = (path: string) =>
    Effect.mapError(Effect.fromResult(resolvePath(path)), (message) => refuse("unknown", message))

  /** Checks the permission and the path of every entry before the first value is validated. */
  const assignments = Effect.fnUntraced(function*(entries: ReadonlyArray<ConfigChange>, authority: WriteAuthority) {
    if (entries.length < 1 || entries.length > maxEntries) {
      return yield* refuse("invalid", `there must be 1 to ${maxEntries} values to set, not ${entries.length}`)
    }
    const resolved = yield* Effect.forEach(
      entries,
      ({ path }, index) =>
        Effect.result(Effect.mapError(resolve(path), ({ message, reason }) => refuse(reason, message, index)))
    )
    yield* authorized(resolved.map((one) => Result.isSuccess(one) ? one.success.name : undefined), authority)
    const paths = yield* Effect.forEach(resolved, (one) => Effect.fromResult(one))
    return yield* Effect.forEach(paths, ({ ast, name, path }, index) => {
      const value = entries[index]?.value
      const reserved = reservedIn(path, value)
      if (reserved !== undefined) {
        return Effect.fail(refuse("reserved", `${dotted(reserved)}: the name "default" is reserved`, index))
      }
      return Result.match(convert(path, ast, value), {
        onSuccess: (value) => Effect.succeed({ path, name, value, comment: entries[index]?.comment }),
        onFailure: (problem) => Effect.fail(refuse("invalid", `${name}: ${problem}`, index))
      })
    })
  })

  const set: ConfigStore["Service"]["set"] = Effect.fn("ConfigStore.set")(function*(
    entries,
    mayWrite = everything,
    without = []
  ) {
    const given = yield* assignments(entries, mayWrite)
    const going = yield* Effect.forEach(without, resolve)
    const entryAt = (path: KeyPath) => given.findLastIndex((one) => overlaps(one.path, path))
    /** The error for a missing key names the entry that sets another key of the same table. */
    const blamed = (path: KeyPath) => {
      const index = entryAt(path)
      return index >= 0 || path.length < 2 ? index : entryAt(path.slice(0, -1))
    }
    return yield* commit(
      [...given, ...going].map(({ path }) => path),
      Effect.fnUntraced(function*(text) {
        yield* authorized([...given, ...going].map(({ name }) => name), mayWrite)
        const root = yield* unsafe(TomlEdit.parsed(text))
        for (const [index, { name, path }] of given.entries()) {
          const odd = newKeys(root, path).find((key) => !isAlias(key))
          if (odd !== undefined) {
            return yield* refuse("invalid", `${name}: ${JSON.stringify(odd)} cannot be used as a name`, index)
          }
        }
        let after = yield* unsafe(TomlEdit.set(text, given))
        for (const { path } of going) after = (yield* unsafe(TomlEdit.unset(after, path))) ?? after
        for (const [index, { comment, name, path }] of given.entries()) {
          if (comment === undefined) continue
          const next = yield* commented(after, path, comment)
          if (next === undefined) {
            return yield* refuse("unsafe", `${name}: there is no line of its own to put this comment above`, index)
          }
          after = next
        }
        return [after, unlessDangling(given.map(({ name }) => name))] as const
      })
    ).pipe(Effect.catchTag("ConfigRefused", (refused) => {
      const index = refused.path === undefined ? -1 : blamed(refused.path)
      return Effect.fail(index < 0 ? refused : refuse(refused.reason, refused.message, index))
    }))
  })

  const remove: ConfigStore["Service"]["remove"] = Effect.fn("ConfigStore.remove")(
    function*(written, mayWrite = everything) {
      const { name, path } = yield* resolve(written)
      return yield* commit(
        [path],
        Effect.fnUntraced(function*(text) {
          yield* authorizedAll([name], mayWrite)
          const after = yield* unsafe(TomlEdit.unset(text, path))
          const result = (dangling: ReadonlyArray<DanglingReference>) =>
            Effect.succeed({ deleted: after !== undefined, warnings: dangling.map(({ problem }) => problem) })
          return [after ?? text, result] as const
        })
      )
    }
  )

  const aliasTable = Effect.fnUntraced(function*(written: string, names: { readonly [A in AliasRole]?: string }) {
    const { ast, name, path } = yield* resolve(written)
    if (!isMap(ast)) return yield* refuse("invalid", `${name} has fixed keys; only tables of aliases can get others`)
    for (const alias of ["key", "from", "to"] as const) {
      const key = names[alias]
      if (key === undefined || isAlias(key)) continue
      return yield* refuseAlias(alias, "invalid", `${JSON.stringify(key)} cannot be used as a name`)
    }
    return { path, at: (key: string): KeyPath => [...path, key] }
  })

  const createKey: ConfigStore["Service"]["createKey"] = Effect.fn("ConfigStore.createKey")(
    function*(written, key, mayWrite = everything) {
      const { at, path } = yield* aliasTable(written, { key })
      if (isReserved(path, key)) return yield* refuseAlias("key", "reserved", `the name "default" is reserved`)
      return yield* commit(
        [at(key)],
        Effect.fnUntraced(function*(text) {
          yield* authorizedAll([dotted(at(key))], mayWrite)
          if (hasKey(yield* unsafe(TomlEdit.parsed(text)), at(key))) return [text, () => Effect.succeed(false)] as const
          const after = yield* unsafe(TomlEdit.set(text, [{ path: at(key), value: {} }]))
          return [after, () => Effect.succeed(true)] as const
        })
      )
    }
  )

  const removeKey: ConfigStore["Service"]["removeKey"] = Effect.fnUntraced(
    function*(written, key, mayWrite = everything) {
      const { at } = yield* aliasTable(written, { key })
      return yield* remove(dotted(at(key)), mayWrite)
    }
  )

  const renameKey: ConfigStore["Service"]["renameKey"] = Effect.fn("ConfigStore.renameKey")(
    function*(written, from, to, mayWrite = everything) {
      const { at, path } = yield* aliasTable(written, { from, to })
      if (isReserved(path, to)) return yield* refuseAlias("to", "reserved", `the name "default" is reserved`)
      return yield* commit(
        [at(from), at(to)],
        Effect.fnUntraced(function*(text) {
          yield* authorizedAll([dotted(at(from)), dotted(at(to))], mayWrite)
          const root = yield* unsafe(TomlEdit.parsed(text))
          if (!hasKey(root, at(from))) return yield* refuseAlias("from", "missing", `there is no ${dotted(at(from))}`)
          if (hasKey(root, at(to))) return yield* refuseAlias("to", "exists", `${dotted(at(to))} is there already`)
          const others = referencesTo(root, path, from, to)
          const rights = yield* rightsOf(mayWrite)
          const forbidden = others.find((one) => !rights(dotted(one.path)))
          if (forbidden !== undefined) {
            return yield* refuse("forbidden", `${dotted(forbidden.path)} names it and may not be changed here`)
          }
          const after = yield* unsafe(TomlEdit.rename(text, at(from), to, others))
          const rewritten = others.map((one) => dotted(one.path))
          const warnings = path.join(".") === "agents" && !hasKey(root, [...at(from), "workspace"])
            ? [`the agent's own folder is now agents/${to}/workspace; what was in agents/${from}/workspace stays there`]
            : []
          return [after, () => Effect.succeed({ rewritten, warnings })] as const
        })
      )
    }
  )

  return ConfigStore.of({
    file,
    document: Effect.map(table, (root) => masked(root)),
    get: Effect.fnUntraced(function*(written) {
      const { name, path } = yield* resolve(written)
      const root = yield* table
      const value = valueAt(root, path)
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
      if (prefix === "") return all
      const { name } = yield* resolve(prefix)
      return all.filter(({ path }) => path === name || path.startsWith(`${name}.`))
    }),
    overriding: (written) =>
      Result.match(resolvePath(written), {
        onSuccess: ({ path }) => overrides.filter((one) => overlaps(one.path, path)).map(({ variable }) => variable),
        onFailure: () => []
      }),
    validate: Effect.map(table, (found) => danglingReferences(found).map(({ problem }) => problem)),
    keys: Effect.fnUntraced(function*(written) {
      const { ast, name, path } = yield* resolve(written)
      if (!isMap(ast)) return yield* refuse("invalid", `${name} has fixed keys`)
      const value = valueAt(yield* table, path)
      return isTable(value) ? Object.keys(value) : []
    }),
    set,
    remove,
    createKey,
    removeKey,
    renameKey
  })
}
