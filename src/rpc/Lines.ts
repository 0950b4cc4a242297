import { Duration, Effect, FiberHandle, type Scope } from "effect"
import { StringDecoder } from "node:string_decoder"
import * as Wire from "./Wire.ts"

/** How long a frame whose end is still to come may bring no byte. */
interface FrameDeadline {
  /** What the frames of one chunk ask for; while we are busy with it, no time runs against the far side. */
  readonly around: <E>(effect: Effect.Effect<void, E>) => Effect.Effect<void, E>
}

/** `unfinished` names the frame whose end is still to come; `onLate` runs once with what to tell the far side. */
export const makeFrameDeadline = Effect.fnUntraced(function*(
  limit: Duration.Duration,
  unfinished: () => number | undefined,
  onLate: (fault: Wire.RpcFault) => Effect.Effect<unknown>
): Effect.fn.Return<FrameDeadline, never, Scope.Scope> {
  const timer = yield* FiberHandle.make<unknown>()
  const ms = Duration.toMillis(limit)
  const late = Effect.delay(
    Effect.suspend(() =>
      onLate(Wire.invalidRequest({ reason: "frame_timeout", limit_ms: ms }, `nothing of a line came for ${ms} ms`))
    ),
    limit
  )
  const start = Effect.suspend(() =>
    unfinished() === undefined
      ? Effect.void
      : Effect.asVoid(FiberHandle.run(timer, late, { startImmediately: true }))
  )
  return { around: (effect) => FiberHandle.clear(timer).pipe(Effect.andThen(effect), Effect.andThen(start)) }
})

/** A line longer than the limit: reported once, its bytes never kept. */
export const TooLong: unique symbol = Symbol("postern/rpc/TooLong")

interface LineSplitter {
  readonly push: (chunk: Uint8Array) => Array<string | typeof TooLong>
  /** A last line that had no newline, at end of input. */
  readonly end: () => Array<string>
  /** The number of the line whose end is still to come, when there is one. */
  readonly unfinished: () => number | undefined
}

const NEWLINE = 10

/** Cuts bytes into lines. Looks at each byte once; UTF-8 may be split anywhere; CRLF and blank lines are tolerated. */
export const make = (maxBytes: number): LineSplitter => {
  // Decoded as they come, so that of a long line no bytes are kept beside its text.
  let held: Array<string> = []
  let decoder = new StringDecoder("utf8")
  let heldBytes = 0
  let discarding = false
  let finished = 0

  const textOf = (last: Uint8Array): string => {
    if (heldBytes === 0) return Buffer.from(last.buffer, last.byteOffset, last.byteLength).toString("utf8").trim()
    held.push(decoder.end(last as Buffer))
    const text = held.join("")
    held = []
    heldBytes = 0
    return text.trim()
  }

  return {
    push(chunk) {
      const lines: Array<string | typeof TooLong> = []
      const keep = (part: Uint8Array): boolean => {
        if (discarding) return false
        if (heldBytes + part.length <= maxBytes) return true
        discarding = true
        held = []
        heldBytes = 0
        decoder = new StringDecoder("utf8")
        lines.push(TooLong)
        return false
      }
      let from = 0
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
        const part = chunk.subarray(from, at)
        if (keep(part)) {
          const line = textOf(part)
          if (line !== "") lines.push(line)
        }
        discarding = false
        finished++
        from = at + 1
      }
      const rest = chunk.subarray(from)
      if (rest.length > 0 && keep(rest)) {
        held.push(decoder.write(rest as Buffer))
        heldBytes += rest.length
      }
      return lines
    },
    end() {
      const line = textOf(new Uint8Array())
      return line === "" ? [] : [line]
    },
    unfinished: () => heldBytes > 0 || discarding ? finished : undefined
  }
}
