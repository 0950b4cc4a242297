import { Duration, Effect, FiberHandle, type Scope } from "effect"
import * as Wire from "./Wire.ts"

/** How long one frame may take to arrive, whether bytes keep coming or not. */
export interface FrameDeadline {
  /** What the frames of one chunk ask for; while we are busy with it, no time runs against the far side. */
  readonly around: <E>(effect: Effect.Effect<void, E>) => Effect.Effect<void, E>
}

/** `unfinished` names the frame whose end is still to come; `onLate` runs once with what to tell the far side. */
export const make = Effect.fnUntraced(function*(
  limit: Duration.Duration,
  unfinished: () => number | undefined,
  onLate: (fault: Wire.RpcFault) => Effect.Effect<unknown>
): Effect.fn.Return<FrameDeadline, never, Scope.Scope> {
  const timer = yield* FiberHandle.make<unknown>()
  let timed: number | undefined
  const ms = Duration.toMillis(limit)
  const late = Effect.delay(
    Effect.suspend(() =>
      onLate(Wire.invalidRequest({ reason: "frame_timeout", limit_ms: ms }, `a line took longer than ${ms} ms`))
    ),
    limit
  )
  const stop = Effect.suspend(() => {
    if (timed === undefined || timed === unfinished()) return Effect.void
    timed = undefined
    return FiberHandle.clear(timer)
  })
  const start = Effect.suspend(() => {
    const now = unfinished()
    if (now === undefined || now === timed) return Effect.void
    timed = now
    return Effect.asVoid(FiberHandle.run(timer, late, { startImmediately: true }))
  })
  return { around: (effect) => Effect.andThen(stop, effect).pipe(Effect.andThen(start)) }
})
