import { Effect, Schema } from "effect"

/**
 * An optional field as ACP reads it: absent, `null` and a value of the wrong type all count as absent
 * (`x-deserialize-default-on-error` in the ACP schema).
 */
export const lenient = <S extends Schema.Constraint>(schema: S) =>
  Schema.optionalKey(Schema.UndefinedOr(schema).pipe(Schema.catchDecoding(() => Effect.succeedSome(undefined))))
