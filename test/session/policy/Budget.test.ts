import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { SqlClient } from "effect/sql"
import { Settings } from "../../../src/config/Settings.ts"
import { SessionManager } from "../../../src/session/lifecycle/SessionManager.ts"
import { SessionStore } from "../../../src/store/SessionStore.ts"
import * as Migrations from "../../../src/store/Migrations.ts"
import * as Sqlite from "../../../src/store/Sqlite.ts"
import { unconfined } from "../../support/Bubblewrap.ts"
import { folder, make as harness, newSession, prompt } from "../../support/SessionHarness.ts"
import * as ScriptedModel from "../../support/ScriptedModel.ts"
import { layerSettings } from "../../support/Settings.ts"

/** A cent for a thousand tokens that go in, ten for a thousand that come out. */
const prices = { input: 10, output: 100 }
const day = 24 * 60 * 60 * 1000

const limited = (cents: number) => ({
  ...unconfined,
  POSTERN_risk_profiles__default__max_cost_per_day_cents: String(cents)
})
const list = { name: "file_list", params: { path: "." } }

/** A model with answers over one database, as one process has it. */
const process = (
  file: string,
  cents: number,
  answers: ReadonlyArray<ScriptedModel.Answer>,
  model: object = { prices }
) => {
  const { engine, requests } = ScriptedModel.make(answers, model)
  const { layer } = harness(limited(cents), { engine, file })
  return {
    requests,
    run: <A, E>(body: Effect.Effect<A, E, Layer.Success<typeof layer>>) => Effect.provide(body, layer, { local: true })
  }
}

const say = Effect.fnUntraced(function*(text: string, sessionId?: string) {
  const id = sessionId ?? (yield* newSession()).sessionId
  const said = yield* Effect.match((yield* prompt(id, text)).end, {
    onSuccess: ({ stopReason }) => stopReason,
    onFailure: ({ message }) => message
  })
  const { decisions } = yield* (yield* SessionStore).policy.trail(id)
  return { said, codes: decisions.map(({ code }) => code) }
})

const database = () => join(folder(), "sessions.db")

describe("max_cost_per_day_cents", () => {
  it.live("ends the turn before the next request to the model once it is reached, also in other sessions and after a restart", () => {
    const file = database()
    const first = process(file, 10, [
      { calls: [list], usage: { input: 5000, output: 400 } },
      { calls: [{ ...list, params: { path: "a" } }], usage: { input: 1000, output: 0 } }
    ])
    const second = process(file, 10, [])
    const why =
      "agent default has cost $0.10 today, and its limit is $0.10 a day (risk_profiles.default.max_cost_per_day_cents). " +
      "Raise it, or prompt again after midnight UTC"
    return Effect.gen(function*() {
      yield* first.run(Effect.gen(function*() {
        assert.deepStrictEqual(yield* say("go"), { said: why, codes: ["POLICY_RUN", "COST_LIMIT"] })
        assert.deepStrictEqual(yield* say("go on"), { said: why, codes: [] })
      }))
      assert.lengthOf(first.requests, 2)
      yield* second.run(Effect.gen(function*() {
        assert.deepStrictEqual(yield* say("go on"), { said: why, codes: [] })
        assert.include((yield* say("/help")).said, "end_turn")
      }))
      assert.lengthOf(second.requests, 0)
      yield* process(file, 11, [{ text: "done" }]).run(
        Effect.map(say("go"), ({ said }) => assert.strictEqual(said, "end_turn"))
      )
    })
  })

  it.live("counts the cost of a compaction, and refuses one once it is reached", () => {
    const answers = [1000, 3000, 1000].map((input) => ({ text: "hello", usage: { input, output: 0 } }))
    const { requests, run } = process(database(), 5, answers)
    return run(Effect.gen(function*() {
      const { sessionId } = yield* newSession()
      assert.strictEqual((yield* say("hello", sessionId)).said, "end_turn")
      assert.strictEqual((yield* say("/compact", sessionId)).said, "end_turn")
      assert.strictEqual(yield* (yield* SessionStore).costs.today("default"), 4)
      assert.strictEqual((yield* say("hello again", sessionId)).said, "end_turn")
      assert.include((yield* say("/compact", sessionId)).said, "its limit is $0.05 a day")
      assert.lengthOf(requests, 3)
      yield* (yield* SessionManager).remove(sessionId)
      assert.strictEqual(yield* (yield* SessionStore).costs.today("default"), 5)
    }))
  })

  it.live("does not count models without prices", () => {
    const { requests, run } = process(database(), 1, [{ text: "a", usage: { input: 9000, output: 9000 } }], {})
    return run(Effect.gen(function*() {
      yield* say("a")
      yield* say("b")
      assert.lengthOf(requests, 2)
      assert.deepStrictEqual(yield* (yield* SessionStore).costs.costs({}), [])
    }))
  })

  it.live("is reported at start as incomplete for models without prices", () => {
    const notes = (toml: Record<string, string>) =>
      Effect.map(Settings, ({ started }) => started.notes).pipe(
        Effect.provide(layerSettings({ configDir: folder() }, { ...limited(1), ...toml }))
      )
    const provider = { POSTERN_providers__here__kind: "offline", POSTERN_agents__default__model: "here/m" }
    return Effect.gen(function*() {
      assert.deepStrictEqual(yield* notes(provider), [
        "risk_profiles.default.max_cost_per_day_cents does not count what agent default asks here/m: providers.here.prices is missing"
      ])
      assert.deepStrictEqual(yield* notes({ ...provider, POSTERN_providers__here__prices__input: "1" }), [])
    })
  })
})

