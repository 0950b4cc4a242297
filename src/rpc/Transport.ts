import * as NodeStream from "@effect/platform-node/NodeStream"
import { Deferred, Effect, Schema, type Stream } from "effect"
import type { Readable, Writable } from "node:stream"

export class TransportClosed
  extends Schema.TaggedError<TransportClosed>()("TransportClosed", { reason: Schema.String })
{}

/** One duplex connection: raw bytes in, text out. */
export interface Transport {
  /** Ends when the far side stops sending. */
  readonly input: Stream.Stream<Uint8Array, TransportClosed>
  /** Done when more may be written: at once while the far side keeps up, after it has caught up otherwise. */
  readonly write: (text: string) => Effect.Effect<void, TransportClosed>
  /** Bytes that have not left this process yet; it falls while the far side reads, also within one write. */
  readonly unsent?: () => number
  /** Done when everything written has left this process. */
  readonly flush: Effect.Effect<void, TransportClosed>
  /** Done when the far side takes nothing any more. */
  readonly closed: Effect.Effect<void>
}

interface HandledStream {
  readonly _handle?: { readonly writeQueueSize?: number } | null
}

const closed = (cause: unknown) =>
  new TransportClosed({ reason: cause instanceof Error ? cause.message : String(cause) })

/** A connection over two Node streams. `write` is taken apart from its stream so that stdout can be guarded against everybody else. */
export const fromStreams = (
  input: Readable,
  output: Writable,
  write: Writable["write"] = output.write.bind(output),
  unsent?: () => number
): Transport => {
  const until = (event: "drain", arm: () => boolean) =>
    Effect.callback<void, TransportClosed>((resume) => {
      const done = () => finish(Effect.void)
      const fail = (cause?: unknown) => finish(Effect.fail(closed(cause ?? "the far side closed the connection")))
      const finish = (result: Effect.Effect<void, TransportClosed>) => {
        off()
        resume(result)
      }
      const off = () => {
        output.off(event, done).off("error", fail).off("close", fail)
      }
      output.on(event, done).on("error", fail).on("close", fail)
      if (arm()) done()
      return Effect.sync(off)
    })
  const gone = Deferred.makeUnsafe<void>()
  const hungUp = () => Deferred.doneUnsafe(gone, Effect.void)
  output.on("error", hungUp).on("close", hungUp)
  return {
    // The handle knows what is left of a write that is under way.
    unsent: unsent ?? (() => output.writableLength + ((output as HandledStream)._handle?.writeQueueSize ?? 0)),
    closed: Deferred.await(gone),
    input: NodeStream.fromReadable<Uint8Array, TransportClosed>({
      evaluate: () => input,
      onError: closed,
      closeOnDone: false
    }),
    write: (text) =>
      Effect.suspend(() => {
        if (output.destroyed || !output.writable) return Effect.fail(closed("the far side closed the connection"))
        return write(text) ? Effect.void : until("drain", () => !output.writableNeedDrain)
      }),
    flush: Effect.callback<void, TransportClosed>((resume) => {
      if (output.destroyed || !output.writable) return resume(Effect.fail(closed("the far side closed the connection")))
      write("", (error) => resume(error ? Effect.fail(closed(error)) : Effect.void))
    })
  }
}
