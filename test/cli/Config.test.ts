import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { beforeEach, describe, expect, it } from "vitest"
import { lines, Run } from "./support/Run.ts"
import { suiteFolder } from "../support/SuiteFolder.ts"

let home: string
let file: string

beforeEach(() => {
  home = suiteFolder()
  file = join(home, "config.toml")
})

const config = (
  args: ReadonlyArray<string>,
  options: { readonly stdin?: string; readonly env?: Record<string, string> } = {}
) =>
  new Run(["config", ...args], {
    env: { POSTERN_CONFIG_DIR: home, POSTERN_LOG_LEVEL: "", ...options.env },
    stdin: options.stdin ?? ""
  }).done
const done = (stdout: string, stderr = "") => ({ code: 0, stdout, stderr })
const failed = (stderr: string, code = 1) => ({ code, stdout: "", stderr: `postern: ${stderr}\n` })

describe("postern config", () => {
  it("init writes a file of comments that changes nothing, and replaces a file only with --force", async () => {
    expect(await config(["init"])).toEqual(done(`${file}\n`))
    const text = readFileSync(file, "utf8")
    expect(await config(["list"])).toEqual(done(""))
    // Without its comment signs it is valid, too.
    const open = text.replace(/^# (?=\[|[a-z_]+ = )/gm, "").replace("anthropic/claude-sonnet-4.6", "local/x")
    expect(open).toMatch(/^\[agents\.main\]/m)
    writeFileSync(file, open)
    const [valid, again] = await Promise.all([config(["validate"]), config(["init"])])
    expect(valid).toEqual(done(`${file} is valid\n`))
    expect(again).toEqual(failed(`${file} exists already; --force replaces it`))
    expect(readFileSync(file, "utf8")).toBe(open)
  })

  it("sets several values at once, prints and removes them", async () => {
    writeFileSync(file, "[acp] # protocol\nmax_sessions = 3 # few\n")
    expect(await config(["set", "acp.max-sessions", "20", "agents.main.model", "offline/x"])).toEqual(
      done("set acp.max_sessions\nset agents.main.model\n")
    )
    expect(readFileSync(file, "utf8")).toBe(
      "[acp] # protocol\nmax_sessions = 20 # few\n\n[agents.main]\nmodel = \"offline/x\"\n"
    )
    const said = await Promise.all(
      [["get", "acp.max_sessions"], ["list"], ["list", "agents", "--json"], ["get", "acp.unstable"]].map((words) =>
        config(words)
      )
    )
    expect(said[0]).toEqual(done("20\n"))
    expect(said[1]).toEqual(done("agents.main.model = \"offline/x\"\nacp.max_sessions = 20\n"))
    expect(lines(said[2]?.stdout ?? "")).toMatchObject([{
      path: "agents.main.model",
      value: "offline/x",
      kind: "string"
    }])
    expect(said[3]).toEqual(failed("acp.unstable is not set"))
    expect(await config(["unset", "agents.main"])).toEqual(done("unset agents.main\n"))
    expect(readFileSync(file, "utf8")).toBe("[acp] # protocol\nmax_sessions = 20 # few\n")
  })

  it("reads a secret from standard input and never prints it", async () => {
    writeFileSync(file, "[providers.p]\nkind = \"anthropic\"\n")
    expect(await config(["set", "providers.p.api_key"], { stdin: "sk-hush\n" })).toEqual(
      done("set providers.p.api_key\n")
    )
    expect(readFileSync(file, "utf8")).toContain("api_key = \"sk-hush\"")
    const said = await Promise.all(
      [["list"], ["get", "providers.p.api_key"], ["get", "providers", "--json"]].map((words) => config(words))
    )
    for (const { code, stderr, stdout } of said) expect([code, stderr, stdout.includes("hush")]).toEqual([0, "", false])
  })

  it("reports a wrong value, and writes nothing", async () => {
    writeFileSync(file, "[acp]\nmax_sessions = 3\n")
    const said = await Promise.all([
      config(["set", "acp.max_session", "4"]),
      config(["set", "acp.max_sessions", "1", "acp.unstable"]),
      config(["set", "acp.max_sessions", "1\u001b[2J"])
    ])
    expect(said[0]).toEqual(failed("acp.max_session is not a known key; did you mean \"max_sessions\"?"))
    expect(said[1]).toEqual(failed("acp.unstable has no value", 2))
    expect(said[2]).toMatchObject({ code: 1, stderr: expect.not.stringContaining("\u001b") })
    expect(readFileSync(file, "utf8")).toBe("[acp]\nmax_sessions = 3\n")
  })

  it("repairs an invalid configuration, and notes a variable that takes precedence", async () => {
    writeFileSync(file, "[acp]\nmax_sessions = 0\n")
    expect(await config(["validate"])).toEqual(
      failed(`${file}:2: acp.max_sessions must be a whole number of at least 1, not 0`)
    )
    const env = { POSTERN_acp__max_sessions: "7" }
    const stronger = "postern: POSTERN_acp__max_sessions is set and takes precedence over the file\n"
    expect(await config(["set", "acp.max_sessions", "4"], { env })).toEqual(done("set acp.max_sessions\n", stronger))
    expect(readFileSync(file, "utf8")).toBe("[acp]\nmax_sessions = 4\n")
    expect(await config(["list"], { env })).toEqual(done("acp.max_sessions = 7  (environment)\n"))
  })

  it("refuses to leave the default agent without an agent of that name, and to set such a one", async () => {
    writeFileSync(file, "[agents.a]\n[agents.b]\n[acp]\ndefault_agent = \"b\"\n")
    const missing = "acp.default_agent names no agent: \"b\"; the agents are a"
    expect(await config(["unset", "agents.b"])).toEqual(failed(missing))
    expect(await config(["set", "acp.default_agent", "c"])).toEqual(
      failed("acp.default_agent names no agent: \"c\"; the agents are a, b")
    )
    expect(await config(["set", "acp.default_agent", "a"])).toEqual(done("set acp.default_agent\n"))
    expect(await config(["validate"])).toEqual(done(`${file} is valid\n`))
  })

  it("prints a schema with every key that forbids others", async () => {
    const whole = JSON.parse((await config(["schema"])).stdout)
    expect(whole).toMatchObject({
      type: "object",
      additionalProperties: false,
      properties: { acp: { additionalProperties: false } }
    })
  })

  it("loses no change when several processes write at the same time", async () => {
    const names = Array.from({ length: 4 }, (_, n) => `agents.a${n}.model`)
    const all = await Promise.all(names.map((name) => config(["set", name, "offline/x"])))
    expect(all.map(({ code, stderr }) => [code, stderr])).toEqual(names.map(() => [0, ""]))
    expect(readFileSync(file, "utf8").match(/^\[agents\.a\d\]$/gm)).toHaveLength(4)
    expect(readdirSync(home).sort()).toEqual([".config.lock", "config.toml"])
  })
})
