import { Context, Schema } from "effect"
import { Rpc } from "effect/rpc"
import { RpcFault } from "../../rpc/Wire.ts"

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
export type BothSpellings<A> = A & { readonly [Name in keyof A & string as Camel<Name>]: A[Name] }

export const camelCase = (name: string): string =>
  name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())

/** A result whose fields are sent in both spellings. */
export const inBothSpellings = <F extends Schema.Struct.Fields>(
  fields: F
): Schema.Codec<BothSpellings<Schema.Struct.Type<F>>> =>
  Schema.Struct({
    ...fields,
    ...Object.fromEntries(Object.entries(fields).map(([name, schema]) => [camelCase(name), schema]))
  }) as unknown as Schema.Codec<BothSpellings<Schema.Struct.Type<F>>>
