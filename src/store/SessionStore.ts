import { Context, Effect, Layer } from "effect"
import { makeCatalog, type SessionCatalog } from "./SessionCatalog.ts"
import { type CostRecords, makeCosts } from "./CostRecords.ts"
import { migrate } from "./Migrations.ts"
import { makePolicyRecords, type PolicyRecords } from "./PolicyRecords.ts"
import * as Sqlite from "./Sqlite.ts"
import { guard, long } from "./StoreGuard.ts"
import type { StoreFailed } from "./SessionRecords.ts"
import type { Transcripts } from "./Transcripts.ts"
import { makeOwner } from "./TurnOwner.ts"
import { makeTurns, type Turns } from "./Turns.ts"

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
    /** `memory`: nothing survives the process, and `initialize` says so (docs/sessions.md#store). */
    readonly durability: "durable" | "memory"
    readonly policy: PolicyRecords
    readonly costs: CostRecords
  }
  & SessionCatalog
  & Transcripts
  & Turns
>()("postern/store/SessionStore") {
  /** On any SQLite client; `name` is what fault messages call the database. */
  static readonly layerSql = (name: string, durability: "durable" | "memory") => {
    const guarded = guard(name)
    return Layer.effect(
      SessionStore,
      Effect.gen(function*() {
        const patiently = guard(name, long)
        yield* patiently(migrate(name))
        const records = { policy: yield* makePolicyRecords(guarded), costs: yield* makeCosts(guarded) }
        const owner = makeOwner()
        return {
          durability,
          ...records,
          ...yield* makeCatalog(guarded, owner),
          ...yield* makeTurns(guarded, patiently, owner)
        }
      })
    )
  }

  /** Fails when the file cannot be opened, is damaged, or was written by a newer version. */
  static readonly layer = (file: string): Layer.Layer<SessionStore, StoreFailed> =>
    Layer.provide(
      SessionStore.layerSql(file, "durable"),
      Layer.effectContext(guard(file)(Sqlite.open(file)))
    )

  static readonly layerMemory: Layer.Layer<SessionStore> = Layer.provide(
    SessionStore.layerSql("The session store in memory", "memory"),
    Sqlite.layer(Sqlite.memory)
  ).pipe(Layer.orDie)

  /** Where `layer` fails, sessions live in memory, and one warning says why (docs/sessions.md#store). */
  static readonly layerOrMemory = (file: string): Layer.Layer<SessionStore> =>
    Layer.catchTag(SessionStore.layer(file), "StoreFailed", (error) =>
      Layer.unwrap(Effect.as(
        Effect.logWarning(`Sessions are kept in memory only and end with this process. ${error.message}`),
        SessionStore.layerMemory
      )))
}
