import { Context, Effect, type Fiber } from "effect"
import type { Rpc } from "effect/rpc"
import { type Codec, codecOf } from "./Codec.ts"
import * as Wire from "./Wire.ts"

/**
 * On a contract: `$/cancel_request` for it runs this other method with the same params instead of interrupting the handler,
 * which then answers in its own way (`session/prompt` answers `cancelled`).
 */
export const CancelWith = Context.Reference<string | undefined>("postern/rpc/CancelWith", { defaultValue: () => undefined })

export interface Route {
  readonly launch: <A, E>(effect: Effect.Effect<A, E>) => Fiber.Fiber<A, E>
  readonly invoke: (params: unknown) => Effect.Effect<unknown, unknown>
  readonly codec: Codec
  readonly cancelWith: string | undefined
}

/** The contract's handlers, as `RpcGroup.toLayer` put them into the context. The one place where their types are erased. */
export const routesOf = (group: { readonly requests: ReadonlyMap<string, unknown> }, services: Context.Context<never>) =>
  new Map(Array.from(group.requests, ([method, erased]) => {
    const rpc = erased as Rpc.AnyWithProps
    const entry = Context.getUnsafe(services, Context.Service<unknown, Rpc.Handler<string>>(rpc.key))
    const codec = codecOf(rpc)
    const options = {} as Parameters<typeof entry.handler>[1]
    return [method, {
      launch: Effect.runForkWith(Context.merge(entry.context, services)),
      codec,
      cancelWith: Context.get(rpc.annotations, CancelWith),
      invoke: (params: unknown) =>
        Effect.mapErrorEager(codec.decodePayload(params ?? {}), Wire.invalidParamsFrom).pipe(
          Effect.flatMap((payload) => entry.handler(payload, options) as Effect.Effect<unknown, unknown>)
        )
    } satisfies Route]
  }))
