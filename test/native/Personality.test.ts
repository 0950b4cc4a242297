import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ChatServer } from "../support/ChatServer.ts"
import type { SocketClient } from "../support/SocketClient.ts"
import type { Json } from "../support/Wire.ts"
import { promise, refusal, served } from "../support/ServedDaemon.ts"

const workspaceOf = (folder: string, agent = "default") => join(folder, "agents", agent, "workspace")

/** With the agent's workspace there already. */
const prepared = Effect.fnUntraced(function*(config = "") {
  const daemon = yield* served({ config })
  const workspace = workspaceOf(daemon.folder)
  mkdirSync(workspace, { recursive: true })
  return { ...daemon, workspace, client: yield* daemon.greet() }
})

const get = (client: SocketClient, filename: string, params: Json = {}) =>
  promise(() => client.request("personality/get", { filename, ...params }))
const put = (client: SocketClient, filename: string, content: string, params: Json = {}) =>
  promise(() => client.request("personality/put", { filename, content, ...params }))

describe("An agent's personality", () => {
  it.live("is listed, written and read, in a workspace that need not be there", () =>
    Effect.gen(function*() {
      const { folder, greet } = yield* served()
      const client = yield* greet()
      const before = yield* promise(() => client.request("personality/list"))
      assert.deepStrictEqual(before["max_chars"], 20000)
      assert.deepStrictEqual(
        before["files"],
        ["SOUL", "IDENTITY", "USER", "AGENTS", "TOOLS", "HEARTBEAT", "MEMORY"].map((name) => ({
          filename: `${name}.md`,
          exists: false,
          size: 0
        }))
      )
      assert.deepStrictEqual(yield* get(client, "USER.md"), {
        filename: "USER.md",
        content: null,
        exists: false,
        truncated: false
      })
      const written = yield* put(client, "USER.md", "Zoë\n")
      assert.strictEqual(written["bytes_written"], 5)
      const path = join(workspaceOf(folder), "USER.md")
      assert.strictEqual(readFileSync(path, "utf8"), "Zoë\n")
      const { mtime_ms } = written
      assert.deepStrictEqual(yield* get(client, "USER.md", { agent: "default" }), {
        filename: "USER.md",
        content: "Zoë\n",
        exists: true,
        truncated: false,
        mtime_ms
      })
      const after = yield* promise(() => client.request("personality/list"))
      assert.deepInclude(after["files"], { filename: "USER.md", exists: true, size: 5, mtime_ms })
      assert.deepStrictEqual(readdirSync(workspaceOf(folder)), ["USER.md"])
    }))

  it.live("has templates for every file", () =>
    Effect.gen(function*() {
      const { greet } = yield* served({ config: "[agents.nova]\n" })
      const client = yield* greet()
      const { files, preset } = yield* promise(() => client.request("personality/templates", { agent: "nova" }))
      assert.strictEqual(preset, "default")
      const { files: listed } = yield* promise(() => client.request("personality/list", { agent: "nova" }))
      assert.deepStrictEqual(files.map((one: Json) => one["filename"]), listed.map((one: Json) => one["filename"]))
      assert.include(files[1]?.content, "nova")
    }))

  it.live("has these files and no others", () =>
    Effect.gen(function*() {
      const { client, folder, workspace } = yield* prepared()
      writeFileSync(join(workspace, "BOOTSTRAP.md"), "begin")
      for (
        const filename of [
          "",
          ".",
          "..",
          "soul.md",
          "SOUL",
          "BOOTSTRAP.md",
          "./SOUL.md",
          "../SOUL.md",
          "SOUL.md/../../config.toml",
          "SOUL.md\0",
          "SOUL.md ",
          "skills/SOUL.md",
          join(workspace, "SOUL.md"),
          join(folder, "config.toml")
        ]
      ) {
        const refused = [-32602, "invalid_params"]
        assert.deepStrictEqual(yield* refusal(client, "personality/get", { filename }), refused)
        assert.deepStrictEqual(yield* refusal(client, "personality/put", { filename, content: "x" }), refused)
      }
      assert.deepStrictEqual(readdirSync(workspace), ["BOOTSTRAP.md"])
      assert.strictEqual(readFileSync(join(folder, "config.toml"), "utf8"), "")
    }))

  it.live("never is what lies behind a link, in a pipe or in a folder", () =>
    Effect.gen(function*() {
      const { client, folder, workspace } = yield* prepared()
      const secret = join(folder, "secret")
      writeFileSync(secret, "hidden words")
      symlinkSync(secret, join(workspace, "SOUL.md"))
      symlinkSync(join(folder, "nowhere"), join(workspace, "USER.md"))
      mkdirSync(join(workspace, "TOOLS.md"))
      execFileSync("mkfifo", [join(workspace, "AGENTS.md")])
      for (const filename of ["SOUL.md", "USER.md", "TOOLS.md", "AGENTS.md"]) {
        assert.deepStrictEqual(yield* refusal(client, "personality/get", { filename }), [-32602, "invalid"])
        assert.deepStrictEqual(yield* refusal(client, "personality/put", { filename, content: "x" }), [
          -32602,
          "invalid"
        ])
      }
      assert.strictEqual(readFileSync(secret, "utf8"), "hidden words")
      assert.isFalse(existsSync(join(folder, "nowhere")))
      assert.notInclude(JSON.stringify(client.messages), "hidden words")
      const { files } = yield* promise(() => client.request("personality/list"))
      assert.isTrue(files.every((file: Json) => file["exists"] === false))
    }))

  it.live("is text of at most 20000 characters", () =>
    Effect.gen(function*() {
      const { client, workspace } = yield* prepared()
      yield* put(client, "SOUL.md", "😀".repeat(20_000))
      assert.strictEqual(readFileSync(join(workspace, "SOUL.md")).length, 80_000)
      for (
        const [content, reason] of [
          ["😀".repeat(20_001), "too_large"],
          ["a\0b", "malformed"],
          ["a\ud800b", "malformed"]
        ] as const
      ) {
        assert.deepStrictEqual(yield* refusal(client, "personality/put", { filename: "SOUL.md", content }), [
          -32602,
          reason
        ])
      }
      assert.strictEqual(readFileSync(join(workspace, "SOUL.md")).length, 80_000)
      writeFileSync(join(workspace, "USER.md"), "é".repeat(20_005))
      assert.deepInclude(yield* get(client, "USER.md"), { content: "é".repeat(20_000), truncated: true })
      for (
        const [bytes, reason] of [
          [Buffer.from([0xff, 0xfe, 0x41]), "invalid"],
          [Buffer.from("a\0b"), "invalid"],
          [Buffer.alloc(2 * 1024 * 1024, "x"), "too_large"]
        ] as const
      ) {
        writeFileSync(join(workspace, "TOOLS.md"), bytes)
        assert.deepStrictEqual(yield* refusal(client, "personality/get", { filename: "TOOLS.md" }), [-32602, reason])
      }
    }))

  it.live("is not written over what the client has not read", () =>
    Effect.gen(function*() {
      const { client, greet, workspace } = yield* prepared()
      const filename = "SOUL.md"
      const conflict = [-32005, "conflict"]
      const stale = (params: Json) => refusal(client, "personality/put", { filename, content: "stale", ...params })
      assert.deepStrictEqual(yield* stale({ expected_mtime_ms: 1 }), conflict)
      const others = [yield* greet(), yield* greet(), yield* greet()]
      let { mtime_ms } = yield* put(client, filename, "0")
      for (let round = 1; round <= 20; round++) {
        const written = yield* promise(() =>
          Promise.allSettled(
            others.map((other, index) =>
              other.request("personality/put", {
                filename,
                content: `${round}/${index}`,
                expected_mtime_ms: mtime_ms
              })
            )
          )
        )
        const winners = written.flatMap((one, index) => one.status === "fulfilled" ? [index] : [])
        assert.strictEqual(winners.length, 1)
        assert.strictEqual(readFileSync(join(workspace, filename), "utf8"), `${round}/${winners[0]}`)
        assert.deepStrictEqual(yield* stale({ expected_mtime_ms: mtime_ms }), conflict)
        mtime_ms = (yield* get(client, filename))["mtime_ms"]!
      }
      utimesSync(join(workspace, filename), 4e9, 4e9)
      const { mtime_ms: later } = yield* put(client, filename, "after", { expectedMtimeMs: 4e12 })
      assert.isAbove(later, 4e12)
      assert.deepStrictEqual(yield* stale({ expected_mtime_ms: 4e12 }), conflict)
      assert.deepInclude(yield* get(client, filename), { content: "after", mtime_ms: later })
      yield* put(client, filename, "in any case", { expected_mtime_ms: null })
    }))

  it.live("belongs to those who may use the agent and have the grant", () =>
    Effect.gen(function*() {
      const { folder, greet, openFor } = yield* served({
        config: `
[agents.own]
[agents.other]
[users.ann]
uid = 70001
permission_profiles = ["reads"]
[users.bob]
uid = 70002
permission_profiles = ["reads", "writes"]
[permission_profiles.reads]
allowed_agents = ["own"]
grants = { personality = ["read"] }
[permission_profiles.writes]
grants = { personality = ["update"] }
`
      })
      const other = workspaceOf(folder, "other")
      mkdirSync(other, { recursive: true })
      writeFileSync(join(other, "SOUL.md"), "of the other")
      const ann = yield* greet({}, yield* openFor(70001))
      const bob = yield* greet({}, yield* openFor(70002))
      const forbidden = [-32012, "forbidden"]
      const file = { filename: "SOUL.md", content: "x" }
      assert.deepStrictEqual(yield* refusal(ann, "personality/put", { agent: "own", ...file }), forbidden)
      yield* put(bob, "SOUL.md", "mine", { agent: "own" })
      assert.deepInclude(yield* get(ann, "SOUL.md", { agent: "own" }), { content: "mine" })
      for (const method of ["personality/list", "personality/get", "personality/put", "personality/templates"]) {
        assert.deepStrictEqual(yield* refusal(bob, method, { agent: "other", ...file }), forbidden)
        assert.deepStrictEqual(yield* refusal(bob, method, { agent: "../own", ...file }), [-32602, "agent_unknown"])
      }
      assert.strictEqual(readFileSync(join(other, "SOUL.md"), "utf8"), "of the other")
    }))

  it.live("counts for sessions that begin later, and after /new", () =>
    Effect.gen(function*() {
      const model = yield* Effect.acquireRelease(
        Effect.sync(() => new ChatServer()),
        (server) => Effect.sync(() => server.close())
      )
      const { client, project } = yield* prepared(yield* promise(() => model.config()))
      const prompt = Effect.fnUntraced(function*(session: string, text = "hello") {
        yield* promise(() => client.prompt(session, text))
        return JSON.stringify(model.requests.at(-1)?.["messages"][0])
      })
      const open = promise(() => client.session({ cwd: project, keep_siblings: true }))
      yield* put(client, "SOUL.md", "Answer in rhymes.")
      const first = yield* open
      assert.include(yield* prompt(first), "Answer in rhymes.")
      yield* put(client, "SOUL.md", "Answer in riddles.")
      assert.include(yield* prompt(first), "Answer in rhymes.")
      assert.include(yield* prompt(yield* open), "Answer in riddles.")
      yield* prompt(first, "/new")
      assert.include(yield* prompt(first), "Answer in riddles.")
    }))
})
