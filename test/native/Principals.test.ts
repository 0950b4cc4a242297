import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Principals from "../../src/security/Principals.ts"
import * as FileLock from "../../src/platform/FileLock.ts"
import type { Json } from "../support/Wire.ts"
import { promise, served } from "../support/ServedDaemon.ts"

const config = `
[agents.default]
[agents.other]

[users.ann]
uid = 70001
permission_profiles = ["worker"]

[users.bob]
uid = 70002
principal_id = "robert"
permission_profiles = ["worker"]

[users.cem]
uid = 70003
permission_profiles = ["reader", "editor"]

[permission_profiles.worker]
allowed_agents = ["default"]
grants = { sessions = ["create", "read", "update", "delete", "execute"], system = ["read"] }

[permission_profiles.reader]
grants = { config = ["read"] }

[permission_profiles.editor]
config_write_paths = ["acp.*", "users.cem.uid"]
grants = { config = ["update"] }
`

describe("Principals", () => {
  it.live("clients cannot change their principal", () =>
    Effect.gen(function*() {
      const own = config.replace("\"users.cem.uid\"", "\"users.cem.*\"")
      const { folder, greet, openFor } = yield* served({ config: own })
      const cem = yield* greet({}, yield* openFor(70003))
      for (const [key, value, what] of [["principal_id", "ann", "principal id"], ["uid", 70001, "uid"]] as const) {
        const prop = `users.cem.${key}`
        const refused = yield* promise(() => cem.failure("config/set", { prop, value }))
        assert.strictEqual(refused.code, -32602)
        assert.include(refused.message, `users.ann and users.cem have the same ${what}`)
      }
      assert.strictEqual(readFileSync(join(folder, "config.toml"), "utf8"), own)
      const again = yield* promise(() => cem.request("config/set", { prop: "users.cem.principal_id", value: "carl" }))
      assert.deepStrictEqual(again, { prop: "users.cem.principal_id", set: true })
    }))

  it.live("see and touch their own sessions only; the operator sees all", () =>
    Effect.gen(function*() {
      const { greet, openFor } = yield* served({ config })
      const ann = yield* greet({}, yield* openFor(70001))
      const bob = yield* greet({}, yield* openFor(70002))
      const operator = yield* greet()
      const sessionId = yield* promise(() => ann.session({ cwd: "/tmp" }))
      const own = yield* promise(() => bob.session({ cwd: "/tmp" }))
      assert.deepStrictEqual(
        (yield* promise(() => bob.request("session/list", { include_unprompted: true })))["sessions"].map((
          s: { session_id: string }
        ) => s.session_id),
        [own]
      )
      assert.deepStrictEqual((yield* promise(() => bob.request("status")))["session_ids"], [own])
      for (
        const method of [
          "session/prompt",
          "session/messages",
          "session/state",
          "session/steer",
          "session/attach",
          "session/close",
          "session/kill",
          "session/git_branch"
        ]
      ) {
        const refused = yield* promise(() =>
          bob.failure(method, { session_id: sessionId, prompt: "say hi", content: "x" })
        )
        assert.deepStrictEqual([method, refused.code], [method, -32000])
      }
      assert.strictEqual((yield* promise(() => bob.failure("session/cancel", { session_id: sessionId }))).code, -32003)
      assert.strictEqual(
        (yield* promise(() => bob.failure("session/new", { agent_alias: "default", session_id: sessionId }))).code,
        -32003
      )
      assert.strictEqual((yield* promise(() => bob.failure("session/delete", { session_id: sessionId }))).code, -32000)
      const seen = (yield* promise(() => operator.request("session/list", { include_unprompted: true })))["sessions"]
        .map((
          s: { session_id: string }
        ) => s.session_id)
      assert.sameMembers(seen, [sessionId, own])
      assert.deepInclude(yield* promise(() => operator.prompt(sessionId, "say hi")), { stop_reason: "end_turn" })
    }))

  it.live("may do what is granted, and are told by name what is missing", () =>
    Effect.gen(function*() {
      const { greet, openFor } = yield* served({ config })
      const ann = yield* greet({}, yield* openFor(70001))
      const refused = yield* promise(() => ann.failure("config/get"))
      assert.deepStrictEqual([refused.code, refused.message], [
        -32012,
        "Principal \"ann\" has no grant config:read, which config/get needs"
      ])
      const agent = yield* promise(() => ann.failure("session/new", { agent_alias: "other" }))
      assert.deepStrictEqual([agent.code, agent.data?.["agent"]], [-32012, "other"])
      const cem = yield* greet({}, yield* openFor(70003))
      assert.strictEqual((yield* promise(() => cem.failure("status"))).code, -32012)
      assert.property(yield* promise(() => cem.request("config/get")), "users")
    }))

  it.live("unknown clients are refused", () =>
    Effect.gen(function*() {
      const { connect, openFor } = yield* served({ config })
      const stranger = yield* connect(yield* openFor(70009))
      const refused = yield* promise(() => stranger.failure("initialize"))
      assert.strictEqual(refused.code, -32010)
      assert.match(refused.message, /\[users\.NAME\] with uid = 70009/)
      assert.strictEqual((yield* promise(() => stranger.failure("status"))).code, -32010)
    }))

  it.live("lose a grant, or their place, with the configuration, in the middle of a connection", () =>
    Effect.gen(function*() {
      const { folder, greet, openFor } = yield* served({ config })
      const ann = yield* greet({}, yield* openFor(70001))
      yield* promise(() => ann.request("status"))
      writeFileSync(join(folder, "config.toml"), config.replace(", system = [\"read\"]", ""))
      assert.strictEqual((yield* promise(() => ann.failure("status"))).code, -32012)
      writeFileSync(join(folder, "config.toml"), config.replace("[users.ann]\nuid = 70001", "[users.eve]\nuid = 70001"))
      assert.strictEqual((yield* promise(() => ann.failure("session/list"))).code, -32010)
      writeFileSync(join(folder, "config.toml"), "[broken")
      assert.strictEqual((yield* promise(() => ann.failure("session/list"))).code, -32010)
    }))

  it.live("without the trust in the daemon's own user are looked up like everybody else", () =>
    Effect.gen(function*() {
      const uid = process.geteuid?.() ?? 0
      const { connect } = yield* served({
        config: `${config.replace("70002", String(uid))}\n[security]\ntrust_daemon_uid = false\n`
      })
      const client = yield* connect()
      assert.strictEqual((yield* promise(() => client.request("initialize")))["principal_id"], "robert")
    }))

  it.live("that were the operator are so no longer once that trust is gone", () =>
    Effect.gen(function*() {
      const { folder, greet } = yield* served({ config })
      const client = yield* greet()
      yield* promise(() => client.request("status"))
      writeFileSync(join(folder, "config.toml"), `${config}\n[security]\ntrust_daemon_uid = false\n`)
      const back = { prop: "security.trust_daemon_uid", value: true }
      assert.strictEqual((yield* promise(() => client.failure("config/set", back))).code, -32010)
      assert.strictEqual((yield* promise(() => client.failure("status"))).code, -32010)
    }))
})

