import { isDeepStrictEqual } from "node:util"
import { Effect, Result, Schema } from "effect"
import { Toml } from "effect/encoding"
import { tomlProblem } from "./TomlProblem.ts"
import { layoutOf, linesAbout, lostComment, type TomlLayout } from "./TomlLayout.ts"
import { isTable, type Table } from "../schema/KeyPath.ts"

/** A TOML text that cannot be changed the way it was asked for; nothing was written. */
export class TomlNotEdited extends Schema.TaggedError<TomlNotEdited>()("TomlNotEdited", { message: Schema.String }) {}

const refuse = (message: string) => new TomlNotEdited({ message })

const library = Effect.promise(() => import("@decimalturn/toml-patch"))

export const parsed = (text: string): Effect.Effect<Table, TomlNotEdited> =>
  Effect.mapError(Effect.fromResult(Toml.parse(text)), (error) => refuse(tomlProblem(error)))

const squeezed = (line: string) => line.replace(/\s+/g, "")

/** Lines that differ only in blanks, as the spaces before a comment, stay as they were. */
const withOldBlanks = (before: string, after: string): string => {
  const old = before.split("\n")
  let from = 0
  return after.split("\n").map((line) => {
    const form = squeezed(line)
    const at = form === "" ? -1 : old.findIndex((one, index) => index >= from && squeezed(one) === form)
    if (at < 0) return line
    from = at + 1
    return old[at]
  }).join("\n")
}

/** Without prototypes, which parsers choose differently. */
const plain = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(plain)
    : isTable(value)
    ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, plain(one)]))
    : value

/** Whether a text says exactly this. */
export const means = (text: string, wanted: Table): boolean =>
  Result.match(Toml.parse(text), {
    onSuccess: (root) => isDeepStrictEqual(plain(root), plain(wanted)),
    onFailure: () => false
  })

/** The first candidate that says what is wanted, if it has every comment but those that are meant to go. */
const chosen = Effect.fnUntraced(
  function*(before: TomlLayout, candidates: ReadonlyArray<string>, wanted: Table, going: ReadonlySet<number>) {
    const edited = candidates.find((candidate) => means(candidate, wanted))
    if (edited === undefined) return yield* refuse("it cannot be changed safely; please change it by hand")
    const comment = lostComment(before, yield* layoutOf(edited), going)
    if (comment === undefined) return edited
    return yield* refuse(`line ${comment.line + 1}: the comment there would be lost; please change it by hand`)
  }
)

/**
 * The text after `change`, which gets the parsed table and changes it in place; comments, order and everything else stay.
 * A second parser has to read the same values out of the result, and no comment may be lost but those about a `removed` value
 * or on lines that are `removed`.
 */
export const edit = Effect.fnUntraced(function*(
  text: string,
  change: (root: Table) => void,
  removed: string | ReadonlySet<number> = new Set()
) {
  const { parse, patch } = yield* library
  const wanted = yield* parsed(text)
  const patched = yield* Effect.try({
    try: () => {
      change(wanted)
      const root: Table = parse(text)
      change(root)
      return patch(text, root, { inlineTableStart: 9 })
    },
    catch: () => refuse("it cannot be changed in place; please change it by hand")
  })
  const ended = text === "" && !patched.endsWith("\n") ? `${patched}\n` : patched
  const layout = yield* layoutOf(text)
  const going = typeof removed === "string" ? linesAbout(layout, new Set([removed])) : removed
  return yield* chosen(layout, [withOldBlanks(text, ended), ended], wanted, going)
})

/** A table in TOML under a header of its own, tables in it after it. */
export const section = Effect.fnUntraced(function*(name: string, table: Table) {
  const { stringify } = yield* library
  const write = (name: string, table: Table): string => {
    const values = Object.entries(table).filter(([, value]) => !isTable(value))
    const tables = Object.entries(table).filter((entry): entry is [string, Table] => isTable(entry[1]))
    const head = values.length > 0 || tables.length === 0
      ? [`[${name}]\n${stringify(Object.fromEntries(values))}`.trimEnd() + "\n"]
      : []
    return [...head, ...tables.map(([key, one]) => write(`${name}.${keyText(key)}`, one))].join("\n")
  }
  return yield* Effect.try({
    try: () => write(name, table),
    catch: (error) => refuse(`it cannot be written as TOML: ${error instanceof Error ? error.message : String(error)}`)
  })
})

export const keyText = (key: string): string => /^[A-Za-z0-9_-]+$/.test(key) ? key : JSON.stringify(key)
