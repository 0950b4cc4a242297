import { assert, describe, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import * as Feed from "../../src/native/feeds/Feed.ts"
import { Feeds } from "../../src/native/feeds/Feeds.ts"
import type { Json } from "../support/Wire.ts"
import { promise, served } from "../support/ServedDaemon.ts"

describe("A feed", () => {
  it("keeps its newest entries, and counts the others", () => {
    const feed = Feed.make<string>(2)
    assert.deepStrictEqual([feed.first(), feed.last()], [1, 0])
    for (const word of ["a", "b", "c"]) feed.publish(word)
    assert.deepStrictEqual([feed.first(), feed.last(), feed.at(1), feed.at(3)], [2, 3, undefined, "c"])
    assert.deepStrictEqual(feed.all(), [{ seq: 2, entry: "b" }, { seq: 3, entry: "c" }])
  })
})

describe("A subscription", () => {
  it.live("sends what becomes of sessions, until it is cancelled", () =>
    Effect.gen(function*() {
      const { greet } = yield* served()
      const watcher = yield* greet()
      const client = yield* greet()
      const { epoch, seq, subscribed, subscription_id } = yield* promise(() => watcher.request("events/subscribe"))
      assert.deepStrictEqual([subscribed, seq], [true, 0])
      const session_id = yield* promise(() => client.session())
      yield* promise(() => client.prompt(session_id, "say hi"))
      yield* promise(() => client.request("session/kill", { session_id }))
      yield* promise(() => watcher.waitFor(({ params }) => params?.["event"]?.type === "session_killed"))
      const events = watcher.messages.filter(({ method }) => method === "events/event").map(({ params }) => params!)
      assert.deepStrictEqual(events.map((one) => [one["seq"], one["event"].type]), [
        [1, "session_opened"],
        [2, "turn_started"],
        [3, "turn_complete"],
        [4, "session_killed"]
      ])
      assert.isTrue(events.every((one) =>
        one["subscription_id"] === subscription_id && one["epoch"] === epoch && one["event"].owner === undefined
      ))
      assert.deepStrictEqual(
        yield* promise(() =>
          watcher.request("subscription/cancel", { subscription_id })
        ),
        { subscription_id, cancelled: true }
      )
      yield* promise(() => client.session())
      yield* promise(() => watcher.request("status"))
      assert.strictEqual(watcher.messages.filter(({ method }) => method === "events/event").length, 4)
      assert.isFalse((yield* promise(() => watcher.request("subscription/cancel", { subscription_id })))["cancelled"])
    }))

  it.live("goes on where a client left off, and says what is gone", () =>
    Effect.gen(function*() {
      const { context, greet } = yield* served()
      const client = yield* greet()
      const { events } = Context.get(context as Context.Context<Feeds>, Feeds)
      const entry = { type: "session_opened", session_id: "x", timestamp: "", owner: "operator" } as const
      for (let n = 0; n < 2003; n++) events.publish(entry)
      const resumed = yield* promise(() => client.request("events/subscribe", { since_seq: 2001, epoch: events.epoch }))
      yield* promise(() => client.waitFor(({ params }) => params?.["seq"] === 2003))
      assert.strictEqual(client.messages.filter(({ method }) => method === "events/event").length, 2)
      yield* promise(() => client.request("subscription/cancel", { subscription_id: resumed["subscription_id"] }))
      const lag = Effect.fnUntraced(function*(params: Json) {
        const before = client.messages.length
        const { subscription_id } = yield* promise(() => client.request("events/subscribe", params))
        const lagged = yield* promise(() => client.waitFor(({ method }) => method === "subscription/lagged", before))
        yield* promise(() => client.request("subscription/cancel", { subscription_id }))
        const { subscription_id: id, ...rest } = lagged.params!
        assert.strictEqual(id, subscription_id)
        return rest
      })
      assert.deepStrictEqual(yield* lag({ since_seq: 1 }), { from_seq: 2, resume_seq: 4, epoch_changed: false })
      assert.deepStrictEqual(yield* lag({ since_seq: 9000, epoch: "before" }), {
        from_seq: 9001,
        resume_seq: 4,
        epoch_changed: true
      })
    }))

  it.live("is not needed to see what happened: events/history has what is still kept, and of a user's only what is theirs", () =>
    Effect.gen(function*() {
      const { context, greet, openFor } = yield* served({
        config: `[agents.default]
[users.ann]
uid = 70001
permission_profiles = ["worker"]
[permission_profiles.worker]
allowed_agents = ["default"]
grants = { sessions = ["create"], logs = ["read"] }
`
      })
      const client = yield* greet()
      const ann = yield* greet({}, yield* openFor(70001))
      const own = yield* promise(() => ann.session({ cwd: "/tmp" }))
      const session_id = yield* promise(() => client.session())
      yield* promise(() => client.prompt(session_id, "say hi"))
      const history = (by: typeof client) => promise(() => by.request("events/history"))
      const told = (found: Json) =>
        found["events"].map(({ seq, session_id, type, ...rest }: Json) => [seq, type, session_id, rest["outcome"]])
      const all = yield* history(client)
      assert.deepStrictEqual(told(all), [
        [1, "session_opened", own, undefined],
        [2, "session_opened", session_id, undefined],
        [3, "turn_started", session_id, undefined],
        [4, "turn_complete", session_id, "completed"]
      ])
      assert.notInclude(JSON.stringify(all), "owner")
      const { events } = Context.get(context as Context.Context<Feeds>, Feeds)
      assert.strictEqual(all["epoch"], events.epoch)
      assert.deepStrictEqual(told(yield* history(ann)), [[1, "session_opened", own, undefined]])
    }))

  it.live("of the log has no secrets in it", () =>
    Effect.gen(function*() {
      const { context, greet } = yield* served({
        config: "[providers.p]\nkind = \"anthropic\"\napi_key = \"sk-very-secret\"\n"
      })
      const client = yield* greet()
      yield* promise(() => client.request("logs/subscribe"))
      yield* Effect.provideContext(Effect.logWarning("the key is sk-very-secret"), context)
      const event = (yield* promise(() => client.waitFor(({ method }) => method === "logs/event"))).params?.["event"]
      assert.deepStrictEqual([event.severity, event.message], ["warn", "the key is <redacted>"])
      const { at_end, events } = yield* promise(() =>
        client.request("logs/query", { q: "the key", severity_min: "warn" })
      )
      assert.deepStrictEqual([at_end, events.length], [true, 1])
      assert.deepStrictEqual(
        (yield* promise(() => client.request("logs/get", { id: events[0]!.id })))["event"],
        events[0]
      )
      assert.strictEqual((yield* promise(() => client.failure("logs/get", { id: "99999" }))).code, -32602)
    }))
})