describe("The tools of a principal", () => {
  const execute = { sessions: ["execute"] } as const
  const profiles = {
    reads: { allowed_tools: ["file_read", "file_list"] },
    writes: { allowed_tools: ["file_write"], grants: execute },
    none: { allowed_tools: [] },
    free: { grants: execute },
    elsewhere: { grants: { config: ["read"] } },
    all: { allowed_tools: ["*"] },
    admin: { admin: true }
  } as const
  const tools = ["file_read", "file_list", "file_write", "shell"]

  const toolsWith = Effect.fnUntraced(function*(...names: ReadonlyArray<keyof typeof profiles>) {
    const users = { ann: { uid: 70001, permission_profiles: names } }
    const found = yield* Principals.make(Effect.succeed({ users, profiles, trustDaemonUid: true }), 0).find("ann")
    return tools.filter((tool) => found?.tools === undefined || found.tools.has(tool))
  })

  it.effect("are those of all its profiles; only one that lets sessions run without a list gives every tool", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* toolsWith(), [])
      assert.deepStrictEqual(yield* toolsWith("reads"), ["file_read", "file_list"])
      assert.deepStrictEqual(yield* toolsWith("reads", "writes", "none"), ["file_read", "file_list", "file_write"])
      assert.deepStrictEqual(yield* toolsWith("none"), [])
      assert.deepStrictEqual(yield* toolsWith("reads", "elsewhere"), ["file_read", "file_list"])
      assert.deepStrictEqual(yield* toolsWith("elsewhere"), [])
      for (const name of ["free", "all", "admin"] as const) {
        assert.deepStrictEqual(yield* toolsWith("reads", name), tools)
      }
    }))
})

