import { describe, expect } from "vitest"
import { AcpProcess } from "../support/AcpProcess.ts"
import { type Host, test } from "../support/Host.ts"

const session = async (acp: AcpProcess, host: Host) => {
  await acp.initialize()
  const sessionId = await acp.newSession()
  host.write("a.txt", "alpha")
  const turn = await acp.prompt(sessionId, "read a.txt\nrun echo out; echo err >&2; printf '\\033[2J'\nsay done")
  expect(turn.text).toContain("done")
  await acp.failure("session/prompt", { sessionId: "x", prompt: [] })
  acp.raw("{broken\n")
  await acp.settle()
}

describe("stdout carries protocol only, from the first byte to the last", () => {
  const ways: ReadonlyArray<readonly [string, ReadonlyArray<string>, NodeJS.ProcessEnv]> = [
    ["as an editor starts it", [], {}],
    ["with --log-level trace", ["--log-level", "trace"], {}],
    ["with NODE_OPTIONS=--trace-warnings", [], { NODE_OPTIONS: "--trace-warnings" }],
    ["with pending deprecations traced", [], { NODE_OPTIONS: "--trace-deprecation --pending-deprecation" }],
    ["with NODE_DEBUG", [], { NODE_DEBUG: "net,stream,child_process,timer" }],
    ["with FORCE_COLOR and DEBUG", [], { FORCE_COLOR: "3", DEBUG: "*" }]
  ]
  for (const [name, args, env] of ways) {
    test(name, async ({ host }) => {
      const acp = host.start({ args, env })
      await session(acp, host)
      await acp.close()
      expect(acp.lines.length).toBeGreaterThan(5)
      for (const line of acp.lines) expect(line).toMatch(/^\{[^\r\u001b]*\}$/)
    })
  }

  test("a broken configuration is one clear line on stderr, exit 1, and nothing on stdout", async ({ host }) => {
    host.write(`${host.config}/config.toml`, "[acp\nbroken")
    const acp = host.start()
    expect(await acp.exited).toBe(1)
    expect(acp.lines).toEqual([])
    expect(acp.stderr).toContain("config.toml")
    await acp.kill()
  })

  test("wrong usage is exit 2, explained on stderr", async ({ host }) => {
    const acp = host.start({ args: ["--no-such-flag"] })
    expect(await acp.exited).toBe(2)
    expect(acp.lines).toEqual([])
    expect(acp.stderr).toContain("no-such-flag")
    await acp.kill()
  })
})
