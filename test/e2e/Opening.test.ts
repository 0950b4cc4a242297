import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect } from "vitest"
import type { AcpProcess } from "../support/AcpProcess.ts"
import { type Host, test } from "../support/Host.ts"
import type { Dialect } from "../support/Wire.ts"

const configure = (host: Host, toml: string) => writeFileSync(join(host.config, "config.toml"), toml)

const opened = async (host: Host, dialect: Dialect): Promise<AcpProcess> => {
  const acp = host.start({ dialect })
  await acp.initialize()
  return acp
}

const two = (enabled: { readonly a?: boolean; readonly b?: boolean }) => `
[agents.a]
enabled = ${enabled.a ?? true}
risk_profile = "mild"
[agents.b]
enabled = ${enabled.b ?? true}
[agents.c]
[risk_profiles.mild]
level = "full"
`

describe.for<Dialect>(["acp", "zeroclaw"])("In the dialect %s", (dialect) => {
  test("`.` and the configuration folder are no folders: the agent's own one is used, also on load", async ({ host }) => {
    const acp = await opened(host, dialect)
    const workspace = join(host.config, "agents", "default", "workspace")
    for (const cwd of [".", host.config, `${host.config}/`, "", "  "]) {
      const { _meta, sessionId } = await acp.request("session/new", { cwd, mcpServers: [] })
      expect(_meta.zeroclaw.workspaceDir).toBe(workspace)
      await acp.prompt(sessionId, "say kept")
      await acp.request("session/close", { sessionId })
      const loaded = await acp.request("session/load", { sessionId, cwd, mcpServers: [] })
      expect(loaded["_meta"].zeroclaw.workspaceDir).toBe(workspace)
    }
    expect(await acp.failure("session/new", { cwd: "some/where", mcpServers: [] })).toMatchObject({
      code: -32602,
      data: { field: "cwd" }
    })
  })

  test("a blank alias names nobody", async ({ host }) => {
    const acp = await opened(host, dialect)
    for (
      const alias of [{ agentAlias: " " }, { agent_alias: "" }, { agent: "\t" }, {
        _meta: { zeroclaw: { agentAlias: " " } }
      }]
    ) {
      await acp.request("session/new", { cwd: host.project, mcpServers: [], ...alias })
    }
  })

  test("resuming sends nothing before its result and replays nothing, the plan included", async ({ host }) => {
    const acp = await opened(host, dialect)
    const sessionId = await acp.newSession()
    await acp.prompt(sessionId, "plan one; two\nsay said")
    await acp.request("session/close", { sessionId })
    const since = acp.messages.length
    await acp.request("session/resume", { sessionId, cwd: host.project, mcpServers: [] })
    expect(acp.updates(sessionId, since)).toEqual([])
    await acp.request("session/set_mode", { sessionId, modeId: "ro" })
    const kinds = acp.updates(sessionId, since).map((u) => u.sessionUpdate)
    expect(kinds).not.toContain("plan")
    expect(kinds).not.toContain("agent_message_chunk")
  })

  test("without a store what needs it is not there", async ({ host }) => {
    mkdirSync(host.data)
    writeFileSync(join(host.data, "sessions"), "in the way")
    const acp = host.start({ dialect })
    const { agentCapabilities } = await acp.initialize()
    expect(agentCapabilities.loadSession).toBe(false)
    expect(Object.keys(agentCapabilities.sessionCapabilities)).toEqual(["additionalDirectories"])
    const sessionId = await acp.newSession()
    for (const method of ["session/load", "session/resume", "session/close"]) {
      expect((await acp.failure(method, { sessionId, cwd: host.project, mcpServers: [] })).code).toBe(-32601)
    }
    expect((await acp.prompt(sessionId, "say on")).text).toBe("on")
  })

  test("a stored session of a disabled agent goes on with the default one, and where that is disabled with the only other", async ({ host }) => {
    configure(host, `${two({})}[acp]\ndefault_agent = "b"\n`)
    const first = await opened(host, dialect)
    const { sessionId } = await first.request("session/new", {
      cwd: host.project,
      mcpServers: [],
      _meta: { zeroclaw: { agentAlias: "a" } }
    })
    expect((await first.prompt(sessionId, "/status")).text).toContain("approval universal_accept")
    await first.close()
    for (
      const [enabled, agent] of [[{ a: false }, "b", "supervised"], [
        { a: false, b: false },
        "c",
        "supervised"
      ]] as const
    ) {
      configure(host, `${two(enabled)}[acp]\ndefault_agent = "b"\n`)
      const acp = await opened(host, dialect)
      await acp.request("session/load", { sessionId, cwd: host.project, mcpServers: [] })
      const { text } = await acp.prompt(sessionId, "/status")
      expect(text).toMatch(new RegExp(`agent\\W+${agent}\\b`, "i"))
      expect(text).toContain("approval whitelist_accept")
      await acp.close()
    }
  })
})

describe("At the start", () => {
  const start = async (host: Host, toml: string, env: NodeJS.ProcessEnv = {}) => {
    configure(host, toml)
    const acp = host.start({ env })
    const started = await acp.initialize().then(() => true, () => false)
    if (!started) await acp.kill()
    return { started, stderr: acp.stderr }
  }

  test("variables of others are left alone, and those that name a key have to name one that is there", async ({ host }) => {
    const others = {
      POSTERN_SERVICE_HOST: "10.0.0.7",
      POSTERN_SERVICE_PORT: "8080",
      POSTERN_PORT: "tcp://10.0.0.7:8080",
      POSTERN_PORT_8080_TCP_ADDR: "10.0.0.7",
      POSTERN_FLAGS: ""
    }
    expect(await start(host, "", others)).toMatchObject({ started: true })
    for (const name of ["POSTERN_acp__nothing", "POSTERN_ACP__DEFAULT_AGENT", "POSTERN_nothing"]) {
      const { started, stderr } = await start(host, "", { [name]: "x" })
      expect([started, stderr]).toEqual([false, expect.stringContaining(name)])
    }
  })

  test("a default agent that does not exist is an error of the configuration", async ({ host }) => {
    const toml = "[acp]\ndefault_agent = \"nobody\"\n[agents.main]\n"
    expect(await start(host, toml)).toEqual({
      started: false,
      stderr: expect.stringMatching(
        /config\.toml:2: acp\.default_agent names no agent: "nobody"; the agents are main\n$/
      )
    })
    expect(await start(host, "", { POSTERN_acp__default_agent: "nobody" })).toEqual({
      started: false,
      stderr: expect.stringContaining("POSTERN_acp__default_agent: acp.default_agent names no agent")
    })
    expect(await start(host, "[acp]\ndefault_agent = \"main\"\n[agents.main]\nenabled = false\n[agents.b]\n"))
      .toMatchObject({ started: true })
  })

  test("[autonomy] is the default risk profile with all its keys", async ({ host }) => {
    configure(host, "[autonomy]\nforbidden_commands = [\"touch\"]\nexcluded_tools = [\"file_list\"]\n")
    const acp = await host.open()
    const sessionId = await acp.newSession()
    const { updates } = await acp.prompt(sessionId, "run touch x\nlist")
    expect(JSON.stringify(updates)).toContain("COMMAND_FORBIDDEN")
    expect(JSON.stringify(updates)).toContain("RULE_DENY")
    const twice = "[autonomy]\nworkspace_only = true\n[risk_profiles.default]\nworkspace_only = false\n"
    expect((await start(host, twice)).stderr).toContain(
      "autonomy.workspace_only is short for risk_profiles.default.workspace_only, and the two differ"
    )
  })
})
