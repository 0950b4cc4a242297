import { dirname } from "node:path"
import { Context, Effect, Layer } from "effect"
import * as Chunk from "../platform/Chunk.ts"
import { makeCatalog, type SessionCatalog } from "./SessionCatalog.ts"
import { type CostRecords, makeCosts } from "./CostRecords.ts"
import type { DatabaseFile } from "./DatabaseFile.ts"
import { migrate } from "./Migrations.ts"
import { makePolicyRecords, type PolicyRecords } from "./PolicyRecords.ts"
import * as Sqlite from "./Sqlite.ts"
import { removeFolder } from "./SessionFolder.ts"
import { guard, long } from "./StoreGuard.ts"
import { StoreFailed } from "./SessionRecords.ts"
import type { Transcripts } from "./Transcripts.ts"
import { makeOwner } from "./TurnOwner.ts"
import { makeTurns, type Turns } from "./Turns.ts"

const loadMoved = Chunk.make(() => import("./MovedSessions.ts"))

export * from "./SessionRecords.ts"

export type { DayCost } from "./CostRecords.ts"
export type {
  ApprovalRecord,
  AuditEvent,
  AuditRecord,
  DecisionRecord,
  PolicyRecords,
  RuleRecord
} from "./PolicyRecords.ts"

export class SessionStore extends Context.Service<
  SessionStore,
  & {
    /**
     * `memory`: nothing survives the process, and `initialize` says so; it ends once the file can be opened
     * (docs/sessions.md#store).
     */
    readonly durability: "durable" | "memory"
    /** Why sessions are kept in memory, while they are. */
    readonly trouble: StoreFailed | undefined
    /** Another file took the place of the one that was open: sessions of this process may be missing in it. */
    readonly isReplaced: boolean
    readonly policy: PolicyRecords
    readonly costs: CostRecords
  }
  & SessionCatalog
  & Transcripts
  & Turns
>()("postern/store/SessionStore") {
  /** On any SQLite client; `name` is what fault messages call the database. */
  static readonly layerSql = (
    name: string,
    usual: "durable" | "memory",
    onFault: (fault: StoreFailed, database: DatabaseFile) => Effect.Effect<void, StoreFailed> = Effect.fail
  ) =>
    Layer.effect(
      SessionStore,
      Effect.gen(function*() {
        const database = yield* Sqlite.Database
        const guarded = guard(name, database)
        const patiently = guard(name, database, { duration: long })
        const freeing = guard(name, database, { frees: true })
        yield* Effect.catchTag(patiently(migrate(name)), "StoreFailed", (fault) => onFault(fault, database))
        yield* Effect.forkScoped(Effect.delay(Effect.sync(() => database.keepReserve()), "2 seconds"))
        const records = { policy: yield* makePolicyRecords(guarded), costs: yield* makeCosts(guarded) }
        const owner = makeOwner()
        const catalog = yield* makeCatalog(guarded, freeing, owner)
        return {
          ...records,
          ...catalog,
          remove: (sessionId) =>
            Effect.tap(
              catalog.remove(sessionId),
              () => usual === "durable" ? removeFolder(dirname(name), sessionId) : Effect.void
            ),
          ...yield* makeTurns(guarded, patiently, owner),
          get durability() {
            return database.memoryFault === undefined ? usual : "memory"
          },
          get isReplaced() {
            return database.isReplaced
          },
          get trouble() {
            return database.memoryFault instanceof StoreFailed ? database.memoryFault : undefined
          }
        }
      })
    )

  /** Fails when the file cannot be opened, is damaged, or was written by a newer version. */
  static readonly layer = (file: string): Layer.Layer<SessionStore, StoreFailed> =>
    Layer.provide(SessionStore.layerSql(file, "durable"), Sqlite.layer(file))

  static readonly layerMemory: Layer.Layer<SessionStore> = Layer.provide(
    SessionStore.layerSql("The session store in memory", "memory"),
    Sqlite.layer(Sqlite.memory)
  ).pipe(Layer.orDie)

  /**
   * Where `layer` fails, sessions live in memory, one warning says why, and each operation looks whether the file can be opened
   * now (docs/sessions.md#store).
   */
  static readonly layerOrMemory = (file: string): Layer.Layer<SessionStore> =>
    SessionStore.layerSql(file, "durable", (fault, database) =>
      Effect.andThen(
        Effect.map(loadMoved, ({ moveSessions }) => database.fallBack(fault, moveSessions)),
        Effect.logWarning(`Sessions are kept in memory only until the database can be opened. ${fault.message}`)
      )).pipe(Layer.provide(Sqlite.layer(file)), Layer.orDie)
}
