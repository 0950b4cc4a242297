import { Cause, Effect, Queue, Stream } from "effect"
import type { Transport } from "../../src/rpc/Transport.ts"

/** The peer at the other end of one connection, played by a test: two queues instead of a process. */
export const makePeer = Effect.gen(function*() {
  const toPeer = yield* Queue.unbounded<Uint8Array, Cause.Done>()
  const fromPeer = yield* Queue.unbounded<string>()
  const transport: Transport = {
    input: Stream.fromQueue(toPeer),
    write: (text) =>
      Effect.sync(() => {
        for (const line of text.split("\n")) if (line !== "") Queue.offerUnsafe(fromPeer, line)
      }),
    flush: Effect.void,
    closed: Effect.never
  }
  return {
    transport,
    /** Sends a message, or raw text as it is. */
    say: (message: object | string) =>
      Queue.offer(
        toPeer,
        Buffer.from(typeof message === "string" ? message : JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n")
      ),
    hear: Effect.map(Queue.take(fromPeer), (line) => JSON.parse(line) as Record<string, unknown>),
    /** What was said and not heard yet. */
    heard: Effect.map(
      Queue.clear(fromPeer),
      (lines) => lines.map((line) => JSON.parse(line) as Record<string, unknown>)
    ),
    hangUp: Queue.end(toPeer)
  }
})
