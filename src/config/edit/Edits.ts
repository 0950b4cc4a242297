import { Effect, Result } from "effect"
import { type Commit, everything, only, refuse, stillAllowed, unsafe } from "./Commit.ts"
import type { Field } from "../schema/Fields.ts"
import { dotted, type Path } from "../schema/Lookup.ts"
import type { Loose } from "../load/DanglingReferences.ts"
import { isAlias, reservedIn } from "../schema/Aliases.ts"
import { overlaps, type Place } from "../schema/Place.ts"
import { ConfigRefused } from "./ConfigRefused.ts"
import type { Authority, ConfigStore } from "./ConfigStore.ts"
import { fitted } from "../schema/Values.ts"
import { parsed } from "./TomlEdit.ts"
import * as TomlKeys from "./TomlKeys.ts"
import { assignmentOf, layoutOf } from "../load/TomlLayout.ts"
import { isTable, type Table } from "./TomlTable.ts"

export interface Entry {
  readonly path: string
  /** Any JSON; a text is read as the type of the place. */
  readonly value: unknown
  /** Put above the line. */
  readonly comment?: string | undefined
}

const maxEntries = 256

/** What is set must not name what is not there. */
const unlessMissing = <A>(answer: A) => (loosened: ReadonlyArray<Loose>): Effect.Effect<A, ConfigRefused> => {
  const missing = loosened.find(({ isDisabled }) => !isDisabled)
  return missing === undefined
    ? Effect.succeed(answer)
    : new ConfigRefused({ reason: "invalid", message: missing.problem, path: missing.path })
}

export const listed = (all: ReadonlyArray<Field>, prefix: string): ReadonlyArray<Field> =>
  all.filter(({ path }) => path === prefix || path.startsWith(`${prefix}.`))

/** A comment above the line that assigns the key. */
const commented = Effect.fnUntraced(function*(text: string, path: Path, comment: string) {
  const line = assignmentOf(yield* layoutOf(text), path)
  const words = comment.replace(/[^\S\n]+/g, " ").trim()
  if (line === undefined || /[\u0000-\u0008\u000b-\u001f\u007f]/.test(words)) return undefined
  const lines = text.split("\n")
  lines.splice(line, 0, ...words.split("\n").map((one) => `# ${one.trim()}`.trimEnd()))
  return lines.join("\n")
})

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
          const next = yield* commented(after, path, comment)
          if (next === undefined) {
            return yield* refuse("unsafe", `${name}: there is no line of its own to put this comment above`, index)
          }
          after = next
        }
        return [after, unlessMissing(given.map(({ name }) => name))] as const
      })
    ).pipe(Effect.catchTag("ConfigRefused", (refused) => {
      const index = refused.path === undefined ? -1 : blamed(refused.path)
      return Effect.fail(index < 0 ? refused : refuse(refused.reason, refused.message, index))
    }))
  })

  const remove: ConfigStore["Service"]["remove"] = Effect.fn("ConfigStore.remove")(
    function*(named, mayWrite = everything) {
      const { name, path } = yield* placed(named)
      return yield* commit([path], (text) =>
        only(stillAllowed([name], mayWrite)).pipe(
          Effect.andThen(Effect.mapError(TomlKeys.unset(text, path), unsafe)),
          Effect.map((after) =>
            [
              after ?? text,
              (loosened) =>
                Effect.succeed({ deleted: after !== undefined, warnings: loosened.map(({ problem }) => problem) })
            ] as const
          )
        ))
    }
  )

  return { set, remove }
}
