import { Effect, Latch } from "effect"
import { newId } from "../domain/Id.ts"
import { isFinal, type SessionEvent, type TranscriptEntry } from "../domain/SessionEvent.ts"
import { type Attachment, NoAnswer, type PermissionRequest, type Question } from "../session/lifecycle/Attachment.ts"
import type { Session } from "../session/lifecycle/Session.ts"
import type { Retain, Seat } from "./AcpConnection.ts"
import type { KnownCalls } from "./updates/KnownCalls.ts"

/** Characters and events that are kept for a client that is away; the oldest go first. */
const maxHeldText = 4 * 1024 * 1024
const maxHeld = 10_000
/** Places of lost connections in one session. */
const maxAway = 8
/** Readings of a transcript until nothing was published meanwhile. */
const maxReadings = 5

const textOf = (event: SessionEvent): number =>
  event._tag === "Delta"
    ? event.text.length
    : event._tag === "ToolCallStarted" || event._tag === "ToolCallChanged"
    ? JSON.stringify(event.call).length
    : 200

/** Whether the transcript has what the event says. */
const isInTranscript = ({ _tag }: SessionEvent): boolean =>
  _tag === "Delta" || _tag === "ToolCallStarted" || _tag === "ToolCallChanged" || _tag === "UserSaid" ||
  _tag === "PlanChanged" || _tag === "Notice" || _tag === "CompactionChanged"

/**
 * The place of a client in a session, which stays when its connection is lost: updates are kept for it, and questions
 * wait. The next connection takes it over. See docs/gateway.md#lost-connections.
 */
class RetainedAttachment implements Attachment {
  private link: Attachment | undefined
  /** Updates go to the link as they come. */
  private flowing = false
  private held: Array<SessionEvent> = []
  private heldText = 0
  private dropped = 0
  /** Updates that wait for `flow`. */
  private readonly waiting = new Set<{ readonly event: SessionEvent; shown: boolean }>()
  private changed = Latch.makeUnsafe(false)
  private readonly timeoutSecs: number
  readonly known: KnownCalls = new Map()

  constructor(timeoutSecs: number) {
    this.timeoutSecs = timeoutSecs
  }

  get isPresent(): boolean {
    return this.link !== undefined
  }

  get takesForms() {
    return this.link?.takesForms
  }

  get client() {
    return this.link?.client
  }

  private change() {
    this.changed.openUnsafe()
    this.changed = Latch.makeUnsafe(false)
  }

  private hold(event: SessionEvent) {
    const last = this.held.at(-1)
    if (event._tag === "Delta" && last?._tag === "Delta" && last.messageId === event.messageId) {
      this.held[this.held.length - 1] = { ...last, text: last.text + event.text }
    } else this.held.push(event)
    this.heldText += textOf(event)
    while (this.held.length > 1 && (this.held.length > maxHeld || this.heldText > maxHeldText)) {
      this.heldText -= textOf(this.held.shift()!)
      this.dropped++
    }
  }

