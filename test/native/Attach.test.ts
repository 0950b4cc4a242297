import { assert, describe, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Feed from "../../src/native/feeds/Feed.ts"
import { Feeds } from "../../src/native/feeds/Feeds.ts"
import type { NativeState } from "../../src/native/protocol/NativeConnection.ts"
import type { SocketClient } from "../support/SocketClient.ts"
import type { Json } from "../support/Wire.ts"
import { promise, served } from "../support/ServedDaemon.ts"
import { eventually } from "../support/Waiting.ts"

const heard = (client: SocketClient) =>
  client.messages.flatMap(({ method, params }) => method === "session/update" && params !== undefined ? [params] : [])

const attach = (client: SocketClient, params: Json) => promise(() => client.request("session/attach", params))

const sessionsOf = (context: Context.Context<never>) => Context.get(context as Context.Context<Feeds>, Feeds).sessions

const until = (holds: () => boolean) => promise(() => eventually(holds, 20_000))

describe("A feed with a limit of weight", () => {
  it("drops what is oldest, keeps its newest entry, and forgets what is asked", () => {
    const feed = Feed.make<string>(10, { most: 5, weigh: (text) => text.length })
    for (const word of ["aa", "bb", "c"]) feed.publish(word)
    assert.strictEqual(feed.first(), 1)
    feed.publish("dd")
    assert.deepStrictEqual([feed.first(), feed.at(1), feed.at(2)], [2, undefined, "bb"])
    feed.publish("longer than five")
    assert.deepStrictEqual(feed.all(), [{ seq: 5, entry: "longer than five" }])
    feed.publish("e")
    assert.deepStrictEqual(feed.all(), [{ seq: 6, entry: "e" }])
    feed.forget(7)
    assert.deepStrictEqual([feed.first(), feed.last(), feed.all()], [7, 6, []])
    feed.publish("f")
    assert.deepStrictEqual(feed.all(), [{ seq: 7, entry: "f" }])
  })
})

describe("session/attach", () => {
  it.live("tells of turns that other connections start, and lets the follower answer what they ask", () =>
    Effect.gen(function*() {
      const { greet, project } = yield* served()
      const [client, follower] = [yield* greet(), yield* greet()]
      const session_id = yield* promise(() => client.session({ cwd: project }))
      const { epoch, running, seq, subscription_id } = yield* attach(follower, { sessionId: session_id })
      assert.deepStrictEqual([running, seq], [false, 0])
      const turn = client.prompt(session_id, "say a few words first\nwrite a.txt\nhello\n.\nsay done", {
        client_turn_generation: 4
      })
      const { request_id } = yield* promise(() => follower.update("approval_request"))
      yield* promise(() => follower.request("session/approve", { session_id, request_id, decision: "allow_once" }))
      const { content } = yield* promise(() => turn)
      assert.isTrue(existsSync(join(project, "a.txt")))
      const complete = yield* promise(() => follower.update("turn_complete"))
      assert.deepInclude(complete, { outcome: "completed", content, client_turn_generation: 4 })
      const updates = heard(follower)
      assert.strictEqual(updates[0]?.["type"], "user_message")
      assert.match(updates[0]?.["text"], /^say a few words first\n/)
      const text = updates.filter(({ type }) => type === "agent_message_chunk").map(({ text }) => text).join("")
      assert.strictEqual(text, `a few words first${content}`)
      for (const type of ["tool_call", "tool_result", "context_usage"]) {
        const strip = ({ epoch: _e, seq: _s, subscriptionId: _i, subscription_id: _j, ...rest }: Json) => rest
        assert.deepStrictEqual(updates.filter((one) => one["type"] === type).map(strip), client.updates(type))
      }
      for (const update of updates) {
        assert.deepInclude(update, {
          session_id,
          sessionId: session_id,
          subscription_id,
          subscriptionId: subscription_id,
          epoch
        })
      }
      const numbers = updates.map((update) => update["seq"] as number)
      assert.deepStrictEqual(numbers, numbers.toSorted((a, b) => a - b))
      assert.lengthOf(new Set(numbers), numbers.length)
      assert.isFalse(heard(client).some((update) => "seq" in update || update["type"] === "user_message"))
    }))

  it.live("does not repeat a connection its own turns, and ends with its cancel", () =>
    Effect.gen(function*() {
      const { context, greet } = yield* served()
      const [client, follower] = [yield* greet(), yield* greet()]
      const session_id = yield* promise(() => client.session())
      const { subscription_id } = yield* attach(follower, { session_id })
      yield* promise(() => follower.prompt(session_id, "say mine"))
      assert.isFalse(heard(follower).some((update) => "seq" in update))
      yield* promise(() => client.prompt(session_id, "say yours"))
      yield* promise(() => follower.waitFor(({ params }) => params?.["type"] === "turn_complete" && "seq" in params))
      const cancel = () => promise(() => follower.request("subscription/cancel", { subscription_id }))
      assert.deepStrictEqual(yield* cancel(), { subscription_id, cancelled: true })
      const before = heard(follower).length
      yield* promise(() => client.prompt(session_id, "say more"))
      yield* promise(() => follower.request("status"))
      assert.lengthOf(heard(follower), before)
      assert.isUndefined(sessionsOf(context).feedOf(session_id))
    }))

  it.live("goes on where a client left off while others follow, says what is gone, and that a turn is running", () =>
    Effect.gen(function*() {
      const { context, greet } = yield* served()
      const [client, first, second] = [yield* greet(), yield* greet(), yield* greet()]
      const session_id = yield* promise(() => client.session())
      const { epoch } = yield* attach(first, { session_id })
      yield* promise(() => client.prompt(session_id, "say one"))
      const { seq } = yield* promise(() => first.update("turn_complete"))
      const turn = client.prompt(session_id, "say two\nwait 60")
      yield* promise(() => first.waitFor(({ params }) => params?.["text"] === "two"))
      const resumed = yield* attach(second, { session_id, since_seq: seq, epoch })
      assert.deepInclude(resumed, { running: true, epoch })
      yield* promise(() => second.waitFor(({ params }) => params?.["text"] === "two"))
      assert.strictEqual(heard(second)[0]?.["text"], "say two\nwait 60")
      const lag = Effect.fnUntraced(function*(params: Json) {
        const { subscription_id } = yield* attach(second, { session_id, ...params })
        const { params: said } = yield* promise(() =>
          second.waitFor(({ method, params }) =>
            method === "subscription/lagged" && params?.["subscription_id"] === subscription_id
          )
        )
        return [said?.["from_seq"], said?.["resume_seq"], said?.["epoch_changed"]]
      })
      assert.deepStrictEqual(yield* lag({ since_seq: 1, epoch: "before" }), [2, 1, true])
      const feed = sessionsOf(context).feedOf(session_id)!
      const entry = {
        update: { _tag: "Whole", params: { type: "notice" } },
        by: {} as NativeState,
        owner: "x"
      } as const
      for (let n = 0; n < 2100; n++) feed.publish(entry)
      assert.deepStrictEqual(yield* lag({ since_seq: 3, epoch }), [4, feed.first(), false])
      assert.lengthOf(feed.all(), 2000)
      yield* promise(() => client.request("session/cancel", { session_id }))
      yield* promise(() => turn)
    }))

  it.live("tells of a long prompt only the beginning", () =>
    Effect.gen(function*() {
      const { greet } = yield* served()
      const [client, follower] = [yield* greet(), yield* greet()]
      const session_id = yield* promise(() => client.session())
      yield* attach(follower, { session_id })
      const prompt = `say hi\n${"x".repeat(100_000)}`
      yield* promise(() => client.prompt(session_id, prompt))
      const { text } = yield* promise(() => follower.update("user_message"))
      assert.strictEqual(text, `${prompt.slice(0, 16 * 1024)}…`)
      const { messages } = yield* promise(() => follower.messagePage({ session_id }))
      assert.strictEqual(messages[0]?.content, prompt)
    }))

  it.live("shows who comes late what is asked, and takes the answer from there", () =>
    Effect.gen(function*() {
      const { greet, project } = yield* served()
      const [client, late] = [yield* greet(), yield* greet()]
      const session_id = yield* promise(() => client.session({ cwd: project }))
      const turn = client.prompt(session_id, "write a.txt\nhello")
      const asked = yield* promise(() => client.update("approval_request"))
      assert.deepStrictEqual(asked["allow_always_rules"], ["write(./a.txt)"])
      yield* attach(late, { session_id })
      const shown = yield* promise(() => late.update("approval_request"))
      assert.deepStrictEqual(shown, asked)
      yield* promise(() =>
        late.request("session/approve", { session_id, request_id: shown["request_id"], decision: "allow_once" })
      )
      yield* promise(() => turn)
      assert.strictEqual(readFileSync(join(project, "a.txt"), "utf8"), "hello\n")
      assert.lengthOf(client.updates("approval_request"), 1)
    }))

  it.live("keeps nothing of a session without followers, or of an inactive one", () =>
    Effect.gen(function*() {
      const { context, greet } = yield* served()
      const [client, follower] = [yield* greet(), yield* greet()]
      const session_id = yield* promise(() => client.session())
      yield* attach(follower, { session_id })
      const turn = client.prompt(session_id, "say begun\nwait 60")
      yield* promise(() => follower.update("agent_message_chunk"))
      yield* promise(() => client.request("session/close", { session_id }))
      yield* promise(() => turn)
      assert.deepInclude(yield* promise(() => follower.update("turn_complete")), { outcome: "cancelled" })
      const feed = sessionsOf(context).feedOf(session_id)!
      yield* promise(() => client.prompt(session_id, "say again"))
      yield* promise(() => follower.waitFor(({ params }) => params?.["text"] === "again"))
      yield* promise(() => client.request("session/close", { session_id }))
      yield* until(() => feed.all().length === 0)
      follower.close()
      yield* until(() => sessionsOf(context).feedOf(session_id) === undefined)
    }))

  it.live("costs the turn nothing when the follower does not read", () =>
    Effect.gen(function*() {
      const { context, greet } = yield* served()
      const [client, follower] = [yield* greet(), yield* greet()]
      const session_id = yield* promise(() => client.session())
      yield* attach(follower, { session_id })
      follower.socket.pause()
      const { content, stop_reason } = yield* promise(() => client.prompt(session_id, "stream 300000"))
      assert.strictEqual(stop_reason, "end_turn")
      const feed = sessionsOf(context).feedOf(session_id)!
      assert.isAtMost(feed.all().length, 2000)
      follower.socket.resume()
      yield* promise(() => follower.waitFor(({ method }) => method === "subscription/lagged"))
      assert.strictEqual((yield* promise(() => follower.update("turn_complete")))["content"], content)
    }))

  it.live("attaching needs the right to read the session, and ends with it", () =>
    Effect.gen(function*() {
      const worker = (grants: string) => `
[agents.default]
[users.ann]
uid = 70001
permission_profiles = ["worker"]
[users.bob]
uid = 70002
permission_profiles = ["worker"]
[permission_profiles.worker]
allowed_agents = ["default"]
grants = { sessions = [${grants}] }
`
      const all = `"create", "execute", "update", "delete", "read"`
      const { folder, greet, openFor } = yield* served({ config: worker(all) })
      const bobs = yield* openFor(70002)
      const ann = yield* greet({}, yield* openFor(70001))
      const [bob, follower] = [yield* greet({}, bobs), yield* greet({}, bobs)]
      const session_id = yield* promise(() => bob.session({ cwd: "/tmp", session_id: "same" }))
      const refused = yield* promise(() => ann.failure("session/attach", { session_id }))
      assert.deepStrictEqual([refused.code, refused.data?.["reason"]], [-32000, "not_found"])
      assert.strictEqual((yield* promise(() => bob.failure("session/attach", { session_id: "none" }))).code, -32000)
      for (const wrong of [{}, { session_id, since_seq: "1" }, { session_id, epoch: 3 }, { session_id: 1 }]) {
        assert.strictEqual((yield* promise(() => bob.failure("session/attach", wrong))).code, -32602)
      }
      yield* attach(follower, { session_id })
      yield* promise(() => bob.request("session/delete", { session_id }))
      // The id is another principal's session now.
      yield* promise(() => ann.session({ cwd: "/tmp", session_id }))
      yield* promise(() => ann.prompt(session_id, "say secret"))
      yield* promise(() => follower.request("session/list"))
      assert.deepStrictEqual(heard(follower), [])
      const own = yield* promise(() => bob.session({ cwd: "/tmp" }))
      yield* attach(follower, { session_id: own })
      writeFileSync(join(folder, "config.toml"), worker(`"create", "execute"`))
      yield* promise(() => bob.prompt(own, "say unheard"))
      assert.strictEqual((yield* promise(() => follower.failure("session/attach", { session_id: own }))).code, -32012)
      assert.deepStrictEqual(heard(follower), [])
      writeFileSync(join(folder, "config.toml"), worker(all))
      // The subscription that met the revoked grant is gone.
      for (let n = 1; n < 16; n++) yield* attach(follower, { session_id: own })
      const many = yield* promise(() => follower.failure("session/attach", { session_id: own }))
      assert.deepStrictEqual([many.code, many.data?.["reason"]], [-32002, "too_many_subscriptions"])
    }))
})
