import { Deferred, Effect } from "effect"
import * as Wire from "../rpc/Wire.ts"
import type { ToolContext } from "../tool/Tool.ts"
import * as Elicitation from "./Elicitation.ts"
import { Unreachable } from "./Unreachable.ts"

interface Running {
  readonly context: Pick<ToolContext, "askUser">
  readonly ended: Deferred.Deferred<void>
  /** Questions to the user that are open now, and those that were answered. */
  asking: number
  asked: number
}

const decline = { action: "decline" } as const

/** The calls that one server is working on: their time, and whom it may ask meanwhile. */
export const make = (server: string) => {
  const running = new Set<Running>()

  /** Time in which a person thinks is not the server's. */
  const overdue = Effect.fnUntraced(function*(call: Running, seconds: number): Effect.fn.Return<never, Unreachable> {
    for (;;) {
      const before = call.asked
      yield* Effect.sleep(`${seconds} seconds`)
      if (call.asking === 0 && call.asked === before) {
        return yield* new Unreachable({ reason: `it did not answer within ${seconds} s` })
      }
    }
  })

  return {
    isIdle: () => running.size === 0,
    within: <A, E>(
      context: Running["context"],
      seconds: number,
      work: Effect.Effect<A, E>
    ): Effect.Effect<A, E | Unreachable> =>
      Effect.suspend(() => {
        const call: Running = { context, ended: Deferred.makeUnsafe(), asking: 0, asked: 0 }
        running.add(call)
        return Effect.raceFirst(work, overdue(call, seconds)).pipe(Effect.ensuring(Effect.suspend(() => {
          running.delete(call)
          return Deferred.succeed(call.ended, undefined)
        })))
      }),
    /** Answered by whoever watches the newest call; without one there is nobody to ask. */
    elicit: (params: unknown): Effect.Effect<unknown, Wire.RpcFault> =>
      Effect.suspend(() => {
        const call = Array.from(running).at(-1)
        if (call === undefined || call.asking > 0) return Effect.succeed(decline)
        call.asking++
        return Elicitation.answer(server, params, call.context).pipe(
          Effect.catchTags({
            ToolFailed: () => Effect.succeed(decline),
            SchemaError: (error) => Effect.fail(Wire.invalidParamsFrom(error))
          }),
          Effect.raceFirst(Effect.as(Deferred.await(call.ended), { action: "cancel" } as const)),
          Effect.ensuring(Effect.sync(() => {
            call.asking--
            call.asked++
          }))
        )
      })
  }
}
