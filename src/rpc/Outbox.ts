import { Cause, Duration, Effect, Fiber, Latch, Queue, Schema } from "effect"
import type { Transport, TransportClosed } from "./Transport.ts"

/** A piece of text that may join its neighbours of the same `key` while the far side is slower than we are. */
export interface TextDelta {
  readonly key: string
  readonly text: string
  readonly frame: (text: string) => string
}

/** A whole frame, newline included, or a mergeable delta. */
export type Outgoing = string | TextDelta

/** The far side took nothing for the whole stall time. */
export class ClientTooSlow extends Schema.TaggedError<ClientTooSlow>()("ClientTooSlow", { message: Schema.String }) {}

export interface Outbox {
  /** Suspends while the outbox is full; does nothing once the connection is gone. */
  readonly offer: (item: Outgoing) => Effect.Effect<void>
  /** Accepts nothing more; what is queued still leaves. */
  readonly end: Effect.Effect<void>
  /** Drops what is queued and releases everybody who waits. */
  readonly shutdown: Effect.Effect<void>
  /** Waits for the writer, but no longer than the far side keeps taking something every `patience`. */
  readonly settle: (writer: Fiber.Fiber<void, unknown>, patience: Duration.Input) => Effect.Effect<void>
  /** The one writer. Ends after `end` with everything flushed. */
  readonly run: Effect.Effect<void, TransportClosed | ClientTooSlow>
}

const maxMergedText = 16 * 1024

/** Characters that may wait besides the frame that passes it: frames alone say little about memory. */
export const maxWaiting = 8 * 1024 * 1024

/** How often within its patience a writer looks whether bytes leave. */
const looks = 10

const sizeOf = (item: Outgoing): number => typeof item === "string" ? item.length : item.text.length

/** One write for everything queued. Neighbouring deltas of one key become one frame; nothing ever changes its order. */
export const coalesce = (items: ReadonlyArray<Outgoing>): string => {
  let out = ""
  let open: TextDelta | undefined
  let text = ""
  for (const item of items) {
    if (typeof item !== "string" && open?.key === item.key && text.length + item.text.length <= maxMergedText) {
      text += item.text
      continue
    }
    if (open) out += open.frame(text)
    open = typeof item === "string" ? undefined : item
    text = open?.text ?? ""
    if (typeof item === "string") out += item
  }
  return open ? out + open.frame(text) : out
}

/** `capacity` counts frames; `stall` is how long the far side may take nothing before it counts as gone; `onProgress` hears when it takes something. */
export const make = Effect.fnUntraced(function*(
  transport: Pick<Transport, "write" | "flush" | "unsent">,
  options: { readonly capacity: number; readonly stall: Duration.Input; readonly onProgress?: () => void }
) {
  const queue = yield* Queue.bounded<Outgoing, Cause.Done>(options.capacity)
  const room = Latch.makeUnsafe(true)
  let waiting = 0
  let writes = 0
  let writing = false
  const count = (characters: number) => {
    waiting += characters
    if (waiting < maxWaiting) room.openUnsafe()
    else room.closeUnsafe()
  }
  /** Ends where the far side took nothing for so long: the bytes of a write count, however many it has. */
  const stalled = (patience: Duration.Duration): Effect.Effect<void> => {
    const step = Duration.millis(Duration.toMillis(patience) / looks)
    const look = (before: number, unchanged: number): Effect.Effect<void> =>
      Effect.flatMap(Effect.sleep(step), () => {
        const now = transport.unsent?.() ?? 0
        if (now !== before) {
          options.onProgress?.()
          return look(now, 0)
        }
        return unchanged + 1 < looks ? look(now, unchanged + 1) : Effect.void
      })
    return Effect.suspend(() => look(transport.unsent?.() ?? 0, 0))
  }
  const stall = Duration.fromInputUnsafe(options.stall)
  const tooSlow = Effect.suspend(() =>
    Effect.fail(
      new ClientTooSlow({
        message: `its other side took nothing for ${Duration.format(stall)}`
      })
    )
  )
  const unlessStalled = <E>(write: Effect.Effect<void, E>) =>
    Effect.raceFirst(write, Effect.andThen(stalled(stall), tooSlow))
  const writeAll = Queue.takeAll(queue).pipe(
    Effect.flatMap((items) => {
      writing = true
      const size = items.reduce((sum, item) => sum + sizeOf(item), 0)
      return Effect.as(unlessStalled(transport.write(coalesce(items))), size)
    }),
    Effect.tap((size) =>
      Effect.sync(() => {
        writing = false
        writes++
        options.onProgress?.()
        count(-size)
      })
    ),
    Effect.forever({ disableYield: true }),
    Effect.catchTag("Done", () => unlessStalled(transport.flush))
  )
  const shutdown = Effect.andThen(Effect.sync(() => count(-Infinity)), Effect.asVoid(Queue.shutdown(queue)))
  const offer = (item: Outgoing): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (waiting >= maxWaiting) return Effect.andThen(room.await, offer(item))
      count(sizeOf(item))
      if (Queue.offerUnsafe(queue, item)) return Effect.void
      return Effect.asVoid(Queue.offer(queue, item)).pipe(
        Effect.onInterrupt(() => Effect.sync(() => count(-sizeOf(item))))
      )
    })
  return {
    offer,
    end: Effect.asVoid(Queue.end(queue)),
    shutdown,
    settle: (writer, patience) => {
      const stuck = Effect.gen(function*() {
        for (let before = -1, left = -1; !writing || before !== writes || left !== (transport.unsent?.() ?? 0);) {
          before = writes
          left = transport.unsent?.() ?? 0
          yield* Effect.sleep(patience)
        }
        yield* shutdown
        yield* Fiber.interrupt(writer)
      })
      return Effect.raceFirst(Effect.asVoid(Fiber.await(writer)), stuck)
    },
    run: Effect.ensuring(writeAll, shutdown)
  } satisfies Outbox
})
