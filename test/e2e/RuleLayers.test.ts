import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect } from "vitest"
import type { AcpProcess } from "../support/AcpProcess.ts"
import type { Policy } from "../support/AgentProcess.ts"
import { bundle, type Host, test } from "../support/Host.ts"
import type { Json } from "../support/Wire.ts"

const trust = (host: Host) =>
  void execFileSync(process.execPath, [bundle, "policy", "trust", host.project], { env: host.env })

const denied = (updates: ReadonlyArray<Json>) =>
  JSON.stringify(
    updates.findLast((u) => u["sessionUpdate"] === "tool_call_update" && u["status"] === "failed")?.["content"] ?? null
  )

describe("a rule that a client adds", () => {
  test("to the user's file holds from the next call on in every session, keeps the file's comments, and goes again", async ({ host }) => {
    const file = join(host.config, "config.toml")
    writeFileSync(file, "# mine\n[acp]\nmax_sessions = 5 # few\n")
    const acp = await host.open()
    const [one, two] = [await acp.newSession(), await acp.newSession()]
    expect(denied((await acp.prompt(two, "run ls")).updates)).toBe("null")
    const { id } = await acp.request("_rules/add", {
      sessionId: one,
      list: "deny",
      rule: "shell(ls *)",
      layer: "user",
      reason: "quiet please"
    })
    const told = denied((await acp.prompt(two, "run ls")).updates)
    expect(told).toContain("Denied by rule (RULE_DENY): deny rule shell(ls *) (quiet please)")
    const text = readFileSync(file, "utf8")
    for (const kept of ["# mine", "max_sessions = 5 # few", "shell(ls *)"]) expect(text).toContain(kept)
    expect((await acp.request("_rules/list", { sessionId: two }))["rules"]).toEqual([
      { id, list: "deny", rule: "shell(ls *)", layer: "user", reason: "quiet please" }
    ])
    expect(await acp.request("_rules/remove", { sessionId: two, id })).toEqual({ removed: true })
    expect(await acp.request("_rules/remove", { sessionId: one, id })).toEqual({ removed: false })
    expect(denied((await acp.prompt(one, "run ls")).updates)).toBe("null")
    expect(readFileSync(file, "utf8")).not.toContain("ls *")
  })

  test("to the project's file holds in the sessions of that folder only", async ({ host }) => {
    const acp = await host.open()
    const elsewhere = join(host.folder, "elsewhere")
    mkdirSync(elsewhere)
    const [here, there] = [await acp.newSession(), await acp.newSession({ cwd: elsewhere })]
    const { id } = await acp.request("_rules/add", {
      sessionId: here,
      list: "deny",
      rule: "shell(ls *)",
      layer: "project",
      reason: "the first rule of a new file"
    })
    expect(readFileSync(join(host.project, ".postern", "rules.toml"), "utf8")).toContain("shell(ls *)")
    expect(denied((await acp.prompt(here, "run ls")).updates)).toContain("RULE_DENY")
    expect(denied((await acp.prompt(there, "run ls")).updates)).toBe("null")
    expect((await acp.request("_rules/list", { sessionId: there }))["rules"]).toEqual([])
    expect(await acp.request("_rules/remove", { sessionId: there, id })).toEqual({ removed: false })
    expect(await acp.request("_rules/remove", { sessionId: here, id })).toEqual({ removed: true })
  })

  test("to allow something in a project that is not trusted is listed as having no say", async ({ host }) => {
    const acp = await host.open({ permission: "reject-once" })
    const sessionId = await acp.newSession()
    const { id } = await acp.request("_rules/add", {
      sessionId,
      list: "allow",
      rule: "shell(mkdir *)",
      layer: "project"
    })
    expect((await acp.request("_rules/list", { sessionId }))["rules"]).toEqual([
      { id, list: "allow", rule: "shell(mkdir *)", layer: "project", counts: false }
    ])
    await acp.prompt(sessionId, "run mkdir made")
    expect(existsSync(join(host.project, "made"))).toBe(false)
  })

  test("from many sessions at once is lost nowhere", async ({ host }) => {
    const acp = await host.open()
    const sessions = [await acp.newSession(), await acp.newSession()]
    await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        acp.request("_rules/add", {
          sessionId: sessions[i % 2]!,
          list: "deny",
          rule: `shell(x${i})`,
          layer: i < 4 ? "user" : "project"
        }))
    )
    const { rules } = await acp.request("_rules/list", { sessionId: sessions[0]! })
    expect(rules.map((rule: Json) => rule["rule"]).sort()).toEqual(Array.from({ length: 8 }, (_, i) => `shell(x${i})`))
  })
})

