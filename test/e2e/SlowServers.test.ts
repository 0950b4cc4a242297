import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect } from "vitest"
import { hasBubblewrap, reason } from "../support/Bubblewrap.ts"
import { type Host, test } from "../support/Host.ts"

const script = join(import.meta.dirname, "..", "mcp", "ScriptedServer.ts")

/** A session with a server that a shell script starts; `before` runs first, as a package runner does. */
const open = async (host: Host, before: string, more = "") => {
  const server = host.write("../runner.sh", `#!/bin/sh\n${before}\nexec ${process.execPath} ${script} good\n`)
  host.write(
    join(host.config, "config.toml"),
    `[policy]\ntool_approval = "universal_accept"\n[mcp.servers.s]\ncommand = "/bin/sh"\nargs = ["${server}"]\n${more}`
  )
  const acp = await host.open()
  return { acp, sessionId: await acp.newSession() }
}

const echo = "call s__echo {\"text\":\"it works\"}"

const slow = "for i in 1 2 3 4 5 6 7; do echo fetching $i >&2; sleep 1; done"

describe("a server that starts slowly", () => {
  test("is told about, and a call to it waits until it is there", async ({ host }) => {
    const { acp, sessionId } = await open(host, slow, "init_timeout_secs = 4")
    const { text, updates } = await acp.prompt(sessionId, echo)
    const all = JSON.stringify(updates)
    expect(all).toContain("The MCP server s is still starting")
    expect(all).toContain("it works")
    expect(text).not.toContain("still starting")
  })

  test("is given up once it shows no progress, and the call says so", async ({ host }) => {
    const { acp, sessionId } = await open(host, "echo begun >&2; sleep 60", "init_timeout_secs = 7")
    const { updates } = await acp.prompt(sessionId, echo)
    expect(JSON.stringify(updates)).toContain("showed no progress for 7 s")
  })

  test("keeps a call waiting no longer than tool_timeout_secs", async ({ host }) => {
    const { acp, sessionId } = await open(host, "sleep 60", "tool_timeout_secs = 1")
    const { updates } = await acp.prompt(sessionId, echo)
    expect(JSON.stringify(updates)).toContain("there is no tool s__echo: the MCP server s is still starting")
  })

  test("is not given up while its cache grows", async ({ host }) => {
    const grow = "mkdir -p $npm_config_cache; for i in 1 2 3 4 5 6; do echo x >> $npm_config_cache/x; sleep 1; done"
    const { acp, sessionId } = await open(host, grow, "init_timeout_secs = 2")
    const { updates } = await acp.prompt(sessionId, echo)
    expect(JSON.stringify(updates)).toContain("it works")
  })
})

describe.skipIf(!hasBubblewrap)(`the cache of a confined server's package runner${reason}`, () => {
  for (const mode of ["workspace-write", "read-only", "workspace-read"]) {
    test(`is kept between starts and is its own, in mode ${mode}`, async ({ host }) => {
      const runner = [
        `for folder in $npm_config_cache $UV_CACHE_DIR $DENO_DIR $PIPX_HOME $BUN_INSTALL_CACHE_DIR; do`,
        `  mkdir -p $folder; echo start >> $folder/starts; echo found >&2`,
        `done`,
        `touch $HOME/.npm/x $npm_config_cache/../../other`
      ].join("\n")
      host.write("../.npm/mine", "x")
      let before = 0
      for (const _ of [1, 2]) {
        const { acp, sessionId } = await open(host, runner, `sandbox = "${mode}"`)
        const { updates } = await acp.prompt(sessionId, echo)
        await acp.close()
        expect(JSON.stringify(updates)).toContain("it works")
        const caches = readdirSync(join(host.data, "mcp-cache"))
        expect(caches).toHaveLength(1)
        for (const kind of ["npm", "uv", "deno", "pipx", "bun"]) {
          const noted = readFileSync(join(host.data, "mcp-cache", caches[0]!, kind, "starts"), "utf8")
          expect(noted.length).toBeGreaterThan(before)
          if (kind === "bun") before = noted.length
        }
        expect(existsSync(join(host.folder, ".npm", "x"))).toBe(false)
      }
    })
  }

  test("is not there for a server that needs no network", async ({ host }) => {
    const { acp, sessionId } = await open(host, "", "network = false")
    const { updates } = await acp.prompt(sessionId, "call s__env {\"name\":\"npm_config_cache\"}")
    expect(JSON.stringify(updates)).not.toContain("mcp-cache")
    expect(existsSync(join(host.data, "mcp-cache"))).toBe(false)
  })
})
