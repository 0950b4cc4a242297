import { Array as Arr, Cause, Duration, Effect, Pull, Stream } from "effect"
import type { ModelRequest } from "./HttpFault.ts"
import * as HttpFault from "./HttpFault.ts"
import type { ModelFault } from "../ModelFault.ts"
import type { ResponsePart, ResponseReader } from "../ResponseParts.ts"

/** The JSON value of a text; `undefined` when it is not JSON. */
const parseJson = (data: string): unknown => {
  try {
    return JSON.parse(data) as unknown
  } catch {
    return undefined
  }
}

/** One event: a JSON value, or text that is none. */
interface StreamEvent {
  /** The name that the event has on the wire; empty where it has none. */
  readonly name: string
  readonly data: string
  readonly value: unknown
}

const largest = 10 * 1024 * 1024

/**
 * Reads server-sent events from bytes that are cut anywhere: inside a character, inside a line, between CR and LF. An
 * event is given as soon as its data is a JSON value: some servers leave out the blank lines between events.
 */
class SseEvents {
  private readonly decoder = new TextDecoder()
  private rest = ""
  private name = ""
  private data: string | undefined
  private afterReturn = false
  private found: Array<StreamEvent> = []
  /** An event exceeded 10 MiB. */
  tooLarge = false
  /** The first line that belongs to no event. */
  other: string | undefined

  feed(bytes: Uint8Array): ReadonlyArray<StreamEvent> {
    return this.read(this.decoder.decode(bytes, { stream: true }))
  }

  /** Ends the stream; the last event counts without the blank line that should follow it. */
  end(): ReadonlyArray<StreamEvent> {
    return this.read(`${this.decoder.decode()}\n\n`)
  }

