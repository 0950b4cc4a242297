import { spawn } from "node:child_process"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join, resolve } from "node:path"
import { describe, expect } from "vitest"
import type { AcpProcess } from "../support/AcpProcess.ts"
import { answer, prompt } from "../support/Frames.ts"
import { type Host, test } from "../support/Host.ts"
import type { Json, Message } from "../support/Wire.ts"
import * as Fixture from "../sandbox/Fixture.ts"

const modules = resolve("node_modules")
const everything = join(modules, "@modelcontextprotocol/server-everything/dist/index.js")
const filesystem = join(modules, "@modelcontextprotocol/server-filesystem/dist/index.js")
const scripted = resolve("test/mcp/ScriptedServer.ts")

/** Nobody is asked; servers run unconfined unless a test is about that. */
const config = (host: Host, servers: string, policy = "sandbox = \"danger-full-access\"") =>
  writeFileSync(join(host.config, "config.toml"), `[policy]\ntool_approval = "universal_accept"\n${policy}\n${servers}`)

const server = (name: string, args: ReadonlyArray<string>, more = "") =>
  `[mcp.servers.${name}]\ncommand = ${JSON.stringify(process.execPath)}\nargs = ${JSON.stringify(args)}\n${more}\n`

const call = (name: string, parameters: Json = {}) => `call ${name} ${JSON.stringify(parameters)}`

/** The calls of a turn as they ended: their status, and their text. */
const ended = async (acp: AcpProcess, sessionId: string, ...script: ReadonlyArray<string>) => {
  const { updates } = await acp.prompt(sessionId, script.join("\n"))
  return updates.flatMap((update: Json) =>
    update["sessionUpdate"] === "tool_call_update" && ["completed", "failed"].includes(update["status"])
      ? [
        `${update["status"]} ${
          update["content"].map((item: Json) => item["content"].text ?? item["content"].name).join("\n")
            .replaceAll(/^`{3,}\n|\n`{3,}$/gm, "")
        }`
      ]
      : []
  )
}

