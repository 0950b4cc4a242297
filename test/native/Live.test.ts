import { assert, describe, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Feeds } from "../../src/native/feeds/Feeds.ts"
import { ChatServer } from "../support/ChatServer.ts"
import type { SocketClient } from "../support/SocketClient.ts"
import type { Json } from "../support/Wire.ts"
import { type Options, promise, served } from "../support/ServedDaemon.ts"
import { temporaryHome } from "../support/TemporaryFolder.ts"

const free = `
[agents.default]
[risk_profiles.default]
level = "full"
sandbox_enabled = false
[policy]
sandbox = "danger-full-access"
network = "on"
`

/** A daemon with one client, and a hand that edits its file. */
const open = Effect.fnUntraced(function*(config = free, options: Omit<Options, "config"> = {}) {
  const daemon = yield* served({ config, ...options })
  const client = yield* daemon.greet()
  const file = join(daemon.folder, "config.toml")
  const edit = (change: (text: string) => string) =>
    Effect.sync(() => writeFileSync(file, change(readFileSync(file, "utf8"))))
  const set = (prop: string, value: unknown) => promise(() => client.request("config/set", { prop, value }))
  const remove = (prop: string) => promise(() => client.request("config/delete", { prop }))
  const session = (params: Json = {}) => promise(() => client.session({ cwd: daemon.project, ...params }))
  const say = (sessionId: string, prompt: string) => promise(() => client.prompt(sessionId, prompt))
  const refused = (params: Json) => Effect.map(promise(() => client.failure("session/new", params)), ({ data }) => data)
  return { ...daemon, client, file, edit, set, remove, session, say, refused }
})

const outputs = (client: SocketClient) => client.updates("tool_result").map((one) => String(one["raw_output"]))

describe("An agent", () => {
  it.live("that was made, changed, disabled and removed is that for the next session; the others go on", () =>
    Effect.gen(function*() {
      const { edit, folder, refused, remove, say, session, set } = yield* open()
      assert.deepInclude(yield* refused({ agent_alias: "second" }), { reason: "agent_unknown" })
      yield* edit((text) => `${text}\n[agents.second]\nworkspace = "${folder}/second"\n`)
      const first = yield* session({ agent_alias: "second" })
      assert.match((yield* say(first, "say one"))["content"], /one$/)
      yield* set("agents.second.enabled", false)
      assert.deepInclude(yield* refused({ agent_alias: "second" }), { reason: "agent_disabled" })
      assert.match((yield* say(first, "say two"))["content"], /two$/)
      yield* remove("agents.second")
      assert.deepInclude(yield* refused({ agent_alias: "second" }), { reason: "agent_unknown" })
      assert.match((yield* say(first, "say three"))["content"], /three$/)
    }))

  it.live("keeps its folder in an active session, and has another one in the next", () =>
    Effect.gen(function*() {
      const { client, folder, session, set } = yield* open()
      const sessionId = yield* session()
      yield* set("agents.default.workspace", join(folder, "elsewhere"))
      const attach = (session_id: string) =>
        promise(() => client.request("file/attach", { session_id, files: [{ data_b64: "aGk=", filename: "a.txt" }] }))
      const [old] = (yield* attach(sessionId))["files"]
      const [next] = (yield* attach(yield* session()))["files"]
      assert.include(old?.workspace_path, join(folder, "agents", "default", "workspace"))
      assert.include(next?.workspace_path, join(folder, "elsewhere"))
    }))

  it.live("is the default one as soon as the configuration says so", () =>
    Effect.gen(function*() {
      const { client, set } = yield* open("[agents.a]\n[agents.b]\n")
      const folders = Effect.map(
        promise(() => client.request("skills/bundles")),
        ({ bundles }) => bundles.map(({ alias }: { readonly alias: string }) => alias)
      )
      assert.deepStrictEqual(yield* folders, ["a", "b", "shared"])
      yield* set("acp.default_agent", "b")
      assert.deepStrictEqual(yield* folders, ["b", "a", "shared"])
    }))
})

describe("A provider", () => {
  it.live("is asked at its new address from the next turn on, also for another model, and its list is read again", () =>
    Effect.gen(function*() {
      const [one, two] = [new ChatServer({ say: "from one" }), new ChatServer({ say: "from two" }, { say: "again" })]
      yield* Effect.addFinalizer(() => Effect.sync(() => [one, two].forEach((server) => server.close())))
      const config = yield* promise(() => one.config())
      const other = /base_url = "(.*)"/.exec(yield* promise(() => two.config()))![1]!
      const { say, session, set } = yield* open(config)
      const sessionId = yield* session()
      assert.strictEqual((yield* say(sessionId, "hello"))["content"], "from one")
      yield* set("providers.local.base_url", other)
      assert.strictEqual((yield* say(sessionId, "hello"))["content"], "from two")
      assert.deepStrictEqual([one.requests.length, two.requests.length], [1, 1])
      yield* set("agents.default.model", "local/n")
      assert.strictEqual((yield* say(sessionId, "hello"))["content"], "again")
      assert.deepStrictEqual(two.requests.map(({ model }) => model), ["m", "n"])
    }))
})

