import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect } from "vitest"
import { type Host, test } from "../support/Host.ts"
import type { Dialect, Json } from "../support/Wire.ts"

const configure = (host: Host, toml: string) => writeFileSync(join(host.config, "config.toml"), toml)

const opened = (host: Host) => ({ cwd: host.project, mcpServers: [] })

const ids = (options: ReadonlyArray<Json>) => options.map((option) => option["id"])

const all = ["work_mode", "network", "user_rules", "tool_approval", "approval_response", "sandbox", "model"]

const remote = `
[agents.default]
model = "local/m"
[providers.local]
kind = "openai-compatible"
base_url = "http://127.0.0.1:9/v1"
models = ["other"]
`

const keyless = remote.replace("base_url = \"http://127.0.0.1:9/v1\"", "api_key_env = \"NOWHERE_KEY\"")

describe("Options", () => {
  test("name themselves: no value of one could be one of another", async ({ host }) => {
    configure(host, remote)
    const acp = await host.open()
    const { configOptions } = await acp.request("session/new", opened(host))
    expect(ids(configOptions)).toEqual([...all, "thought_level"])
    const names = configOptions.filter((option: Json) => option["id"] !== "model").map((option: Json) =>
      option["options"].map(({ name }: Json) => name)
    )
    for (const own of names) {
      const begins = new Set(own.map((name: string) => /^[A-Z]\w+: \S/.exec(name)?.[0].split(":")[0]))
      expect(begins.size).toBe(1)
      expect([...begins]).not.toContain(undefined)
    }
    expect(new Set(names.flat()).size).toBe(names.flat().length)
    expect(names.flat()).toContain("Network: on")
    expect(names.flat()).toContain("Approve: reads run, writes ask")
  })

  test("are those of acp.options, in every answer; modes stay", async ({ host }) => {
    configure(host, "[acp]\noptions = [\"model\", \"network\"]\n")
    const acp = await host.open()
    const { configOptions, modes, sessionId } = await acp.request("session/new", opened(host))
    expect(ids(configOptions)).toEqual(["network", "model"])
    const set = await acp.request("session/set_config_option", { sessionId, configId: "network", value: "off" })
    expect(ids(set["configOptions"])).toEqual(["network", "model"])
    const failure = await acp.failure("session/set_config_option", {
      sessionId,
      configId: "sandbox",
      value: "read-only"
    })
    expect(failure).toMatchObject({ code: -32602, data: { field: "configId", reason: "unknown_option" } })
    expect(failure["message"]).toContain("the options are network, model")
    expect(modes.availableModes.length).toBeGreaterThan(1)
    await acp.request("session/set_mode", { sessionId, modeId: "ro" })
    const updates = acp.updates(sessionId) as ReadonlyArray<Json>
    for (const update of updates) {
      if (update["sessionUpdate"] === "config_option_update") {
        expect(ids(update["configOptions"])).toEqual(["network", "model"])
      }
    }
  })

  test("none, where acp.options is empty", async ({ host }) => {
    configure(host, "[acp]\noptions = []\n")
    const acp = await host.open()
    const { configOptions, models } = await acp.request("session/new", opened(host))
    expect(configOptions).toEqual([])
    expect(models).toBeUndefined()
  })

  test("that are not there are refused with the list of all", async ({ host }) => {
    const acp = await host.open()
    const sessionId = await acp.newSession()
    const { message } = await acp.failure("session/set_config_option", { sessionId, configId: "colour", value: "red" })
    expect(message).toContain(`the options are ${all.join(", ")}`)
  })
})

describe("Clients from before the option for models", () => {
  for (const dialect of ["acp", "zeroclaw"] as const satisfies ReadonlyArray<Dialect>) {
    test(`choose a model with session/set_model, in the dialect ${dialect}`, async ({ host }) => {
      configure(host, remote)
      const acp = host.start({ dialect })
      await acp.initialize()
      const { models, sessionId } = await acp.request("session/new", opened(host))
      expect(models.currentModelId).toBe("local/m")
      expect(models.availableModels).toContainEqual({ modelId: "local/other", name: "local/other" })
      expect(await acp.request("session/set_model", { sessionId, modelId: "local/other" })).toEqual({})
      await acp.request("session/close", { sessionId })
      const loaded = await acp.request("session/load", { sessionId, ...opened(host) })
      expect(loaded["models"].currentModelId).toBe("local/other")
      expect(loaded["configOptions"].find(({ id }: Json) => id === "model").currentValue).toBe("local/other")
      expect(await acp.failure("session/set_model", { sessionId, modelId: "nobody/x" })).toMatchObject({
        code: -32602,
        data: { field: "modelId" }
      })
      expect(await acp.failure("session/set_model", { sessionId: "none", modelId: "local/m" })).toMatchObject({
        data: { reason: "session_not_found" }
      })
    })
  }
})

