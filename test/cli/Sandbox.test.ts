import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, it } from "vitest"
import { lines, Run } from "./support/Run.ts"

const check = (...args: ReadonlyArray<string>) => new Run(["sandbox", "check", ...args], { stdin: "" }).done

describe("postern sandbox check", () => {
  it("reports every mode, with and without a network; the unconfined mode is always usable", async () => {
    const { code, stdout } = await check("--json")
    expect(code).toBe(0)
    const rows = lines(stdout)
    expect(rows.map(({ mode, network }) => `${mode} ${network}`)).toEqual(
      ["workspace-read", "workspace-scratch", "read-only", "scratch", "workspace-write", "danger-full-access"].flatMap((
        mode
      ) => [`${mode} true`, `${mode} false`])
    )
    expect(rows.find(({ mode, network }) => mode === "danger-full-access" && network)).toMatchObject({
      usable: true,
      report: { backend: "none" }
    })
    for (const { note, remedy, report, usable } of rows) {
      expect(note).not.toBe("")
      expect(usable ? report : remedy).toBeDefined()
    }
  })

  it("reports what is missing and the remedy", async () => {
    const { code, stdout } = await check("--backend", "docker")
    expect(code).toBe(0)
    expect(stdout).toMatch(/^SANDBOX MODE +NETWORK +USABLE/)
    expect(stdout).toMatch(/workspace-write +on +no +\S/)
  })

  it("prints what is hidden and protected in a folder, with the reason", async () => {
    const base = realpathSync(mkdtempSync(join("/var/tmp", "postern-paths-")))
    const [home, work, config] = [join(base, "home"), join(base, "work"), join(base, "config")]
    const put = (path: string) => {
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, "text")
    }
    for (const path of [".aws/credentials", ".unknown", ".cargo/credentials.toml", ".shown/x", "notes", "private"]) {
      put(join(home, path))
    }
    for (const path of [".git/hooks/x", ".git/HEAD", "secret.txt", "locked.txt"]) put(join(work, path))
    mkdirSync(config)
    writeFileSync(
      join(config, "config.toml"),
      `[risk_profiles.default]
forbidden_paths = ["~/private"]
visible_paths = ["~/.shown"]
[policy.rules]
deny = ["read(./secret.txt)", "write(./locked.txt)"]
[mcp.servers.files]
command = "node"
args = ["--import=file://${join(home, ".unknown")}", "-r", "${join(home, ".shown/x")}", "own.mjs"]
`
    )
    const run = (...args: ReadonlyArray<string>) =>
      new Run(["sandbox", "check", "--paths", "--cwd", work, ...args], {
        stdin: "",
        env: { HOME: home, POSTERN_CONFIG_DIR: config }
      }).done
    try {
      const { code, stderr, stdout } = await run("--json")
      expect([code, stderr]).toEqual([0, ""])
      const rows = lines(stdout)
      const reason = (path: string, status: string) =>
        rows.find((row) => row["path"] === path && row["status"] === status)?.["reason"]
      expect(reason(join(home, ".aws"), "hidden")).toBe("cloud credentials")
      expect(reason(join(home, ".unknown"), "hidden")).toBe("no tool chain needs it")
      expect(reason(join(home, ".cargo/credentials.toml"), "hidden")).toBe("logins of package registries")
      expect(reason(join(home, "private"), "hidden")).toBe("a deny rule or the operator's limits")
      expect(reason(join(work, "secret.txt"), "hidden")).toBe("a deny rule or the operator's limits")
      expect(reason(join(work, "locked.txt"), "protected")).toBe("a deny rule")
      expect(reason(join(work, ".git/hooks"), "protected")).toBe("programs outside the sandbox run or obey it")
      expect(reason(join(work, ".envrc"), "watched")).toBe("programs outside the sandbox run or obey it")
      for (const path of [".shown", "notes", ".cargo"]) expect(reason(join(home, path), "hidden")).toBeUndefined()
      const servers = rows.filter(({ status }) => status === "shown")
      expect(servers.map(({ path }) => path)).toEqual(
        expect.arrayContaining([join(home, ".unknown"), join(home, ".shown/x")])
      )
      expect(servers[0]?.["reason"]).toBe("to the MCP server files, to be read: its declaration names it")
      const text = await run()
      expect(text.stdout).toMatch(/^STATUS +PATH +REASON\nhidden +\S/)
      expect(text.stdout.trimEnd().split("\n").length).toBe(rows.length + 1)
      const inHome = await new Run(["sandbox", "check", "--paths", "--json", "--cwd", home], {
        stdin: "",
        env: { HOME: home, POSTERN_CONFIG_DIR: config }
      }).done
      expect(inHome.stderr).toContain("no session can write here")
      expect(lines(inHome.stdout).every(({ status }) => status === "hidden" || status === "shown")).toBe(true)
      expect(await run("--backend", "docker")).toMatchObject({ code: 2 })
    } finally {
      rmSync(base, { recursive: true })
    }
  }, 120_000)

  it("refuses an unknown backend", async () => {
    expect(await check("--backend", "magic")).toMatchObject({ code: 2 })
  })
})
