import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Json } from "../support/Wire.ts"
import { promise, served } from "../support/ServedDaemon.ts"

const open = Effect.fnUntraced(function*() {
  const { context, greet } = yield* served()
  const client = yield* greet()
  const log = (effect: Effect.Effect<void>) => Effect.provideContext(effect, context)
  const query = (params: Json) => promise(() => client.request("logs/query", { q: "entry ", ...params }))
  const texts = (params: Json) =>
    Effect.map(query(params), ({ events }) => (events as ReadonlyArray<Json>).map(({ message }) => message as string))
  return { client, log, query, texts }
})

describe("logs/query", () => {
  it.live("goes back page by page, and nothing is told twice while the log grows", () =>
    Effect.gen(function*() {
      const { client, log, query, texts } = yield* open()
      for (let n = 1; n <= 7; n++) yield* log(Effect.logWarning(`entry ${n}`))
      const pages: Array<ReadonlyArray<string>> = []
      let page = yield* query({ limit: 3 })
      for (;;) {
        pages.push(page["events"].map(({ message }: Json) => message))
        assert.strictEqual(page["at_end"], page["next_cursor_line_offset"] === null)
        if (page["at_end"] === true) break
        yield* log(Effect.logWarning("entry of later"))
        assert.strictEqual(page["next_cursor_line_offset"], Number(page["events"][0]?.id))
        page = yield* query({ limit: 3, until_line_offset: page["next_cursor_line_offset"] })
      }
      assert.deepStrictEqual(pages, [["entry 5", "entry 6", "entry 7"], ["entry 2", "entry 3", "entry 4"], ["entry 1"]])
      const second = (yield* query({}))["events"][1]!
      assert.deepStrictEqual(yield* texts({ until_id: second.id }), ["entry 1"])
      assert.deepStrictEqual(yield* texts({ until_id: Number(second.id) }), ["entry 1"])
      assert.deepStrictEqual((yield* promise(() => client.request("logs/get", { id: second.id })))["event"], second)
    }))

  it.live("filters by what entries carry", () =>
    Effect.gen(function*() {
      const { log, query, texts } = yield* open()
      yield* log(Effect.logInfo("entry plain"))
      yield* log(
        Effect.annotateLogs(Effect.logError("entry filed"), {
          category: "rpc",
          action: "connect",
          outcome: "refused",
          trace_id: "t1",
          other: "x"
        })
      )
      yield* log(Effect.annotateLogs(Effect.logWarning("entry other"), { category: "policy" }))
      for (const filter of [{ category: "rpc" }, { action: "connect" }, { outcome: "refused" }, { trace_id: "t1" }]) {
        assert.deepStrictEqual(yield* texts(filter), ["entry filed"])
      }
      assert.deepStrictEqual(yield* texts({ category: "rpc", outcome: "ok" }), [])
      assert.deepStrictEqual(yield* texts({ severity_min: "WARN" }), ["entry filed", "entry other"])
      assert.deepStrictEqual(yield* texts({ severity_min: "warning", hide_internal: true }), [
        "entry filed",
        "entry other"
      ])
      const first = (yield* query({ category: "rpc" }))["events"][0]!
      const { timestamp, ...filed } = first
      assert.deepStrictEqual(filed, {
        id: first.id,
        severity: "error",
        message: "entry filed",
        category: "rpc",
        action: "connect",
        outcome: "refused",
        trace_id: "t1"
      })
      assert.deepStrictEqual(yield* texts({ since_ts: timestamp, until_ts: "2999-01-01", severity_min: "error" }), [
        "entry filed"
      ])
      assert.deepStrictEqual(yield* texts({ until_ts: "2001-01-01" }), [])
    }))
})

describe("Nonsense in a question", () => {
  it.live("is refused by the name of the parameter", () =>
    Effect.gen(function*() {
      const { client } = yield* open()
      const questions: ReadonlyArray<[string, Json, string]> = [
        ["logs/query", { severity_min: "zz" }, "severity_min"],
        ["logs/query", { severity_min: "none" }, "severity_min"],
        ["logs/query", { since_ts: "zz" }, "since_ts"],
        ["logs/query", { since_ts: "7" }, "since_ts"],
        ["logs/query", { until_ts: "2026-13-45" }, "until_ts"],
        ["logs/query", { until_id: "x" }, "until_id"],
        ["logs/query", { until_id: "" }, "until_id"],
        ["logs/query", { until_line_offset: "1" }, "until_line_offset"],
        ["logs/query", { category: 1 }, "category"],
        ["logs/query", { q: "x".repeat(1001) }, "q"],
        ["session/list", { query: "x".repeat(1001) }, "query"],
        ["session/list", { query: " ".repeat(60_000) }, "query"],
        ["session/list-acp", { query: "_".repeat(1001) }, "query"],
        ["memory/search", { query: "x".repeat(1001) }, "query"],
        ["cost/query", { from: "bad", to: "worse" }, "from"],
        ["cost/query", { to: "worse" }, "to"],
        ["memory/search", { query: "x", since: "bad" }, "since"],
        ...["logs/query", "session/list", "session/list-acp", "memory/search", "session/messages"].flatMap((method) =>
          [0, -5, 1.5].map((limit): [string, Json, string] => [
            method,
            { query: "x", session_id: "x", limit },
            "limit"
          ])
        ),
        ["session/messages", { session_id: "x", cursor: null, max_bytes: 0 }, "max_bytes"]
      ]
      for (const [method, params, field] of questions) {
        const { code, data } = yield* promise(() => client.failure(method, params))
        assert.deepStrictEqual([method, params, code, data?.["field"]], [method, params, -32602, field])
      }
      const longest = "_%\\".repeat(333)
      assert.deepStrictEqual(yield* promise(() => client.request("session/list", { query: longest })), { sessions: [] })
      const { message } = yield* promise(() => client.failure("session/list", { query: `${longest}xx` }))
      assert.include(message, "query: at most 1000 characters")
      yield* promise(() => client.request("cost/query", { from: "2026-03-01", to: "2026-03-02T00:00:00+02:00" }))
    }))
})
