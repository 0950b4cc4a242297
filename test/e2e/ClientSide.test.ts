import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect } from "vitest"
import type { Answer } from "../support/AgentProcess.ts"
import { callUpdates, mergedCalls } from "../support/Calls.ts"
import { cancel, prompt } from "../support/Frames.ts"
import { type Host, test } from "../support/Host.ts"
import type { Json, Message } from "../support/Wire.ts"

const allowed: Answer = { result: { outcome: { outcome: "selected", optionId: "allow-once" } } }
const finals = (updates: ReadonlyArray<Json>) =>
  updates.filter((u) => u["status"] === "completed" || u["status"] === "failed")
const textOf = (update: Json | undefined): string => JSON.stringify(update?.["content"] ?? "")

/** A client with unsaved buffers and a list of what it was asked. */
const editor = async (host: Host, fs: Json, buffers: Map<string, string>, refuse?: number, data: Json = {}) => {
  const asked: Array<string> = []
  const acp = await host.open({
    capabilities: { fs },
    permission: ({ method, params }: Message): Answer | undefined => {
      const path = params?.["path"]
      if (!method?.startsWith("fs/")) return allowed
      asked.push(`${method} ${path}`)
      if (refuse !== undefined) return { error: { code: refuse, message: "no such thing", data } }
      if (method === "fs/read_text_file") return { result: { content: buffers.get(path) ?? "" } }
      buffers.set(path, params?.["content"])
      return { result: null as unknown as Json }
    }
  })
  return { acp, asked, sessionId: await acp.newSession() }
}

describe("a client with unsaved buffers", () => {
  test("is read and written through, and the disk is left to it", async ({ host }) => {
    const path = host.write("a.txt", "on disk\n")
    const buffers = new Map([[path, "unsaved\n"]])
    const { acp, sessionId } = await editor(host, { readTextFile: true, writeTextFile: true }, buffers)
    const { updates } = await acp.prompt(
      sessionId,
      "read a.txt\nedit a.txt\nunsaved\n---\nedited\n.\nwrite new/b.txt\nhello\n."
    )
    const [read, edit, write] = finals(updates)
    expect(textOf(read)).toContain("1: unsaved")
    expect([edit!["status"], write!["status"]]).toEqual(["completed", "completed"])
    expect(buffers.get(path)).toBe("edited\n")
    expect(buffers.get(join(host.project, "new", "b.txt"))).toBe("hello\n")
    expect(readFileSync(path, "utf8")).toBe("on disk\n")
  })

  test("is not asked about what it does not offer, what is outside, and what is no text", async ({ host }) => {
    host.write("a.txt", "on disk\n")
    host.write("b.bin", Buffer.from([0, 1, 2]))
    const { acp, asked, sessionId } = await editor(host, { readTextFile: true }, new Map())
    const { updates } = await acp.prompt(sessionId, "write a.txt\nnew\n.\nread /etc/hostname\nread b.bin")
    expect(readFileSync(join(host.project, "a.txt"), "utf8")).toBe("new\n")
    expect(finals(updates).map((u) => u["status"])).toEqual(["completed", "failed", "failed"])
    expect(new Set(asked)).toEqual(new Set([`fs/read_text_file ${join(host.project, "a.txt")}`]))
  })

  test("that says a missing file is empty does not make it exist", async ({ host }) => {
    const first = await editor(host, { readTextFile: true }, new Map())
    expect(textOf(finals((await first.acp.prompt(first.sessionId, "read none.txt")).updates)[0])).toContain(
      "does not exist"
    )
  })

  for (const code of [-32601, -32002]) {
    test(`that answers ${code} leaves a file to the disk`, async ({ host }) => {
      host.write("a.txt", "on disk\n")
      const { acp, sessionId } = await editor(host, { readTextFile: true, writeTextFile: true }, new Map(), code)
      const { updates } = await acp.prompt(sessionId, "read a.txt\nwrite a.txt\nwritten\n.")
      expect(textOf(finals(updates)[0])).toContain("1: on disk")
      expect(readFileSync(join(host.project, "a.txt"), "utf8")).toBe("written\n")
    })
  }

  for (const code of [-32603, -32602, -32000, 403]) {
    test(`that refuses with ${code} is obeyed, and its reason is shown`, async ({ host }) => {
      host.write("a.txt", "on disk\n")
      const both = { readTextFile: true, writeTextFile: true }
      const { acp, sessionId } = await editor(host, both, new Map(), code)
      const script = "read a.txt\nwrite a.txt\nwritten\n.\nedit a.txt\non\n---\noff\n.\nwrite b.txt\nnew\n."
      const calls = mergedCalls((await acp.prompt(sessionId, script)).updates)
      expect(calls.map((call) => call["status"])).toEqual(["failed", "failed", "failed", "failed"])
      for (const call of calls) expect(textOf(call)).toContain("no such thing")
      expect(JSON.stringify(calls)).not.toContain("on disk")
      expect(readFileSync(join(host.project, "a.txt"), "utf8")).toBe("on disk\n")
      expect(existsSync(join(host.project, "b.txt"))).toBe(false)
    })
  }

  test("that refuses to write keeps the details of its reason", async ({ host }) => {
    const { acp, sessionId } = await editor(host, { writeTextFile: true }, new Map(), -32603, {
      details: "the tree is frozen"
    })
    const [call] = mergedCalls((await acp.prompt(sessionId, "write a.txt\nagain\n.")).updates)
    expect(textOf(call)).toContain("the client did not write it: no such thing: the tree is frozen")
    expect(existsSync(join(host.project, "a.txt"))).toBe(false)
  })

  test("is not asked for the text of a file that a call was refused", async ({ host }) => {
    const path = host.write("a.txt", "a secret\n")
    writeFileSync(join(host.config, "config.toml"), "[policy.rules]\ndeny = [\"write(./a.txt)\"]\n")
    const { acp, asked, sessionId } = await editor(host, { readTextFile: true }, new Map([[path, "a secret\n"]]))
    const { updates } = await acp.prompt(sessionId, "write a.txt\nx\n.\nedit a.txt\na\n---\nb\n.")
    expect(finals(updates).map((u) => u["status"])).toEqual(["failed", "failed"])
    expect(asked).toEqual([])
    expect(JSON.stringify(callUpdates(updates))).not.toContain("secret")
    expect(JSON.stringify(callUpdates(updates))).not.toContain("\"diff\"")
  })
})