describe("A login", () => {
  const terminal = { auth: { terminal: true } }

  test("is offered while the configured model is the offline one or has no key, and no longer", async ({ host }) => {
    for (const [toml, offered] of [["", true], [keyless, true], [remote, false]] as const) {
      configure(host, toml)
      const acp = host.start({ capabilities: terminal })
      const { authMethods } = await acp.initialize()
      expect(authMethods).toEqual(
        offered
          ? [{
            type: "terminal",
            id: "postern-setup",
            name: "Set up a model",
            description: expect.any(String),
            args: ["--setup"]
          }]
          : []
      )
    }
  })

  test("is the whole command for clients from before the specification had it, and none without terminals", async ({ host }) => {
    const older = host.start({ capabilities: { _meta: { "terminal-auth": true } } })
    const [method] = (await older.initialize())["authMethods"]
    expect(method).not.toHaveProperty("type")
    expect(method._meta["terminal-auth"]).toMatchObject({
      command: process.execPath,
      args: [expect.stringContaining("main.js"), "acp", "--setup"]
    })
    const plain = host.start()
    expect((await plain.initialize())["authMethods"]).toEqual([])
  })

  for (const [dialect, code] of [["acp", -32000], ["zeroclaw", -32010]] as const) {
    test(`is asked for by a prompt to a model without its key, in the dialect ${dialect}`, async ({ host }) => {
      configure(host, keyless)
      const acp = host.start({ dialect })
      await acp.initialize()
      const sessionId = await acp.newSession()
      const failure = await acp.failure("session/prompt", { sessionId, prompt: [{ type: "text", text: "hello" }] })
      expect(failure).toMatchObject({ code, data: { reason: "auth_required" } })
      expect(failure["message"]).toMatch(/^Authentication required: .*NOWHERE_KEY.*postern setup/)
      expect(await acp.failure("authenticate", { methodId: "postern-setup" })).toMatchObject({ code })
      expect(await acp.failure("authenticate", { methodId: "other" })).toMatchObject({
        code: -32602,
        data: { field: "methodId" }
      })
    })
  }

  test("succeeds once the model has its key, however often", async ({ host }) => {
    configure(host, keyless)
    const acp = await host.open({ env: { NOWHERE_KEY: "k" } })
    for (const _ of [1, 2]) expect(await acp.request("authenticate", { methodId: "postern-setup" })).toEqual({})
  })
})

describe("A fork", () => {
  test("goes on from what was said, apart from its origin", async ({ host }) => {
    configure(host, "[acp]\n")
    const acp = await host.open()
    const sessionId = await acp.newSession({ _meta: { postern: { options: { disallowedTools: ["shell"] } } } })
    await acp.prompt(sessionId, "say the first words")
    await acp.request("session/set_config_option", { sessionId, configId: "network", value: "off" })
    await acp.request("_rules/add", { sessionId, list: "deny", rule: "file_read(secret)" })
    const forked = await acp.request("session/fork", { sessionId, ...opened(host) })
    expect(forked["sessionId"]).not.toBe(sessionId)
    expect(forked["configOptions"].find(({ id }: Json) => id === "network").currentValue).toBe("off")
    const copy = forked["sessionId"]
    const { rules } = await acp.request("_rules/list", { sessionId: copy })
    expect(rules).toMatchObject([{ rule: "file_read(secret)", layer: "session" }])
    await acp.prompt(copy, "say only here\nrun touch made")
    expect(existsSync(join(host.project, "made"))).toBe(false)
    await acp.request("session/close", { sessionId: copy })
    await acp.request("session/close", { sessionId })
    const textsOf = async (id: string) => {
      const since = acp.messages.length
      await acp.request("session/load", { sessionId: id, ...opened(host) })
      return JSON.stringify(acp.updates(id, since))
    }
    expect(await textsOf(sessionId)).not.toContain("only here")
    expect(await textsOf(copy)).toMatch(/the first words.*only here/)
    const { sessions } = await acp.request("session/list")
    expect(sessions.map(({ title }: Json) => title)).toEqual(["say the first words", "say the first words"])
  })

  test("may be in another folder, and is of no session that is not there or at work", async ({ host }) => {
    const acp = await host.open()
    const { agentCapabilities } = await host.start().initialize()
    expect(agentCapabilities.sessionCapabilities.fork).toEqual({})
    const sessionId = await acp.newSession()
    await acp.prompt(sessionId, "say it")
    const { _meta } = await acp.request("session/fork", { sessionId, cwd: host.folder, mcpServers: [] })
    expect(_meta.zeroclaw.workspaceDir).toBe(host.folder)
    expect(await acp.failure("session/fork", { sessionId: "none", ...opened(host) })).toMatchObject({ code: -32002 })
    const running = acp.request("session/prompt", { sessionId, prompt: [{ type: "text", text: "wait 30" }] })
    expect(await acp.failure("session/fork", { sessionId, ...opened(host) })).toMatchObject({
      data: { reason: "session_busy" }
    })
    acp.notify("session/cancel", { sessionId })
    expect((await running)["stopReason"]).toBe("cancelled")
  })
})
