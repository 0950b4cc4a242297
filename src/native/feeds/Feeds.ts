import { Cause, Clock, Context, DateTime, Effect, Layer, Logger, References } from "effect"
import { LiveSettings } from "../../config/LiveSettings.ts"
import { filtered, liveRedactor } from "../../config/Logging.ts"
import * as Feed from "./Feed.ts"
import * as SessionFeeds from "./SessionFeeds.ts"

export interface LogEntry {
  readonly timestamp: string
  readonly severity: string
  readonly message: string
  /** As the entry was annotated, where it was. */
  readonly category?: string
  readonly action?: string
  readonly outcome?: string
  readonly trace_id?: string
}

/** An event in the life of a session. */
export interface SessionEntry {
  readonly type:
    | "session_opened"
    | "session_closed"
    | "session_killed"
    | "session_deleted"
    | "turn_started"
    | "turn_complete"
  readonly session_id: string
  readonly timestamp: string
  readonly outcome?: string
  /** The principal that the session belongs to; not sent. */
  readonly owner: string
}

const capacity = 2000

const textOf = (message: unknown): string =>
  (Array.isArray(message) ? message : [message]).map((part) =>
    typeof part === "string"
      ? part
      : Cause.isCause(part)
      ? Cause.pretty(part)
      : part instanceof Error
      ? part.message
      : JSON.stringify(part) ?? String(part)
  ).join(" ")

/** The annotations that a log query filters by. */
export const filing = ["category", "action", "outcome", "trace_id"] as const

const filed = (annotations: Readonly<Record<string, unknown>>, hidden: (text: string) => string) =>
  Object.fromEntries(
    filing.flatMap((name) => Object.hasOwn(annotations, name) ? [[name, hidden(String(annotations[name]))]] : [])
  )

/** What clients of the daemon can follow; see docs/native-rpc.md#following. */
export class Feeds extends Context.Service<Feeds, {
  readonly logs: Feed.Feed<LogEntry>
  readonly events: Feed.Feed<SessionEntry>
  readonly sessions: SessionFeeds.SessionFeeds
  readonly note: (entry: Omit<SessionEntry, "timestamp">) => Effect.Effect<void>
}>()("postern/native/Feeds") {
  static readonly layer = Layer.sync(Feeds, () => {
    const logs = Feed.make<LogEntry>(capacity)
    const events = Feed.make<SessionEntry>(capacity)
    return {
      logs,
      events,
      sessions: SessionFeeds.make(),
      note: (entry: Omit<SessionEntry, "timestamp">) =>
        Effect.map(
          Clock.currentTimeMillis,
          (now) => events.publish({ ...entry, timestamp: DateTime.formatIso(DateTime.makeUnsafe(now)) })
        )
    }
  })

  /** The log of this process goes into the feed as well, without secrets. */
  static readonly layerLogger = Layer.unwrap(Effect.gen(function*() {
    const { logs } = yield* Feeds
    const live = yield* LiveSettings
    const hidden = liveRedactor(live)
    const logger = Logger.make(({ date, fiber, logLevel, message }) =>
      logs.publish({
        timestamp: date.toISOString(),
        severity: logLevel.toLowerCase(),
        message: hidden(textOf(message)),
        ...filed(fiber.getRef(References.CurrentLogAnnotations), hidden)
      })
    )
    return Logger.layer([filtered(live, logger)], { mergeWithExisting: true })
  }))
}