describe("config/set-many", () => {
  it.live("writes all or nothing, the last entry of a path wins, and comments stay", () =>
    Effect.gen(function*() {
      const { folder, greet } = yield* served({ config: "# mine\n[acp] # here\nmax_sessions = 3 # few\n" })
      const client = yield* greet()
      yield* promise(() => client.request("config/map-key-create", { path: "permission_profiles", key: "operators" }))
      const sets = [
        { prop: "users.example.uid", value: 1001 },
        { prop: "users.example.permission_profiles", value: ["operators"] },
        { prop: "acp.max_sessions", value: 4 },
        { prop: "acp.max_sessions", value: "5" }
      ]
      assert.deepStrictEqual(yield* promise(() => client.request("config/set-many", { sets })), {
        props: sets.map(({ prop }) => prop),
        set: true
      })
      const text = readFileSync(join(folder, "config.toml"), "utf8")
      assert.include(text, "# mine\n[acp] # here\nmax_sessions = 5 # few\n")
      assert.deepStrictEqual(yield* promise(() => client.request("config/get", { prop: "users.example.uid" })), {
        prop: "users.example.uid",
        value: "1001",
        populated: true
      })
      const wrong = yield* promise(() =>
        client.failure("config/set-many", {
          sets: [{ prop: "acp.max_sessions", value: 6 }, { prop: "acp.max_sessions", value: "many" }]
        })
      )
      assert.deepStrictEqual([wrong.code, wrong.data?.["index"]], [-32602, 1])
      for (const sets of [[], Array.from({ length: 257 }, () => ({ prop: "acp.max_sessions", value: 7 }))]) {
        assert.strictEqual((yield* promise(() => client.failure("config/set-many", { sets }))).code, -32602)
      }
      assert.strictEqual(readFileSync(join(folder, "config.toml"), "utf8"), text)
    }))

  it.live("with one forbidden path refuses all and names the entry", () =>
    Effect.gen(function*() {
      const { folder, greet, openFor } = yield* served({ config })
      const cem = yield* greet({}, yield* openFor(70003))
      const sets = [{ prop: "acp.max_sessions", value: 4 }, { prop: "users.ann.uid", value: 1 }]
      const refused = yield* promise(() => cem.failure("config/set-many", { sets }))
      assert.deepStrictEqual([refused.code, refused.data?.["index"]], [-32012, 1])
      assert.strictEqual(readFileSync(join(folder, "config.toml"), "utf8"), config)
      const unknown = [{ prop: "no.such.key", value: 4 }, { prop: "users.ann.uid", value: 1 }]
      const first = yield* promise(() => cem.failure("config/set-many", { sets: unknown }))
      assert.deepStrictEqual([first.code, first.data?.["index"]], [-32012, 1])
      const one = yield* promise(() => cem.failure("config/set", { prop: "users.ann.uid", value: 1 }))
      assert.deepStrictEqual([one.code, one.data?.["index"]], [-32012, undefined])
      yield* promise(() => cem.request("config/set", { prop: "acp.max_sessions", value: 4 }))
      assert.notInclude(readFileSync(join(folder, "config.toml"), "utf8"), "uid = 1\n")
    }))

  it.live("that waits for the lock while its grant is taken away is refused", () =>
    Effect.gen(function*() {
      const { folder, greet, openFor } = yield* served({ config })
      const cem = yield* greet({}, yield* openFor(70003))
      const less = config.replace("\"acp.*\", ", "")
      const pending = yield* FileLock.within(join(folder, ".config.lock"))(Effect.gen(function*() {
        const sets = [{ prop: "acp.max_sessions", value: 4 }]
        const pending = yield* Effect.forkChild(promise(() => cem.failure("config/set-many", { sets })), {
          startImmediately: true
        })
        // Refused in any case; this is for the writer to have come as far as the lock.
        yield* promise(() => new Promise((resolve) => setTimeout(resolve, 100)))
        writeFileSync(join(folder, "config.toml"), less)
        return pending
      }))
      assert.deepInclude((yield* Fiber.join(pending)).data, { reason: "forbidden", index: 0 })
      assert.strictEqual(readFileSync(join(folder, "config.toml"), "utf8"), less)
    }))

  it.live("names the param that is wrong where aliases are made, renamed and deleted", () =>
    Effect.gen(function*() {
      const { greet } = yield* served({ config: "[agents.a]\n[agents.b]\n" })
      const client = yield* greet()
      const field = (method: string, params: Json) =>
        Effect.map(
          promise(() => client.failure(`config/${method}`, params)),
          ({ code, data }) => [code, data?.["field"]]
        )
      assert.deepStrictEqual(yield* field("map-keys", { path: "acp" }), [-32602, "path"])
      assert.deepStrictEqual(yield* field("map-key-create", { path: "nope", key: "x" }), [-32602, "path"])
      assert.deepStrictEqual(yield* field("map-key-create", { path: "agents", key: "../x" }), [-32602, "key"])
      assert.deepStrictEqual(yield* field("map-key-create", { path: "users", key: "default" }), [-32602, "key"])
      const rename = (from: string, to: string) => field("map-key-rename", { path: "agents", from, to })
      assert.deepStrictEqual(yield* rename("zz", "c"), [-32602, "from"])
      assert.deepStrictEqual(yield* rename("a", "b"), [-32602, "to"])
      assert.deepStrictEqual(
        yield* promise(() => client.request("config/map-key-delete", { path: "agents", key: "b" })),
        {
          path: "agents",
          key: "b",
          deleted: true,
          warnings: ["the agent's folder, its sessions and its memory stay where they are"]
        }
      )
      assert.deepStrictEqual(
        yield* promise(() => client.request("config/map-key-delete", { path: "agents", key: "b" })),
        {
          path: "agents",
          key: "b",
          deleted: false
        }
      )
    }))

  it.live("is about one path in config/set, and config/get of an unset one is what counts then", () =>
    Effect.gen(function*() {
      const { greet } = yield* served()
      const client = yield* greet()
      const wrong = yield* promise(() => client.failure("config/set", { prop: "acp.max_sessions", value: "many" }))
      assert.deepInclude(wrong, { code: -32602 })
      assert.deepStrictEqual(wrong.data, { reason: "invalid", field: "prop" })
      assert.deepStrictEqual(yield* promise(() => client.request("config/get", { prop: "acp.max_sessions" })), {
        prop: "acp.max_sessions",
        value: "10",
        populated: false
      })
      const { entries } = yield* promise(() => client.request("config/list", { prefix: "acp.unstable" }))
      assert.deepStrictEqual(entries, [{
        path: "acp.unstable",
        category: "acp",
        section: "acp",
        tab: "agents",
        kind: "bool",
        type_hint: "true or false",
        description: "true or false",
        populated: false,
        is_secret: false,
        is_env_overridden: false
      }])
    }))
})
