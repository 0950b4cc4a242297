import { assert, describe, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { TestClock } from "effect/testing"
import { execFileSync } from "node:child_process"
import { DatabaseSync } from "node:sqlite"
import { join } from "node:path"
import { DaemonInfo } from "../../src/native/protocol/NativeConnection.ts"
import type { SocketClient } from "../support/SocketClient.ts"
import type { Json } from "../support/Wire.ts"
import { failure, promise, served, twin } from "../support/ServedDaemon.ts"
import { temporaryHome } from "../support/TemporaryFolder.ts"

const ids = (client: SocketClient, method = "session/list", params: Json = {}) =>
  promise(async () =>
    ((await client.request(method, params))["sessions"] as ReadonlyArray<Json>).map(({ session_id }) =>
      session_id as string
    )
  )
const active = (client: SocketClient) =>
  promise(async () => (await client.request("status"))["session_ids"] as ReadonlyArray<string>)
const code = (client: SocketClient, method: string, params: Json) =>
  Effect.map(failure(client, method, params), (error) => error.code)

describe("session/new", () => {
  it.live("names the session, its agent and folder, in both spellings", () =>
    Effect.gen(function*() {
      const { folder, greet, project } = yield* served()
      const client = yield* greet()
      const made = yield* promise(() => client.request("session/new", { agentAlias: "default", cwd: project }))
      assert.deepStrictEqual([made["session_id"], made["agentAlias"], made["message_count"], made["workspaceDir"]], [
        made["sessionId"],
        "default",
        0,
        project
      ])
      const own = yield* promise(() => client.request("session/new", { agent_alias: "default", agentAlias: "nobody" }))
      assert.strictEqual(own["workspace_dir"], join(folder, "agents", "default", "workspace"))
      for (
        const [params, field] of [
          [{}, "agent_alias"],
          [{ agent_alias: " " }, "agent_alias"],
          [{ agent_alias: "no" }, "agent_alias"],
          [{ agent_alias: "default", cwd: "/does/not/exist" }, "cwd"],
          [{ agent_alias: "default", session_id: "a b" }, "session_id"],
          [{ agent_alias: "default", chat_mode: "x" }, "chat_mode"]
        ] as ReadonlyArray<[Json, string]>
      ) {
        const refused = yield* failure(client, "session/new", params)
        assert.deepStrictEqual([refused.code, refused.data?.["field"]], [-32602, field])
      }
    }))

  it.live("closes the client's idle siblings of that mode, leaves running ones, and keep_siblings leaves all", () =>
    Effect.gen(function*() {
      const { greet, project } = yield* served()
      const client = yield* greet()
      const other = yield* greet()
      const foreign = yield* promise(() => other.session())
      const acp = yield* promise(() => client.session({ chat_mode: "acp" }))
      const busy = yield* promise(() => client.session({ cwd: project }))
      const turn = client.prompt(busy, "say begun\nwait 60")
      yield* promise(() => client.update("agent_message_chunk"))
      const idle = yield* promise(() => client.session({ keep_siblings: true }))
      assert.sameMembers([...yield* active(client)], [foreign, acp, busy, idle])
      const next = yield* promise(() => client.session())
      assert.sameMembers([...yield* active(client)], [foreign, acp, busy, next])
      assert.include(yield* ids(client, "session/list", { include_unprompted: true }), idle, "its history stays")
      yield* promise(() => client.request("session/cancel", { session_id: busy }))
      yield* promise(() => turn)
    }))

  it.live("is refused beyond the limit of active sessions; a closed one makes room", () =>
    Effect.gen(function*() {
      const { greet } = yield* served({ config: "[rpc]\nmax_sessions = 2\n" })
      const client = yield* greet()
      const first = yield* promise(() => client.session({ keep_siblings: true }))
      yield* promise(() => client.session({ keep_siblings: true, chat_mode: "acp" }))
      const refused = yield* failure(client, "session/new", { agent_alias: "default", keep_siblings: true })
      assert.deepStrictEqual([refused.code, refused.data], [-32001, { reason: "capacity", limit: 2 }])
      yield* promise(() => client.request("session/close", { session_id: first }))
      yield* promise(() => client.session({ keep_siblings: true }))
    }))

  it.live("replaces the session that was idle longest without a client, which returns with its next prompt", () =>
    Effect.gen(function*() {
      const { context, greet } = yield* served({ config: "[rpc]\nmax_sessions = 3\n" })
      const gone = yield* greet({ client_capabilities: { turn_lifetime: "session" } })
      const [first, second, busy] = [
        yield* promise(() => gone.session({ keep_siblings: true })),
        yield* promise(() => gone.session({ keep_siblings: true })),
        yield* promise(() => gone.session({ keep_siblings: true }))
      ]
      yield* promise(() => gone.prompt(first, "say first"))
      gone.send({ id: 1, method: "session/prompt", params: { session_id: busy, prompt: "say begun\nwait 60" } })
      yield* promise(() => gone.waitFor(({ params }) => params?.["text"] === "begun"))
      gone.close()
      const { connections } = Context.get(context, DaemonInfo)
      while (connections.size > 0) yield* Effect.sleep("5 millis")
      const client = yield* greet()
      const own = yield* promise(() => client.session({ keep_siblings: true }))
      assert.sameMembers([...yield* active(client)], [first, busy, own])
      const next = yield* promise(() => client.session({ keep_siblings: true }))
      assert.sameMembers([...yield* active(client)], [busy, own, next])
      assert.strictEqual(yield* code(client, "session/prompt", { session_id: second, prompt: "say no" }), -32001)
      yield* promise(() => client.request("session/close", { session_id: own }))
      assert.match((yield* promise(() => client.prompt(first, "say back")))["content"], /back/)
      yield* promise(() => client.request("session/cancel", { session_id: busy }))
    }))

  it.live("with an id takes the active session, else the stored one, else makes it", () =>
    Effect.gen(function*() {
      const { greet, project } = yield* served({ config: "[agents.default]\n[agents.other]\n" })
      const client = yield* greet()
      const open = (params: Json = {}) =>
        promise(() =>
          client.request("session/new", { agent_alias: "default", session_id: "mine", cwd: project, ...params })
        )
      assert.deepInclude(yield* open(), { session_id: "mine", message_count: 0 })
      yield* promise(() => client.prompt("mine", "plan a; b\nsay hi"))
      assert.deepInclude(yield* open(), { message_count: 2 })
      assert.strictEqual(
        yield* code(client, "session/new", { agent_alias: "default", session_id: "mine", chat_mode: "acp" }),
        -32602
      )
      yield* promise(() => client.request("session/close", { session_id: "mine" }))
      const before = client.messages.length
      assert.deepInclude(yield* open(), { message_count: 2 })
      assert.deepInclude(yield* promise(() => client.update("plan", before)), { session_id: "mine" })
      yield* promise(() => client.request("session/close", { session_id: "mine" }))
      assert.strictEqual(yield* code(client, "session/new", { agent_alias: "other", session_id: "mine" }), -32602)
      assert.strictEqual(
        yield* code(client, "session/new", { agent_alias: "default", session_id: "mine", cwd: "/tmp" }),
        -32602
      )
    }))
})

describe("Sessions", () => {
  it.effect("sessions stay active until they are closed", () =>
    Effect.gen(function*() {
      const { greet } = yield* served()
      const client = yield* greet()
      const sessionId = yield* promise(() => client.session())
      yield* TestClock.adjust("5 hours")
      assert.deepStrictEqual(yield* active(client), [sessionId])
    }))

  it.live("are brought back by a prompt, also in the next process, unless they were killed", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryHome
      const made = yield* Effect.scoped(Effect.gen(function*() {
        const { greet } = yield* served({ folder })
        const client = yield* greet()
        const chat = yield* promise(() => client.session({ keep_siblings: true }))
        const acp = yield* promise(() => client.session({ chat_mode: "acp" }))
        const killed = yield* promise(() => client.session({ keep_siblings: true }))
        for (const id of [chat, acp, killed]) yield* promise(() => client.prompt(id, "say first"))
        assert.deepStrictEqual(yield* promise(() => client.request("session/kill", { session_id: killed })), {
          session_id: killed,
          killed: true
        })
        assert.strictEqual(yield* code(client, "session/prompt", { session_id: killed, prompt: "say no" }), -32000)
        return { acp, chat, killed }
      }))
      const { greet } = yield* served({ folder })
      const client = yield* greet()
      for (const id of [made.chat, made.acp]) {
        assert.deepInclude(yield* promise(() => client.prompt(id, "say second")), { content: "second" })
        const { messages, total } = yield* promise(() => client.messagePage({ session_id: id }))
        assert.deepStrictEqual([total, messages.map(({ content }: Json) => content)], [4, [
          "say first",
          "first",
          "say second",
          "second"
        ]])
      }
      assert.strictEqual(yield* code(client, "session/prompt", { session_id: made.killed, prompt: "say no" }), -32000)
      assert.strictEqual(
        yield* code(client, "session/new", { agent_alias: "default", session_id: made.killed }),
        -32000
      )
      assert.strictEqual(
        (yield* promise(() => client.messagePage({ session_id: made.killed })))["total"],
        2,
        "it can still be read"
      )
      assert.sameMembers(yield* ids(client), [made.chat, made.acp])
      assert.deepStrictEqual(yield* ids(client, "session/list-acp"), [made.acp])
      assert.deepStrictEqual(
        yield* ids(client, "session/list", { query: "second" }).pipe(Effect.map((found) => found.length)),
        2
      )
      assert.deepStrictEqual(yield* ids(client, "session/list", { query: "100%" }), [])
    }))

  it.live("of a surface that this protocol does not know are left alone, and come back for who names it", () =>
    Effect.gen(function*() {
      const { greet } = yield* served()
      const client = yield* greet()
      const open = (params: Json) => promise(() => client.session({ chat_mode: "acp", keep_siblings: true, ...params }))
      const known = yield* open({ interaction_surface: "zerocode_code" })
      const strange = yield* open({ interaction_surface: "somebody_else" })
      for (const session_id of [known, strange]) {
        yield* promise(() => client.prompt(session_id, "say hi"))
        yield* promise(() => client.request("session/close", { session_id }))
      }
      assert.deepInclude(yield* promise(() => client.prompt(known, "say on")), { content: "on" })
      assert.strictEqual(yield* code(client, "session/prompt", { session_id: strange, prompt: "say on" }), -32000)
      assert.strictEqual(
        (yield* promise(() => client.messagePage({ session_id: strange })))["total"],
        2
      )
      yield* open({ session_id: strange, interaction_surface: "somebody_else" })
      assert.deepInclude(yield* promise(() => client.prompt(strange, "say on")), { content: "on" })
    }))

  it.live("do not take an id that the other mode has, killed or not", () =>
    Effect.gen(function*() {
      const { greet } = yield* served()
      const client = yield* greet()
      for (const [mode, other] of [["acp", "chat"], ["chat", "acp"]] as const) {
        const asked = { agent_alias: "default", session_id: mode }
        const refused = Effect.map(
          promise(() => client.failure("session/new", { ...asked, chat_mode: other })),
          ({ code, data }) => [code, data?.["reason"]]
        )
        yield* promise(() => client.request("session/new", { ...asked, chat_mode: mode }))
        yield* promise(() => client.prompt(mode, "say hi"))
        assert.deepStrictEqual(yield* refused, [-32602, "conflict"], "while it is active")
        yield* promise(() => client.request("session/close", { session_id: mode }))
        assert.deepStrictEqual(yield* refused, [-32602, "conflict"], "while it is stored")
        yield* promise(() => client.request("session/kill", { session_id: mode }))
        assert.deepStrictEqual(yield* refused, [-32602, "conflict"], "while it is a tombstone")
        yield* promise(() => client.request("session/delete", { session_id: mode }))
        yield* promise(() => client.request("session/new", { ...asked, chat_mode: other }))
      }
    }))

  it.live("in chat mode leave an ACP session of the same id alone", () =>
    Effect.gen(function*() {
      const { context, folder, greet } = yield* served()
      const client = yield* greet()
      yield* promise(() => client.session({ session_id: "twin", chat_mode: "acp" }))
      yield* promise(() => client.prompt("twin", "say acp"))
      yield* promise(() => client.request("session/close", { session_id: "twin" }))
      yield* twin(context, "twin")
      yield* promise(() => client.session({ session_id: "twin" }))
      yield* promise(() => client.prompt("twin", "say chat"))
      assert.deepStrictEqual(yield* promise(() => client.request("session/delete", { session_id: "twin" })), {
        session_id: "twin",
        deleted: true
      })
      const rows = (file: string) =>
        new DatabaseSync(join(folder, "data", "sessions", file)).prepare("SELECT session_id FROM sessions").all().length
      assert.deepStrictEqual([rows("chat-sessions.db"), rows("acp-sessions.db")], [0, 1])
      const { messages } = yield* promise(() => client.messagePage({ session_id: "twin" }))
      assert.strictEqual(messages[1]?.content, "acp")
      assert.isTrue((yield* promise(() => client.request("session/delete", { session_id: "twin" })))["deleted"])
      assert.isFalse((yield* promise(() => client.request("session/delete", { session_id: "twin" })))["deleted"])
    }))

  it.live("unknown sessions are errors, not empty histories", () =>
    Effect.gen(function*() {
      const { greet } = yield* served()
      const client = yield* greet()
      for (
        const method of [
          "session/messages",
          "session/state",
          "session/close",
          "session/kill",
          "session/git_branch",
          "session/cancel"
        ]
      ) {
        assert.strictEqual(yield* code(client, method, { session_id: "none" }), -32000)
      }
      assert.strictEqual((yield* failure(client, "session/messages", {})).data?.["field"], "session_id")
    }))

  it.live("show their messages by pages whose indexes stay", () =>
    Effect.gen(function*() {
      const { greet, project } = yield* served()
      const client = yield* greet()
      const session_id = yield* promise(() => client.session({ cwd: project }))
      for (const word of ["a", "b", "c"]) yield* promise(() => client.prompt(session_id, `say ${word}`))
      const page = (params: Json) =>
        promise(async () => {
          const { has_older, messages, start, total } = await client.messagePage({
            session_id,
            ...params
          })
          return [messages.map(({ content }: Json) => content), start, total, has_older]
        })
      assert.deepStrictEqual(yield* page({ limit: 2 }), [["say c", "c"], 4, 6, true])
      assert.deepStrictEqual(yield* page({ limit: 3, beforeIndex: 4 }), [["b", "say b", "a"].reverse(), 1, 6, true])
      assert.deepStrictEqual(yield* page({ before_index: 1 }), [["say a"], 0, 6, false])
    }))

  it.live("know the branch of their folder without asking git", () =>
    Effect.gen(function*() {
      const { greet, project } = yield* served()
      const client = yield* greet()
      const session_id = yield* promise(() => client.session({ cwd: project }))
      assert.deepStrictEqual(yield* promise(() => client.request("session/git_branch", { session_id })), { session_id })
      const git = (...args: ReadonlyArray<string>) =>
        execFileSync("git", ["-C", project, "-c", "user.name=t", "-c", "user.email=t@t", ...args], { encoding: "utf8" })
      git("init", "-q", "-b", "feature/x")
      git("commit", "-q", "--allow-empty", "-m", "one")
      const hash = git("rev-parse", "HEAD").slice(0, 7)
      assert.deepStrictEqual(yield* promise(() => client.request("session/git_branch", { session_id })), {
        session_id,
        branch: "feature/x",
        hash
      })
      git("pack-refs", "--all")
      assert.deepInclude(yield* promise(() => client.request("session/git_branch", { session_id })), { hash })
      git("checkout", "-q", "--detach")
      assert.deepStrictEqual(yield* promise(() => client.request("session/git_branch", { session_id })), {
        session_id,
        hash
      })
    }))

  it.live("take overrides one by one; a provider alone drops the model of the other one", () =>
    Effect.gen(function*() {
      const { greet } = yield* served()
      const client = yield* greet()
      const session_id = yield* promise(() => client.session())
      const configure = (overrides: Json) =>
        promise(async () => (await client.request("session/configure", { session_id, overrides }))["overrides"])
      assert.deepStrictEqual(yield* configure({ model: "m", temperature: 0.5 }), { model: "m", temperature: 0.5 })
      assert.deepStrictEqual(yield* configure({ modelProvider: "nobody" }), {
        model_provider: "nobody",
        temperature: 0.5
      })
      const failed = yield* failure(client, "session/prompt", { session_id, prompt: "say hi" })
      assert.deepStrictEqual([failed.code, failed.data?.["reason"]], [-32603, "model_unavailable"])
      assert.deepInclude(client.updates("turn_complete")[0], { outcome: "failed", content: failed.message })
      assert.deepStrictEqual(yield* configure({ model_provider: "offline", model: "builtin" }), {
        model_provider: "offline",
        model: "builtin",
        temperature: 0.5
      })
      assert.deepInclude(yield* promise(() => client.prompt(session_id, "say hi")), { content: "hi" })
      assert.strictEqual(yield* code(client, "session/configure", { session_id, overrides: { model: " " } }), -32602)
    }))
})

