import { Clock, DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { StoreGuard } from "./StoreGuard.ts"
import type { StoreFailed } from "./SessionRecords.ts"

/** What one agent's requests to one model came to on one day. */
export interface DayCost {
  /** `2026-01-31`, of UTC. */
  readonly day: string
  readonly agent: string
  /** `"<provider alias>/<model id>"`. */
  readonly model: string
  readonly requests: number
  readonly tokens: number
  /** In US dollars. */
  readonly cost: number
}

/**
 * What models cost, by agent, day and owner of the session (`null`, kept as "operator", is the operator); it outlives the sessions. Only
 * answers of models with prices are in it.
 */
export interface CostRecords {
  /** Adds one answered request; `cost` in US dollars. */
  readonly spend: (
    spent: Pick<DayCost, "agent" | "model" | "tokens" | "cost"> & { readonly owner: string | null }
  ) => Effect.Effect<void, StoreFailed>
  /** What the agent has cost since the day began, in US cents. */
  readonly today: (agent: string) => Effect.Effect<number, StoreFailed>
  /** Oldest first; `from` and `to` are days, both included. Of everybody's sessions, or of one owner's. */
  readonly costs: (
    which: { readonly agent?: string; readonly owner?: string; readonly from?: string; readonly to?: string }
  ) => Effect.Effect<ReadonlyArray<DayCost>, StoreFailed>
}

/** Whole numbers, so that many small sums are exact. */
const perDollar = 1e9
const perCent = perDollar / 100

const dayNow = Effect.map(Clock.currentTimeMillis, (ms) => DateTime.formatIso(DateTime.makeUnsafe(ms)).slice(0, 10))

export const makeCosts = Effect.fnUntraced(function*(guarded: StoreGuard) {
  const sql = yield* SqlClient.SqlClient

  const costs: CostRecords = {
    spend: Effect.fnUntraced(function*({ agent, cost, model, owner, tokens }) {
      yield* sql`INSERT INTO costs (day, agent, model, owner, requests, tokens, nanodollars)
        VALUES (${yield* dayNow}, ${agent}, ${model}, ${owner ?? "operator"}, 1, ${tokens}, ${
        Math.round(cost * perDollar)
      })
        ON CONFLICT (day, agent, model, owner) DO UPDATE SET
          requests = requests + 1, tokens = tokens + excluded.tokens, nanodollars = nanodollars + excluded.nanodollars`
    }, guarded),

    today: Effect.fnUntraced(function*(agent) {
      const rows = yield* sql<{ sum: number }>`
        SELECT coalesce(sum(nanodollars), 0) AS sum FROM costs WHERE day = ${yield* dayNow} AND agent = ${agent}`
      return (rows[0]?.sum ?? 0) / perCent
    }, guarded),

    costs: Effect.fnUntraced(function*({ agent, from = "", owner, to = "9999-12-31" }) {
      const rows = yield* sql<Omit<DayCost, "cost"> & { readonly sum: number }>`
        SELECT day, agent, model, sum(requests) AS requests, sum(tokens) AS tokens, sum(nanodollars) AS sum FROM costs
        WHERE day >= ${from} AND day <= ${to} AND agent = coalesce(${agent ?? null}, agent)
          AND owner = coalesce(${owner ?? null}, owner)
        GROUP BY day, agent, model ORDER BY day, agent, model`
      return rows.map(({ sum, ...row }) => ({ ...row, cost: sum / perDollar }))
    }, guarded)
  }
  return costs
})
