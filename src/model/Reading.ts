import { Array as Arr, Cause, Clock, Duration, Effect, Pull, Stream } from "effect"
import type { Asked } from "./Asked.ts"
import { Events, json } from "./Events.ts"
import * as HttpFault from "./HttpFault.ts"
import type { ModelFault } from "./ModelFault.ts"
import type { Part, Reader } from "./Parts.ts"

export interface Terms {
  /** The body is one JSON value and no stream of events: some servers do not know how to stream. */
  readonly whole: boolean
  /** How long nothing at all may come. */
  readonly silence: Duration.Duration
  /** Milliseconds since the epoch; `Infinity` for no limit. */
  readonly deadline: number
}

/** Behind a whole answer only the end of the response is still waited for, so that the connection can be used again. */
const goodbye = 1000

/** The body of one response as parts. What came before a failure is given before it. */
export const parts = (
  asked: Asked,
  bytes: Stream.Stream<Uint8Array, ModelFault>,
  reader: Reader,
  terms: Terms
): Stream.Stream<Part, ModelFault> =>
  Stream.transformPull(bytes, (pull) =>
    Effect.sync(() => {
      const events = new Events()
      const body: Array<Uint8Array> = []
      let fault: ModelFault | undefined
      let ended = false

      const take = (found: ReadonlyArray<string>) => {
        for (const data of found) {
          if (fault !== undefined) return
          const value = data === "[DONE]" ? undefined : json(data)
          const failed = value === undefined ? undefined : reader.event(value)
          if (data === "[DONE]") reader.finish(true)
          else if (failed !== undefined) fault = HttpFault.ofEvent(asked, failed.error)
          else if (value === undefined && !ended) fault = HttpFault.brokenOff(asked, "an event is no JSON")
        }
        if (events.tooLarge) fault = HttpFault.brokenOff(asked, "an event is larger than 10 MiB")
      }

      const feed = (chunks: ReadonlyArray<Uint8Array>) => {
        for (const chunk of chunks) {
          if (terms.whole) body.push(chunk)
          else take(events.feed(chunk))
        }
      }

      const stop = () => {
        ended = true
        take(terms.whole ? [Buffer.concat(body).toString()] : events.end())
        const missing = fault === undefined ? reader.finish(terms.whole) : undefined
        if (missing !== undefined) fault = HttpFault.brokenOff(asked, missing)
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
          ? goodbye
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

      const next: Pull.Pull<Arr.NonEmptyReadonlyArray<Part>, ModelFault> = Effect.suspend(() => {
        if (fault !== undefined) return Effect.fail(fault)
        if (ended) return Cause.done()
        return Effect.flatMap(more, () => {
          const ready = reader.parts.take()
          return Arr.isArrayNonEmpty(ready) ? Effect.succeed(ready) : next
        })
      })
      return next
    }))
