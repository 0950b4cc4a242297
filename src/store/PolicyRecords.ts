import { Clock, DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Query } from "./Sqlite.ts"
import type { StoreGuard } from "./StoreGuard.ts"
import type { StoreFailed } from "./SessionRecords.ts"

export interface RuleRecord {
  readonly id: string
  readonly list: "deny" | "ask" | "allow"
  readonly rule: string
  readonly reason: string | null
  /** An allow rule that does not cover dangerous calls. */
  readonly guard?: boolean
}

/** What was decided about one tool call, and by whom. */
export interface DecisionRecord {
  readonly callId: string
  readonly tool: string
  readonly outcome: "run" | "ask" | "deny"
  readonly gate: string
  readonly code: string
  readonly reason: string
  readonly rule: string | null
  readonly shapes: ReadonlyArray<{ readonly category: string; readonly part: string }>
  /** SHA-256 of the knobs in force, so that equal ones can be told. */
  readonly knobs: string
  /** ISO 8601, UTC. */
  readonly at: string
}

/** One question to a person and what came of it; `answer` is `null` while it is open. */
export interface ApprovalRecord {
  readonly id: string
  readonly callId: string
  readonly askedAt: string
  readonly answeredAt: string | null
  readonly answer: string | null
}

/** What the audit trail of a session keeps: a decision, a question to a person, and what came of it. */
export type AuditEvent =
  | { readonly _tag: "Decided"; readonly decision: Omit<DecisionRecord, "at"> }
  | { readonly _tag: "Asked"; readonly id: string; readonly callId: string }
  | { readonly _tag: "Answered"; readonly id: string; readonly answer: string }

/** `at` is ISO 8601, UTC. */
export type AuditRecord = AuditEvent & { readonly at: string }

/**
 * The policy of a session: knobs as append-only events, its own rules, and the trail of decisions
 * (docs/policy.md#independence-and-storage).
 */
export interface PolicyRecords {
  /** The last value of each knob that was ever set. */
  readonly settings: (sessionId: string) => Effect.Effect<ReadonlyMap<string, string>, StoreFailed>
  readonly setSetting: (
    sessionId: string,
    knob: string,
    value: string,
    source: string
  ) => Effect.Effect<void, StoreFailed>
  readonly rules: (sessionId: string) => Effect.Effect<ReadonlyArray<RuleRecord>, StoreFailed>
  /** Adding a rule that is there already changes nothing. */
  readonly addRule: (sessionId: string, rule: RuleRecord) => Effect.Effect<void, StoreFailed>
  /** Whether it was there. */
  readonly removeRule: (sessionId: string, id: string) => Effect.Effect<boolean, StoreFailed>
  /** Calls of all sessions of an agent that ran within the last hour. */
  readonly actions: (agent: string) => Effect.Effect<number, StoreFailed>
  /** Counts one more, unless that would make it more than `limit`. */
  readonly countAction: (agent: string, limit: number) => Effect.Effect<boolean, StoreFailed>
  /** Written by the turns: a call begins in the transaction that has its decision. */
  readonly trail: (sessionId: string) => Effect.Effect<
    { readonly decisions: ReadonlyArray<DecisionRecord>; readonly approvals: ReadonlyArray<ApprovalRecord> },
    StoreFailed
  >
}

const hour = 3_600_000

/** Writes a part of the audit trail, in the transaction of the caller. */
export const writeAudit = (query: Query, sessionId: string, records: ReadonlyArray<AuditRecord>): void => {
  for (const record of records) {
    switch (record._tag) {
      case "Decided": {
        const { callId, code, gate, knobs, outcome, reason, rule, shapes, tool } = record.decision
        query`INSERT INTO decisions (session_id, call_id, tool, outcome, gate, code, reason, rule, shapes, knobs, at)
          VALUES (${sessionId}, ${callId}, ${tool}, ${outcome}, ${gate}, ${code}, ${reason}, ${rule}, ${
          JSON.stringify(shapes)
        }, ${knobs}, ${record.at})`
        break
      }
      case "Asked":
        query`INSERT INTO approvals (id, session_id, call_id, asked_at)
          VALUES (${record.id}, ${sessionId}, ${record.callId}, ${record.at})`
        break
      case "Answered":
        query`UPDATE approvals SET answered_at = ${record.at}, answer = ${record.answer} WHERE id = ${record.id}`
    }
  }
}

