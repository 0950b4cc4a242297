import { execFile, spawnSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { homedir } from "node:os"
import { join, resolve } from "node:path"
import { promisify } from "node:util"
import { describe, expect, type TestContext } from "vitest"
import { bundle, type Host, test } from "../support/Host.ts"

/** Where the plugin lazy.nvim keeps what it installs, unless `NVIM_PLUGINS` names another folder. */
const plugins = process.env["NVIM_PLUGINS"] ?? join(homedir(), ".local/share/nvim/lazy")

/** Why the editor cannot be driven here: it needs Neovim 0.11, codecompanion.nvim and plenary.nvim. */
const missing = (): string | undefined => {
  const version = /NVIM v(\d+)\.(\d+)/.exec(spawnSync("nvim", ["--version"], { encoding: "utf8" }).stdout ?? "")
  if (!version) return "Neovim is not installed"
  if (Number(version[1]) === 0 && Number(version[2]) < 11) return `${version[0]} is older than 0.11`
  const absent = ["codecompanion.nvim", "plenary.nvim"].find((name) => !existsSync(join(plugins, name)))
  return absent && `${absent} is not in ${plugins}`
}

const skipWithout = (skip: TestContext["skip"]): void => {
  const reason = missing()
  if (reason !== undefined) skip(reason)
}

/** The set-up that docs/editors.md#neovim shows. */
const documented = (): string => {
  const blocks = readFileSync("docs/editors.md", "utf8").matchAll(/^```lua\n([^]*?)^```/gm)
  const setup = [...blocks].map((block) => block[1]).find((code) => code?.includes("require(\"codecompanion\")"))
  return (setup ?? "").replace("/path/to/postern/dist/main.js", bundle)
}

/** The chat's buffer after one prompt, with the permission question answered by the key of `label`. */
const chat = async (host: Host, label: "accept" | "reject", prompt: string): Promise<string> => {
  const { stdout } = await promisify(execFile)(
    "nvim",
    ["--headless", "--clean", "-c", `luafile ${resolve("test/support/CodeCompanion.lua")}`],
    {
      cwd: host.project,
      env: {
        ...host.env,
        PLUGINS: plugins,
        SETUP: host.write(join(host.folder, "setup.lua"), documented()),
        PROMPT: prompt,
        LABEL: label
      },
      timeout: 60_000
    }
  )
  return stdout
}

describe("codecompanion.nvim in Neovim drives the agent", () => {
  test("an accepted edit is made, and the answer stands in the buffer", async ({ host, skip }) => {
    skipWithout(skip)
    const buffer = await chat(host, "accept", "write a.txt\nnew words\n.\nsay all *done*")
    expect(readFileSync(join(host.project, "a.txt"), "utf8")).toBe("new words\n")
    expect(buffer).toContain("Proposed edits for `a.txt`")
    expect(buffer).toContain("+new words")
    expect(buffer).toContain("You selected: Accept")
    expect(buffer).toMatch(/^all \*done\*$/m)
  })

  test("a rejected edit is not made, and the agent goes on", async ({ host, skip }) => {
    skipWithout(skip)
    const buffer = await chat(host, "reject", "write a.txt\nnew words\n.\nsay fine then")
    expect(existsSync(join(host.project, "a.txt"))).toBe(false)
    expect(buffer).toContain("You selected: Reject")
    expect(buffer).toMatch(/^fine then$/m)
  })

  test("a command is asked about by its own name", async ({ host, skip }) => {
    skipWithout(skip)
    const buffer = await chat(host, "accept", "run mkdir made\nsay made it")
    expect(existsSync(join(host.project, "made"))).toBe(true)
    expect(buffer).toMatch(/^Execute: mkdir made$/m)
    expect(buffer).toMatch(/^made it$/m)
  })
})
