import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import type { Json } from "../support/Wire.ts"
import { promise, served } from "../support/ServedDaemon.ts"

const names = (list: ReadonlyArray<Json>) => list.map(({ name }) => name)

describe("The daemon's catalogue", () => {
  it.live("has the agents with their sessions", () =>
    Effect.gen(function*() {
      const { greet } = yield* served({ config: "[agents.a]\n[agents.b]\nenabled = false\n" })
      const client = yield* greet()
      const closed = yield* promise(() => client.session({ agent_alias: "a" }))
      yield* promise(() => client.request("session/close", { session_id: closed }))
      yield* promise(() => client.session({ agent_alias: "a", chat_mode: "acp" }))
      assert.deepStrictEqual((yield* promise(() => client.request("agents/list")))["agents"], [
        { alias: "a", enabled: true, channels: [] },
        { alias: "b", enabled: false, channels: [] }
      ])
      assert.deepStrictEqual(
        (yield* promise(() => client.request("agents/status")))["agents"].map((
          agent: Json
        ) => [agent["live_sessions"], agent["persisted_sessions"]]),
        [[1, 0], [0, 0]],
        "sessions without a prompt are in no list"
      )
    }))

  it.live("lists and reads skills by bundle", () =>
    Effect.gen(function*() {
      const { folder, greet } = yield* served()
      const skill = (place: string, name: string) => {
        mkdirSync(join(folder, place, name), { recursive: true })
        writeFileSync(
          join(folder, place, name, "SKILL.md"),
          `---\nname: ${name}\ndescription: about ${name}\n---\nDo ${name}.\n`
        )
      }
      skill("agents/default/workspace/skills", "own")
      skill("shared/skills", "common")
      const client = yield* greet()
      assert.sameMembers(names((yield* promise(() => client.request("skills/list")))["skills"]), ["own", "common"])
      assert.deepStrictEqual(
        names((yield* promise(() => client.request("skills/list", { bundle: "shared" })))["skills"]),
        ["common"]
      )
      const read = yield* promise(() => client.request("skills/read", { bundle: "default", name: "own" }))
      assert.deepStrictEqual([read["frontmatter"], read["content"].includes("Do own.")], [{
        name: "own",
        description: "about own"
      }, true])
      assert.strictEqual(
        (yield* promise(() => client.failure("skills/read", { bundle: "default", name: "../own" }))).code,
        -32602
      )
    }))

  it.live("lists and reads the skills of all agents the caller may use, in bundles that stay apart", () =>
    Effect.gen(function*() {
      const { folder, greet, openFor } = yield* served({
        config: `
[agents.a]
[agents.b]
[agents.shared]
[agents.off]
enabled = false
[users.guest]
uid = 4242
permission_profiles = ["guest"]
[permission_profiles.guest]
allowed_agents = ["b"]
grants = { skills = ["read"] }
`
      })
      const put = (place: string, name: string) => {
        mkdirSync(join(folder, place, name), { recursive: true })
        writeFileSync(join(folder, place, name, "SKILL.md"), `---\nname: ${name}\ndescription: ${place}\n---\n`)
      }
      for (const agent of ["a", "b", "shared", "off"]) put(`agents/${agent}/workspace/skills`, "ship")
      put("agents/b/workspace/skills", "plain")
      put("shared/skills", "common")
      const client = yield* greet()
      const guest = yield* greet({}, yield* openFor(4242))
      const ask = (method: string, params: Json = {}, from = client) =>
        promise(() => from.request(`skills/${method}`, params))
      const refusal = (method: string, params: Json = {}, from = client) =>
        Effect.map(
          promise(() => from.failure(`skills/${method}`, params)),
          ({ code, data }) => [code, data?.["field"], data?.["reason"]]
        )
      const bundles = Effect.fnUntraced(function*(params: Json = {}, from = client) {
        return (yield* ask("bundles", params, from))["bundles"].map(({ alias, directory }: Json) => [
          alias,
          String(directory).slice(folder.length + 1)
        ])
      })
      const own = (alias: string, agent = alias) => [alias, `agents/${agent}/workspace/skills`]
      const common = ["shared", "shared/skills"]
      assert.deepStrictEqual(yield* bundles(), [own("a"), own("b"), own("agents/shared", "shared"), common])
      assert.deepStrictEqual(yield* bundles({ agent: "b" }), [own("b"), common])
      assert.deepStrictEqual(yield* bundles({}, guest), [own("b"), common])

      const listed = (yield* ask("list"))["skills"].map(({ bundle, name }: Json) => `${bundle}:${name}`)
      assert.deepStrictEqual(listed, ["a:ship", "b:plain", "b:ship", "agents/shared:ship", "shared:common"])
      assert.deepStrictEqual(names((yield* ask("list", { bundle: "b" }))["skills"]), ["plain", "ship"])

      const read = Effect.fnUntraced(function*(params: Json, from = client) {
        const { bundle, frontmatter } = yield* ask("read", params, from)
        return [bundle, frontmatter.description]
      })
      assert.deepStrictEqual(yield* read({ name: "plain" }), own("b"))
      assert.deepStrictEqual(yield* read({ name: "ship", bundle: "b" }), own("b"))
      assert.deepStrictEqual(yield* read({ name: "ship" }, guest), own("b"))
      assert.deepStrictEqual(yield* refusal("read", { name: "ship" }), [-32602, "bundle", "ambiguous"])
      assert.deepStrictEqual(yield* refusal("read", { name: "ship", bundle: "off" }), [-32602, "bundle", "not_found"])
      assert.deepStrictEqual(yield* refusal("read", { name: "no" }), [-32602, "name", "not_found"])
      assert.deepStrictEqual(yield* refusal("list", { agent: "nobody" }), [-32602, "agent", "agent_unknown"])
      assert.strictEqual((yield* refusal("list", { agent: "a" }, guest))[0], -32012)
      const written = { name: "ship", content: "---\nname: ship\n---\n" }
      assert.deepStrictEqual(yield* refusal("write", { ...written, bundle: "off" }), [
        -32602,
        "bundle",
        "agent_disabled"
      ])
      assert.deepStrictEqual(yield* refusal("write", { ...written, bundle: "no" }), [-32602, "bundle", "agent_unknown"])
      assert.deepStrictEqual(yield* refusal("write", { ...written, agent: "no", bundle: "b" }), [
        -32602,
        "agent",
        "agent_unknown"
      ])
      yield* ask("write", { ...written, bundle: "agents/shared" })
      assert.deepStrictEqual(yield* read({ name: "ship", bundle: "agents/shared" }), ["agents/shared", undefined])
    }))

  it.live("reads the skill of the agent that sessions get, where several have one of that name", () =>
    Effect.gen(function*() {
      const { folder, greet } = yield* served({
        config: "[agents.a]\n[agents.b]\n[acp]\ndefault_agent = \"b\"\n"
      })
      for (const agent of ["a", "b"]) {
        const place = join(folder, "agents", agent, "workspace/skills/ship")
        mkdirSync(place, { recursive: true })
        writeFileSync(join(place, "SKILL.md"), "---\nname: ship\ndescription: x\n---\n")
      }
      const client = yield* greet()
      const { bundle } = yield* promise(() => client.request("skills/read", { name: "ship" }))
      assert.strictEqual(bundle, "b")
      const { bundles } = yield* promise(() => client.request("skills/bundles"))
      assert.deepStrictEqual(bundles.map(({ alias }: Json) => alias), ["b", "a", "shared"])
    }))

  it.live("lists folders, first folders, then by name, hidden ones on request", () =>
    Effect.gen(function*() {
      const { greet, project } = yield* served()
      mkdirSync(join(project, "zoo"))
      for (const name of ["b.txt", "A.txt", ".hidden"]) writeFileSync(join(project, name), "12345")
      const client = yield* greet()
      const { cwd, entries } = yield* promise(() => client.request("fs/list_dir", { path: project }))
      assert.deepStrictEqual([cwd, names(entries)], [project, ["zoo", "A.txt", "b.txt"]])
      assert.deepInclude(entries[1], { full_path: join(project, "A.txt"), is_dir: false, is_hidden: false, size: 5 })
      assert.deepStrictEqual(
        names((yield* promise(() => client.request("fs/list_dir", { path: project, showHidden: true })))["entries"]),
        ["zoo", ".hidden", "A.txt", "b.txt"]
      )
      for (
        const [path, code] of [["/no/such/folder", 4001], [join(project, "b.txt"), 4001], [`${project}/../x`, 4003], [
          "relative",
          4003
        ]] as const
      ) {
        assert.strictEqual((yield* promise(() => client.failure("fs/list_dir", { path }))).code, code)
      }
    }))

  it.live("says what sessions have cost and how the machine is", () =>
    Effect.gen(function*() {
      const { folder, greet } = yield* served()
      const client = yield* greet()
      const session_id = yield* promise(() => client.session())
      yield* promise(() => client.prompt(session_id, "say hi"))
      const today = new Date().toISOString().slice(0, 10)
      const ledger = new DatabaseSync(join(folder, "data", "sessions", "acp-sessions.db"))
      for (
        const [day, model, dollars] of [[today, "p/a", 0.25], [today, "p/b", 0.5], ["2020-02-02", "p/a", 4]] as const
      ) {
        ledger.prepare(
          "INSERT INTO costs (day, agent, model, requests, tokens, nanodollars) VALUES (?, 'default', ?, 1, 10, ?)"
        ).run(day, model, dollars * 1e9)
      }
      ledger.close()
      assert.deepInclude(yield* promise(() => client.request("cost/query")), {
        session_cost_usd: 0,
        request_count: 1,
        daily_cost_usd: 0.75,
        monthly_cost_usd: 0.75,
        by_model: { "p/a": 4.25, "p/b": 0.5 },
        by_agent: { default: 4.75 }
      })
      assert.deepInclude(yield* promise(() => client.request("cost/query", { to: "2020-12-31T00:00:00Z" })), {
        daily_cost_usd: 0,
        by_model: { "p/a": 4 }
      })
      const { results, summary } = yield* promise(() => client.request("doctor/run"))
      assert.include(results.map(({ category }: Json) => category), "sandbox")
      assert.strictEqual(summary.ok + summary.warnings + summary.errors, results.length)
      const out = yield* promise(() => client.failure("sops/list"))
      assert.deepStrictEqual([out.code, out.message], [-32603, "SOP subsystem not enabled"])
    }))

  it.live("speaks English, without catalogues", () =>
    Effect.gen(function*() {
      const { greet } = yield* served()
      const client = yield* greet()
      assert.deepStrictEqual(yield* promise(() => client.request("locales/list")), {
        locales: [{ code: "en", label: "English" }]
      })
      for (const [locale, catalog] of [["en", ["tui", "../../secret"]], ["../xx", []]] as const) {
        assert.deepStrictEqual(yield* promise(() => client.request("locales/fetch", { locale, catalog })), {
          locale,
          catalogs: [],
          skipped: catalog
        })
      }
      assert.deepStrictEqual((yield* promise(() => client.request("locales/fetch", { locale: "en" })))["skipped"], [])
      assert.strictEqual((yield* promise(() => client.failure("locales/fetch", { catalog: ["tui"] }))).code, -32602)
    }))

  it.live("answers what it leaves out as unknown, and workflows as disabled", () =>
    Effect.gen(function*() {
      const { greet } = yield* served()
      const client = yield* greet()
      const { capabilities } = yield* promise(() => client.request("initialize"))
      for (
        const method of [
          "cron/list",
          "quickstart/state",
          "channels/list",
          "canvas/list",
          "plugin-webhook/routes",
          "cert/renew"
        ]
      ) {
        assert.strictEqual((yield* promise(() => client.failure(method))).code, -32601)
        assert.notInclude(capabilities, method)
      }
      assert.strictEqual((yield* promise(() => client.failure("sops/run"))).code, -32603)
      assert.includeMembers([...capabilities], [
        "personality/put",
        "skills/write",
        "tools/list",
        "cost/org",
        "locales/list"
      ])
    }))
})

