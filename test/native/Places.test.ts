import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { hasBubblewrap, reason } from "../support/Bubblewrap.ts"
import { promise, served } from "../support/ServedDaemon.ts"
import { temporaryHome } from "../support/TemporaryFolder.ts"

const ann = 70001

const config = (workspace: string, agents: ReadonlyArray<string>) => `
[agents.default]
[agents.other]
[agents.away]
workspace = ${JSON.stringify(workspace)}

[users.ann]
uid = ${ann}
permission_profiles = ["worker"]

[permission_profiles.worker]
allowed_agents = ${JSON.stringify(agents)}
grants = { sessions = ["create", "read", "update", "execute"], files = ["read"] }
`

const open = Effect.fnUntraced(function*(agents: ReadonlyArray<string>) {
  const workspace = dirname(yield* temporaryHome)
  const host = yield* served({ config: config(workspace, agents) })
  const client = yield* host.greet({}, yield* host.openFor(ann))
  const of = (agent: string) => join(host.folder, "agents", agent, "workspace")
  for (const path of [join(of("default"), "mine"), join(of("other"), "sub"), join(workspace, "sub")]) {
    mkdirSync(path, { recursive: true })
  }
  const link = (name: string, target: string) => {
    const path = join(host.project, name)
    symlinkSync(target, path)
    return path
  }
  const put = (agents: ReadonlyArray<string>) =>
    writeFileSync(join(host.folder, "config.toml"), config(workspace, agents))
  return { ...host, client, link, of, put, workspace }
})

describe("A folder of Postern, or of an agent that the principal may not use,", () => {
  it.live("is neither a session's nor listed, by whatever name", () =>
    Effect.gen(function*() {
      const { client, folder, greet, link, of, project, workspace } = yield* open(["default"])
      const forbidden = [
        folder,
        join(folder, "data"),
        join(folder, "agents"),
        join(folder, "no-such-folder"),
        of("other"),
        join(of("other"), "sub"),
        workspace,
        join(workspace, "sub"),
        link("to-home", folder),
        join(link("to-agents", dirname(dirname(of("other")))), "other", "workspace")
      ]
      const operator = yield* greet()
      for (const path of forbidden) {
        const refused = yield* promise(() => client.failure("session/new", { agent_alias: "default", cwd: path }))
        assert.deepStrictEqual([path, refused.code, refused.data?.["field"]], [path, -32012, "cwd"])
        const listed = yield* promise(() => client.failure("fs/list_dir", { path }))
        assert.deepStrictEqual([path, listed.code], [path, 4002])
      }
      assert.deepStrictEqual((yield* promise(() => client.request("session/list")))["sessions"], [])
      for (
        const path of [project, of("default"), join(of("default"), "mine"), dirname(folder), link("own", of("default"))]
      ) {
        yield* promise(() => client.session({ cwd: path }))
        yield* promise(() => client.request("fs/list_dir", { path }))
      }
      yield* promise(() => client.session())
      yield* promise(() => operator.session({ cwd: of("other") }))
      yield* promise(() => operator.request("fs/list_dir", { path: folder }))
    }))

  it.live("is not one that a session moves to when its own folder is gone", () =>
    Effect.gen(function*() {
      const { client, of, project, put } = yield* open(["default"])
      const here = (name: string) => join(project, name)
      mkdirSync(join(here("a"), "inner"), { recursive: true })
      const session_id = yield* promise(() => client.session({ cwd: here("a") }))
      yield* promise(() => client.prompt(session_id, "say hi"))
      renameSync(here("a"), here("b"))
      const enter = { agent_alias: "default", session_id }
      for (const isLive of [true, false]) {
        const refused = yield* promise(() => client.failure("session/new", { ...enter, cwd: of("other") }))
        assert.deepStrictEqual([isLive, refused.code, refused.data?.["field"]], [isLive, -32012, "cwd"])
        if (isLive) yield* Effect.ignore(Effect.tryPromise(() => client.request("session/close", { session_id })))
      }
      const gone = yield* promise(() => client.failure("session/prompt", { session_id, prompt: "say x" }))
      assert.strictEqual(gone.data?.["reason"], "cwd_unusable")
      assert.include(gone.message, "cwd")
      assert.strictEqual(yield* promise(() => client.session({ ...enter, cwd: here("b") })), session_id)
      assert.include((yield* promise(() => client.prompt(session_id, "run pwd")))["content"], here("b"))
      // A folder that is gone, in a place that is no longer the caller's, does not hold the session there.
      put(["default", "other"])
      const lost = yield* promise(() => client.session({ cwd: join(of("other"), "sub") }))
      put(["default"])
      rmSync(join(of("other"), "sub"), { recursive: true })
      const moved = { agent_alias: "default", session_id: lost, cwd: here("b") }
      assert.strictEqual(yield* promise(() => client.session(moved)), lost)
    }))

  it.live("is no longer the one of a session that has it, open or stored", () =>
    Effect.gen(function*() {
      const { client, of, put } = yield* open(["default", "other"])
      const session_id = yield* promise(() => client.session({ cwd: of("other") }))
      yield* promise(() => client.prompt(session_id, "say hi"))
      put(["default"])
      const refused = Effect.gen(function*() {
        for (const method of ["session/prompt", "session/new"]) {
          const fault = yield* promise(() =>
            client.failure(method, { agent_alias: "default", session_id, prompt: "list ." })
          )
          assert.deepStrictEqual([method, fault.code, fault.data?.["field"]], [method, -32012, "cwd"])
        }
      })
      yield* refused
      yield* promise(() => client.request("session/close", { session_id }))
      yield* refused
      put(["*"])
      yield* promise(() => client.prompt(session_id, "say hi"))
    }))
})