describe("a rule that cannot be added or removed is refused", () => {
  test("in the operator's layer, in a layer that does not exist, and where the file cannot be used", async ({ host }) => {
    writeFileSync(join(host.config, "config.toml"), "[risk_profiles.default]\nexcluded_tools = [\"deliver_file\"]\n")
    const acp = await host.open()
    const sessionId = await acp.newSession()
    const add = (layer: string) => acp.failure("_rules/add", { sessionId, list: "deny", rule: "shell(ls *)", layer })
    expect(await add("managed")).toMatchObject({
      code: -32602,
      message: expect.stringContaining("operator"),
      data: { reason: "rule_refused", field: "layer" }
    })
    expect(await add("everywhere")).toMatchObject({ code: -32602 })
    const { rules } = await acp.request("_rules/list", { sessionId })
    expect(rules).toMatchObject([{ rule: "deliver_file", layer: "managed" }])
    expect(await acp.failure("_rules/remove", { sessionId, id: rules[0].id })).toMatchObject({
      code: -32602,
      message: expect.stringContaining("operator"),
      data: { field: "id" }
    })
    mkdirSync(join(host.project, ".postern"))
    writeFileSync(join(host.project, ".postern", "rules.toml"), "deny = 1\n")
    expect(await add("project")).toMatchObject({
      code: -32602,
      message: expect.stringContaining("rules.toml: deny: must be a list")
    })
    expect(readFileSync(join(host.project, ".postern", "rules.toml"), "utf8")).toBe("deny = 1\n")
  })

  test("without saying it all again, however long it is", async ({ host }) => {
    const acp = await host.open()
    const sessionId = await acp.newSession()
    const long = "x".repeat(100_000)
    for (const rule of [`shell(${long})`, long, `${long}(`, `shell(${long}`, `read(/${long})`]) {
      for (const layer of ["session", "user"]) {
        const failed = await acp.failure("_rules/add", { sessionId, list: "deny", rule, layer })
        expect(failed.code).toBe(-32602)
        expect(JSON.stringify(failed).length).toBeLessThan(1000)
      }
    }
    for (const wrong of [{ layer: long }, { list: long }]) {
      const failed = await acp.failure("_rules/add", { sessionId, list: "deny", rule: "shell(ls)", ...wrong })
      expect(failed.code).toBe(-32602)
      expect(JSON.stringify(failed).length).toBeLessThan(1000)
    }
    expect(await acp.request("_rules/remove", { sessionId, id: long })).toEqual({ removed: false })
  })
})

