import { Context, Effect, Layer, type Stream } from "effect"
import { SqlClient } from "effect/sql"
import type { TranscriptEntry, Usage } from "../domain/SessionEvent.ts"
import { makeCatalog } from "./Catalog.ts"
import { type CostRecords, makeCosts } from "./Costs.ts"
import { migrate } from "./Migrations.ts"
import { makePolicyRecords, type PolicyRecords } from "./PolicyRecords.ts"
import * as Sqlite from "./Sqlite.ts"
import { guard, long } from "./StorageFault.ts"
import type {
  BadCursor,
  MessageRow,
  SessionMissing,
  SessionPage,
  SessionRecord,
  StoreFailed,
  TranscriptRow,
  TurnLost,
  TurnOutcome,
  TurnRunning,
  TurnStart
} from "./Stored.ts"
import { makeTurns } from "./Turns.ts"

export * from "./Stored.ts"

export type { DayCost } from "./Costs.ts"
export type { ApprovalRecord, DecisionRecord, PolicyRecords, RuleRecord } from "./PolicyRecords.ts"

export class SessionStore extends Context.Service<SessionStore, {
  /** `memory`: nothing survives the process, and `initialize` says so (docs/sessions.md#store). */
  readonly durability: "durable" | "memory"
  readonly create: (
    session:
      & Omit<
        SessionRecord,
        "createdAt" | "updatedAt" | "killedAt" | "excludesMemory" | "owner" | "surface" | "title" | "usage"
      >
      & { readonly excludesMemory?: boolean; readonly owner?: string | null; readonly surface?: string | null }
  ) => Effect.Effect<SessionRecord, StoreFailed>
  readonly get: (sessionId: string) => Effect.Effect<SessionRecord, SessionMissing | StoreFailed>
  /**
   * Newest first; `cwd` is an exact filter; killed sessions are listed only with `killed`.
   * At most `limit` (default 50, never more than 500) a page.
   */
  readonly list: (options: {
    readonly cwd?: string
    readonly cursor?: string
    readonly limit?: number
    readonly killed?: boolean
  }) => Effect.Effect<SessionPage, BadCursor | StoreFailed>
  /** Newest first, killed ones only with `killed`; `query` looks for a text in titles and transcripts. */
  readonly overview: (options: {
    readonly limit: number
    readonly killed?: boolean
    readonly owner?: string
    readonly query?: string
  }) => Effect.Effect<ReadonlyArray<SessionRecord & { readonly messages: number; readonly turns: number }>, StoreFailed>
  readonly messageCount: (sessionId: string) => Effect.Effect<number, StoreFailed>
  /**
   * The whole visible transcript in order; it only reads. A turn that was cut off ends with its `Interrupted` marker,
   * exactly once, however often it is read.
   */
  readonly transcript: (sessionId: string) => Effect.Effect<ReadonlyArray<TranscriptEntry>, StoreFailed>
  /**
   * How many messages there are, and the rows behind them from message `before` (exclusive; all without it) to the oldest, newest
   * first, read as they are taken. The first row may reach beyond `before`, or, a call that is open, beyond `total`.
   */
  readonly shownBefore: (sessionId: string, before?: number) => Effect.Effect<{
    readonly total: number
    readonly rows: Stream.Stream<MessageRow, StoreFailed>
  }, StoreFailed>
  /**
   * Opens a turn in one transaction: claims the session for this process, recovers a turn that was cut off, writes the
   * first row, and the title where there is none yet. `TurnRunning` while a live process has a turn open on this session. Whoever gets a turn has to commit
   * it: until then this store keeps the claim alive.
   */
  readonly beginTurn: (
    sessionId: string,
    first: TranscriptEntry,
    title?: string | null
  ) => Effect.Effect<TurnStart, SessionMissing | TurnRunning | StoreFailed>
  /** Saves what is visible so far, and the model messages to fall back to; without anything new it only looks whether the turn is still ours. */
  readonly checkpoint: (
    sessionId: string,
    turn: number,
    progress: { readonly rows: ReadonlyArray<TranscriptRow>; readonly context: string }
  ) => Effect.Effect<void, TurnLost | StoreFailed>
  /** Fails as soon as a checkpoint or a renewal of the lease finds that the turn is not ours any more. */
  readonly untilLost: (sessionId: string, turn: number) => Effect.Effect<never, TurnLost>
  /**
   * Ends the turn: remaining rows, model context, outcome, title and usage (`null` keeps the one there is) in one transaction.
   * After a failure the turn counts as cut off; the same commit may be tried again until the next turn begins.
   */
  readonly commitTurn: (sessionId: string, turn: number, end: {
    readonly rows: ReadonlyArray<TranscriptRow>
    readonly context: string
    readonly outcome: TurnOutcome
    readonly title: string | null
    readonly usage?: Usage | null
  }) => Effect.Effect<SessionRecord, TurnLost | StoreFailed>
  readonly setRoots: (
    sessionId: string,
    cwd: string,
    additionalDirectories: ReadonlyArray<string>
  ) => Effect.Effect<void, StoreFailed>
  readonly rename: (sessionId: string, title: string) => Effect.Effect<void, StoreFailed>
  readonly policy: PolicyRecords
  readonly costs: CostRecords
  /** Tombstone: readable, never active again. Idempotent. */
  readonly kill: (sessionId: string) => Effect.Effect<void, SessionMissing | StoreFailed>
  /** Whether a row was there. Cascades to everything of the session. */
  readonly remove: (sessionId: string) => Effect.Effect<boolean, StoreFailed>
}>()("postern/store/SessionStore") {
  /** On any SQLite client; `name` is what fault messages call the database. */
  static readonly layerSql = (name: string, durability: "durable" | "memory") => {
    const guarded = guard(name)
    return Layer.effect(
      SessionStore,
      Effect.gen(function*() {
        const patiently = guard(name, long)
        yield* patiently(migrate(name))
        const records = { policy: yield* makePolicyRecords(guarded), costs: yield* makeCosts(guarded) }
        return { durability, ...records, ...yield* makeCatalog(guarded), ...yield* makeTurns(guarded, patiently) }
      })
    )
  }

  /** Fails when the file cannot be opened, is damaged, or was written by a newer version. */
  static readonly layer = (file: string): Layer.Layer<SessionStore, StoreFailed> =>
    Layer.provide(
      SessionStore.layerSql(file, "durable"),
      Layer.effect(SqlClient.SqlClient, guard(file)(Sqlite.make(file)))
    )

  static readonly layerMemory: Layer.Layer<SessionStore> = Layer.provide(
    SessionStore.layerSql("The session store in memory", "memory"),
    Layer.effect(SqlClient.SqlClient, Sqlite.make(Sqlite.memory))
  ).pipe(Layer.orDie)

  /** Where `layer` fails, sessions live in memory, and one warning says why (docs/sessions.md#store). */
  static readonly layerOrMemory = (file: string): Layer.Layer<SessionStore> =>
    Layer.catchTag(SessionStore.layer(file), "StoreFailed", (error) =>
      Layer.unwrap(Effect.as(
        Effect.logWarning(`Sessions are kept in memory only and end with this process. ${error.message}`),
        SessionStore.layerMemory
      )))
}
