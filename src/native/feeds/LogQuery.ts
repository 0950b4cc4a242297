import { Effect } from "effect"
import { parseLogLevel } from "../../config/LogLevels.ts"
import type { FeedMethods } from "../protocol/FeedContracts.ts"
import * as Faults from "../protocol/Errors.ts"
import type { Feed } from "./Feed.ts"
import { filing, type LogEntry } from "./Feeds.ts"
import { instant } from "../protocol/Instant.ts"

type Asked = Parameters<Parameters<typeof FeedMethods.of>[0]["logs/query"]>[0]

const usualLimit = 200
const largestLimit = 1000

const severities = ["trace", "debug", "info", "warn", "error", "fatal"]

export const shown = (seq: number, entry: LogEntry) => ({ id: String(seq), ...entry })

const leastOf = (word: string | null | undefined) => {
  const least = severities.indexOf((parseLogLevel(word ?? "trace") ?? "").toLowerCase())
  return least >= 0
    ? Effect.succeed(least)
    : Effect.fail(Faults.invalid(`severity_min: one of ${severities.join(", ")}`, "severity_min"))
}

/** The number of the entry that a page ends before. */
const endOf = ({ until_id, until_line_offset }: Asked) => {
  const id = Number(until_id ?? Infinity)
  return Number.isNaN(id) || (typeof until_id === "string" && until_id.trim() === "")
    ? Effect.fail(Faults.invalid("until_id: the id of an entry", "until_id"))
    : Effect.succeed(Math.min(id, until_line_offset ?? Infinity))
}

/**
 * The newest entries that fit the filters, oldest first, at most `limit` of them (200 without; 1000 in any case). `next_cursor_line_offset`
 * is where the page before them ends, and null when there is none (zeroclaw §1.6). The log of this process has 2000 entries.
 */
export const page = Effect.fnUntraced(function*(logs: Feed<LogEntry>, asked: Asked) {
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