describe("A runtime profile", () => {
  it.live("counts from the next turn on", () =>
    Effect.gen(function*() {
      const { say, session, set } = yield* open()
      const sessionId = yield* session()
      assert.strictEqual((yield* say(sessionId, "list\nlist .\nsay end"))["stop_reason"], "end_turn")
      yield* set("runtime_profiles.default.max_tool_iterations", 1)
      assert.strictEqual((yield* say(sessionId, "list\nlist .\nsay end"))["stop_reason"], "max_turn_requests")
    }))
})

describe("A risk profile that was tightened", () => {
  it.live("binds an active session at its next call, also one that was just allowed", () =>
    Effect.gen(function*() {
      const { client, edit, project, session } = yield* open("[agents.default]\n[risk_profiles.default]\n")
      const sessionId = yield* session()
      const turn = client.prompt(sessionId, "write a.txt\nx\n.\nwrite b.txt\nx\n.")
      const { request_id } = yield* promise(() => client.update("approval_request"))
      yield* edit((text) => `${text}level = "readonly"\n`)
      yield* promise(() =>
        client.request("session/approve", { session_id: sessionId, request_id, decision: "allow_once" })
      )
      yield* promise(() => turn)
      assert.isFalse(existsSync(join(project, "a.txt")) || existsSync(join(project, "b.txt")))
      assert.lengthOf(client.updates("approval_request"), 1)
      const [first, second] = outputs(client)
      assert.match(first!, /Denied/)
      assert.match(second!, /Denied/)
    }))

  it.live("in its lists, too: tools, paths and further folders", () =>
    Effect.gen(function*() {
      const outside = yield* temporaryHome
      const { client, project, say, session, set } = yield* open()
      const sessionId = yield* session()
      yield* say(sessionId, `write ok.txt\nx\n.\nwrite ${outside}/out.txt\nx\n.`)
      assert.isTrue(existsSync(join(outside, "out.txt")))
      yield* set("risk_profiles.default.workspace_only", true)
      yield* set("risk_profiles.default.forbidden_paths", [join(project, "ok.txt")])
      yield* set("risk_profiles.default.excluded_tools", ["file_list"])
      const before = outputs(client).length
      yield* say(sessionId, `read ok.txt\nread ${outside}/out.txt\nlist`)
      assert.deepStrictEqual(
        outputs(client).slice(before).map((text) => /^Denied by (\w+)/.exec(text)?.[1] ?? text.slice(0, 80)),
        ["boundary", "boundary", "rule"]
      )
    }))

  it.live("holds on when its agent is removed together with it", () =>
    Effect.gen(function*() {
      const { client, edit, project, say, session } = yield* open(
        "[agents.default]\n[agents.safe]\nrisk_profile = \"safe\"\n[risk_profiles.safe]\nlevel = \"readonly\"\n"
      )
      const sessionId = yield* session({ agent_alias: "safe" })
      yield* edit(() => free)
      yield* say(sessionId, "write a.txt\nx\n.")
      assert.match(outputs(client)[0]!, /Denied/)
      assert.isFalse(existsSync(join(project, "a.txt")))
    }))
})

describe("The user's own policy", () => {
  it.live("is the new one in active sessions, where they have none of their own", () =>
    Effect.gen(function*() {
      const { client, project, say, session, set } = yield* open("[agents.default]\n")
      const sessionId = yield* session()
      yield* set("policy.work_mode", "ro")
      yield* say(sessionId, "write a.txt\nx\n.")
      assert.match(outputs(client)[0]!, /WORK_MODE|Work mode/)
      assert.isFalse(existsSync(join(project, "a.txt")))
    }))
})

describe("What tools are told by the configuration", () => {
  it.live("is looked up at every call", () =>
    Effect.gen(function*() {
      const { client, say, session, set } = yield* open()
      const sessionId = yield* session()
      const call = "call http_request {\"url\": \"http://127.0.0.1:9/\"}"
      yield* say(sessionId, call)
      assert.match(outputs(client).at(-1)!, /may not be reached/)
      yield* set("http_request.enabled", false)
      yield* say(sessionId, call)
      assert.match(outputs(client).at(-1)!, /switched off/)
    }))
})