describe("the MCP server everything", () => {
  test("answers with text, structure, links, images and resources", async ({ host }) => {
    config(host, server("everything", [everything, "stdio"]))
    const acp = await host.open()
    const sessionId = await acp.newSession()
    const results = await ended(
      acp,
      sessionId,
      call("everything__echo", { message: "hello" }),
      call("everything__get-sum", { a: 2, b: 40 }),
      call("everything__get-structured-content", { location: "Chicago" }),
      call("everything__get-tiny-image"),
      call("everything__get-resource-links", { count: 1 }),
      call("everything__get-roots-list"),
      call("everything__read_resource", { uri: "demo://resource/dynamic/text/1" }),
      call("everything__read_resource", { uri: "demo://resource/dynamic/blob/2" }),
      call("everything__list_prompts"),
      call("everything__get_prompt", { name: "args-prompt", arguments: { city: "Oslo" } })
    )
    expect(results).toEqual([
      "completed Echo: hello",
      expect.stringMatching(/^completed The sum of 2 and 40 is 42\.$/),
      expect.stringMatching(/^completed \{"temperature":36,"conditions":"Light rain \/ drizzle","humidity":82\}$/),
      expect.stringMatching(/^completed Here's the image you requested:\n[0-9a-f]{64}\.png\n/),
      expect.stringMatching(/^completed .*\n\[Link: .+\] demo:\/\//s),
      expect.stringContaining(`file://${host.project}`),
      expect.stringMatching(
        /^completed \[Resource demo:\/\/resource\/dynamic\/text\/1\]\nResource 1: This is a plaintext resource/
      ),
      "completed 2",
      expect.stringContaining(
        "- args-prompt · A prompt with two arguments, one required and one optional · city, state?"
      ),
      expect.stringMatching(/\[user\]\nWhat's weather in Oslo\?/)
    ])
  })

  test("shows its progress, and is told when the user cancels", async ({ host }) => {
    config(host, server("everything", [everything, "stdio"]))
    const acp = await host.open()
    const sessionId = await acp.newSession()
    acp.send(prompt(1, sessionId, call("everything__trigger-long-running-operation", { duration: 600, steps: 6000 })))
    await acp.waitForUpdate((update) => /^\d+ of 6000/.test(update["content"]?.[0]?.content?.text ?? ""))
    acp.notify("session/cancel", { sessionId })
    expect((await acp.waitFor((m) => m.id === 1)).result).toMatchObject({ stopReason: "cancelled" })
    expect(await ended(acp, sessionId, call("everything__echo", { message: "still here" }))).toEqual([
      "completed Echo: still here"
    ])
  })

  test("asks the user through the client's form", async ({ host }) => {
    config(host, server("everything", [everything, "stdio"]))
    const acp = await host.open({ capabilities: { elicitation: { form: {} } }, permission: () => undefined })
    const sessionId = await acp.newSession()
    acp.send(prompt(1, sessionId, call("everything__trigger-elicitation-request")))
    const asked = await acp.waitFor((m: Message) => m.method === "elicitation/create")
    expect(asked.params).toMatchObject({
      mode: "form",
      sessionId,
      message: "everything (MCP server) asks: Please provide inputs for the following fields:"
    })
    expect(asked.params?.["requestedSchema"].properties.name).toMatchObject({ type: "string" })
    acp.send(answer(asked.id, { action: "accept", content: { name: "Ada" } }))
    await acp.waitFor((m) => m.id === 1)
    expect(JSON.stringify(acp.updates(sessionId))).toContain("Ada")
  })
})

describe("MCP over HTTP", () => {
  const freePort = () =>
    new Promise<number>((done) => {
      const probe = createServer().listen(0, "127.0.0.1", () => {
        const { port } = probe.address() as { port: number }
        probe.close(() => done(port))
      })
    })

  for (const [transport, path] of [["streamableHttp", "mcp"], ["sse", "sse"]] as const) {
    test(`speaks ${transport}, with servers that the client brings`, async ({ host }) => {
      config(host, "")
      const port = await freePort()
      const child = spawn(process.execPath, [everything, transport], {
        env: { ...process.env, PORT: String(port) },
        stdio: ["ignore", "ignore", "pipe"]
      })
      try {
        await new Promise<void>((ready) =>
          child.stderr.on("data", (chunk) => /listening|running/.test(String(chunk)) && ready())
        )
        const acp = await host.open()
        const type = transport === "sse" ? "sse" : "http"
        const sessionId = await acp.newSession({
          mcpServers: [{ type, name: "Every thing!", url: `http://127.0.0.1:${port}/${path}`, headers: [] }]
        })
        expect(
          await ended(
            acp,
            sessionId,
            call("Every_thing___echo", { message: "over HTTP" }),
            call("Every_thing__echo", { message: "over HTTP" }),
            call("Every_thing__trigger-long-running-operation", { duration: 0.1, steps: 2 }),
            call("Every_thing__get-roots-list")
          )
        ).toEqual([
          expect.stringMatching(/^failed Denied by validity/),
          "completed Echo: over HTTP",
          expect.stringMatching(/^completed Long running operation completed/),
          expect.stringContaining(`file://${host.project}`)
        ])
        await acp.close()
      } finally {
        child.kill()
      }
    })
  }

  test("says what is wrong with an address where no server is", async ({ host }) => {
    const port = await freePort()
    config(host, `[mcp.servers.gone]\nurl = "http://127.0.0.1:${port}/mcp"`)
    const acp = await host.open({ capabilities: { session: { notices: {} } } })
    const sessionId = await acp.newSession()
    const { updates } = await acp.prompt(sessionId, "say hello")
    expect(updates.filter((update: Json) => update["sessionUpdate"] === "notice")).toMatchObject([
      {
        severity: "warning",
        title: "The MCP server gone cannot be used",
        description: "it cannot be reached (ECONNREFUSED)"
      }
    ])
  })
})

describe("MCP servers of a session", () => {
  test("that fail are told about once, and the turn goes on", async ({ host }) => {
    config(host, server("gone", [scripted, "exit"]) + "[mcp.servers.nowhere]\ncommand = \"/no/such/program\"\n")
    const acp = await host.open()
    const sessionId = await acp.newSession()
    const first = await acp.prompt(sessionId, "say hello")
    const told = JSON.stringify(first.updates)
    expect(told).toContain(
      "The MCP server gone cannot be used: it ended with exit code 3: Error: the licence has expired"
    )
    expect(told).toContain("The MCP server nowhere cannot be used: /no/such/program cannot be started (ENOENT)")
    expect(first.text).toBe("hello")
    expect(first.result).toMatchObject({ stopReason: "end_turn" })
    expect((await acp.prompt(sessionId, "say hello")).text).toBe("hello")
  })

  test("are told when the user cancels a call", async ({ host }) => {
    config(host, server("s", [scripted, "good"]))
    const acp = await host.open()
    const sessionId = await acp.newSession()
    acp.send(prompt(1, sessionId, call("s__wait")))
    await acp.waitForUpdate((update) => update["status"] === "in_progress")
    acp.notify("session/cancel", { sessionId })
    expect((await acp.waitFor((m) => m.id === 1)).result).toMatchObject({ stopReason: "cancelled" })
    expect(await ended(acp, sessionId, call("s__withdrawn"))).toEqual([
      expect.stringMatching(/^completed \[\{"requestId":\d+/)
    ])
  })

  test("that both the configuration and the client have are one", async ({ host }) => {
    const starts = join(host.folder, "starts")
    config(host, server("s", [scripted, "good", starts]))
    const acp = await host.open()
    const mine = { name: "s", command: process.execPath, args: [scripted, "good", starts], env: [] }
    const sessionId = await acp.newSession({ mcpServers: [mine, { ...mine, env: [{ name: "OTHER", value: "yes" }] }] })
    expect(await ended(acp, sessionId, call("s__env", { name: "OTHER" }), call("s-2__env", { name: "OTHER" }))).toEqual(
      ["completed unset", "completed yes"]
    )
    expect(readFileSync(starts, "utf8")).toBe("start\nstart\n")
  })

  test("that the client brings on load are there, and end with the session", async ({ host }) => {
    config(host, "")
    const acp = await host.open()
    const first = await acp.newSession()
    await acp.prompt(first, "say hello")
    await acp.request("session/close", { sessionId: first })
    const mine = {
      name: "mine",
      command: process.execPath,
      args: [scripted, "good"],
      env: [{ name: "WHO", value: "me" }]
    }
    await acp.request("session/load", { sessionId: first, cwd: host.project, mcpServers: [mine] })
    expect(await ended(acp, first, call("mine__env", { name: "WHO" }), call("mine__cwd"))).toEqual([
      "completed me",
      `completed ${host.project}`
    ])
    const servers = () =>
      readFileSync(`/proc/${acp.pid}/task/${acp.pid}/children`, "utf8").trim().split(" ").filter((pid) =>
        pid !== "" && existsSync(`/proc/${pid}`) && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(scripted)
      )
    expect(servers()).toHaveLength(1)
    await acp.request("session/close", { sessionId: first })
    await expect.poll(servers).toEqual([])
  })

  test("that clients bring are refused where the operator says so", async ({ host }) => {
    config(host, "[mcp.clients]\nenabled = false")
    const acp = host.start()
    expect((await acp.initialize())["agentCapabilities"].mcpCapabilities).toEqual({ http: false, sse: false })
    const sessionId = await acp.newSession({
      mcpServers: [{ name: "mine", command: process.execPath, args: [scripted, "good"], env: [] }]
    })
    expect(await ended(acp, sessionId, call("mine__echo", { text: "x" }))).toEqual([
      expect.stringMatching(/^failed Denied by validity/)
    ])
  })

  test("are behind the gate like every tool", async ({ host }) => {
    config(host, server("s", [scripted, "good"], "tools = { echo = \"ro\" }\n[policy.rules]\ndeny = [\"mcp(s/cwd)\"]"))
    const acp = await host.open({ permission: "reject-once" })
    const sessionId = await acp.newSession()
    await acp.request("session/set_config_option", { sessionId, configId: "tool_approval", value: "whitelist_accept" })
    expect(
      await ended(acp, sessionId, call("s__echo", { text: "x" }), call("s__env", { name: "HOME" }), call("s__cwd"))
    ).toEqual([
      "completed x",
      expect.stringContaining("Denied by response (APPROVAL_REJECTED)"),
      expect.stringContaining("Denied by rule (RULE_DENY): deny rule mcp(s/cwd)")
    ])
    await acp.request("session/set_config_option", { sessionId, configId: "network", value: "off" })
    expect(await ended(acp, sessionId, call("s__echo", { text: "x" }))).toEqual([
      expect.stringContaining("NETWORK_DENIED")
    ])
  })
})

describe.skipIf(!Fixture.hasBubblewrap)(`a confined MCP server${Fixture.reason}`, () => {
  const confined = "sandbox = \"workspace-write\""
  const readable = `readable = ${JSON.stringify([modules, resolve("test")])}`

  test("works in the session's folders, as server-filesystem does", async ({ host }) => {
    config(host, server("files", [filesystem, host.project], readable), confined)
    const acp = await host.open()
    const sessionId = await acp.newSession()
    const path = join(host.project, "new.txt")
    const results = await ended(
      acp,
      sessionId,
      call("files__write_file", { path, content: "one\ntwo\n" }),
      call("files__edit_file", { path, edits: [{ oldText: "two", newText: "three" }] }),
      call("files__read_text_file", { path }),
      call("files__list_directory", { path: host.project }),
      call("files__read_text_file", { path: "/etc/passwd" })
    )
    expect(readFileSync(path, "utf8")).toBe("one\nthree\n")
    expect(results[2]).toContain("one\nthree")
    expect(results[3]).toContain("[FILE] new.txt")
    expect(results[4]).toMatch(/^failed Access denied/)
  })

  test("writes the session's folder and what is opened to it, and nothing else", async ({ host }) => {
    const folders = [host.project, join(host.folder, "outside"), join(host.folder, "opened")]
    for (const folder of folders) host.write(join(folder, "there"), "")
    config(
      host,
      server("s", [scripted, "good"], `${readable}\nwritable = ${JSON.stringify(folders.slice(2))}`),
      confined
    )
    const acp = await host.open()
    const sessionId = await acp.newSession()
    const paths = folders.map((folder) => join(folder, "new.txt"))
    await ended(acp, sessionId, ...paths.map((path) => call("s__write", { path })))
    expect(paths.map((path) => existsSync(path))).toEqual([true, false, true])
  })

  test("is held to a narrower mode as soon as the session is", async ({ host }) => {
    config(host, server("s", [scripted, "good"], `${readable}\ncapability = "none"`), confined)
    const acp = await host.open()
    const sessionId = await acp.newSession()
    const path = join(host.project, "a.txt")
    expect(await ended(acp, sessionId, call("s__echo", { text: "x" }))).toEqual(["completed x"])
    await acp.request("session/set_config_option", { sessionId, configId: "work_mode", value: "ro" })
    expect(await ended(acp, sessionId, call("s__write", { path }))).toEqual(["completed EROFS"])
    expect(existsSync(path)).toBe(false)
  })
})
