import { appendFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect } from "vitest"
import { run, test as acpx } from "../support/Acpx.ts"
import { textOf } from "../support/AcpProcess.ts"
import { ChatServer, type Step } from "../support/ChatServer.ts"
import type { Host } from "../support/Host.ts"
import type { Dialect, Json } from "../support/Wire.ts"

const busy: Step = { status: 503 }

const test = acpx.extend<{ serve: (...steps: ReadonlyArray<Step>) => Promise<ChatServer> }>({
  serve: async ({ host }, use) => {
    const servers: Array<ChatServer> = []
    await use(async (...steps) => {
      const server = new ChatServer(...steps)
      servers.push(server)
      writeFileSync(join(host.config, "config.toml"), await server.config())
      return server
    })
    servers.forEach((server) => server.close())
  }
})

const kinds = (updates: ReadonlyArray<Json>) => updates.map((u) => u["sessionUpdate"])

const opened = async (host: Host, dialect: Dialect, capabilities: Json = {}) => {
  const acp = host.start({ dialect, capabilities })
  await acp.initialize()
  return { acp, sessionId: await acp.newSession() }
}

describe("What is said about the session", () => {
  test("is no part of what acpx prints as the answer", async ({ host, serve }) => {
    await serve(busy, { say: "the answer" })
    expect(await run(host, "--format", "quiet", "exec", "go")).toMatchObject({ code: 0, out: "the answer\n" })
  })

  for (const dialect of ["acp", "zeroclaw"] as const) {
    test(`is a thought of its own for clients without notices, live and loaded, in the dialect ${dialect}`, async ({ host, serve }) => {
      await serve(busy, { think: "hm", say: "the answer" })
      const { acp, sessionId } = await opened(host, dialect)
      const { result, text, updates } = await acp.prompt(sessionId, "go")
      expect(text).toBe("the answer")
      if (dialect === "zeroclaw") expect(result["content"]).toBe("the answer")
      const thoughts = updates.filter((u) => u.sessionUpdate === "agent_thought_chunk") as ReadonlyArray<Json>
      expect(thoughts[0]).toMatchObject({ content: { text: expect.stringMatching(/^Trying again in .*\n$/) } })
      expect(new Set(thoughts.map((u) => u["messageId"])).size).toBe(2)
      await acp.request("session/close", { sessionId })
      const since = acp.messages.length
      await acp.request("session/load", { sessionId, cwd: host.project, mcpServers: [] })
      const replayed = acp.updates(sessionId, since)
      expect(textOf(replayed)).toBe("the answer")
      expect(textOf(replayed, "agent_thought_chunk")).toBe(textOf(updates, "agent_thought_chunk"))
    })
  }

  test("is a notice where the client takes notices, and not loaded again", async ({ host, serve }) => {
    await serve(busy, { say: "the answer" })
    const { acp, sessionId } = await opened(host, "acp", { session: { notices: {} } })
    const { updates } = await acp.prompt(sessionId, "go")
    expect(kinds(updates)).toContain("notice")
    expect(kinds(updates)).not.toContain("agent_thought_chunk")
    const since = acp.messages.length
    await acp.request("session/load", { sessionId, cwd: host.project, mcpServers: [] })
    expect(kinds(acp.updates(sessionId, since))).not.toContain("notice")
  })

  test("is in the thoughts when a server of the client cannot be started or a limit is met", async ({ host, serve }) => {
    await serve({ calls: [["file_list", {}]] }, { say: "So far." })
    appendFileSync(join(host.config, "config.toml"), "[runtime_profiles.default]\nmax_tool_iterations = 1\n")
    const acp = await host.open()
    const mcpServers = [{ name: "gone", command: "/no/such/server", args: [], env: [] }]
    const sessionId = await acp.newSession({ mcpServers })
    const { result, text, updates } = await acp.prompt(sessionId, "go")
    expect([result["stopReason"], text]).toEqual(["max_turn_requests", "So far."])
    const thoughts = textOf(updates, "agent_thought_chunk")
    expect(thoughts).toMatch(/gone.*\n/)
    expect(thoughts).toMatch(/Stopped after 1 model requests.*\n/)
  })
})

describe("The last message of a turn", () => {
  test("is the content that clients of the dialect zeroclaw get, not all messages glued together", async ({ host, serve }) => {
    await serve({ say: "I look.", calls: [["file_list", {}]] }, { say: "Nothing there." })
    const { acp, sessionId } = await opened(host, "zeroclaw")
    const { result, text } = await acp.prompt(sessionId, "go")
    expect(text).toBe("I look.Nothing there.")
    expect(result).toMatchObject({ content: "Nothing there.", _meta: { zeroclaw: { content: "Nothing there." } } })
  })

  test("stands in the updates alone for clients of the dialect acp", async ({ host, serve }) => {
    await serve({ say: "Once only." })
    const { acp, sessionId } = await opened(host, "acp")
    expect(JSON.stringify((await acp.prompt(sessionId, "go")).result)).not.toContain("Once only.")
  })
})