  private read(given: string): ReadonlyArray<StreamEvent> {
    const text = this.rest + given
    let from = 0
    for (let at = this.rest.length; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code !== 10 && code !== 13) continue
      if (!(code === 10 && this.afterReturn && at === from)) this.line(text.slice(from, at))
      this.afterReturn = code === 13
      from = at + 1
    }
    this.rest = text.slice(from)
    if (this.rest !== "") this.afterReturn = false
    if (this.rest.length + (this.data?.length ?? 0) > largest) this.tooLarge = true
    const { found } = this
    this.found = []
    return found
  }

  private line(line: string): void {
    if (line === "") return this.dispatch()
    const colon = line.indexOf(":")
    const field = colon === -1 ? line : line.slice(0, colon)
    const value = colon === -1 ? "" : line.slice(line.charCodeAt(colon + 1) === 32 ? colon + 2 : colon + 1)
    if (field === "data") this.add(value)
    else if (field === "event") {
      this.dispatch()
      this.name = value.trim()
    } else if (field[0] === "{") this.add(line)
    else if (field !== "" && field !== "id" && field !== "retry") this.other ??= line
  }

  private add(given: string): void {
    const line = given.replace(/^\s*data:/, "")
    const before = this.data === undefined ? "" : `${this.data}\n`
    const value = parseJson(before + line)
    if (value !== undefined || isDone(line)) return this.give({ name: this.name, data: before + line, value })
    const alone = before === "" || /^\s*[{[]/.test(before) ? undefined : parseJson(line)
    if (alone === undefined) this.data = before + line
    else {
      this.dispatch()
      this.give({ name: this.name, data: line, value: alone })
    }
  }

  private dispatch(): void {
    if (this.data !== undefined) this.give({ name: this.name, data: this.data.trim(), value: undefined })
    else this.name = ""
  }

  private give(event: StreamEvent): void {
    this.found.push(event)
    this.data = undefined
    this.name = ""
  }
}

/** The mark behind the last event. */
const isDone = (data: string): boolean => data.trim() === "[DONE]"

/** Milliseconds to wait for the end of the response after a whole answer, so that the connection can be reused. */
const drainTimeout = 1000

/** What a body is, whatever its content type says: some servers cannot stream, others call a stream something else. */
type BodyKind = "events" | "json" | "html"

const kindOf = (text: string): BodyKind | undefined => {
  const first = text.replace(/^\uFEFF/, "").trimStart()[0]
  return first === undefined ? undefined : first === "{" || first === "[" ? "json" : first === "<" ? "html" : "events"
}

/** JSON without events: one value, a list of them, or one on each line. */
class JsonValues {
  private readonly decoder = new TextDecoder()
  private text = ""
  /** The body is lines; `undefined` until the first one tells. */
  private isLines: boolean | undefined

  /** The values of the lines that are whole. */
  feed(bytes: Uint8Array): ReadonlyArray<unknown> {
    this.text += this.decoder.decode(bytes, { stream: true })
    if (this.isLines === false) return []
    const lines = this.text.replace(/^\uFEFF?\s+/, "").split("\n")
    if (lines.length === 1) return []
    const first = parseJson(lines[0] ?? "")
    this.isLines ??= first !== undefined && !Array.isArray(first)
    if (!this.isLines) return []
    this.text = lines.pop() ?? ""
    return lines.map(parseJson).filter((value) => value !== undefined)
  }

  end(): ReadonlyArray<unknown> {
    const value = parseJson((this.text + this.decoder.decode()).replace(/^\uFEFF/, ""))
    return value === undefined ? [] : Array.isArray(value) ? value : [value]
  }
}

/** The body of one response as parts. `silence` is the longest time without any bytes. Parts that arrived before a failure are emitted before it. */
export const readParts = (
  asked: ModelRequest,
  bytes: Stream.Stream<Uint8Array, ModelFault>,
  reader: ResponseReader,
  silence: Duration.Duration
): Stream.Stream<ResponsePart, ModelFault> =>
  Stream.transformPull(bytes, (pull) =>
    Effect.sync(() => {
      const events = new SseEvents()
      const json = new JsonValues()
      let kind: BodyKind | undefined
      /** The bytes up to the first that tells what the body is. */
      const unknown: Array<Uint8Array> = []
      const decoder = new TextDecoder()
      /** What came that no answer consists of: the reason why there is none, it may be. */
      let aside: unknown
      let fault: ModelFault | undefined
      let ended = false
      /** The provider marked the end: nothing counts behind it. */
      let marked = false

      const onValue = (value: unknown) => {
        if (fault !== undefined) return
        aside = value
        const failed = reader.event(value)
        if (failed !== undefined) fault = HttpFault.ofEvent(asked, failed.error)
      }

      const close = (byMark: boolean) => {
        const missing = fault === undefined ? reader.finish(byMark) : undefined
        if (missing !== undefined) fault = HttpFault.ofLack(asked, missing, aside ?? events.other)
      }

      const onEvent = ({ data, name, value }: StreamEvent) => {
        if (name === "error") {
          if (!ended || !reader.isDone()) fault = HttpFault.ofEvent(asked, value ?? data)
        } else if (typeof value === "object" && value !== null) {
          // Some servers say what an event is by its name alone.
          onValue(name === "" || "type" in value ? value : { ...value, type: name })
        } // Heartbeats are words, or nothing.
        else if (/^[{[]/.test(data) && !ended) fault = HttpFault.brokenOff(asked, "an event is no JSON")
        else if (data !== "") aside ??= data
      }

      const take = (found: ReadonlyArray<StreamEvent>) => {
        for (const event of found) {
          if (fault !== undefined || marked) return
          if (isDone(event.data)) {
            marked = true
            close(true)
          } else onEvent(event)
        }
        if (events.tooLarge) fault = HttpFault.brokenOff(asked, "an event is larger than 10 MiB")
      }

      const read = (bytes: Uint8Array) => kind === "json" ? json.feed(bytes).forEach(onValue) : take(events.feed(bytes))

      const feed = (chunks: ReadonlyArray<Uint8Array>) => {
        for (const chunk of chunks) {
          if (kind !== undefined) {
            read(chunk)
            continue
          }
          unknown.push(chunk)
          kind = kindOf(decoder.decode(chunk, { stream: true }))
          if (kind === "html") fault = HttpFault.noApi(asked)
          else if (kind !== undefined) unknown.splice(0).forEach(read)
        }
      }

      const stop = () => {
        ended = true
        if (kind === "json") json.end().forEach(onValue)
        else take(events.end())
        if (!marked) close(kind === "json")
      }

      const late = () => {
        if (!reader.isDone()) {
          fault = HttpFault.tooSlow(
            asked,
            `nothing came for ${Duration.format(silence)}; raise timeout_secs if the model is so slow`
          )
        }
        ended = true
      }

      const more = Effect.suspend(() => {
        const limit = reader.isDone() ? Duration.millis(drainTimeout) : silence
        return pull.pipe(
          Effect.map(feed),
          Pull.catchDone(() => Effect.sync(stop)),
          Effect.catch((lost) =>
            Effect.sync(() => {
              ended = true
              if (!reader.isDone()) fault = lost
            })
          ),
          Effect.timeoutOrElse({ duration: limit, orElse: () => Effect.sync(late) })
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
