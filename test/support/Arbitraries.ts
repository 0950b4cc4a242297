import { Arbitrary, Schema } from "effect"

/** Values for property tests: what parsers, codecs and editors stumble over comes up often. */

export const oneOf = <const A extends string | number | boolean>(...values: ReadonlyArray<A>): Arbitrary.Arbitrary<A> =>
  Arbitrary.schema(Schema.Literals(values)) as Arbitrary.Arbitrary<A>

/** One of several kinds of values. */
export const either = <A>(...kinds: ReadonlyArray<Arbitrary.Arbitrary<A>>): Arbitrary.Arbitrary<A> =>
  Arbitrary.flatMap(oneOf(...kinds.keys()), (at) => kinds[at]!)

/** Text of these pieces, in any order. */
export const textOf = (pieces: ReadonlyArray<string>, options?: Arbitrary.ArrayOptions): Arbitrary.Arbitrary<string> =>
  Arbitrary.map(Arbitrary.array(oneOf(...pieces), options), (chosen) => chosen.join(""))

const pieces = [
  "a",
  "B",
  "7",
  " ",
  "\"",
  "'",
  "\\",
  "`",
  "$",
  "${x}",
  "#",
  "*",
  "?",
  "[",
  "]",
  "{",
  "}",
  ",",
  "=",
  "-",
  "--",
  "~",
  "!",
  "&",
  "|",
  ";",
  "<",
  ">",
  "(",
  ")",
  "/",
  "..",
  ":",
  "%",
  "\t",
  "é",
  "€",
  "👍"
]

/** Text on one line, full of characters that mean something somewhere. */
export const line = textOf(pieces)

/** As `line`, and at least one character long. */
export const filledLine = textOf(pieces, { minLength: 1 })

/** Text of several lines. */
export const lines = textOf([...pieces, "\n", "\n", "\r\n"])

/** Without -0, which JSON does not tell from 0. */
export const integer = Arbitrary.map(Arbitrary.schema(Schema.Int), (number) => number + 0)

/** Any JSON value, a few levels deep. */
const deep = (levels: number): Arbitrary.Arbitrary<Schema.Json> => {
  const leaf = either<Schema.Json>(lines, integer, oneOf(true, false), Arbitrary.Constant(null))
  if (levels === 0) return leaf
  const inner = deep(levels - 1)
  return either<Schema.Json>(
    leaf,
    Arbitrary.array(inner, { maxLength: 4 }),
    Arbitrary.map(
      Arbitrary.array(Arbitrary.all([line, inner]), { maxLength: 4 }),
      (entries) => Object.fromEntries(entries)
    )
  )
}
export const json = deep(2)

export const record = Arbitrary.map(
  Arbitrary.array(Arbitrary.all([line, json]), { maxLength: 4 }),
  (entries) => Object.fromEntries(entries) as Record<string, Schema.Json>
)