describe.skipIf(!hasBubblewrap)(`The workspace of an agent that the principal may not use,${reason}`, () => {
  it.live("is hidden in sessions that were opened above it, by every way in, until the agent is allowed", () =>
    Effect.gen(function*() {
      const top = join(dirname(yield* temporaryHome), "all")
      const ops = join(top, "deep", "ops")
      const text = (agents: ReadonlyArray<string>) =>
        `${config(ops, agents).replace("\"execute\"", "\"execute\", \"delete\"")}
[policy]
tool_approval = "universal_accept"
`
      const host = yield* served({ config: text(["default"]) })
      mkdirSync(ops, { recursive: true })
      writeFileSync(join(ops, "notes"), "NEEDLE\n")
      writeFileSync(join(top, "deep", "open"), "HAY\n")
      symlinkSync(ops, join(top, "link"))
      writeFileSync(
        join(top, "in.sh"),
        `cat deep/ops/notes link/notes ${ops}/notes deep/open; grep -rs NEED[L]E .; ls deep/ops; true`
      )
      const ann = yield* host.greet({}, yield* host.openFor(70001))
      const operator = yield* host.greet()
      const ways = [
        "run cat deep/ops/notes",
        "run cat link/notes",
        "run bash ./in.sh",
        "read deep/ops/notes",
        "read link/notes",
        `read ${ops}/notes`,
        "search NEEDLE .",
        "search NEEDLE deep/ops",
        "list deep/ops",
        `call glob_search ${JSON.stringify({ pattern: "**/notes" })}`,
        "write deep/ops/notes\nchanged\n."
      ]
      const results = Effect.fnUntraced(function*(client: typeof ann, session: string, prompt: string) {
        const before = client.updates("tool_result").length
        yield* promise(() => client.prompt(session, prompt))
        return client.updates("tool_result").slice(before).map(({ raw_output }) => String(raw_output)).join("\n")
      })
      const session = yield* promise(() => ann.session({ cwd: top }))
      const stored = yield* promise(() => ann.session({ cwd: join(top, "deep") }))
      yield* promise(() => ann.request("session/close", { session_id: stored }))
      for (const sandbox of ["workspace-write", "read-only", "workspace-read"]) {
        yield* promise(() => ann.prompt(session, `/policy sandbox ${sandbox}`))
        for (const way of ways) {
          const seen = yield* results(ann, session, way)
          assert.notMatch(seen, /NEEDLE\n|:NEEDLE|ops\/notes$|^notes/m, `${sandbox}: ${way}: ${seen}`)
          if (way.includes("in.sh")) assert.include(seen, "HAY", sandbox)
        }
      }
      assert.strictEqual(readFileSync(join(ops, "notes"), "utf8"), "NEEDLE\n")
      assert.notInclude(yield* results(ann, stored, "run cat ops/notes"), "NEEDLE")
      const path = join(ops, "notes")
      const refused = yield* promise(() => ann.failure("file/attach", { session_id: session, files: [{ path }] }))
      assert.strictEqual(refused.code, -32012)
      const listed = yield* promise(() => ann.request("fs/list_dir", { path: join(top, "deep") }))
      assert.deepStrictEqual(listed["entries"].map(({ name }: { name: string }) => name), ["open"])
      const above = yield* promise(() => ann.request("fs/list_dir", { path: top }))
      assert.deepStrictEqual(above["entries"].map(({ name }: { name: string }) => name), ["deep", "in.sh"])

      const own = yield* promise(() => operator.session({ cwd: top }))
      assert.include(yield* results(operator, own, "run cat deep/ops/notes"), "NEEDLE")
      writeFileSync(join(host.folder, "config.toml"), text(["default", "away"]))
      assert.include(yield* results(ann, session, "run bash ./in.sh"), "NEEDLE")
      assert.include(yield* results(ann, session, "read deep/ops/notes"), "NEEDLE")
      writeFileSync(join(host.folder, "config.toml"), text(["default"]))
      assert.notInclude(yield* results(ann, session, "run bash ./in.sh"), "NEEDLE")
    }))
})
