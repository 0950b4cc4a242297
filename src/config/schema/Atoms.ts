import { Schema } from "effect"

/** `description` is what an error message offers: "… must be <description>". */
export const text = Schema.NonEmptyString.annotate({ description: "a text that is not empty" })
export const path = Schema.NonEmptyString.annotate({ description: "a path" })
export const flag = Schema.Boolean.annotate({ description: "true or false" })
export const whole = (least: number) =>
  Schema.Int.check(Schema.isGreaterThanOrEqualTo(least)).annotate({
    description: `a whole number of at least ${least}`
  })
export const amount = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0)).annotate({
  description: "a number of at least 0"
})
export const texts = Schema.Array(text).annotate({ description: "a list of texts" })
export const word = <const L extends ReadonlyArray<string>>(...words: L) =>
  Schema.Literals(words).annotate({ description: `one of ${words.join(", ")}` })

export const optional = Schema.optionalKey

export const map = <S extends Schema.Constraint>(value: S) => optional(Schema.Record(Schema.String, value))
