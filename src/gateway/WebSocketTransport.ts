import type { WebSocket } from "@effect/platform-node/NodeWS"
import { Deferred, Effect } from "effect"
import { Readable, Writable } from "node:stream"
import { fromStreams, type Transport } from "../rpc/Transport.ts"

const newline = Buffer.from("\n")
const space = 0x20

/** A line break inside a message is white space of its JSON. */
const asLine = (message: Buffer): Buffer => {
  if (!message.includes(10)) return message
  return Buffer.from(message.map((byte) => byte === 10 ? space : byte))
}

/** A WebSocket as a stream of lines: each message is one, text or UTF-8 in a binary message. */
export const fromWebSocket = (socket: WebSocket): Transport => {
  const input = new Readable({
    highWaterMark: 64 * 1024,
    read: () => socket.resume()
  })
  socket.on("message", (data: Buffer) => {
    input.push(asLine(data))
    if (!input.push(newline)) socket.pause()
  })
  const output = new Writable({
    decodeStrings: false,
    highWaterMark: 64 * 1024,
    write: (chunk: string | Buffer, _, done) => {
      const lines = chunk.toString().split("\n").filter((line) => line !== "")
      const last = lines.pop()
      if (last === undefined) return done()
      for (const line of lines) socket.send(line)
      socket.send(last, (error) => done(error ?? null))
    }
  })
  output.on("error", () => {})
  socket.on("close", () => {
    input.push(null)
    output.destroy()
  })
  return fromStreams(input, output, output.write.bind(output), () => unsentOf(socket))
}

/** `ws` keeps the stream below to itself. */
interface SocketBelow {
  readonly _socket?: {
    readonly bytesRead?: number
    readonly _handle?: { readonly writeQueueSize?: number } | null
  } | null
}

const unsentOf = (socket: WebSocket): number =>
  socket.bufferedAmount + ((socket as SocketBelow)._socket?._handle?.writeQueueSize ?? 0)

/** What changes while bytes come or leave, also in the middle of a message. */
const activityOf = (socket: WebSocket): string =>
  `${(socket as SocketBelow)._socket?.bytesRead ?? 0} ${unsentOf(socket)}`

const idle = "20 seconds"
const patience = "10 seconds"

/** Asks a client that says nothing whether it is still there; ends when it is not. */
export const keepAlive = (socket: WebSocket): Effect.Effect<void> =>
  Effect.gen(function*() {
    for (;;) {
      yield* Effect.sleep(idle)
      // What it says waits for us, its answers included.
      if (socket.isPaused) continue
      const answered = Deferred.makeUnsafe<void>()
      const onPong = () => Deferred.doneUnsafe(answered, Effect.void)
      socket.once("pong", onPong)
      socket.ping()
      const before = activityOf(socket)
      const there = yield* Effect.timeoutOption(Deferred.await(answered), patience)
      socket.off("pong", onPong)
      // Its answer waits behind a long message that is under way, in one direction or the other.
      if (there._tag === "None" && activityOf(socket) === before) return
    }
  })

const goodbye = "1 second"

/** The closing handshake; who does not answer it is disconnected. */
export const close = (socket: WebSocket, code: number, reason: string): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    if (socket.readyState === socket.CLOSED) return resume(Effect.void)
    socket.once("close", () => resume(Effect.void))
    socket.close(code, reason)
  }).pipe(Effect.timeoutOption(goodbye), Effect.andThen(Effect.sync(() => socket.terminate())))
