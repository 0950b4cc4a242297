import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect } from "vitest"
import { run, test as acpx } from "../support/Acpx.ts"
import type { AcpProcess } from "../support/AcpProcess.ts"
import { ChatServer, type Step } from "../support/ChatServer.ts"
import type { Json } from "../support/Wire.ts"

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

const toolsOf = (request: Json | undefined): ReadonlyArray<string> =>
  (request?.["tools"] ?? []).map((tool: Json) => tool["function"].name)

const systemOf = (request: Json | undefined): string => request?.["messages"][0].content

const opened = (acp: AcpProcess, options: Json, owner = "postern") =>
  acp.newSession({ _meta: { [owner]: { options } } })

const endOf = (updates: ReadonlyArray<Json>) =>
  updates.filter((u) => u["sessionUpdate"] === "tool_call_update" || u["sessionUpdate"] === "tool_call").at(-1)

describe("A client that restricts a session", () => {
  for (const owner of ["postern", "claudeCode"]) {
    test(`has the only tools advertised that it allows, as ${owner} options`, async ({ host, serve }) => {
      const server = await serve({ calls: [["file_write", { path: "a.txt", content: "x" }]] }, { say: "so be it" })
      const acp = await host.open()
      const sessionId = await opened(acp, { allowedTools: ["file_read", "content_search"] }, owner)
      const { text, updates } = await acp.prompt(sessionId, "go")
      expect(toolsOf(server.requests[0])).toEqual(["file_read", "content_search"])
      expect(text).toBe("so be it")
      expect(existsSync(join(host.project, "a.txt"))).toBe(false)
      expect(endOf(updates)).toMatchObject({ status: "failed" })
      expect(JSON.stringify(endOf(updates))).toContain("allowedTools: file_read, content_search")
      expect(acp.messages.some(({ method }) => method === "session/request_permission")).toBe(false)
    })
  }

  test("has tools left out that it excludes, also after the session is loaded by another process", async ({ host, serve }) => {
    const server = await serve({ say: "one" }, { say: "two" }, { say: "three" })
    const acp = await host.open()
    const sessionId = await opened(acp, {
      disallowedTools: ["shell"],
      systemPrompt: { append: "Speak like a pirate." }
    })
    await acp.prompt(sessionId, "go")
    await acp.close()
    const other = await host.open()
    await other.request("session/load", { sessionId, cwd: host.project, mcpServers: [] })
    await other.prompt(sessionId, "go on")
    await other.request("session/close", { sessionId })
    await other.request("session/load", {
      sessionId,
      cwd: host.project,
      mcpServers: [],
      _meta: {
        postern: { options: { allowedTools: ["shell", "file_read", "glob_search"], disallowedTools: ["glob_search"] } }
      }
    })
    await other.prompt(sessionId, "and on")
    for (const request of server.requests.slice(0, 2)) {
      expect(toolsOf(request)).toContain("file_write")
      expect(toolsOf(request)).not.toContain("shell")
      expect(systemOf(request)).toContain("# Instructions of the client\n\nSpeak like a pirate.")
      expect(systemOf(request)).toContain("a coding agent in Postern")
    }
    expect(toolsOf(server.requests[2])).toEqual(["file_read"])
  })

  test("ends a turn after as many model requests as it allows", async ({ host, serve }) => {
    const again: Step = { calls: [["file_list", { path: "." }]] }
    const server = await serve(again, again, again, again, again)
    const acp = await host.open()
    const sessionId = await opened(acp, { maxTurns: 2 })
    const { result } = await acp.prompt(sessionId, "go")
    expect(result["stopReason"]).toBe("max_turn_requests")
    expect(server.requests).toHaveLength(2)
    await acp.request("session/load", {
      sessionId,
      cwd: host.project,
      mcpServers: [],
      _meta: { claudeCode: { options: { maxTurns: 9 } } }
    })
    await acp.prompt(sessionId, "go")
    expect(server.requests).toHaveLength(4)
  })

  test("replaces the instructions, and keeps what the session is told of its folder and policy", async ({ host, serve }) => {
    const server = await serve({ say: "one" })
    host.write("AGENTS.md", "Use tabs.")
    const acp = await host.open()
    const sessionId = await acp.newSession({ _meta: { systemPrompt: "You are a haiku." } })
    await acp.prompt(sessionId, "go")
    const system = systemOf(server.requests[0])
    expect(system.startsWith("You are a haiku.\n\n")).toBe(true)
    expect(system).not.toContain("a coding agent in Postern")
    expect(system).not.toContain("Use tabs.")
    expect(system).toContain(host.project)
  })

  test("begins in the mode that it names", async ({ host }) => {
    const acp = await host.open()
    const { configOptions, modes } = await acp.request("session/new", {
      cwd: host.project,
      mcpServers: [],
      _meta: { claudeCode: { options: { permissionMode: "plan" } } }
    })
    expect(modes.currentModeId).toBe("pl")
    expect(configOptions.find((option: Json) => option["id"] === "work_mode").currentValue).toBe("pl")
    const quiet = await acp.request("session/new", {
      cwd: host.project,
      mcpServers: [],
      _meta: { claudeCode: { options: { permissionMode: "dontAsk" } } }
    })
    expect(quiet["configOptions"].find((option: Json) => option["id"] === "approval_response").currentValue).toBe(
      "never"
    )
  })

  test("may name tools of servers that it brings or that are configured", async ({ host }) => {
    writeFileSync(join(host.config, "config.toml"), "[mcp.servers.configured]\ncommand = \"false\"\n")
    const acp = await host.open()
    const server = { name: "brought", command: "/bin/false", args: [], env: [] }
    for (const tool of ["brought__x", "mcp__brought__x", "mcp__brought", "mcp__configured__y"]) {
      await acp.request("session/new", {
        cwd: host.project,
        mcpServers: [server],
        _meta: { postern: { options: { allowedTools: [tool] } } }
      })
    }
  })

  const refused: ReadonlyArray<readonly [meta: Json, field: string]> = [
    [{ claudeCode: { options: { allowedTools: ["Read"] } } }, "_meta.claudeCode.options.allowedTools"],
    [{ claudeCode: { options: { tools: ["Bash"] } } }, "_meta.claudeCode.options.tools"],
    [{ postern: { options: { disallowedTools: ["mcp__nobody__x"] } } }, "_meta.postern.options.disallowedTools"],
    [{ postern: { options: { allowedTools: "shell" } } }, "_meta.postern.options.allowedTools"],
    [{ postern: { options: { allowedTools: [1] } } }, "_meta.postern.options.allowedTools"],
    [{ postern: { options: { maxTurns: 0 } } }, "_meta.postern.options.maxTurns"],
    [{ claudeCode: { options: { maxTurns: 1.5 } } }, "_meta.claudeCode.options.maxTurns"],
    [{ claudeCode: { options: { maxTurns: "3" } } }, "_meta.claudeCode.options.maxTurns"],
    [{ claudeCode: { options: { permissionMode: "bypassPermissions" } } }, "_meta.claudeCode.options.permissionMode"],
    [{ claudeCode: { options: { permissionMode: "toString" } } }, "_meta.claudeCode.options.permissionMode"],
    [{ claudeCode: { options: { maxBudgetUsd: 1 } } }, "_meta.claudeCode.options.maxBudgetUsd"],
    [{ postern: { options: { colour: "red" } } }, "_meta.postern.options.colour"],
    [{ postern: { options: [] } }, "_meta.postern.options"],
    [{ systemPrompt: { append: 3 } }, "_meta.systemPrompt"]
  ]
  test("is told which option cannot be kept to, and no session is opened", async ({ host }) => {
    const acp = await host.open()
    for (const [meta, field] of refused) {
      const failure = await acp.failure("session/new", { cwd: host.project, mcpServers: [], _meta: meta })
      expect(failure).toMatchObject({ code: -32602, data: { field } })
      expect(failure["message"]).toContain(field)
    }
  })

  test("may send what restricts nothing", async ({ host }) => {
    const acp = await host.open()
    for (
      const meta of [
        { claudeCode: { options: { settingSources: [], model: "sonnet", includePartialMessages: true } } },
        { claudeCode: {}, postern: {} },
        { claudeCode: { options: { allowedTools: null, permissionMode: "default" } }, systemPrompt: null }
      ]
    ) await acp.request("session/new", { cwd: host.project, mcpServers: [], _meta: meta })
  })

  test("is acpx with its options", async ({ host, serve }) => {
    host.write("a.txt", "alpha")
    const server = await serve({ calls: [["file_read", { path: "a.txt" }]] }, { say: "unreached" })
    const flags = ["--allowed-tools", "file_read", "--max-turns", "1", "--append-system-prompt", "Be brief."]
    const { out } = await run(host, "--format", "json", "--json-strict", ...flags, "exec", "go")
    expect(out).toContain("max_turn_requests")
    expect(server.requests).toHaveLength(1)
    expect(toolsOf(server.requests[0])).toEqual(["file_read"])
    expect(systemOf(server.requests[0])).toContain("Be brief.")
    const wrong = await run(host, "--allowed-tools", "Read", "exec", "go")
    expect(wrong.code).not.toBe(0)
    expect(wrong.out + wrong.err).toContain("there is no tool \"Read\"")
  })
})
