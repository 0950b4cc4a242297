import { Context, DateTime, Effect, Option, Schema } from "effect"
import { Rpc } from "effect/rpc"
import { RpcFault } from "../../rpc/Wire.ts"
import * as Errors from "./Errors.ts"

/** Field names in two spellings: `session_id` and `sessionId` are read alike, and some results have both. See docs/native-rpc.md#framing-and-limits. */

export type Params = Record<string, unknown>

export const isRecord = (u: unknown): u is Params => typeof u === "object" && u !== null && !Array.isArray(u)

const snakeOf = (key: string) => key.replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Structures of the protocol inside other structures; everything else belongs to the client and is left alone. */
const nested = new Set(["attachments", "client_capabilities", "files", "overrides"])

/** The snake_case name wins where both are there. */
export const canonical = (params: Params): Params => {
  const out: Params = {}
  for (const [key, value] of Object.entries(params)) {
    const name = snakeOf(key)
    if (name !== key && Object.hasOwn(params, name)) continue
    out[name] = !nested.has(name) ? value : Array.isArray(value) ?
      value.map((item) => isRecord(item) ? canonical(item) : item)
      : isRecord(value)
      ? canonical(value)
      : value
  }
  return out
}

/** Adds every key once more in camelCase. */
export const twins = <A extends object>(object: A): BothSpellings<A> =>
  ({
    ...object,
    ...Object.fromEntries(Object.entries(object).map(([key, value]) => [camelCase(key), value as unknown]))
  }) as BothSpellings<A>

/** A date, or a date and time, as a parameter names it; without a zone it is UTC. ISO 8601 in UTC, as everything is stored. */
export const instant = (
  field: string,
  text: string | null | undefined
): Effect.Effect<string | undefined, RpcFault> => {
  if (text === undefined || text === null) return Effect.undefined
  const found = /^\d{4}-\d{2}-\d{2}/.test(text.trim()) ? DateTime.make(text.trim()) : Option.none()
  return Option.match(found, {
    onNone: () =>
      Effect.fail(Errors.invalid(`${field}: a date, or a date and time such as 2026-03-01T00:00:00Z`, field)),
    onSome: (date) => Effect.succeed(DateTime.formatIso(date))
  })
}

/** How the contracts of the native protocol are written, and the schemas that several of them share. */

/** The grant that a call needs, as `resource:verb`. Every client may call a method without one; see docs/users.md#grants. */
export const RequiredGrant = Context.Reference<string | undefined>("postern/native/RequiredGrant", {
  defaultValue: () => undefined
})

/** What a method answers with. Fields may be added to a result, so clients ignore the ones they do not know. */
export const ResultSchema = Context.Reference<Schema.Top>("postern/native/ResultSchema", {
  defaultValue: () => Schema.Unknown
})

/**
 * The compiler checks what a handler returns, so a result is not encoded once more on its way out: results are plain JSON, and some have
 * megabytes. Tests decode every result with {@link ResultSchema}.
 */
const unchecked = <S extends Schema.Top>(_: S) => Schema.Unknown as unknown as Schema.Codec<S["Type"]>

/** A method of the native protocol. Its params are in snake_case by the time they are decoded. */
export const method = <const Name extends string, P extends Schema.Struct.Fields, R extends Schema.Top>(
  name: Name,
  grant: string | undefined,
  params: P,
  result: R
) =>
  Rpc.make(name, { payload: params, success: unchecked(result), error: RpcFault })
    .annotate(RequiredGrant, grant)
    .annotate(ResultSchema, result)

export const text = Schema.String
export const texts = Schema.Array(text)
/** A search text. The stores refuse patterns of more than about 50,000 bytes. */
export const searchText = text.check(Schema.isMaxLength(1000, { message: "at most 1000 characters" }))
/** `null` counts as left out. */
export const maybe = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))
/** A field that some results do not have. */
export const sometimes = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(schema)

/** The number of items wanted: 1 or more. */
export const count = Schema.Int.check(Schema.isGreaterThan(0))

export const Mode = Schema.Literals(["chat", "acp"])

type Camel<Name extends string> = Name extends `${infer First}_${infer Rest}` ? `${First}${Capitalize<Camel<Rest>>}`
  : Name

/** An object and each of its fields once more in camelCase. */
type BothSpellings<A> = A & { readonly [Name in keyof A & string as Camel<Name>]: A[Name] }

const camelCase = (name: string): string => name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())

/** A result whose fields are sent in both spellings. */
export const inBothSpellings = <F extends Schema.Struct.Fields>(
  fields: F
): Schema.Codec<BothSpellings<Schema.Struct.Type<F>>> =>
  Schema.Struct({
    ...fields,
    ...Object.fromEntries(Object.entries(fields).map(([name, schema]) => [camelCase(name), schema]))
  }) as unknown as Schema.Codec<BothSpellings<Schema.Struct.Type<F>>>