describe("The memory of an agent", () => {
  it.live("is a tool of chat sessions, and of no ACP session on any path", () =>
    Effect.gen(function*() {
      const { greet, project } = yield* served()
      const client = yield* greet()
      const store = `call memory_store {"key":"k","content":"v"}`
      const outputs = (from: number) => client.updates("tool_result").slice(from).map(({ raw_output }) => raw_output)
      const chat = yield* promise(() => client.session({ cwd: project, keep_siblings: true }))
      client.send({ id: 1, method: "session/prompt", params: { session_id: chat, prompt: store } })
      const { request_id } = yield* promise(() =>
        Promise.race([client.update("approval_request"), client.update("turn_complete")])
      )
      if (request_id !== undefined) {
        yield* promise(() =>
          client.request("session/approve", { session_id: chat, request_id, decision: "allow_once" })
        )
      }
      yield* promise(() => client.answer(1))
      assert.match(outputs(0)[0], /Stored memory: k/)
      const acp = yield* promise(() => client.session({ cwd: project, chat_mode: "acp", exclude_memory: false }))
      yield* promise(() => client.prompt(acp, store))
      yield* promise(() => client.request("session/close", { session_id: acp }))
      yield* promise(() => client.prompt(acp, store))
      yield* promise(() => client.session({ session_id: acp, chat_mode: "acp", exclude_memory: false }))
      yield* promise(() => client.prompt(acp, store))
      assert.strictEqual(outputs(1).length, 3)
      for (const output of outputs(1)) assert.match(output, /there is no tool memory_store/)
    }))
})
