import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect } from "vitest"
import { hasBubblewrap, reason } from "../support/Bubblewrap.ts"
import { type Host, test } from "../support/Host.ts"

const script = join(import.meta.dirname, "..", "mcp", "ScriptedServer.ts")

const put = (path: string, text?: string) => {
  mkdirSync(dirname(path), { recursive: true })
  if (text === undefined) cpSync(script, path)
  else writeFileSync(path, text)
  return path
}

/** What calls of a confined server come to. `args` come before what the scripted server is told. */
const called = async (host: Host, args: ReadonlyArray<string>, more: string, ...calls: ReadonlyArray<string>) => {
  writeFileSync(
    join(host.config, "config.toml"),
    `[policy]
tool_approval = "universal_accept"
[mcp.servers.s]
command = ${JSON.stringify(process.execPath)}
args = ${JSON.stringify([...args, "good"])}
${more}`
  )
  const acp = await host.open()
  const sessionId = await acp.newSession()
  const { updates } = await acp.prompt(sessionId, calls.join("\n"))
  await acp.close()
  return JSON.stringify(updates)
}

const echo = "call s__echo {\"text\":\"it works\"}"
const read = (name: string) => `call s__env {"name":"${name}"}`

describe.skipIf(!hasBubblewrap)(`a confined server finds its own script${reason}`, () => {
  const places: Readonly<Record<string, (host: Host) => ReadonlyArray<string>>> = {
    "in /tmp": ({ folder }) => [put(join(folder, "server.ts"))],
    "in a hidden place of the home folder": ({ folder }) => [put(join(folder, ".secret", "server.ts"))],
    "through a link in /tmp": ({ folder }) => {
      symlinkSync(script, join(folder, "link.ts"))
      return [join(folder, "link.ts")]
    },
    "through a link to its folder": ({ folder }) => {
      put(join(folder, "real", "server.ts"))
      symlinkSync("real", join(folder, "link"))
      return [join(folder, "link", "server.ts")]
    },
    "with what is preloaded": ({ folder }) => [
      `--import=file://${put(join(folder, "first.mjs"), "process.env.LOADED += ' then this'")}`,
      "--require",
      put(join(folder, "second.cjs"), "process.env.LOADED = 'first that'"),
      put(join(folder, "server.ts"))
    ]
  }
  for (const [name, make] of Object.entries(places)) {
    for (const mode of ["workspace-write", "read-only", "workspace-read"]) {
      test(`${name}, in mode ${mode}`, async ({ host }) => {
        const output = await called(host, make(host), `sandbox = "${mode}"`, echo, read("LOADED"))
        expect(output).toContain("it works")
        if (name.includes("preloaded")) expect(output).toContain("first that then this")
      })
    }
  }

  test("and nothing beside it, nor one that a deny rule hides", async ({ host }) => {
    const at = (name: string) => join(host.folder, name)
    const server = put(at("server.ts"))
    const look = put(
      at("look.mjs"),
      `import { existsSync } from "node:fs"\nprocess.env.SEEN = JSON.stringify(${
        JSON.stringify([at("look.mjs"), at("other.txt"), at("config/config.toml")])
      }.map(existsSync))`
    )
    put(at("other.txt"), "x")
    const output = await called(host, [`--import=${look}`, server], "", read("SEEN"))
    expect(output).toContain("[true,false,false]")
    const denied = await called(host, [server], `[policy.rules]\ndeny = ["read(/${server})"]`, echo)
    expect(denied).toContain("Cannot find module")
  })
})
