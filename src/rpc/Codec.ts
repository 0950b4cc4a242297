import { type Effect, Schema } from "effect"
import type { Rpc } from "effect/rpc"

type Coder = (u: unknown) => Effect.Effect<unknown, Schema.SchemaError>

export interface Codec {
  readonly decodePayload: Coder
  readonly encodePayload: Coder
  readonly decodeSuccess: Coder
  readonly encodeSuccess: Coder
}

const known = new WeakMap<Rpc.Any, Codec>()

/** The schema functions of one contract, compiled the first time the contract is used. */
export const codecOf = (rpc: Rpc.Any): Codec => {
  let codec = known.get(rpc)
  if (codec === undefined) {
    const { payloadSchema, successSchema } = rpc as Rpc.AnyWithProps
    const payload = payloadSchema as Schema.Codec<unknown, unknown>
    const result = successSchema as Schema.Codec<unknown, unknown>
    codec = {
      decodePayload: Schema.decodeUnknownEffect(payload),
      encodePayload: Schema.encodeUnknownEffect(payload),
      decodeSuccess: Schema.decodeUnknownEffect(result),
      encodeSuccess: Schema.encodeUnknownEffect(result)
    }
    known.set(rpc, codec)
  }
  return codec
}
