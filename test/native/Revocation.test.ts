import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { existsSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promise, served } from "../support/ServedDaemon.ts"

const ann = 70001

const config = (agents: ReadonlyArray<string>, files = `, files = ["create"]`, logs = `, logs = ["read"]`) => `
[policy]
tool_approval = "manual"
[agents.default]
[agents.other]

[users.ann]
uid = ${ann}
permission_profiles = ["worker"]

[permission_profiles.worker]
allowed_agents = ${JSON.stringify(agents)}
grants = { sessions = ["create", "read", "update", "delete", "execute"], system = ["read"]${files}${logs} }
`

const open = Effect.gen(function*() {
  const host = yield* served({ config: config(["default"]) })
  const path = yield* host.openFor(ann)
  const client = yield* host.greet({}, path)
  const put = (text: string) => writeFileSync(join(host.folder, "config.toml"), text)
  return { ...host, client, put, again: host.greet({}, path) }
})

describe("What is taken away from a principal", () => {
  it.live("is gone for its open and stored sessions: their agent", () =>
    Effect.gen(function*() {
      const { client, put } = yield* open
      const session_id = yield* promise(() => client.session())
      put(config(["other"]))
      const refused = Effect.fnUntraced(function*(method: string, params: object) {
        const { code, data } = yield* promise(() => client.failure(method, { session_id, ...params }))
        assert.deepStrictEqual([method, code, data?.["agent"]], [method, -32012, "default"])
      })
      const data_b64 = Buffer.from("x").toString("base64")
      const uses = Effect.gen(function*() {
        yield* refused("session/prompt", { prompt: "say hi" })
        yield* refused("file/attach", { files: [{ data_b64 }] })
        yield* refused("file/upload/begin", { size_bytes: 1 })
        yield* refused("session/attach", {})
      })
      yield* uses
      yield* refused("session/configure", { overrides: { temperature: 1 } })
      yield* promise(() => client.request("session/close", { session_id }))
      yield* uses
      yield* refused("session/new", { agent_alias: "default" })
      // What it has said there stays its own.
      yield* promise(() => client.request("session/messages", { session_id }))
      put(config(["default"]))
      assert.deepInclude(yield* promise(() => client.prompt(session_id, "say hi")), { stop_reason: "end_turn" })
    }))

  it.live("does not come back with an agent that takes the place of its session's own", () =>
    Effect.gen(function*() {
      const { client, project, put } = yield* open
      const session_id = yield* promise(() => client.session({ cwd: project }))
      yield* promise(() => client.request("session/close", { session_id }))
      put(config(["default"]).replace("[agents.default]\n", ""))
      const { code, data } = yield* promise(() => client.failure("session/prompt", { session_id, prompt: "say hi" }))
      assert.deepStrictEqual([code, data?.["agent"]], [-32012, "other"])
      put(config(["default", "other"]).replace("[agents.default]\n", ""))
      assert.deepInclude(yield* promise(() => client.prompt(session_id, "say hi")), { stop_reason: "end_turn" })
    }))

  it.live("a revoked right in the middle of a turn: the agent runs no further tool, whatever is approved", () =>
    Effect.gen(function*() {
      const { again, client, greet, project, put } = yield* open
      const session_id = yield* promise(() => client.session())
      const second = yield* again
      const turn = yield* Effect.forkChild(promise(() => client.prompt(session_id, "write one\nx\n.")), {
        startImmediately: true
      })
      const { request_id } = yield* promise(() => client.update("approval_request"))
      put(config([]))
      const answer = { session_id, request_id, decision: "allow_once" }
      assert.strictEqual((yield* promise(() => second.failure("session/approve", answer))).code, -32012)
      assert.strictEqual(
        (yield* promise(() => client.failure("session/steer", { session_id, content: "x" }))).code,
        -32012
      )
      const operator = yield* greet()
      yield* promise(() => operator.request("session/approve", answer))
      yield* Fiber.join(turn)
      assert.match(
        String(client.updates("tool_result")[0]?.["raw_output"]),
        /TOOL_NOT_ALLOWED.*principal "ann" may not use agent "default" any more/
      )
      assert.isFalse(existsSync(join(project, "one")))
    }))

  it.live("is gone for the next prompt: to give files", () =>
    Effect.gen(function*() {
      const { client, folder, put } = yield* open
      const session_id = yield* promise(() => client.session())
      put(config(["default"], ""))
      const attachments = [{ data_b64: Buffer.from("words").toString("base64") }]
      const refused = yield* promise(() =>
        client.failure("session/prompt", { session_id, prompt: "say hi", attachments })
      )
      assert.deepStrictEqual([refused.code, refused.data?.["need"]], [-32012, "files:create"])
      assert.notInclude(readdirSync(join(folder, "agents", "default", "workspace")), "uploads")
    }))

  it.live("ends what it follows, without another entry", () =>
    Effect.gen(function*() {
      const { again, client, context, greet, put } = yield* open
      const watched = yield* Effect.forEach(["logs/subscribe", "events/subscribe"], (method) =>
        Effect.map(promise(() => client.request(method)), ({ subscription_id }) => subscription_id))
      const operator = yield* greet()
      yield* promise(() =>
        operator.request("logs/subscribe")
      )
      const other = yield* again
      const say = Effect.fnUntraced(function*(words: string) {
        const since = operator.messages.length
        yield* promise(() => other.session({ keep_siblings: true }))
        yield* Effect.provideContext(Effect.logWarning(words), context)
        yield* promise(() => operator.waitFor(({ params }) => params?.["event"]?.message === words, since))
        yield* promise(() => client.request("subscription/cancel", { subscription_id: "none" }))
        const told = ["before", "after", "session_opened"]
        return client.messages.flatMap(({ params }) => {
          const event = params?.["event"]
          return told.filter((one) => one === event?.message || one === event?.type)
        })
      })
      assert.deepStrictEqual(yield* say("before"), ["session_opened", "before"])
      put(config(["default"], "", ""))
      assert.deepStrictEqual(yield* say("after"), ["session_opened", "before"])
      for (const subscription_id of watched) {
        const { cancelled } = yield* promise(() => client.request("subscription/cancel", { subscription_id }))
        assert.isFalse(cancelled, "it has ended by itself")
      }
      put(config(["default"]))
      yield* promise(() => client.request("logs/subscribe"))
      put(config(["default"]).replaceAll("users.ann", "users.eve"))
      const before = client.messages.length
      yield* Effect.provideContext(Effect.logWarning("gone"), context)
      yield* promise(() => operator.waitFor(({ params }) => params?.["event"]?.message === "gone"))
      yield* promise(() => client.request("subscription/cancel", { subscription_id: "none" }))
      assert.deepStrictEqual(client.messages.slice(before).map(({ method }) => method), [undefined])
    }))
})