  readonly publish = (event: SessionEvent): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (this.link === undefined) return Effect.sync(() => this.hold(event))
      if (this.flowing) return this.link.publish(event)
      const one = { event, shown: false }
      this.waiting.add(one)
      return this.changed.await.pipe(
        Effect.ensuring(Effect.sync(() => this.waiting.delete(one))),
        Effect.andThen(Effect.suspend(() => one.shown ? Effect.void : this.publish(event)))
      )
    })

  /** Asks whoever is there; a client that was lost meanwhile is asked again when it is back. */
  private question<A>(use: (link: Attachment) => Effect.Effect<A, NoAnswer>): Effect.Effect<A, NoAnswer> {
    const attempt: Effect.Effect<A, NoAnswer> = Effect.suspend(() => {
      const { link } = this
      if (link === undefined || !this.flowing) return Effect.andThen(this.changed.await, attempt)
      const lost: Effect.Effect<void> = Effect.suspend(() =>
        this.link === link && this.flowing ? Effect.andThen(this.changed.await, lost) : Effect.void
      )
      return Effect.raceFirst(
        Effect.catchIf(use(link), () => this.link !== link, () => Effect.never),
        Effect.andThen(lost, attempt)
      )
    })
    return Effect.timeoutOrElse(attempt, {
      duration: `${this.timeoutSecs} seconds`,
      orElse: () =>
        Effect.fail(new NoAnswer({ code: "APPROVAL_TIMEOUT", why: `nobody answered within ${this.timeoutSecs} s` }))
    })
  }

  readonly ask = (request: PermissionRequest) => this.question((link) => link.ask(request))
  readonly choose = (question: Question) => this.question((link) => link.choose(question))

  isTakenFrom(link: Attachment): boolean {
    return this.link !== undefined && this.link !== link
  }

  connect(link: Attachment) {
    this.link = link
    this.flowing = false
    this.change()
  }

  disconnect(link: Attachment) {
    if (this.link !== link) return
    this.link = undefined
    this.flowing = false
    this.change()
  }

  /** Reads until all that is waiting is in what was read: it is not sent once more. */
  read<E>(transcript: Effect.Effect<ReadonlyArray<TranscriptEntry>, E>) {
    const attempt = (left: number): Effect.Effect<ReadonlyArray<TranscriptEntry>, E> =>
      Effect.suspend(() => {
        const before = new Set(this.waiting)
        return Effect.flatMap(transcript, (entries) => {
          const isWhole = Array.from(this.waiting).every((one) => before.has(one))
          if (!isWhole && left > 0) return attempt(left - 1)
          this.held = []
          this.heldText = 0
          this.dropped = 0
          this.known.clear()
          for (const entry of entries) {
            if (entry._tag === "ToolCall" && !isFinal(entry.call)) this.known.set(entry.call.toolCallId, {})
          }
          for (const one of before) one.shown = isInTranscript(one.event)
          return Effect.succeed(entries)
        })
      })
    return attempt(maxReadings)
  }

  /** What was missed, in order; then updates as they come. */
  flow(link: Attachment): Effect.Effect<void> {
    return Effect.gen({ self: this }, function*() {
      if (this.dropped > 0) {
        const notice = {
          _tag: "Notice",
          messageId: newId(),
          severity: "warning",
          title: "Updates were lost while this client was away",
          description: `${this.dropped} of them; load the session to see everything`
        } as const
        this.dropped = 0
        yield* link.publish(notice)
      }
      while (this.link === link) {
        const event = this.held.shift()
        if (event === undefined) break
        this.heldText -= textOf(event)
        yield* link.publish(event)
      }
      if (this.link !== link) return
      this.flowing = true
      this.change()
    })
  }
}

const away = (session: Session): ReadonlyArray<RetainedAttachment> =>
  Array.from(session.attached()).filter((one) => one instanceof RetainedAttachment && !one.isPresent) as Array<
    RetainedAttachment
  >

/** Gives a connection the place that was left longest ago, or a new one. */
export const retain: Retain = (session, linked, timeoutSecs): Seat => {
  const [found] = away(session)
  const place = found ?? new RetainedAttachment(timeoutSecs)
  const link = linked(place.known)
  place.connect(link)
  const detach = session.attach(place)
  return {
    read: (transcript) => place.read(transcript),
    flow: place.flow(link),
    pause: () => place.disconnect(link),
    reopen: () => {
      if (place.isTakenFrom(link)) return false
      place.connect(link)
      return true
    },
    isTaken: () => place.isTakenFrom(link),
    detach: () => {
      if (place.isTakenFrom(link)) return
      place.disconnect(link)
      detach()
    },
    leave: () => {
      if (place.isTakenFrom(link)) return
      place.disconnect(link)
      const [oldest, ...others] = away(session)
      if (oldest !== undefined && others.length >= maxAway) session.attach(oldest)()
    }
  }
}