describe("A call that the user rejects", () => {
  test("shows the old text to who is asked, and nowhere else", async ({ host }) => {
    host.write("a.txt", "a secret\n")
    const acp = await host.open({ permission: "reject-once" })
    const sessionId = await acp.newSession()
    const { updates } = await acp.prompt(sessionId, "write a.txt\nx\n.")
    const question = acp.messages.find((m) => m.method === "session/request_permission")
    expect(JSON.stringify(question?.params)).toContain("a secret")
    expect(JSON.stringify(updates)).not.toContain("secret")
    await acp.request("session/close", { sessionId })
    const since = acp.messages.length
    await acp.request("session/load", { sessionId, cwd: host.project, mcpServers: [] })
    expect(JSON.stringify(acp.updates(sessionId, since))).not.toContain("secret")
  })
})

/** A client with terminals; `exit` says how a command ended, or nothing while it runs. */
const withTerminals = async (host: Host, exit: Json | undefined) => {
  const calls: Array<Message> = []
  const acp = await host.open({
    capabilities: { terminal: true },
    permission: (request: Message): Answer | undefined => {
      if (!request.method?.startsWith("terminal/")) return allowed
      calls.push(request)
      switch (request.method) {
        case "terminal/create":
          return { result: { terminalId: "T1" } }
        case "terminal/output":
          return { result: { output: "hello from the editor\n", truncated: false } }
        case "terminal/wait_for_exit":
          return exit && { result: exit }
        // A client that is stuck: nobody waits for it.
        case "terminal/kill":
          return undefined
        default:
          return { result: {} }
      }
    }
  })
  const sessionId = await acp.newSession()
  const ask = (name: string) => calls.filter(({ method }) => method === `terminal/${name}`)
  return { acp, ask, calls, sessionId }
}

