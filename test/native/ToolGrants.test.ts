import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { SocketClient } from "../support/SocketClient.ts"
import { type Options, promise, served } from "../support/ServedDaemon.ts"
import { temporaryHome } from "../support/TemporaryFolder.ts"

const ann = 70001
const script = join(import.meta.dirname, "..", "mcp", "ScriptedServer.ts")

const config = (tools: ReadonlyArray<string> | undefined, more = "") => `
[users.ann]
uid = ${ann}
permission_profiles = ["reader"]

[permission_profiles.reader]
allowed_agents = ["default"]
${tools === undefined ? "" : `allowed_tools = ${JSON.stringify(tools)}`}
grants = { sessions = ["create", "read", "update", "delete", "execute"] }
${more}`

const open = Effect.fnUntraced(function*(tools: ReadonlyArray<string> | undefined, more = "", options: Options = {}) {
  const host = yield* served({ ...options, config: config(tools, more) })
  const client = yield* host.greet({}, yield* host.openFor(ann))
  const allow = (now: ReadonlyArray<string>) => writeFileSync(join(host.folder, "config.toml"), config(now, more))
  return { ...host, client, allow }
})

/** The results of what the model does with this prompt. */
const results = Effect.fnUntraced(function*(client: SocketClient, session: string, prompt: string) {
  const before = client.updates("tool_result").length
  yield* promise(() => client.prompt(session, prompt))
  return client.updates("tool_result").slice(before).map(({ raw_output }) => String(raw_output))
})

const refused = (tool: string) =>
  `Denied by capability (TOOL_NOT_ALLOWED): ${tool} is not in allowed_tools: no permission profile of principal "ann" ("reader") has it
Decided by the operator, with the permissions of this session's owner in config.toml.`

describe("allowed_tools of a permission profile", () => {
  it.live("let a session be opened, and refuse every other tool by the name of the profile", () =>
    Effect.gen(function*() {
      const { client, greet, project } = yield* open(["file_list"], "[policy]\ntool_approval = \"universal_accept\"\n")
      const session = yield* promise(() => client.session({ cwd: project }))
      const [listed = ""] = yield* results(client, session, "list .")
      assert.notInclude(listed, "Denied")
      assert.deepStrictEqual(yield* results(client, session, "run touch made"), [refused("shell")])
      const write = yield* results(client, session, "write made\nx\n.")
      assert.deepStrictEqual(write, [refused("file_write")])
      assert.isFalse(existsSync(join(project, "made")))
      const operator = yield* greet()
      const own = yield* promise(() => operator.session({ cwd: project }))
      yield* results(operator, own, "write made\nx\n.")
      assert.isTrue(existsSync(join(project, "made")))
      // Whoever prompts it, the session is its owner's.
      assert.deepStrictEqual(yield* results(operator, session, "run true"), [refused("shell")])
    }))

  it.live("hold for a session that is brought back, by session/new, by a prompt, and by another daemon", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryHome
      const session = yield* Effect.scoped(Effect.gen(function*() {
        const { client, project } = yield* open(["file_list"], "", { folder })
        const session = yield* promise(() => client.session({ cwd: project, chat_mode: "acp" }))
        const put = () => client.request("session/close", { session_id: session })
        yield* promise(put)
        yield* promise(() => client.session({ session_id: session, chat_mode: "acp" }))
        assert.deepStrictEqual(yield* results(client, session, "run true"), [refused("shell")])
        yield* promise(put)
        assert.deepStrictEqual(yield* results(client, session, "run true"), [refused("shell")])
        return session
      }))
      const { client } = yield* open(["file_list"], "", { folder })
      assert.deepStrictEqual(yield* results(client, session, "run true"), [refused("shell")])
    }))

  it.live("bind the next call when one is taken away in the middle of a turn, and the call that is being asked about", () =>
    Effect.gen(function*() {
      const { allow, client, project } = yield* open(["file_write", "file_list"])
      const session = yield* promise(() => client.session({ cwd: project }))
      const turn = yield* Effect.forkChild(results(client, session, "write one\nx\n.\nlist .\nwrite two\nx\n."), {
        startImmediately: true
      })
      const answer = Effect.fnUntraced(function*(since: number, now: ReadonlyArray<string>) {
        const { request_id } = yield* promise(() => client.update("approval_request", since))
        const seen = client.messages.length
        allow(now)
        yield* promise(() =>
          client.request("session/approve", { session_id: session, request_id, decision: "allow_once" })
        )
        return seen
      })
      const seen = yield* answer(0, ["file_write"])
      yield* answer(seen, ["file_list"])
      const [, list, two] = yield* Fiber.join(turn)
      assert.isTrue(existsSync(join(project, "one")))
      assert.strictEqual(list, refused("file_list"))
      assert.strictEqual(two, refused("file_write"))
      assert.isFalse(existsSync(join(project, "two")))
    }))

  it.live("are those of MCP servers as well, under either of their names", () =>
    Effect.gen(function*() {
      const server = `
[policy]
tool_approval = "universal_accept"
[mcp.servers.s]
command = "${process.execPath}"
args = ${JSON.stringify([script, "good"])}
sandbox = "danger-full-access"
`
      const { allow, client } = yield* open(["s__echo"], server)
      const session = yield* promise(() => client.session())
      const echo = () => results(client, session, "call s__echo {\"text\":\"hello\"}")
      assert.deepStrictEqual(yield* echo(), ["hello"])
      assert.deepStrictEqual(yield* results(client, session, "call s__peek {}"), [refused("s__peek")])
      allow(["mcp__s__echo"])
      assert.deepStrictEqual(yield* echo(), ["hello"])
      allow(["TodoWrite", "s__*"])
      assert.deepStrictEqual(yield* echo(), [refused("s__echo")])
      allow([" * "])
      assert.deepStrictEqual(yield* echo(), ["hello"])
      // Without any tool to offer, the model makes no call.
      allow([])
      assert.deepStrictEqual(yield* echo(), [])
    }))
})