describe("The costs of an agent", () => {
  const store = SessionStore.layerSql("The test store", "durable").pipe(
    Layer.provide(Layer.orDie(Sqlite.layer(Sqlite.memory)))
  )

  it.effect("are kept by day, agent and model, exactly, and begin anew at midnight UTC", () =>
    Effect.andThen(
      TestClock.setTime(Date.UTC(2026, 0, 31) + day - 1),
      Effect.gen(function*() {
        const { costs: { costs, spend, today } } = yield* SessionStore
        const spent = { agent: "main", model: "a/b", owner: null, tokens: 10, cost: 0.1 }
        for (let i = 0; i < 3; i++) yield* spend(spent)
        yield* spend({ ...spent, agent: "other", cost: 1e-7 })
        assert.deepStrictEqual([yield* today("main"), yield* today("other"), yield* today("nobody")], [30, 0.00001, 0])
        yield* TestClock.adjust(1)
        assert.strictEqual(yield* today("main"), 0)
        yield* spend({ ...spent, model: "a/c" })
        const [main, later] = [
          { day: "2026-01-31", agent: "main", model: "a/b", requests: 3, tokens: 30, cost: 0.3 },
          { day: "2026-02-01", agent: "main", model: "a/c", requests: 1, tokens: 10, cost: 0.1 }
        ]
        assert.deepStrictEqual(yield* costs({ agent: "main" }), [main, later])
        assert.deepStrictEqual(yield* costs({ agent: "main", from: "2026-02-01" }), [later])
        assert.deepStrictEqual(yield* costs({ agent: "main", to: "2026-01-31" }), [main])
        assert.lengthOf(yield* costs({}), 3)
        for (const owner of ["ann", "bob", "ann"]) yield* spend({ ...spent, model: "a/c", owner })
        const day = { day: "2026-02-01", agent: "main", model: "a/c" }
        const of = (owner: string) => costs({ owner, from: "2026-02-01" })
        assert.deepStrictEqual(yield* of("ann"), [{ ...day, requests: 2, tokens: 20, cost: 0.2 }])
        assert.deepStrictEqual(yield* of("bob"), [{ ...day, requests: 1, tokens: 10, cost: 0.1 }])
        assert.deepStrictEqual(yield* of("operator"), [{ ...day, requests: 1, tokens: 10, cost: 0.1 }])
        assert.deepStrictEqual(yield* costs({ from: "2026-02-01" }), [{ ...day, requests: 4, tokens: 40, cost: 0.4 }])
        assert.strictEqual(yield* today("main"), 40, "the limit of an agent counts everybody")
      }).pipe(Effect.provide(store))
    ))
  it.live("that were recorded before sessions had owners count as the operator's", () =>
    Effect.gen(function*() {
      const file = database()
      yield* Effect.scoped(Effect.gen(function*() {
        const opened = yield* Sqlite.open(file)
        yield* Effect.provide(Migrations.migrate(file, Migrations.sessions.slice(0, 9)), opened)
        const sql = Context.get(opened, SqlClient.SqlClient)
        yield* sql`INSERT INTO costs (day, agent, model, requests, tokens, nanodollars)
          VALUES ('2026-01-31', 'main', 'a/b', 3, 30, 500000000)`
      }))
      yield* Effect.gen(function*() {
        const { costs: { costs, spend, today }, durability } = yield* SessionStore
        assert.strictEqual(durability, "durable")
        const before = { day: "2026-01-31", agent: "main", model: "a/b", requests: 3, tokens: 30, cost: 0.5 }
        assert.deepStrictEqual(yield* costs({ owner: "operator" }), [before])
        assert.deepStrictEqual(yield* costs({ owner: "ann" }), [])
        for (const owner of [null, "ann"]) yield* spend({ agent: "main", model: "a/b", owner, tokens: 1, cost: 0.5 })
        assert.strictEqual(yield* today("main"), 100)
      }).pipe(Effect.provide(SessionStore.layerOrMemory(file)))
    }))
})
