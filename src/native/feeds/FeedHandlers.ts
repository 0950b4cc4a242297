import { Effect, Fiber } from "effect"
import * as Wire from "../../rpc/Wire.ts"
import { type Principal, Principals } from "../../security/Principals.ts"
import * as Errors from "../protocol/Errors.ts"
import type { Feed } from "./Feed.ts"
import { NativeConnection } from "../protocol/NativeConnection.ts"
import { caller, mayTouch } from "../access/Access.ts"
import { FeedMethods } from "../protocol/FeedContracts.ts"
import { Feeds, filing, type LogEntry, type SessionEntry } from "./Feeds.ts"
import { opening, type ResumePoint } from "./Subscriptions.ts"
import { parseLogLevel } from "../../config/LogLevels.ts"
import { instant } from "../protocol/Contract.ts"

type Asked = Parameters<Parameters<typeof FeedMethods.of>[0]["logs/query"]>[0]

const usualLimit = 200
const largestLimit = 1000

const severities = ["trace", "debug", "info", "warn", "error", "fatal"]

const shown = (seq: number, entry: LogEntry) => ({ id: String(seq), ...entry })

const leastOf = (word: string | null | undefined) => {
  const least = severities.indexOf((parseLogLevel(word ?? "trace") ?? "").toLowerCase())
  return least >= 0
    ? Effect.succeed(least)
    : Effect.fail(Errors.invalid(`severity_min: one of ${severities.join(", ")}`, "severity_min"))
}

/** The number of the entry that a page ends before. */
const endOf = ({ until_id, until_line_offset }: Asked) => {
  const id = Number(until_id ?? Infinity)
  return Number.isNaN(id) || (typeof until_id === "string" && until_id.trim() === "")
    ? Effect.fail(Errors.invalid("until_id: the id of an entry", "until_id"))
    : Effect.succeed(Math.min(id, until_line_offset ?? Infinity))
}

/**
 * The newest entries that fit the filters, oldest first, at most `limit` of them (200 without; 1000 in any case). `next_cursor_line_offset`
 * is where the page before them ends, and null when there is none. The log of this process has 2000 entries.
 */
const page = Effect.fnUntraced(function*(logs: Feed<LogEntry>, asked: Asked) {
  const { limit, q } = asked
  const least = yield* leastOf(asked.severity_min)
  const since = yield* instant("since_ts", asked.since_ts)
  const until = yield* instant("until_ts", asked.until_ts)
  const end = yield* endOf(asked)
  const matching = logs.all().filter(({ entry, seq }) =>
    seq < end && severities.indexOf(entry.severity) >= least && (typeof q !== "string" || entry.message.includes(q)) &&
    (since === undefined || entry.timestamp >= since) && (until === undefined || entry.timestamp < until) &&
    filing.every((word) => typeof asked[word] !== "string" || entry[word] === asked[word])
  )
  const events = matching.slice(-Math.min(limit ?? usualLimit, largestLimit))
  const isWhole = events.length === matching.length
  const oldest = events[0]?.seq ?? null
  return {
    events: events.map(({ entry, seq }) => shown(seq, entry)),
    at_end: isWhole,
    next_cursor: isWhole || oldest === null ? null : String(oldest),
    next_cursor_line_offset: isWhole ? null : oldest
  }
})

export const layer = FeedMethods.toLayer(Effect.gen(function*() {
  const { events, logs } = yield* Feeds
  const open = opening(yield* Principals)

  const subscribe = Effect.fnUntraced(
    function*<A>(
      feed: Feed<A>,
      kind: string,
      from: ResumePoint,
      shown: (me: Principal, entry: A) => object | undefined
    ) {
      const { peer } = yield* NativeConnection
      const deliver = (id: string) =>
        Effect.fnUntraced(function*(me: Principal, seq: number) {
          const entry = feed.at(seq)
          if (entry === undefined) return seq
          const event = shown(me, entry)
          if (event !== undefined) {
            yield* peer.post(Wire.notification(kind, { subscription_id: id, seq, epoch: feed.epoch, event }))
          }
          return seq + 1
        })
      return { subscribed: true, ...yield* open("logs:read", () => ({ feed }), from, deliver) }
    }
  )

  /** What is sent of an event: nothing of other people's sessions. */
  const ownEvent = (me: Principal, { owner, ...event }: SessionEntry) => mayTouch(me, owner) ? event : undefined

  return FeedMethods.of({
    "logs/subscribe": (from) => subscribe(logs, "logs/event", from, (_, entry) => entry),

    "events/subscribe": (from) => subscribe(events, "events/event", from, ownEvent),

    "events/history": Effect.fnUntraced(function*() {
      const me = yield* caller
      const own = events.all().filter(({ entry }) => mayTouch(me, entry.owner))
      return { events: own.map(({ entry: { owner: _, ...event }, seq }) => ({ seq, ...event })), epoch: events.epoch }
    }),

    "logs/query": (asked) => page(logs, asked),

    "logs/get": ({ id }) =>
      Effect.suspend(() => {
        const entry = logs.at(Number(id))
        return entry
          ? Effect.succeed({ event: shown(Number(id), entry) })
          : Effect.fail(Errors.invalid(`there is no entry ${id} any more`, "id", "not_found"))
      }),

    "subscription/cancel": Effect.fnUntraced(function*({ subscription_id }) {
      const { subscriptions } = yield* NativeConnection
      const fiber = subscriptions.get(subscription_id)
      if (fiber) yield* Fiber.interrupt(fiber)
      return { subscription_id, cancelled: subscriptions.delete(subscription_id) }
    })
  })
}))
