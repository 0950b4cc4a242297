import { isDeepStrictEqual } from "node:util"
import { Effect, Result, Schema } from "effect"
import { Toml } from "effect/encoding"

/** A TOML text that cannot be changed the way it was asked for; nothing was written. */
export class TomlNotEdited extends Schema.TaggedError<TomlNotEdited>()("TomlNotEdited", { message: Schema.String }) {}

export type Table = Record<string, unknown>

interface Token {
  readonly text: string
  readonly line: number
}

const token = /"""(?:[^\\]|\\[^])*?"{3,5}|'''[^]*?'{3,5}|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|#[^\n]*/g

const tokens = (text: string, isWanted: (token: string) => boolean): ReadonlyArray<Token> =>
  Array.from(text.matchAll(token)).filter(([found]) => isWanted(found)).map(({ 0: found, index }) => ({
    text: found.trimEnd(),
    line: text.slice(0, index).split("\n").length - 1
  }))

const comments = (text: string) => tokens(text, (found) => found.startsWith("#"))

const valueOf = (literal: string): unknown => {
  try {
    return literal.startsWith("'") ? literal.slice(1, -1) : JSON.parse(literal)
  } catch {
    return undefined
  }
}

/** Lines whose comments go with `value`: its own where nothing else is on it, and comments directly above. */
const linesAbout = (text: string, value: string): ReadonlySet<number> => {
  const lines = text.split("\n")
  const about = new Set<number>()
  for (const { line, text: literal } of tokens(text, (found) => valueOf(found) === value)) {
    const before = lines[line]?.split(literal)[0] ?? ""
    if (!/^\s*(\{[^[\]{}]*)?$/.test(before)) continue
    about.add(line)
    for (let above = line - 1; lines[above]?.trimStart().startsWith("#"); above--) about.add(above)
  }
  return about
}

/** Comments of `before` that `after` does not have, save those about `removed`. */
const lost = (before: string, after: string, removed: string | undefined): ReadonlyArray<Token> => {
  const left = comments(after).map(({ text }) => text)
  const about = removed === undefined ? new Set<number>() : linesAbout(before, removed)
  return comments(before).filter(({ line, text }) => {
    const at = left.indexOf(text)
    if (at >= 0) left.splice(at, 1)
    return at < 0 && !about.has(line)
  })
}

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

/**
 * The text after `change`, which gets the parsed table and changes it in place; comments, order and everything else stay.
 * A second parser has to read the same values out of the result, and no comment may be lost but those about `removed`.
 */
export const edit = Effect.fnUntraced(function*(text: string, change: (root: Table) => void, removed?: string) {
  const refuse = (message: string) => new TomlNotEdited({ message })
  const { parse, patch } = yield* Effect.promise(() => import("@decimalturn/toml-patch"))
  const wanted = yield* Effect.fromResult(Toml.parse(text)).pipe(
    Effect.mapError(({ message }) => refuse(`not valid TOML: ${message}`))
  )
  const patched = yield* Effect.try({
    try: () => {
      change(wanted)
      const root: Table = parse(text)
      change(root)
      return patch(text, root, { inlineTableStart: 9 })
    },
    catch: (error) => refuse(`it cannot be changed in place: ${error instanceof Error ? error.message : String(error)}`)
  })
  const ended = text === "" && !patched.endsWith("\n") ? `${patched}\n` : patched
  const means = (candidate: string) =>
    Result.match(Toml.parse(candidate), {
      onSuccess: (root) => isDeepStrictEqual(plain(root), plain(wanted)),
      onFailure: () => false
    })
  const edited = [withOldBlanks(text, ended), ended].find(means)
  if (edited === undefined) return yield* refuse("it cannot be changed safely; please change it by hand")
  const [comment] = lost(text, edited, removed)
  if (comment === undefined) return edited
  const where = `line ${comment.line + 1}: the comment ${JSON.stringify(comment.text)}`
  return yield* refuse(`${where} would be lost; please change it by hand`)
})

/** Without prototypes, which parsers choose differently. */
const plain = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(plain)
    : typeof value === "object" && value !== null && !(value instanceof Date)
    ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, plain(one)]))
    : value