describe("a client with terminals", () => {
  test("runs a command where the session asks for no sandbox, and has its text when the session is loaded again", async ({ host }) => {
    const { acp, ask, calls, sessionId } = await withTerminals(host, { exitCode: 3, signal: null })
    await acp.request("session/set_config_option", { sessionId, configId: "sandbox", value: "danger-full-access" })
    const { updates } = await acp.prompt(sessionId, "run touch marker")
    expect(calls.map(({ method }) => method)).toEqual([
      "terminal/create",
      "terminal/wait_for_exit",
      "terminal/output",
      "terminal/release"
    ])
    expect(ask("create")[0]!.params).toMatchObject({
      sessionId,
      cwd: host.project,
      args: expect.arrayContaining(["-c", "touch marker"])
    })
    const shown = updates.filter((u: Json) => u["sessionUpdate"] === "tool_call_update").map((u: Json) => u["content"])
      .filter(Boolean)
    expect(shown.at(-1)).toEqual([{ type: "terminal", terminalId: "T1" }])
    expect(finals(updates)[0]).toMatchObject({ status: "failed", rawOutput: { exitCode: 3 } })
    expect(JSON.stringify(updates)).toContain("exit code 3")
    await acp.close()
    const later = await host.open()
    await later.request("session/load", { sessionId, cwd: host.project, mcpServers: [] })
    const call = later.updates(sessionId).find((u: Json) => u["sessionUpdate"] === "tool_call") as Json
    expect(textOf(call)).toContain("hello from the editor")
    expect(textOf(call)).not.toContain("terminal")
  })

  test("is not asked while a sandbox is wanted, or the network is to be off", async ({ host }) => {
    const { acp, calls, sessionId } = await withTerminals(host, { exitCode: 0 })
    await acp.prompt(sessionId, "run echo here")
    await acp.request("session/set_config_option", { sessionId, configId: "sandbox", value: "danger-full-access" })
    await acp.request("session/set_config_option", { sessionId, configId: "network", value: "off" })
    await acp.prompt(sessionId, "run touch x")
    expect(calls).toEqual([])
  })

  test("has its terminal killed and released when the turn is cancelled", async ({ host }) => {
    const { acp, ask, sessionId } = await withTerminals(host, undefined)
    await acp.request("session/set_config_option", { sessionId, configId: "sandbox", value: "danger-full-access" })
    acp.send(prompt(1, sessionId, "run touch x; sleep 100"))
    await acp.waitFor(({ method }) => method === "terminal/wait_for_exit")
    acp.send(cancel(sessionId))
    expect((await acp.waitFor(({ id, method }) => id === 1 && method === undefined)).result).toMatchObject({
      stopReason: "cancelled"
    })
    await acp.waitFor(({ method }) => method === "terminal/release")
    expect([ask("kill").length, ask("release").length]).toEqual([1, 1])
  })
})

describe("a client that shows commands of the agent as terminals", () => {
  test("gets the output as it comes and the end of the command", async ({ host }) => {
    const acp = await host.open({ capabilities: { _meta: { terminal_output: true } } })
    const sessionId = await acp.newSession()
    const { updates } = await acp.prompt(sessionId, "run echo one; echo two; exit 7")
    const calls: ReadonlyArray<Json> = updates.filter((u: Json) => u["toolCallId"] !== undefined)
    const terminalId = calls[0]!["toolCallId"]
    expect(calls[0]).toMatchObject({
      content: expect.arrayContaining([{ type: "terminal", terminalId }]),
      _meta: { terminal_info: { terminal_id: terminalId, cwd: host.project } }
    })
    const data = calls.map((u) => u["_meta"]?.terminal_output?.data ?? "").join("")
    expect(data).toContain("one\ntwo")
    expect(data.match(/one/g)).toHaveLength(1)
    expect(calls.at(-1)).toMatchObject({
      status: "failed",
      content: [{ type: "terminal", terminalId }],
      _meta: { terminal_exit: { terminal_id: terminalId, exit_code: 7, signal: null } }
    })
  })
})