describe("an answer for good", () => {
  const offers = (acp: AcpProcess) => {
    const asked = acp.messages.findLast((m) => m.method === "session/request_permission")
    return Object.fromEntries(
      (asked?.params?.["options"] ?? []).filter((o: Json) => o["kind"].endsWith("always"))
        .map((o: Json) => [o["kind"], o["_meta"].postern.scopes.map((s: Json) => s["scope"])])
    )
  }
  const always = (optionId: string, scope?: string): Policy => (request) =>
    request.method !== "session/request_permission" ? undefined : {
      result: {
        outcome: { outcome: "selected", optionId, ...(scope === undefined ? {} : { _meta: { postern: { scope } } }) }
      }
    }

  test("is kept in the workspace where the user says so, and holds in other sessions of the folder", async ({ host }) => {
    trust(host)
    const acp = await host.open({ permission: always("allow-always", "workspace") })
    const [one, two] = [await acp.newSession(), await acp.newSession()]
    await acp.prompt(one, "run mkdir one")
    expect(offers(acp)).toEqual({ allow_always: ["session", "workspace"], reject_always: ["session", "workspace"] })
    acp.permission = "reject-once"
    expect(denied((await acp.prompt(two, "run mkdir one -p")).updates)).toBe("null")
    const { rules } = await acp.request("_rules/list", { sessionId: two })
    expect(rules).toMatchObject([{ list: "allow", rule: "shell(mkdir one *)", layer: "project", guard: true }])
    expect(denied((await acp.prompt(two, "run mkdir one -m 4777 two")).updates)).not.toBe("null")
    expect(await acp.request("_rules/remove", { sessionId: two, id: rules[0].id })).toEqual({ removed: true })
    expect(denied((await acp.prompt(one, "run mkdir one -p")).updates)).toContain("APPROVAL_REJECTED")
  })

  test("is offered for the workspace only where it would count, and an answer that was not offered allows nothing", async ({ host }) => {
    const acp = await host.open({ permission: always("allow-always", "workspace") })
    const sessionId = await acp.newSession()
    expect(denied((await acp.prompt(sessionId, "run mkdir one")).updates)).toContain("APPROVAL_NO_RESPONDER")
    expect(offers(acp)).toEqual({ allow_always: ["session"], reject_always: ["session", "workspace"] })
    acp.permission = always("reject-always", "workspace")
    await acp.prompt(sessionId, "run mkdir one")
    expect(readFileSync(join(host.project, ".postern", "rules.toml"), "utf8")).toContain("shell(mkdir one *)")
    expect(denied((await acp.prompt(await acp.newSession(), "run mkdir one")).updates)).toContain("RULE_DENY")
    await acp.request("session/set_config_option", { sessionId, configId: "user_rules", value: "session" })
    await acp.prompt(sessionId, "run mkdir one")
    expect(offers(acp)).toEqual({ allow_always: ["session"], reject_always: ["session"] })
    expect(existsSync(join(host.project, "one"))).toBe(false)
  })

  test("is kept in the session where the workspace's file cannot be changed, which the user is told", async ({ host }) => {
    trust(host)
    mkdirSync(join(host.folder, "elsewhere"))
    symlinkSync(join(host.folder, "elsewhere"), join(host.project, ".postern"))
    const acp = await host.open({
      permission: always("allow-always", "workspace"),
      capabilities: { session: { notices: {} } }
    })
    const sessionId = await acp.newSession()
    const { updates } = await acp.prompt(sessionId, "write a.txt\nx")
    expect(existsSync(join(host.project, "a.txt"))).toBe(true)
    expect(JSON.stringify(updates)).toContain("allow write(./a.txt) holds in this session only")
    expect((await acp.request("_rules/list", { sessionId }))["rules"]).toMatchObject([{
      rule: "write(./a.txt)",
      layer: "session"
    }])
    expect(readdirSync(join(host.folder, "elsewhere"))).toEqual([])
  })
})

describe("a read that leaves", () => {
  const asked = (acp: AcpProcess) =>
    acp.messages.filter((m: Json) => m["method"] === "session/request_permission").length

  test("the session's folder is asked about, also in the middle of a pipeline", async ({ host }) => {
    writeFileSync(join(host.folder, "outside.txt"), "elsewhere")
    symlinkSync(join(host.folder, "outside.txt"), join(host.project, "link"))
    host.write("inside.txt", "here")
    const acp = await host.open({ permission: "reject-once" })
    const sessionId = await acp.newSession()
    expect(denied((await acp.prompt(sessionId, "run cat inside.txt | sort")).updates)).toBe("null")
    expect(asked(acp)).toBe(0)
    for (const [at, command] of ["cat ../outside.txt", "cat link | sort", "ls .. | head -1"].entries()) {
      expect(denied((await acp.prompt(sessionId, `run ${command}`)).updates), command).toContain("APPROVAL_REJECTED")
      expect(asked(acp)).toBe(at + 1)
    }
  })

  test("to the network is asked about for each host and port, and \"always\" holds for that one", async ({ host }) => {
    const acp = await host.open({ permission: "allow-always" })
    const sessionId = await acp.newSession()
    const fetch = (url: string, tool = "web_fetch") =>
      acp.prompt(sessionId, `call ${tool} ${JSON.stringify(tool === "web_fetch" ? { url } : { url, method: "GET" })}`)
    await fetch("http://127.0.0.1:9/a")
    await fetch("http://127.0.0.1:9/b")
    await fetch("http://127.0.0.1:9/c", "http_request")
    expect(asked(acp)).toBe(1)
    expect((await acp.request("_rules/list", { sessionId }))["rules"]).toMatchObject([
      { list: "allow", rule: "fetch(127.0.0.1:9)", layer: "session" }
    ])
    acp.permission = "reject-once"
    for (const [at, url] of ["http://127.0.0.1:10/", "http://127.0.0.2:9/", "http://a.127.0.0.1.test:9/"].entries()) {
      expect(denied((await fetch(url)).updates), url).toContain("APPROVAL_REJECTED")
      expect(asked(acp)).toBe(at + 2)
    }
    const { updates } = await acp.prompt(sessionId, `call http_request {"url":"http://127.0.0.1:9/","method":"DELETE"}`)
    expect(denied(updates)).toContain("APPROVAL_REJECTED")
  })
})

