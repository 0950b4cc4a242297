import { Effect, Result } from "effect"
import type { Authority, ConfigStore, MayWrite } from "./ConfigStore.ts"
import { type Field, isMap } from "./ConfigFields.ts"
import { dotted, type Path } from "./ConfigKeys.ts"
import { isAlias, isReserved, reservedIn } from "./ConfigNames.ts"
import { overlaps, type Place } from "./ConfigPath.ts"
import { following } from "./ConfigReferences.ts"
import { ConfigRefused, type ReadFault, type WriteFault } from "./ConfigRefused.ts"
import { fitted } from "./ConfigValue.ts"
import { assignmentOf } from "./KeyLines.ts"
import { parsed, type TomlNotEdited } from "./TomlEdit.ts"
import * as TomlKeys from "./TomlKeys.ts"
import { isTable, type Table } from "./TomlTable.ts"

export interface Entry {
  readonly path: string
  /** Any JSON; a text is read as the type of the place. */
  readonly value: unknown
  /** Put above the line. */
  readonly comment?: string | undefined
}

export interface Renamed {
  /** Values elsewhere that named it. */
  readonly rewritten: ReadonlyArray<string>
  readonly warnings: ReadonlyArray<string>
}

/** Writes what `change` makes of the text, after all checks. */
export type Commit = <A>(
  paths: ReadonlyArray<Path>,
  change: (text: string) => Effect.Effect<readonly [text: string, answer: A], ReadFault>
) => Effect.Effect<A, WriteFault>

const maxEntries = 256

const refuse = (reason: ConfigRefused["reason"], message: string, index?: number) =>
  new ConfigRefused({ reason, message, ...(index === undefined ? {} : { index }) })

const refuseAlias = (alias: ConfigRefused["alias"] & string, reason: ConfigRefused["reason"], message: string) =>
  new ConfigRefused({ reason, message, alias })

export const listed = (all: ReadonlyArray<Field>, prefix: string): ReadonlyArray<Field> =>
  all.filter(({ path }) => path === prefix || path.startsWith(`${prefix}.`))

const everything: MayWrite = () => true

/** As it is now: whoever waits for the lock may have lost what it had when it began to. */
const rightsOf = (authority: Authority): Effect.Effect<MayWrite> =>
  Effect.isEffect(authority) ? authority : Effect.succeed(authority)

/** What is no path cannot be written either, which is said later. */
const stillAllowed = Effect.fnUntraced(function*(names: ReadonlyArray<string | undefined>, authority: Authority) {
  const mayWrite = yield* rightsOf(authority)
  const forbidden = names.findIndex((name) => name !== undefined && !mayWrite(name))
  if (forbidden >= 0) return yield* refuse("forbidden", `${names[forbidden]} may not be changed here`, forbidden)
})

/** Of one path: there is no entry to count. */
const only = (check: Effect.Effect<void, ConfigRefused>) =>
  Effect.mapError(check, ({ message, reason }) => refuse(reason, message))

const unsafe = ({ message }: TomlNotEdited) => refuse("unsafe", message)

/** A comment above the line that assigns the key. */
const commented = (text: string, path: Path, comment: string): string | undefined => {
  const line = assignmentOf(text, path)
  const words = comment.replace(/[^\S\n]+/g, " ").trim()
  if (line === undefined || /[\u0000-\u0008\u000b-\u001f\u007f]/.test(words)) return undefined
  const lines = text.split("\n")
  lines.splice(line, 0, ...words.split("\n").map((one) => `# ${one.trim()}`.trimEnd()))
  return lines.join("\n")
}

