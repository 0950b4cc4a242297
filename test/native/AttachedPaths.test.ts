import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { promise, served } from "../support/ServedDaemon.ts"
import { temporaryHome } from "../support/TemporaryFolder.ts"

const ann = 70001

const config = (more = "") => `
[users.ann]
uid = ${ann}
permission_profiles = ["giver"]

[permission_profiles.giver]
allowed_agents = ["default"]
grants = { sessions = ["create", "read", "execute"], files = ["create"] }
${more}`

const limited = `
[policy.rules]
deny = ["file_read(denied.txt)"]
ask = ["file_read(asked.txt)"]

[risk_profiles.default]
forbidden_paths = ["~/nowhere", "HERE/forbidden"]
`

const open = Effect.fnUntraced(function*(more: (project: string) => string = () => "") {
  const project = yield* temporaryHome
  for (const name of ["free.txt", "denied.txt", "asked.txt", "forbidden/one.txt", ".env"]) {
    mkdirSync(dirname(join(project, name)), { recursive: true })
    writeFileSync(join(project, name), `the words of ${name}`)
  }
  const host = yield* served({ config: config(more(project)) })
  const client = yield* host.greet({}, yield* host.openFor(ann))
  const session = yield* promise(() => client.session({ cwd: project }))
  const uploads = join(host.folder, "agents", "default", "workspace", "uploads")
  const attach = (path: string, sessionId = session) =>
    Effect.map(
      promise(() => client.failure("file/attach", { session_id: sessionId, files: [{ path }] })),
      ({ code, data }) => [code, data?.["field"]]
    )
  const prompt = (path: string, sessionId = session) =>
    Effect.map(
      promise(() =>
        client.failure("session/prompt", { session_id: sessionId, prompt: "say hi", attachments: [{ path }] })
      ),
      ({ code, data }) => [code, data?.["field"]]
    )
  const read = Effect.fnUntraced(function*(path: string) {
    const before = client.updates("tool_result").length
    yield* promise(() => client.prompt(session, `read ${path}`))
    return String(client.updates("tool_result").slice(before)[0]?.["raw_output"])
  })
  const stored = () => existsSync(uploads) ? readdirSync(uploads) : []
  return { ...host, attach, client, project, prompt, read, session, stored }
})

describe("A path that is attached", () => {
  it.live("is one that file_read of the session may read unasked", () =>
    Effect.gen(function*() {
      const { attach, client, greet, project, prompt, read, session, stored } = yield* open((here) =>
        limited.replace("HERE", here)
      )
      symlinkSync(join(project, "denied.txt"), join(project, "link.txt"))
      for (const name of ["denied.txt", "asked.txt", "forbidden/one.txt", "link.txt"]) {
        const path = join(project, name)
        assert.deepStrictEqual(yield* attach(path), [-32012, "files.0"], name)
        assert.deepStrictEqual(yield* prompt(path), [-32012, "attachments.0"], name)
      }
      assert.match(yield* read(join(project, "denied.txt")), /^Denied by rule /)
      assert.deepStrictEqual(stored(), [])
      const free = join(project, "free.txt")
      const { files } = yield* promise(() =>
        client.request("file/attach", { session_id: session, files: [{ path: free }] })
      )
      assert.deepInclude(files[0], { size_bytes: "the words of free.txt".length })
      // Whoever runs the daemon reads every file on its own.
      const operator = yield* greet()
      const path = join(project, "denied.txt")
      yield* promise(() => operator.request("file/attach", { session_id: session, files: [{ path }] }))
      assert.strictEqual(stored().length, 2)
    }))

  it.live("is none of Postern's own files, and none that the sandbox hides, whatever folder the session has", () =>
    Effect.gen(function*() {
      const { attach, client, folder, prompt, stored } = yield* open()
      const above = yield* promise(() => client.session({ cwd: dirname(folder) }))
      const own = ["config.toml", "data/sessions/chat-sessions.db", "data/sessions/chat-sessions.db-wal"]
      for (const path of own.map((name) => join(folder, name))) {
        assert.isTrue(existsSync(path), path)
        assert.deepStrictEqual(yield* attach(path, above), [-32012, "files.0"], path)
        assert.deepStrictEqual(yield* prompt(path, above), [-32012, "attachments.0"], path)
      }
      const etc = yield* promise(() => client.session({ cwd: "/etc" }))
      assert.deepStrictEqual(yield* attach("/etc/shadow", etc), [-32012, "files.0"])
      assert.deepStrictEqual(yield* attach(`/proc/${process.pid}/environ`), [-32012, "files.0"])
      assert.deepStrictEqual(stored(), [])
    }))

  it.live("is none where the principal's sessions may not read, and none that a person would be asked about", () =>
    Effect.gen(function*() {
      const { attach, folder, project } = yield* open()
      const path = join(project, "free.txt")
      const put = (text: string) => writeFileSync(join(folder, "config.toml"), text)
      put(config().replace("grants", "allowed_tools = [\"file_list\"]\ngrants"))
      assert.deepStrictEqual(yield* attach(path), [-32012, "files.0"])
      for (const knob of ["tool_approval = \"manual\"", "work_mode = \"chat\""]) {
        const other = yield* open(() => `[policy]\n${knob}\n`)
        assert.deepStrictEqual(yield* other.attach(join(other.project, "free.txt")), [-32012, "files.0"], knob)
      }
    }))
})
