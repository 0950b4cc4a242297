import { Array as Arr, Cause, Clock, Duration, Effect, Pull, Result, Stream } from "effect"
import { Sse } from "effect/encoding"
import type { ModelRequest } from "./HttpFault.ts"
import * as HttpFault from "./HttpFault.ts"
import type { ModelFault } from "../ModelFault.ts"
import type { ResponsePart, ResponseReader } from "../ResponseParts.ts"

/**
 * Decodes server-sent events from bytes that are cut anywhere: inside a character, inside a line, between CR and LF.
 */
class SseEvents {
  private readonly decoder = new TextDecoder()
  private found: Array<string> = []
  private readonly parser = Sse.makeParser((event) => {
    if (event._tag === "Event") this.found.push(event.data)
  })
  /** An event exceeded 10 MiB. */
  tooLarge = false

  feed(bytes: Uint8Array): ReadonlyArray<string> {
    return this.read(this.decoder.decode(bytes, { stream: true }))
  }

  /** Ends the stream; the last event counts without the blank line that should follow it. */
  end(): ReadonlyArray<string> {
    return this.read(`${this.decoder.decode()}\n\n`)
  }

  private read(text: string): ReadonlyArray<string> {
    if (this.parser.feed(text) !== undefined) this.tooLarge = true
    const { found } = this
    this.found = []
    return found
  }
}

/** The JSON value of an event; `undefined` when it is not JSON. */
const parseJson = (data: string): unknown => Result.getOrUndefined(Result.try(() => JSON.parse(data) as unknown))

interface StreamLimits {
  /** The longest time without any bytes. */
  readonly silence: Duration.Duration
  /** Milliseconds since the epoch; `Infinity` for no limit. */
  readonly deadline: number
}

/** Milliseconds to wait for the end of the response after a whole answer, so that the connection can be reused. */
const drainTimeout = 1000

/** What a body is, whatever its content type says: some servers cannot stream, others call a stream something else. */
type BodyKind = "events" | "json" | "html"

const kindOf = (text: string): BodyKind | undefined => {
  const first = text.replace(/^\uFEFF/, "").trimStart()[0]
  return first === undefined ? undefined : first === "{" || first === "[" ? "json" : first === "<" ? "html" : "events"
}

/** The values of a body without events: one, or one on each line. */
const valuesIn = (body: string): ReadonlyArray<unknown> => {
  const text = body.replace(/^\uFEFF/, "")
  const whole = parseJson(text)
  if (whole !== undefined) return Array.isArray(whole) ? whole : [whole]
  return text.split("\n").flatMap((line) => {
    const value = parseJson(line)
    return value === undefined ? [] : [value]
  })
}

/** The body of one response as parts. Parts that arrived before a failure are emitted before it. */
export const readParts = (
  asked: ModelRequest,
  bytes: Stream.Stream<Uint8Array, ModelFault>,
  reader: ResponseReader,
  terms: StreamLimits
): Stream.Stream<ResponsePart, ModelFault> =>
  Stream.transformPull(bytes, (pull) =>
    Effect.sync(() => {
      const events = new SseEvents()
      const decoder = new TextDecoder()
      let kind: BodyKind | undefined
      /** The bytes up to the first that tells what the body is; of JSON all of them. */
      const body: Array<Uint8Array> = []
      let fault: ModelFault | undefined
      let ended = false
      /** The provider marked the end: nothing counts behind it. */
      let marked = false

      const onValue = (value: unknown) => {
        const failed = reader.event(value)
        if (failed !== undefined) fault = HttpFault.ofEvent(asked, failed.error)
      }

      const close = (byMark: boolean) => {
        const missing = fault === undefined ? reader.finish(byMark) : undefined
        if (missing !== undefined) fault = HttpFault.brokenOff(asked, missing)
      }

      const take = (found: ReadonlyArray<string>) => {
        for (const event of found) {
          if (fault !== undefined || marked) return
          const data = event.trim()
          if (data === "[DONE]") {
            marked = true
            close(true)
            continue
          }
          const value = parseJson(data)
          if (value !== undefined) onValue(value)
          // Heartbeats are words, or nothing.
          else if (/^[{[]/.test(data) && !ended) fault = HttpFault.brokenOff(asked, "an event is no JSON")
        }
        if (events.tooLarge) fault = HttpFault.brokenOff(asked, "an event is larger than 10 MiB")
      }

      const feed = (chunks: ReadonlyArray<Uint8Array>) => {
        for (const chunk of chunks) {
          if (kind === "events") {
            take(events.feed(chunk))
            continue
          }
          body.push(chunk)
          if (kind !== undefined) continue
          kind = kindOf(decoder.decode(chunk, { stream: true }))
          if (kind === "html") fault = HttpFault.noApi(asked)
          if (kind === "events") body.splice(0).forEach((bytes) => take(events.feed(bytes)))
        }
      }

      const stop = () => {
        ended = true
        if (kind === "json") {
          for (const value of valuesIn(Buffer.concat(body).toString())) if (fault === undefined) onValue(value)
        } else take(events.end())
        if (!marked) close(kind === "json")
      }

      const late = (now: number, limit: number) => {
        if (!reader.isDone()) {
          fault = HttpFault.tooSlow(
            asked,
            now + limit >= terms.deadline
              ? "the answer took longer than timeout_secs; raise it if the model is slow"
              : `nothing came for ${Duration.format(terms.silence)}`
          )
        }
        ended = true
      }

      const more = Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const limit = reader.isDone()
          ? drainTimeout
          : Math.max(0, Math.min(Duration.toMillis(terms.silence), terms.deadline - now))
        return pull.pipe(
          Effect.map(feed),
          Pull.catchDone(() => Effect.sync(stop)),
          Effect.catch((lost) =>
            Effect.sync(() => {
              ended = true
              if (!reader.isDone()) fault = lost
            })
          ),
          (read) =>
            limit === Infinity
              ? read
              : Effect.timeoutOrElse(read, { duration: limit, orElse: () => Effect.sync(() => late(now, limit)) })
        )
      })

      const next: Pull.Pull<Arr.NonEmptyReadonlyArray<ResponsePart>, ModelFault> = Effect.suspend(() => {
        if (fault !== undefined) return Effect.fail(fault)
        if (ended) return Cause.done()
        return Effect.flatMap(more, () => {
          const ready = reader.parts.take()
          return Arr.isArrayNonEmpty(ready) ? Effect.succeed(ready) : next
        })
      })
      return next
    }))
