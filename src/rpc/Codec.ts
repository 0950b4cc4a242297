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

/** The schema functions of one contract, each made when it is first needed: most of them never are in one process. */
class Lazy implements Codec {
  private readonly payload: Schema.Codec<unknown, unknown>
  private readonly success: Schema.Codec<unknown, unknown>
  private made: Partial<Record<keyof Codec, Coder>> = {}
  constructor(rpc: Rpc.Any) {
    const { payloadSchema, successSchema } = rpc as Rpc.AnyWithProps
    this.payload = payloadSchema as Schema.Codec<unknown, unknown>
    this.success = successSchema as Schema.Codec<unknown, unknown>
  }
  get decodePayload() {
    return this.made.decodePayload ??= Schema.decodeUnknownEffect(this.payload)
  }
  get encodePayload() {
    return this.made.encodePayload ??= Schema.encodeUnknownEffect(this.payload)
  }
  get decodeSuccess() {
    return this.made.decodeSuccess ??= Schema.decodeUnknownEffect(this.success)
  }
  get encodeSuccess() {
    return this.made.encodeSuccess ??= Schema.encodeUnknownEffect(this.success)
  }
}

export const codecOf = (rpc: Rpc.Any): Codec => {
  const codec = known.get(rpc) ?? new Lazy(rpc)
  known.set(rpc, codec)
  return codec
}