describe("trust in a project's file", () => {
  test("does not cover what somebody writes later, which each session is told of once", async ({ host }) => {
    trust(host)
    const acp = await host.open({ permission: "reject-once", capabilities: { session: { notices: {} } } })
    const sessionId = await acp.newSession()
    await acp.prompt(sessionId, "list .")
    host.write(".postern/rules.toml", "allow = [\"shell(**)\"]\n")
    const notice = "1 allow rule of this project does not count, because .postern/rules.toml is not what you trusted"
    const first = await acp.prompt(sessionId, "run mkdir made")
    expect(denied(first.updates)).toContain("APPROVAL_REJECTED")
    const told = first.updates.filter((u) => JSON.stringify(u).includes(notice))
    expect(told).toHaveLength(1)
    expect(JSON.stringify(told)).toContain(`trust the file again: postern policy trust ${host.project}`)
    expect(JSON.stringify((await acp.prompt(sessionId, "run mkdir made")).updates)).not.toContain(notice)
    const next = await acp.newSession()
    const second = await acp.prompt(next, "run mkdir made")
    expect(denied(second.updates)).toContain("APPROVAL_REJECTED")
    expect(JSON.stringify(second.updates)).toContain(notice)
    expect(existsSync(join(host.project, "made"))).toBe(false)
    trust(host)
    await acp.prompt(next, "run mkdir made")
    expect(existsSync(join(host.project, "made"))).toBe(true)
  })
})

describe("what a project's file narrows", () => {
  test("is told to the client once the file was read again, and only then", async ({ host }) => {
    const acp = await host.open()
    const sessionId = await acp.newSession()
    await acp.prompt(sessionId, "list .")
    expect(acp.updates(sessionId).some((u) => u.sessionUpdate === "config_option_update")).toBe(false)
    host.write(".postern/rules.toml", "[policy]\nwork_mode = \"ro\"\nnetwork = \"off\"\n")
    const { updates } = await acp.prompt(sessionId, "list .\nlist .")
    const modes = updates.filter((u: Json) => u["sessionUpdate"] === "current_mode_update")
    const options = updates.filter((u: Json) => u["sessionUpdate"] === "config_option_update")
    expect(modes).toMatchObject([{ currentModeId: "ro" }])
    expect((options as ReadonlyArray<Json>)[0]?.["configOptions"].map((o: Json) => o["currentValue"]).slice(0, 2))
      .toEqual(["ro", "off"])
    expect(options).toHaveLength(1)
  })

  test("and level readonly leaves only what it allows to choose from", async ({ host }) => {
    writeFileSync(join(host.config, "config.toml"), "[autonomy]\nlevel = \"readonly\"\n")
    const acp = await host.open()
    const { configOptions, modes } = await acp.request("session/new", { cwd: host.project, mcpServers: [] })
    expect(modes).toMatchObject({ currentModeId: "ro", availableModes: [{ id: "chat" }, { id: "ro" }] })
    expect(configOptions[0].options.map((o: Json) => o["value"])).toEqual(["chat", "ro"])
    expect(configOptions[5].options).toHaveLength(4)
  })
})