export const makePolicyRecords = Effect.fnUntraced(function*(guarded: StoreGuard) {
  const sql = yield* SqlClient.SqlClient
  const isoNow = Effect.map(Clock.currentTimeMillis, (ms) => DateTime.formatIso(DateTime.makeUnsafe(ms)))

  const records: PolicyRecords = {
    settings: Effect.fnUntraced(function*(sessionId) {
      const rows = yield* sql<{ knob: string; value: string }>`
        SELECT knob, value FROM policy_events WHERE session_id = ${sessionId} ORDER BY id`
      return new Map(rows.map(({ knob, value }) => [knob, value]))
    }, guarded),

    setSetting: Effect.fnUntraced(function*(sessionId, knob, value, source) {
      yield* sql`INSERT INTO policy_events (session_id, knob, value, source, at)
        VALUES (${sessionId}, ${knob}, ${value}, ${source}, ${yield* isoNow})`
    }, guarded),

    rules: Effect.fnUntraced(function*(sessionId) {
      const rows = yield* sql<Omit<RuleRecord, "guard"> & { readonly guard: number }>`
        SELECT id, list, rule, reason, guard FROM session_rules WHERE session_id = ${sessionId} ORDER BY rowid`
      return rows.map(({ guard, ...row }) => (guard === 0 ? row : { ...row, guard: true }))
    }, guarded),

    addRule: Effect.fnUntraced(function*(sessionId, { guard, id, list, reason, rule }) {
      yield* sql`INSERT INTO session_rules (session_id, id, list, rule, reason, guard, at)
        VALUES (${sessionId}, ${id}, ${list}, ${rule}, ${reason}, ${
        guard ? 1 : 0
      }, ${yield* isoNow}) ON CONFLICT (session_id, id) DO NOTHING`
    }, guarded),

    removeRule: Effect.fnUntraced(function*(sessionId, id) {
      const rows = yield* sql`DELETE FROM session_rules WHERE session_id = ${sessionId} AND id = ${id} RETURNING id`
      return rows.length > 0
    }, guarded),

    actions: Effect.fnUntraced(function*(agent) {
      const since = (yield* Clock.currentTimeMillis) - hour
      const rows = yield* sql<
        { count: number }
      >`SELECT count(*) AS count FROM actions WHERE agent = ${agent} AND at > ${since}`
      return rows[0]?.count ?? 0
    }, guarded),

    countAction: Effect.fnUntraced(function*(agent, limit) {
      const now = yield* Clock.currentTimeMillis
      const rows = yield* sql`INSERT INTO actions (agent, at) SELECT ${agent}, ${now}
        WHERE (SELECT count(*) FROM actions WHERE agent = ${agent} AND at > ${now - hour}) < ${limit} RETURNING at`
      yield* sql`DELETE FROM actions WHERE at <= ${now - hour}`
      return rows.length > 0
    }, guarded),

    trail: Effect.fnUntraced(function*(sessionId) {
      const decisions = yield* sql<Omit<DecisionRecord, "shapes"> & { readonly shapes: string }>`
        SELECT call_id AS "callId", tool, outcome, gate, code, reason, rule, shapes, knobs, at
        FROM decisions WHERE session_id = ${sessionId} ORDER BY id`
      const approvals = yield* sql<ApprovalRecord>`
        SELECT id, call_id AS "callId", asked_at AS "askedAt", answered_at AS "answeredAt", answer
        FROM approvals WHERE session_id = ${sessionId} ORDER BY rowid`
      return { decisions: decisions.map((row) => ({ ...row, shapes: JSON.parse(row.shapes) })), approvals }
    }, guarded)
  }
  return records
})
