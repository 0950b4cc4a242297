import { Effect } from "effect"
import type { ServerResponse } from "node:http"
import { Readable, Writable } from "node:stream"
import type { Retain, Seat } from "../../acp/AcpConnection.ts"
import { retain } from "../../acp/RetainedAttachment.ts"
import { newId } from "../../domain/Id.ts"
import { fromStreams, type Transport } from "../../rpc/Transport.ts"
import * as Wire from "../../rpc/Wire.ts"
import type { GatewayCaller } from "../GatewayCaller.ts"
import { EventStream } from "./EventStream.ts"

/** Characters of events that wait for a reader, of all streams of a connection; beyond them its sessions wait. */
export const maxWaiting = 16 * 1024 * 1024
const keepAliveInterval = "15 seconds"
/** Milliseconds without a request and an event stream until the connection is given up. */
const patience = 60_000

/** The place of a session's answers and updates: its own event stream, or, `undefined`, that of the connection. */
type Route = string | undefined

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The session that a message names. */
export const sessionIn = (params: unknown): string | undefined => {
  const id = isRecord(params) ? params["sessionId"] ?? params["session_id"] : undefined
  return typeof id === "string" ? id : undefined
}

interface SessionPlace {
  readonly seat: Seat
  readonly post: (frame: string) => Effect.Effect<void>
  isPaused: boolean
  /** Answers that came after the reader was lost: they follow the updates that it missed. */
  readonly late: Array<{ readonly id: Wire.RequestId; readonly line: string }>
}

/**
 * One connection of ACP over HTTP: requests bring messages of the client, event streams take those of the agent. See
 * docs/gateway.md#streamable-http.
 */
export class HttpConnection {
  readonly id = newId()
  readonly caller: GatewayCaller
  readonly transport: Transport
  /** The client ended it on purpose. */
  hasLeft = false
  private isOver = false
  private readonly input = new Readable({ highWaterMark: 64 * 1024, read: () => this.roomForInput() })
  private readonly inputWaits: Array<() => void> = []
  private readonly output: Writable
  private outputDone: (() => void) | undefined
  private waiting = 0
  private readonly own: EventStream
  private readonly sessions = new Map<string, EventStream>()
  private readonly places = new Map<string, SessionPlace>()
  /** Where the answers to the client's requests go. */
  private readonly answers = new Map<Wire.RequestId, Route>()
  /** The sessions of requests to the client. */
  private readonly asked = new Map<Wire.RequestId, Route>()
  private firstAnswer: ((line: string) => void) | undefined
  private lastSeen: number

  constructor(caller: GatewayCaller, now: number, firstAnswer: (line: string) => void) {
    this.caller = caller
    this.lastSeen = now
    this.firstAnswer = firstAnswer
    this.own = this.makeStream(() => {})
    this.output = new Writable({
      decodeStrings: false,
      highWaterMark: 64 * 1024,
      write: (chunk: string | Buffer, _, done) => {
        for (const line of chunk.toString().split("\n")) if (line !== "") this.send(line)
        if (this.waiting <= maxWaiting) done()
        else this.outputDone = done
      }
    })
    this.output.on("error", () => {})
    this.transport = fromStreams(this.input, this.output)
  }

  private makeStream(lost: () => void): EventStream {
    return new EventStream((characters) => {
      this.waiting += characters
      if (this.waiting > maxWaiting || this.outputDone === undefined) return
      const done = this.outputDone
      this.outputDone = undefined
      done()
    }, lost)
  }

  private streamOf(route: Route): EventStream {
    if (route === undefined) return this.own
    const found = this.sessions.get(route)
    if (found !== undefined) return found
    const made = this.makeStream(() => this.onLost(route))
    this.sessions.set(route, made)
    return made
  }

  private onLost(sessionId: string): void {
    const place = this.places.get(sessionId)
    if (place !== undefined) {
      place.isPaused = true
      place.seat.pause()
    } else if (this.sessions.get(sessionId)?.depth === 0) this.sessions.delete(sessionId)
  }

  private send(line: string): void {
    if (this.firstAnswer !== undefined) {
      this.firstAnswer(line)
      this.firstAnswer = undefined
      return
    }
    const message = Wire.read(line)
    switch (message._tag) {
      case "Request": {
        const route = sessionIn(message.params)
        this.asked.set(message.id, route)
        return this.streamOf(route).push(line)
      }
      case "Notification": {
        const withdrawn = message.method === "$/cancel_request" && isRecord(message.params)
          ? Wire.idText(message.params["requestId"])
          : undefined
        if (withdrawn === undefined) return this.streamOf(sessionIn(message.params)).push(line)
        const route = this.asked.get(withdrawn)
        this.asked.delete(withdrawn)
        return this.streamOf(route).push(line)
      }
      case "Response": {
        const route = this.answers.get(message.id)
        this.answers.delete(message.id)
        const place = route === undefined ? undefined : this.places.get(route)
        if (place?.isPaused !== true) return this.streamOf(route).push(line)
        place.late.push({ id: message.id, line })
        this.waiting += line.length
        return
      }
      default:
        this.own.push(line)
    }
  }