export const makeEdits = (placed: (path: string) => Effect.Effect<Place, ConfigRefused>, commit: Commit) => {
  /** All of them are allowed and make sense, before the first is looked at closely. */
  const assignments = Effect.fnUntraced(function*(entries: ReadonlyArray<Entry>, authority: Authority) {
    if (entries.length < 1 || entries.length > maxEntries) {
      return yield* refuse("invalid", `there must be 1 to ${maxEntries} values to set, not ${entries.length}`)
    }
    const at = <A>(effect: Effect.Effect<A, ConfigRefused>, index: number) =>
      Effect.mapError(effect, ({ message, reason }) => refuse(reason, message, index))
    const named = yield* Effect.forEach(entries, ({ path }, index) => Effect.result(at(placed(path), index)))
    yield* stillAllowed(named.map((one) => Result.isSuccess(one) ? one.success.name : undefined), authority)
    const places = yield* Effect.forEach(named, (one) => Effect.fromResult(one))
    return yield* Effect.forEach(places, ({ ast, name, path }, index) => {
      const value = entries[index]?.value
      const reserved = reservedIn(path, value)
      if (reserved !== undefined) {
        return Effect.fail(refuse("reserved", `${dotted(reserved)}: the name "default" is reserved`, index))
      }
      return Result.match(fitted(path, ast, value), {
        onSuccess: (value) => Effect.succeed({ path, name, value, comment: entries[index]?.comment }),
        onFailure: (problem) => Effect.fail(refuse("invalid", `${name}: ${problem}`, index))
      })
    })
  })

  const newAliases = (root: Table, path: Path): ReadonlyArray<string> => {
    let table: unknown = root
    return path.slice(0, -1).filter((key) => {
      const isThere = isTable(table) && Object.hasOwn(table, key)
      table = isThere && isTable(table) ? table[key] : undefined
      return !isThere
    })
  }

  const set: ConfigStore["Service"]["set"] = Effect.fn("ConfigStore.set")(function*(entries, mayWrite = everything) {
    const given = yield* assignments(entries, mayWrite)
    const within = (path: Path) => given.findLastIndex((one) => overlaps(one.path, path))
    /** A key that is missing is the fault of whoever set another one beside it. */
    const blamed = (path: Path) => within(path) >= 0 || path.length < 2 ? within(path) : within(path.slice(0, -1))
    return yield* commit(
      given.map(({ path }) => path),
      Effect.fnUntraced(function*(text) {
        yield* stillAllowed(given.map(({ name }) => name), mayWrite)
        const root = yield* Effect.mapError(parsed(text), unsafe)
        for (const [index, { name, path }] of given.entries()) {
          const odd = newAliases(root, path).find((key) => !isAlias(key))
          if (odd !== undefined) {
            return yield* refuse("invalid", `${name}: ${JSON.stringify(odd)} cannot be used as a name`, index)
          }
        }
        let after = yield* Effect.mapError(TomlKeys.set(text, given), unsafe)
        for (const [index, { comment, name, path }] of given.entries()) {
          if (comment === undefined) {
            continue
          }
          const next = commented(after, path, comment)
          if (next === undefined) {
            return yield* refuse("unsafe", `${name}: there is no line of its own to put this comment above`, index)
          }
          after = next
        }
        return [
          after,
          given.map(({ name }) => name)
        ] as const
      })
    ).pipe(Effect.catchTag("ConfigInvalid", (invalid): Effect.Effect<never, ReadFault> => {
      const index = invalid.path === undefined ? -1 : blamed(invalid.path)
      return index < 0
        ? Effect.fail(invalid)
        : Effect.fail(refuse("invalid", invalid.problem ?? invalid.message, index))
    }))
  })

  const remove: ConfigStore["Service"]["remove"] = Effect.fn("ConfigStore.remove")(
    function*(named, mayWrite = everything) {
      const { name, path } = yield* placed(named)
      return yield* commit([path], (text) =>
        only(stillAllowed([name], mayWrite)).pipe(
          Effect.andThen(Effect.mapError(TomlKeys.unset(text, path), unsafe)),
          Effect.map((after) => [after ?? text, after !== undefined] as const)
        ))
    }
  )

  const mapAt = Effect.fnUntraced(function*(
    named: string,
    names: { readonly [A in ConfigRefused["alias"] & string]?: string }
  ) {
    const { ast, name, path } = yield* placed(named)
    if (!isMap(ast)) return yield* refuse("invalid", `${name} has fixed keys; only tables of aliases can get others`)
    for (const alias of ["key", "from", "to"] as const) {
      const key = names[alias]
      if (key === undefined || isAlias(key)) continue
      return yield* refuseAlias(alias, "invalid", `${JSON.stringify(key)} cannot be used as a name`)
    }
    return { path, at: (key: string): Path => [...path, key] }
  })

  const has = (root: Table, path: Path): boolean => {
    const around = path.slice(0, -1).reduce<unknown>((value, key) => isTable(value) ? value[key] : undefined, root)
    return isTable(around) && Object.hasOwn(around, path.at(-1) ?? "")
  }

  const createKey: ConfigStore["Service"]["createKey"] = Effect.fn("ConfigStore.createKey")(
    function*(named, key, mayWrite = everything) {
      const { at, path } = yield* mapAt(named, { key })
      if (isReserved(path, key)) return yield* refuseAlias("key", "reserved", `the name "default" is reserved`)
      return yield* commit(
        [at(key)],
        Effect.fnUntraced(function*(text) {
          yield* only(stillAllowed([dotted(at(key))], mayWrite))
          if (has(yield* Effect.mapError(parsed(text), unsafe), at(key))) return [text, false] as const
          return [yield* Effect.mapError(TomlKeys.set(text, [{ path: at(key), value: {} }]), unsafe), true] as const
        })
      )
    }
  )

  const removeKey: ConfigStore["Service"]["removeKey"] = Effect.fnUntraced(
    function*(named, key, mayWrite = everything) {
      const { at } = yield* mapAt(named, { key })
      return yield* remove(dotted(at(key)), mayWrite)
    }
  )

  const renameKey: ConfigStore["Service"]["renameKey"] = Effect.fn("ConfigStore.renameKey")(
    function*(named, from, to, mayWrite = everything) {
      const { at, path } = yield* mapAt(named, { from, to })
      if (isReserved(path, to)) return yield* refuseAlias("to", "reserved", `the name "default" is reserved`)
      return yield* commit(
        [at(from), at(to)],
        Effect.fnUntraced(function*(text) {
          yield* only(stillAllowed([dotted(at(from)), dotted(at(to))], mayWrite))
          const root = yield* Effect.mapError(parsed(text), unsafe)
          if (!has(root, at(from))) return yield* refuseAlias("from", "missing", `there is no ${dotted(at(from))}`)
          if (has(root, at(to))) return yield* refuseAlias("to", "exists", `${dotted(at(to))} is there already`)
          const others = following(root, path, from, to)
          const rights = yield* rightsOf(mayWrite)
          const forbidden = others.find((one) => !rights(dotted(one.path)))
          if (forbidden !== undefined) {
            return yield* refuse("forbidden", `${dotted(forbidden.path)} names it and may not be changed here`)
          }
          const after = yield* Effect.mapError(TomlKeys.rename(text, at(from), to, others), unsafe)
          const warnings = path.join(".") === "agents" && !has(root, [...at(from), "workspace"])
            ? [`the agent's own folder is now agents/${to}/workspace; what was in agents/${from}/workspace stays there`]
            : []
          return [after, {
            rewritten: others.map((one) => dotted(one.path)),
            warnings
          }] as const
        })
      )
    }
  )

  return { set, remove, createKey, removeKey, renameKey }
}
