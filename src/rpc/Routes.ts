import { Context, Effect, type Fiber, Schema } from "effect"
import type { Rpc } from "effect/rpc"
import * as Wire from "./Wire.ts"

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

/**
 * On a contract: `$/cancel_request` for it runs this other method with the same params instead of interrupting the handler,
 * which then answers in its own way (`session/prompt` answers `cancelled`).
 */
export const CancelWith = Context.Reference<string | undefined>("postern/rpc/CancelWith", {
  defaultValue: () => undefined
})

export interface RpcRoute {
  readonly launch: <A, E>(effect: Effect.Effect<A, E>) => Fiber.Fiber<A, E>
  readonly invoke: (params: unknown) => Effect.Effect<unknown, unknown>
  readonly codec: Codec
  readonly cancelWith: string | undefined
}

/**
 * The contract's handlers, as `RpcGroup.toLayer` put them into the context. The one place where their types are erased. A connection
 * uses few of them, so each is made when it is first asked for; handlers of one Layer share what they run with.
 */
export const routesOf = (
  group: { readonly requests: ReadonlyMap<string, unknown> },
  services: Context.Context<never>
) => {
  const made = new Map<string, RpcRoute>()
  const launches = new Map<Context.Context<never>, RpcRoute["launch"]>()

  const launchWith = (context: Context.Context<never>): RpcRoute["launch"] => {
    const launch = launches.get(context) ?? Effect.runForkWith(Context.merge(context, services))
    launches.set(context, launch)
    return launch
  }

  const make = (rpc: Rpc.AnyWithProps): RpcRoute => {
    const entry = Context.getUnsafe(services, Context.Service<unknown, Rpc.Handler<string>>(rpc.key))
    const codec = codecOf(rpc)
    const options = {} as Parameters<typeof entry.handler>[1]
    return {
      launch: launchWith(entry.context),
      codec,
      cancelWith: Context.get(rpc.annotations, CancelWith),
      invoke: (params: unknown) =>
        Effect.mapErrorEager(codec.decodePayload(params ?? {}), Wire.invalidParamsFrom).pipe(
          Effect.flatMap((payload) => entry.handler(payload, options) as Effect.Effect<unknown, unknown>)
        )
    }
  }

  return (method: string): RpcRoute | undefined => {
    const known = made.get(method)
    if (known) return known
    const rpc = group.requests.get(method)
    if (rpc === undefined) return undefined
    const route = make(rpc as Rpc.AnyWithProps)
    made.set(method, route)
    return route
  }
}