  /** Places of this connection in sessions: while nobody reads a session's events they are kept as for a lost connection. */
  readonly retain: Retain = (session, link, timeoutSecs, post) => {
    const { sessionId } = session
    const seat = retain(session, link, timeoutSecs, post)
    this.forget(sessionId)
    this.places.set(sessionId, { seat, post, isPaused: false, late: [] })
    return {
      ...seat,
      detach: () => {
        const isPaused = this.places.get(sessionId)?.isPaused === true
        this.forget(sessionId)
        // What it has kept is for whoever opens the session next.
        if (isPaused) seat.leave()
        else seat.detach()
      }
    }
  }

  private forget(sessionId: string): void {
    for (const { line } of this.places.get(sessionId)?.late ?? []) {
      this.waiting -= line.length
      this.streamOf(sessionId).push(line)
    }
    this.places.delete(sessionId)
  }

  /** The session that an answer of the client belongs to. */
  sessionOfAnswer(id: Wire.RequestId): Route {
    return this.asked.get(id)
  }

  hasStreamOf(sessionId: string): boolean {
    return this.sessions.has(sessionId) || this.places.has(sessionId)
  }

  /** How many event streams of sessions there are. */
  streams(): number {
    return this.sessions.size
  }

  /** A message of the client, `line` its text and a line break; `route`: where a request is answered. Done when more may come. */
  receive(message: Wire.Inbound, line: Buffer, route: Route): Effect.Effect<void> {
    return Effect.callback<void>((resume) => {
      if (this.isOver) return resume(Effect.void)
      if (message._tag === "Response") this.asked.delete(message.id)
      else if (message._tag === "Request") this.answers.set(message.id, route)
      if (this.input.push(line)) return resume(Effect.void)
      this.inputWaits.push(() => resume(Effect.void))
    })
  }

  private roomForInput(): void {
    for (const resume of this.inputWaits.splice(0)) resume()
  }

  /** How many events wait for a reader. */
  depth(): number {
    return [this.own, ...this.sessions.values()].reduce((sum, stream) => sum + stream.depth, 0)
  }

  seen(now: number): void {
    this.lastSeen = now
  }

  /** Opens the event stream of the connection. `false`: it has a reader. */
  open(response: ServerResponse, headers: Readonly<Record<string, string>>): boolean {
    return this.own.open(response, headers)
  }

  /** Opens that of a session; what was missed follows. `undefined`: it has a reader, or another connection took the session over. */
  openSession(
    sessionId: string,
    response: ServerResponse,
    headers: Readonly<Record<string, string>>
  ): Effect.Effect<void> | undefined {
    const place = this.places.get(sessionId)
    if (place?.isPaused === true && !place.seat.reopen()) {
      this.forget(sessionId)
      return undefined
    }
    if (!this.streamOf(sessionId).open(response, headers)) return undefined
    if (place?.isPaused !== true) return Effect.void
    place.isPaused = false
    return Effect.andThen(
      place.seat.flow,
      Effect.suspend(() =>
        Effect.forEach(place.late.splice(0), ({ id, line }) => {
          this.waiting -= line.length
          this.answers.set(id, sessionId)
          return place.post(`${line}\n`)
        }, { discard: true })
      )
    )
  }

  /** Keeps its event streams open; ends when the client has had none, and sent nothing, for a minute. */
  keepAlive(now: () => number): Effect.Effect<void> {
    const loop: Effect.Effect<void> = Effect.flatMap(Effect.sleep(keepAliveInterval), () => {
      const streams = [this.own, ...this.sessions.values()]
      if (streams.some(({ hasReader }) => hasReader)) this.lastSeen = now()
      else if (now() - this.lastSeen >= patience) return Effect.void
      for (const stream of streams) stream.keepAlive()
      return loop
    })
    return loop
  }

  /** The client says nothing more. */
  endInput(): void {
    if (this.isOver) return
    this.isOver = true
    this.input.push(null)
  }

  close(): void {
    this.endInput()
    this.output.destroy()
    this.roomForInput()
    for (const stream of [this.own, ...this.sessions.values()]) stream.end()
  }
}