describe("When the store fails", () => {
  for (const [method, operation] of [["session/kill", "kill"], ["session/delete", "remove"]] as const) {
    it.live(`${method} of an idle session is an internal error, and the session stays active and whole`, () =>
      Effect.gen(function*() {
        const broken = new Set<string>()
        const { greet } = yield* served({ broken })
        const client = yield* greet()
        const session_id = yield* promise(() => client.session())
        yield* promise(() => client.prompt(session_id, "say before"))
        broken.add(operation)
        const failed = yield* failure(client, method, { session_id })
        assert.deepStrictEqual([failed.code, failed.data?.["reason"]], [-32603, "store_failed"])
        assert.deepStrictEqual(yield* active(client), [session_id])
        assert.deepInclude(yield* promise(() => client.prompt(session_id, "say after")), { content: "after" })
        broken.clear()
        yield* promise(() => client.request(method, { session_id }))
        assert.deepStrictEqual(yield* active(client), [])
      }))

    it.live(`${method} of a running session has ended its turn, and the row can be used when storage works again`, () =>
      Effect.gen(function*() {
        const broken = new Set<string>()
        const { greet, project } = yield* served({ broken })
        const client = yield* greet()
        const session_id = yield* promise(() => client.session({ cwd: project }))
        const turn = client.prompt(session_id, "say begun\nwait 60")
        yield* promise(() => client.update("agent_message_chunk"))
        broken.add(operation)
        assert.strictEqual(yield* code(client, method, { session_id }), -32603)
        assert.deepInclude(yield* promise(() => turn), { stop_reason: "cancelled", content: "begun" })
        broken.clear()
        assert.deepInclude(yield* promise(() => client.prompt(session_id, "say after")), { content: "after" })
      }))
  }

  it.live("reading is an internal error, never an empty answer", () =>
    Effect.gen(function*() {
      const broken = new Set<string>()
      const { greet } = yield* served({ broken })
      const client = yield* greet()
      const session_id = yield* promise(() => client.session())
      for (
        const [operation, method] of [["shownBefore", "session/messages"], ["overview", "session/list"], [
          "lastPlan",
          "session/state"
        ]] as const
      ) {
        broken.add(operation)
        assert.strictEqual(yield* code(client, method, { session_id }), -32603)
        broken.clear()
      }
    }))

  it.live("a turn that cannot be begun or kept fails; one that could not be kept is shown as cut off, once", () =>
    Effect.gen(function*() {
      const { folder, greet } = yield* served()
      const client = yield* greet()
      const session_id = yield* promise(() => client.session())
      const database = new DatabaseSync(join(folder, "data", "sessions", "chat-sessions.db"))
      const fails = Effect.fnUntraced(function*(when: string) {
        database.exec(`CREATE TRIGGER broken BEFORE ${when} BEGIN SELECT RAISE(ABORT, 'broken'); END`)
        const failed = yield* failure(client, "session/prompt", { session_id, prompt: "say lost" })
        assert.deepStrictEqual([failed.code, failed.data?.["reason"]], [-32603, "store_failed"])
        assert.notInclude(failed.message, "broken")
        assert.deepInclude(client.updates("turn_complete").at(-1), { outcome: "failed" })
        database.exec("DROP TRIGGER broken")
      })
      yield* fails("INSERT ON turns")
      assert.strictEqual((yield* promise(() => client.messagePage({ session_id })))["total"], 0)
      yield* fails("UPDATE OF status ON turns")
      assert.deepInclude(yield* promise(() => client.prompt(session_id, "say kept")), { content: "kept" })
      const { messages } = yield* promise(() => client.messagePage({ session_id }))
      assert.deepStrictEqual(messages.map(({ role }: Json) => role).filter((role: string) => role !== "assistant"), [
        "user",
        "system",
        "user"
      ])
      assert.strictEqual(messages.at(-1)?.content, "kept")
      database.close()
    }))

  it.live("a trimmed context that cannot be kept is not announced, and the transcript stays whole in any case", () =>
    Effect.gen(function*() {
      const { folder, greet } = yield* served({ config: "[runtime_profiles.default]\nmax_history_messages = 2\n" })
      const client = yield* greet()
      const session_id = yield* promise(() => client.session())
      yield* promise(() => client.prompt(session_id, "say one"))
      const database = new DatabaseSync(join(folder, "data", "sessions", "chat-sessions.db"))
      database.exec("CREATE TRIGGER broken BEFORE UPDATE ON contexts BEGIN SELECT RAISE(ABORT, 'broken'); END")
      yield* failure(client, "session/prompt", { session_id, prompt: "say two" })
      assert.deepStrictEqual(client.updates("history_trimmed"), [])
      database.exec("DROP TRIGGER broken")
      database.close()
      yield* promise(() => client.prompt(session_id, "say three"))
      assert.isAbove(client.updates("history_trimmed")[0]?.["dropped_messages"], 0)
      const { messages } = yield* promise(() => client.messagePage({ session_id }))
      assert.deepStrictEqual(messages.slice(0, 2).map(({ content }: Json) => content), ["say one", "one"])
      assert.deepStrictEqual(messages.slice(-2).map(({ content }: Json) => content), ["say three", "three"])
    }))
})
