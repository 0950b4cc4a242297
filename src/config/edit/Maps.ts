import { Effect } from "effect"
import { always, type Commit, everything, only, refuse, rightsOf, stillAllowed, unsafe } from "./Commit.ts"
import { isMap } from "../schema/Fields.ts"
import { dotted, type Path } from "../schema/Lookup.ts"
import { isAlias, isReserved } from "../schema/Aliases.ts"
import type { Place } from "../schema/Place.ts"
import { following } from "./References.ts"
import { ConfigRefused } from "./ConfigRefused.ts"
import type { ConfigStore } from "./ConfigStore.ts"
import { parsed } from "./TomlEdit.ts"
import * as TomlKeys from "./TomlKeys.ts"
import { isTable, type Table } from "./TomlTable.ts"

export interface Renamed {
  /** Values elsewhere that named it. */
  readonly rewritten: ReadonlyArray<string>
  readonly warnings: ReadonlyArray<string>
}

type Alias = ConfigRefused["alias"] & string

const refuseAlias = (alias: Alias, reason: ConfigRefused["reason"], message: string) =>
  new ConfigRefused({ reason, message, alias })

/** Tables whose keys are aliases: what can be done with one of those. */
export const makeMaps = (
  placed: (path: string) => Effect.Effect<Place, ConfigRefused>,
  commit: Commit,
  remove: ConfigStore["Service"]["remove"]
) => {
  const mapAt = Effect.fnUntraced(function*(named: string, names: { readonly [A in Alias]?: string }) {
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
          if (has(yield* Effect.mapError(parsed(text), unsafe), at(key))) return [text, always(false)] as const
          return [
            yield* Effect.mapError(TomlKeys.set(text, [{ path: at(key), value: {} }]), unsafe),
            always(true)
          ] as const
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
          return [after, always({ rewritten: others.map((one) => dotted(one.path)), warnings })] as const
        })
      )
    }
  )

  return { createKey, removeKey, renameKey }
}
