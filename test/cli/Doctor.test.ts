import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { hasBubblewrap } from "../support/Bubblewrap.ts"
import { lines, Run } from "./support/Run.ts"
import { suiteFolder } from "../support/SuiteFolder.ts"

const machine = (config?: string) => {
  const folder = suiteFolder()
  if (config !== undefined) writeFileSync(join(folder, "config.toml"), config)
  return folder
}

const doctor = (folder: string, env: NodeJS.ProcessEnv = {}) =>
  new Run(["doctor", "--json"], {
    stdin: "",
    env: { POSTERN_CONFIG_DIR: folder, ANTHROPIC_API_KEY: "", OPENAI_API_KEY: "", ...env }
  }).done

describe("postern doctor", () => {
  it("without a configuration says that no real model is set, and reports no other problem", async () => {
    const folder = machine()
    const { code, stdout } = await doctor(folder)
    expect(code).toBe(0)
    const found = new Map(lines(stdout).map((one) => [one.name, one]))
    expect(found.get("agent")).toMatchObject({
      status: "warn",
      detail: expect.stringMatching(/^default uses offline\/builtin: no real model is set/),
      remedy: "Run postern setup."
    })
    const withKey = lines((await doctor(folder, { OPENAI_API_KEY: "sk-0123456789" })).stdout)
    expect(withKey.find(({ name }) => name === "agent")).toMatchObject({ status: "ok" })
    expect(found.get("configuration")?.["detail"]).toBe(`defaults: there is no ${join(folder, "config.toml")}`)
    expect(found.get("sessions")).toMatchObject({ status: "ok" })
    if (hasBubblewrap) {
      expect(found.get("sandbox")).toMatchObject({ status: "ok", detail: "bubblewrap, for every mode" })
    }
  })

  it("fails without a key or without readable sessions, and says what to do", async () => {
    const folder = machine("[agents.main]\nmodel = \"anthropic/claude\"\n")
    mkdirSync(join(folder, "data", "sessions", "acp-sessions.db"), { recursive: true })
    const { code, stderr, stdout } = await doctor(folder)
    expect(code).toBe(1)
    expect(stderr).toBe("postern: something is missing: agent, sessions\n")
    const found = new Map(lines(stdout).map((one) => [one.name, one]))
    expect(found.get("agent")).toMatchObject({ status: "fail", detail: expect.stringContaining("ANTHROPIC_API_KEY") })
    expect(found.get("sessions")).toMatchObject({ status: "fail" })
  })

  it("names the backend that cannot confine commands here, and the remedy", async () => {
    const folder = machine("[risk_profiles.default]\nsandbox_backend = \"sandbox-exec\"\n")
    const { code, stdout } = await doctor(folder)
    expect(code).toBe(0)
    const sandbox = lines(stdout).find(({ name }) => name === "sandbox")
    if (process.platform !== "darwin") {
      expect(sandbox).toMatchObject({
        status: "warn",
        detail: expect.stringContaining("no shell command runs"),
        remedy: expect.stringContaining("sandbox_backend")
      })
    }
  })

  it("checks configured MCP servers without starting them, and shows no key", async () => {
    const folder = machine(`
[mcp.servers.there]
command = "node"
[mcp.servers.away]
command = "no-such-server"
[mcp.servers.own]
command = "made"
env = { PATH = "/no/such/folder" }
[mcp.servers.written]
command = "/no/such/program"
[mcp.servers.home]
command = "~/bin/server"
[mcp.servers.below]
command = "./server.sh"
[mcp.servers.off]
enabled = false
command = "no-such-server"
[mcp.servers.far]
url = "https://mcp.example/api?key=sk-secret"
[mcp.servers.odd]
url = "https://[mcp.example/"
`)
    const bin = suiteFolder()
    const started = join(bin, "started")
    writeFileSync(join(bin, "node"), `#!/bin/sh\ntouch ${started}\n`, { mode: 0o755 })
    const { code, stdout } = await doctor(folder, { PATH: `${bin}:/usr/bin:/bin` })
    expect(code).toBe(0)
    expect(
      lines(stdout).filter(({ name }) => name.startsWith("mcp ")).map((
        { detail, name, status }
      ) => [name, status, detail])
    )
      .toEqual([
        ["mcp there", "ok", join(bin, "node")],
        ["mcp away", "warn", "no-such-server: not found in PATH"],
        ["mcp own", "warn", "made: not found in PATH"],
        ["mcp written", "warn", "/no/such/program: there is no program that can be run"],
        ["mcp home", "warn", "~/bin/server: a ~ is not read as the home folder here"],
        ["mcp below", "ok", "./server.sh, below each session's own folder"],
        ["mcp far", "ok", "https://mcp.example, not asked"],
        ["mcp odd", "warn", "the url cannot be read as an address"]
      ])
    expect(stdout).not.toContain("sk-secret")
    expect(existsSync(started)).toBe(false)
  })

  it("accepts a container as the sandbox", async () => {
    const folder = machine(
      "[policy]\nsandbox = \"danger-full-access\"\n[risk_profiles.default]\nsandbox_enabled = false\n"
    )
    const { code, stdout } = await doctor(folder)
    expect(code).toBe(0)
    expect(lines(stdout).find(({ name }) => name === "sandbox")).toMatchObject({
      status: "warn",
      detail: expect.stringContaining("commands run as they are")
    })
    const check = await new Run(["sandbox", "check", "--json"], { stdin: "", env: { POSTERN_CONFIG_DIR: folder } }).done
    expect(lines(check.stdout).find(({ mode, network }) => mode === "read-only" && network)).toMatchObject({
      usable: false,
      note: expect.stringContaining("\"none\"")
    })
  })
})
