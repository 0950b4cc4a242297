import { Context, Schema } from "effect"
import { Rpc } from "effect/rpc"
import { RpcFault } from "../../rpc/Wire.ts"

/** The permission a call needs, as `resource:verb`; a contract without one is open to every client (zeroclaw §1.10). */
export const Needs = Context.Reference<string | undefined>("postern/native/Needs", { defaultValue: () => undefined })

/** Results that are read by people and programs alike, and grow: what is in them is the handler's word. */
export const Result = Schema.Record(Schema.String, Schema.Unknown)

export const text = Schema.String
/** What is searched for, in characters: a store refuses patterns that are longer by far. */
export const wanted = text.check(Schema.isMaxLength(1000, { message: "at most 1000 characters" }))
export const maybe = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

/** How many are wanted; zero of something is no question. */
export const count = Schema.Int.check(Schema.isGreaterThan(0))

/** A method of the native protocol; params are in snake_case by the time they get here. */
export const method = <const Name extends string, P extends Schema.Struct.Fields>(
  name: Name,
  needs: string | undefined,
  payload: P
) => Rpc.make(name, { payload, success: Result, error: RpcFault }).annotate(Needs, needs)
