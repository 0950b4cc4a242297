import type { NativeState } from "../protocol/NativeConnection.ts"
import * as Feed from "./Feed.ts"
import { short, type Update } from "../session/SessionUpdates.ts"

/** An update of a session, and whose turn it came from. */
export interface FollowedUpdate {
  readonly update: Update
  /** The connection that started the turn; it gets the update directly. */
  readonly by: NativeState
  /** The principal that the session belongs to. */
  readonly owner: string
}

interface Follower {
  readonly feed: Feed.Feed<FollowedUpdate>
  /** The number of the entry it reads next. */
  readonly reads: (seq: number) => void
  readonly leave: () => void
}

/** The updates of sessions that other connections follow. Updates of a session without followers are dropped. */
export interface SessionFeeds {
  /** Publishes one turn: the prompt once the turn has begun, then its updates. */
  readonly turn: (sessionId: string, by: NativeState, owner: string) => {
    readonly tell: (update: Update) => void
    readonly begun: (words: string) => void
  }
  readonly join: (sessionId: string) => Follower
  /** The session was closed: updates that all followers have read are dropped. */
  readonly release: (sessionId: string) => void
  readonly feedOf: (sessionId: string) => Feed.Feed<FollowedUpdate> | undefined
}

interface Entry {
  readonly feed: Feed.Feed<FollowedUpdate>
  /** What each follower reads next. */
  readonly places: Map<object, number>
  away: boolean
}

const capacity = 2000
/** Characters of one session's updates; a single one may be longer. */
const most = 4 * 1024 * 1024

const weigh = ({ update }: FollowedUpdate): number =>
  update._tag === "Text" ? update.text.length : JSON.stringify(update.params).length

const trim = ({ away, feed, places }: Entry) => {
  if (away) feed.forget(Math.min(feed.last() + 1, ...places.values()))
}

export const make = (): SessionFeeds => {
  const entries = new Map<string, Entry>()
  const publish = (sessionId: string, told: FollowedUpdate) => {
    const entry = entries.get(sessionId)
    if (entry === undefined) return
    entry.away = false
    entry.feed.publish(told)
  }
  return {
    feedOf: (sessionId) => entries.get(sessionId)?.feed,
    turn(sessionId, by, owner) {
      let early: Array<Update> | undefined = []
      const tell = (update: Update) => early ? void early.push(update) : publish(sessionId, { update, by, owner })
      return {
        tell,
        begun(words) {
          const updates = early ?? []
          early = undefined
          tell({ _tag: "Whole", params: { type: "user_message", text: short(words) } })
          updates.forEach(tell)
        }
      }
    },
    release(sessionId) {
      const entry = entries.get(sessionId)
      if (entry === undefined) return
      entry.away = true
      trim(entry)
    },
    join(sessionId) {
      const entry = entries.get(sessionId) ??
        { feed: Feed.make(capacity, { weigh, most }), places: new Map(), away: false }
      entries.set(sessionId, entry)
      const { feed, places } = entry
      const key = {}
      places.set(key, feed.last() + 1)
      return {
        feed,
        reads(seq) {
          places.set(key, seq)
          trim(entry)
        },
        leave() {
          places.delete(key)
          trim(entry)
          if (places.size === 0 && entries.get(sessionId) === entry) entries.delete(sessionId)
        }
      }
    }
  }
}
