import { execFileSync, spawnSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect } from "vitest"
import { bundle, type Host, test } from "../support/Host.ts"

const postern = (host: Host, ...words: ReadonlyArray<string>) =>
  execFileSync(process.execPath, [bundle, ...words], { cwd: host.project, env: host.env, encoding: "utf8" })

const offered = (host: Host, ...words: ReadonlyArray<string>) =>
  postern(host, "__complete", ...words).split("\n").filter(Boolean).map((line) => line.split("\t")[0])

describe("Completion", () => {
  test("knows commands, flags, folders, keys and their values, agents, modes and sessions", async ({ host }) => {
    writeFileSync(join(host.config, "config.toml"), "[agents.main]\n[agents.other]\n[acp]\ndefault_agent = \"main\"\n")
    mkdirSync(join(host.project, "src/deep"), { recursive: true })
    host.write("seen.txt", "")
    const acp = await host.open()
    const sessionId = await acp.newSession()
    await acp.prompt(sessionId, "say a title")
    expect(offered(host, "conf")).toEqual(["config"])
    expect(offered(host, "sessions", "")).toEqual(expect.arrayContaining(["list", "show", "delete"]))
    expect(offered(host, "client", "--res")).toEqual(["--resume"])
    expect(offered(host, "client", "--cwd", "s")).toEqual(["src/"])
    expect(offered(host, "client", "--cwd", "src/")).toEqual(["src/deep/"])
    expect(offered(host, "client", "--cwd=s")).toEqual(["--cwd=src/"])
    expect(offered(host, "--config-dir", "s")).toEqual(["src/"])
    expect(offered(host, "config", "get", "acp.d")).toEqual(["acp.default_agent"])
    expect(offered(host, "config", "set", "acp.unstable", "")).toEqual(["true", "false"])
    expect(offered(host, "config", "set", "acp.unstable", "true", "log_l")).toEqual(["log_level"])
    expect(offered(host, "client", "--agent", "")).toEqual(["main", "other"])
    expect(offered(host, "client", "--mode", "p")).toEqual(["pl"])
    expect(offered(host, "sessions", "show", "")).toEqual([sessionId])
    expect(offered(host, "client", "--resume", sessionId.slice(0, 5))).toEqual([sessionId])
    expect(offered(host, "nothing", "like", "it")).toEqual([])
  })

  test("offers nothing where the configuration is broken, and says nothing", ({ host }) => {
    writeFileSync(join(host.config, "config.toml"), "x = [")
    const { status, stderr, stdout } = spawnSync(process.execPath, [bundle, "__complete", "client", "--agent", ""], {
      env: host.env,
      encoding: "utf8"
    })
    expect({ status, stderr, stdout }).toEqual({ status: 0, stderr: "", stdout: "" })
  })

  test("runs in bash", ({ host }) => {
    mkdirSync(join(host.project, "src"))
    const bin = join(host.folder, "bin")
    mkdirSync(bin)
    writeFileSync(join(bin, "postern"), `#!/bin/sh\nexec "${process.execPath}" "${bundle}" "$@"\n`, { mode: 0o755 })
    writeFileSync(join(host.folder, "script"), postern(host, "--completions", "bash"))
    const script = `source "${host.folder}/script"
COMP_LINE="postern client --cwd s"; COMP_POINT=\${#COMP_LINE}; COMP_WORDS=(postern client --cwd s); COMP_CWORD=3
_postern; echo "\${COMPREPLY[*]}"
COMP_LINE="postern client --cwd=s"; COMP_POINT=\${#COMP_LINE}; COMP_WORDS=(postern client --cwd = s); COMP_CWORD=4
_postern; echo "\${COMPREPLY[*]}"`
    const { stdout } = spawnSync("bash", ["--norc", "-c", script], {
      cwd: host.project,
      env: { ...host.env, PATH: `${bin}:${dirname(process.execPath)}:/usr/bin:/bin` },
      encoding: "utf8"
    })
    expect(stdout).toBe("src/\nsrc/\n")
  })

  for (const shell of ["bash", "zsh", "fish"]) {
    test(`has a script for ${shell} that asks the program`, ({ host }) => {
      expect(postern(host, "--completions", shell)).toContain("__complete")
    })
  }
})

test("Empty lists say so, and give a reader of standard output nothing", ({ host }) => {
  for (const [words, said] of [["sessions list", "no sessions"], ["policy rules list", "no rules"]] as const) {
    const { status, stderr, stdout } = spawnSync(process.execPath, [bundle, ...words.split(" ")], {
      cwd: host.project,
      env: { ...host.env, POSTERN_DATA_DIR: undefined, POSTERN_CONFIG_DIR: host.config },
      encoding: "utf8"
    })
    expect({ status, stderr, stdout }).toEqual({ status: 0, stderr: `${said}\n`, stdout: "" })
  }
})

test("The manual page has every command and flag that help has", ({ host }) => {
  const page = postern(host, "man").replaceAll("\\-", "-")
  expect(page.startsWith(".TH POSTERN 1")).toBe(true)
  for (const command of ["acp", "client", "config set", "policy explain", "sessions delete", "man"]) {
    expect(page).toContain(`.SS postern ${command}`)
  }
  for (const flag of ["--resume", "--api-key-env", "--config-dir", "--batch"]) expect(page).toContain(`\\fB${flag}\\fR`)
  expect(page).not.toMatch(/^\.(?!TH|SH|SS|TP|PP|nf|fi)/m)
})