describe("An MCP server", () => {
  const server = (name: string, behaviour: string) =>
    `\n[mcp.servers.${name}]\ncommand = "${process.execPath}"\nargs = ["${
      join(import.meta.dirname, "..", "mcp", "ScriptedServer.ts")
    }", "${behaviour}"]\n`

  it.live("comes to active sessions with their next turn, and goes with the one after its removal", () =>
    Effect.gen(function*() {
      const { client, edit, say, session, set } = yield* open()
      const old = yield* session()
      yield* say(old, "say nothing")
      yield* edit((text) => text + server("s", "good"))
      for (const sessionId of [old, yield* session({ keep_siblings: true })]) {
        yield* say(sessionId, "call s__echo {\"text\": \"there\"}")
        assert.strictEqual(outputs(client).at(-1), "there")
      }
      yield* set("mcp.servers.s.enabled", false)
      yield* say(old, "call s__echo {\"text\": \"there\"}")
      assert.match(outputs(client).at(-1)!, /UNKNOWN_TOOL/)
      yield* set("mcp.servers.s.enabled", true)
      yield* say(old, "call s__echo {\"text\": \"back\"}")
      assert.strictEqual(outputs(client).at(-1), "back")
    }))
})

describe("Limits and logs", () => {
  it.live("follow: how many sessions there may be", () =>
    Effect.gen(function*() {
      const { client, session, set } = yield* open()
      yield* session({ keep_siblings: true })
      yield* set("rpc.max_sessions", 1)
      const asked = { agent_alias: "default", keep_siblings: true }
      assert.strictEqual((yield* promise(() => client.failure("session/new", asked))).code, -32001)
      yield* set("rpc.max_sessions", 2)
      yield* session({ keep_siblings: true })
    }))

  it.live("follow: what is logged, and what is hidden there, before and after", () =>
    Effect.gen(function*() {
      const { context, set } = yield* open(`log_level = "error"\n${free}`)
      const { logs } = Context.get(context as Context.Context<Feeds>, Feeds)
      const log = (text: string) => Effect.provideContext(Effect.logWarning(text), context as Context.Context<never>)
      yield* log("too low")
      yield* set("log_level", "warn")
      yield* set("providers.near.kind", "offline")
      yield* set("providers.near.api_key", "sk-the-old-one")
      yield* log("sk-the-old-one")
      yield* set("providers.near.api_key", "sk-the-new-one")
      yield* log("sk-the-old-one and sk-the-new-one")
      assert.deepStrictEqual(logs.all().map(({ entry }) => entry.message), [
        "<redacted>",
        "<redacted> and <redacted>"
      ])
    }))
})

describe("A broken file", () => {
  it.live("leaves everything as it was, and so does none: rules hold as well", () =>
    Effect.gen(function*() {
      const { edit, file, project, refused, say, session } = yield* open()
      const sessionId = yield* session({ cwd: project })
      writeFileSync(join(project, "a.txt"), "in the open\n")
      const denied = Effect.fnUntraced(function*() {
        assert.match((yield* say(sessionId, "read a.txt"))["content"], /RULE_DENY/)
      })
      assert.match((yield* say(sessionId, "read a.txt"))["content"], /in the open/)
      yield* edit((text) => `${text}\n[policy.rules]\ndeny = ["read(**/a.txt)"]\n`)
      yield* denied()
      yield* edit((text) => `${text}\n[agents.other]\n[agents.third]\nmodel = 3\n`)
      yield* denied()
      yield* edit(() => "[agents.other]\n[broken")
      yield* denied()
      yield* edit(() => "")
      yield* denied()
      rmSync(file)
      yield* denied()
      yield* session({ keep_siblings: true })
      assert.deepInclude(yield* refused({ agent_alias: "other" }), { reason: "agent_unknown" })
    }))
})

describe("What waits for a reload", () => {
  it.live("is listed until it is taken back", () =>
    Effect.gen(function*() {
      const { client, remove, set } = yield* open()
      const status = promise(() => client.request("config/reload-status"))
      yield* set("rpc.max_sessions", 5)
      assert.deepStrictEqual(yield* status, { pending: false, paths: [] })
      yield* set("rpc.max_local_connections", 7)
      assert.deepStrictEqual(yield* status, { pending: true, paths: ["rpc.max_local_connections"] })
      yield* remove("rpc.max_local_connections")
      assert.deepStrictEqual(yield* status, { pending: false, paths: [] })
    }))

  it.live("is not begun with a configuration that does not load", () =>
    Effect.gen(function*() {
      const { client, edit } = yield* open()
      yield* edit(() => "[broken")
      const { code, message } = yield* promise(() => client.failure("config/reload"))
      assert.strictEqual(code, -32602)
      assert.include(message, "config.toml:1")
      assert.deepInclude(yield* promise(() => client.request("status")), { active_sessions: 0 })
    }))
})
