import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect } from "vitest"
import type { AcpProcess } from "../support/AcpProcess.ts"
import { callUpdates, mergedCalls } from "../support/Calls.ts"
import { prompt } from "../support/Frames.ts"
import { test } from "../support/Host.ts"
import type { Dialect, Json } from "../support/Wire.ts"

const texts = (call: Json | undefined): ReadonlyArray<string> =>
  (call?.["content"] ?? []).flatMap((item: Json) => item["type"] === "content" ? [item["content"].text] : [])

const block = /^(`{3,})\n([^]*\n)\1$/

/** The text in the one fenced block of a call. */
const fenced = (call: Json | undefined): string => {
  const blocks = texts(call).filter((text) => block.test(text))
  expect(blocks).toHaveLength(1)
  const [, fence = "", body = ""] = block.exec(blocks[0]!)!
  for (const [run] of body.matchAll(/`+/g)) expect(run.length).toBeLessThan(fence.length)
  return body
}

const reload = async (acp: AcpProcess, sessionId: string, cwd: string) => {
  await acp.request("session/close", { sessionId })
  const since = acp.messages.length
  await acp.request("session/load", { sessionId, cwd, mcpServers: [] })
  return acp.updates(sessionId, since)
}

const files = "read notes.md\nlist\nsearch alpha\nglob *.md\nrun cat notes.md"

describe.for<Dialect>(["acp", "zeroclaw"])("Output of tools in the dialect %s", (dialect) => {
  test("is a fenced block with the text beside it, live and loaded", async ({ host }) => {
    host.write("notes.md", "# alpha\n\n````js\nalpha()\n````\n")
    const acp = host.start({ dialect })
    await acp.initialize()
    const sessionId = await acp.newSession()
    const { updates } = await acp.prompt(sessionId, files)
    const live = mergedCalls(updates)
    expect(live.map(fenced)).toEqual([
      expect.stringContaining("````js"),
      expect.stringContaining("notes.md"),
      expect.stringContaining("alpha()"),
      expect.stringContaining("notes.md"),
      "# alpha\n\n````js\nalpha()\n````\n"
    ])
    for (const call of live) {
      const raw = dialect === "acp" ? call["rawOutput"].output : call["rawOutput"]
      expect(fenced(call).trimEnd()).toBe(raw.trimEnd())
    }
    if (dialect === "acp") expect(live.at(-1)?.["rawOutput"]).toMatchObject({ exitCode: 0 })
    const loaded = mergedCalls(await reload(acp, sessionId, host.project))
    const shown = (calls: ReadonlyArray<Json>) =>
      calls.map(({ content, rawOutput, title }) => ({ content, rawOutput, title }))
    expect(shown(loaded)).toEqual(shown(live))
  })

  test("of a failed command is its output, how it ended, and the exit code", async ({ host }) => {
    const acp = host.start({ dialect })
    await acp.initialize()
    const { updates } = await acp.prompt(await acp.newSession(), "run echo one; echo two; exit 3")
    const [call] = mergedCalls(updates)
    expect(fenced(call)).toBe("one\ntwo\n")
    expect(texts(call)[0]).toBe("exit code 3")
    if (dialect === "acp") expect(call!["rawOutput"]).toMatchObject({ output: "one\ntwo", exitCode: 3 })
    else expect(call!["rawOutput"]).toContain("exit code 3\none\ntwo")
  })

  test("is a sentence where a tool has no text to show", async ({ host }) => {
    const acp = host.start({ dialect })
    await acp.initialize()
    const { updates } = await acp.prompt(await acp.newSession(), "read none.md\nwrite a.txt\nx\n.\nrun true")
    const [missing, written, silent] = mergedCalls(updates)
    expect(texts(missing)[0]).toMatch(/^Cannot read none.md: /)
    expect(written!["content"]).toEqual([expect.objectContaining({ type: "diff" })])
    if (dialect === "acp") {
      expect(written!["rawOutput"]).toEqual({ output: expect.stringContaining("Wrote 2 bytes to a.txt") })
      expect(silent!["rawOutput"]).toEqual({ output: "", exitCode: 0 })
    }
  })
})

describe("The title of a call", () => {
  const commands = [
    [
      "whole",
      "for i in $(seq 1 3); do echo \"line $i of a rather long command line, longer than eighty characters\"; done"
    ],
    ["with its line breaks", "echo one\n  echo two\n\necho `echo three`"]
  ] as const
  for (const [how, command] of commands) {
    test(`is the bare command, ${how}`, async ({ host }) => {
      const acp = await host.open()
      const { updates } = await acp.prompt(await acp.newSession(), `call shell ${JSON.stringify({ command })}`)
      expect(callUpdates(updates)[0]).toMatchObject({ title: command, rawInput: { command } })
      expect(mergedCalls(updates)[0]).toMatchObject({ title: command, status: "completed" })
    })
  }

  test("is cut at 4,096 characters, and the content of a question has all of the command", async ({ host }) => {
    const acp = await host.open({ permission: "reject-once" })
    const command = `echo ${"é".repeat(5000)} > out`
    const sessionId = await acp.newSession()
    await acp.prompt(sessionId, `run ${command}`)
    const asked = acp.messages.find((m) => m.method === "session/request_permission")?.params?.["toolCall"]
    expect(asked.title).toBe(`${command.slice(0, 4095)}…`)
    expect(JSON.stringify(asked.content)).toContain(command)
  })

  test("of a file tool is the verb and the path", async ({ host }) => {
    host.write("src/a.ts", "a\n")
    const acp = await host.open()
    const { updates } = await acp.prompt(await acp.newSession(), "read src/a.ts\nedit src/a.ts\na\n---\nb\n.\nlist src")
    expect(callUpdates(updates).filter((u) => u["title"]).map((u) => u["title"])).toEqual([
      "Read src/a.ts",
      "Edit src/a.ts",
      "List src"
    ])
  })
})

describe("Updates of a call", () => {
  test("carry only what changed", async ({ host }) => {
    const acp = await host.open()
    const { updates } = await acp.prompt(await acp.newSession(), "run echo one; sleep 0.4; echo two\nwrite a.txt\nx\n.")
    for (const update of callUpdates(updates).filter((u) => u["sessionUpdate"] === "tool_call_update")) {
      for (const key of ["rawInput", "title", "name", "kind"]) expect(update).not.toHaveProperty(key)
    }
    for (const key of ["content", "status", "rawOutput", "locations"]) {
      const values = callUpdates(updates).filter((u) => u["title"] === undefined && key in u).map((u) =>
        JSON.stringify(u[key])
      )
      expect(new Set(values).size).toBe(values.length - (key === "status" ? 2 : 0))
    }
  })

  test("give a call its own content back after a question", async ({ host }) => {
    const acp = await host.open()
    const { updates } = await acp.prompt(await acp.newSession(), "write a.txt\nx\n.")
    const running = callUpdates(updates).find((u) => u["status"] === "in_progress")
    expect(running?.["content"]).toEqual([expect.objectContaining({ type: "diff", newText: "x\n" })])
  })
})

describe("A change of the plan", () => {
  for (const dialect of ["acp", "zeroclaw"] as const) {
    test(`is a plan and no tool call, live and loaded, in the dialect ${dialect}`, async ({ host }) => {
      const acp = host.start({ dialect })
      await acp.initialize()
      const sessionId = await acp.newSession()
      const { updates } = await acp.prompt(sessionId, "plan one; two")
      expect(updates.filter((u) => u.sessionUpdate === "plan")).toHaveLength(1)
      expect(callUpdates(updates)).toEqual([])
      const loaded = await reload(acp, sessionId, host.project)
      expect(loaded.filter((u) => u.sessionUpdate === "plan")).toHaveLength(1)
      expect(callUpdates(loaded)).toEqual([])
    })
  }

  test("is a call where it is asked about, refused, or impossible", async ({ host }) => {
    writeFileSync(join(host.config, "config.toml"), "[policy]\ntool_approval = \"manual\"\n")
    const acp = await host.open({ permission: "reject-once" })
    const sessionId = await acp.newSession()
    const { updates } = await acp.prompt(sessionId, "plan one; two")
    expect(mergedCalls(updates)).toEqual([expect.objectContaining({ title: "Update the plan", status: "failed" })])
    const impossible = await acp.prompt(sessionId, "call TodoWrite {\"todos\": 7}")
    expect(mergedCalls(impossible.updates)).toEqual([expect.objectContaining({ status: "failed" })])
  })
})

describe("A client that shows commands as terminals", () => {
  const capabilities = { _meta: { terminal_output: true } }

  test("gets the terminal, its output in pieces, and its end, each by itself", async ({ host }) => {
    const acp = await host.open({ capabilities })
    const sessionId = await acp.newSession()
    acp.send(prompt(1, sessionId, "run echo one; until [ -e go ]; do sleep 0.05; done; echo two"))
    await acp.waitForUpdate((u) => u["_meta"]?.terminal_output?.data === "one\n")
    host.write("go", "")
    await acp.waitFor((m) => m.id === 1 && m.method === undefined)
    const calls = callUpdates(acp.updates(sessionId))
    const terminalId = calls[0]!["toolCallId"]
    const content = [{ type: "terminal", terminalId }]
    expect(calls[0]).toMatchObject({
      content,
      _meta: { terminal_info: { terminal_id: terminalId, cwd: host.project } }
    })
    const outputs = calls.filter((u) => u["_meta"]?.terminal_output)
    for (const update of outputs) expect(Object.keys(update).sort()).toEqual(["_meta", "sessionUpdate", "toolCallId"])
    expect(outputs.map((u) => u["_meta"].terminal_output.data).join("")).toBe("one\ntwo\n")
    expect(calls.at(-1)).toMatchObject({
      content,
      status: "completed",
      rawOutput: { output: "one\ntwo", exitCode: 0 },
      _meta: { terminal_exit: { terminal_id: terminalId, exit_code: 0, signal: null } }
    })
  })

  test("gets them again when the session is loaded", async ({ host }) => {
    const acp = await host.open({ capabilities })
    const sessionId = await acp.newSession()
    await acp.prompt(sessionId, "run echo one; exit 7")
    const calls = callUpdates(await reload(acp, sessionId, host.project))
    expect(calls.map((u) => Object.keys(u["_meta"]))).toEqual([["terminal_info"], ["terminal_output"], [
      "terminal_exit"
    ]])
    expect(calls[0]).toMatchObject({
      status: "failed",
      content: [{ type: "terminal", terminalId: calls[0]!["toolCallId"] }]
    })
    expect(calls[1]!["_meta"].terminal_output.data).toContain("one")
    expect(calls[2]!["_meta"].terminal_exit).toMatchObject({ exit_code: 7, signal: null })
  })

  test("reads why a command was refused, and sees all of one that prints much", async ({ host }) => {
    const acp = await host.open({ capabilities, permission: "reject-once" })
    const sessionId = await acp.newSession()
    const refused = mergedCalls((await acp.prompt(sessionId, "run touch x")).updates)[0]!
    expect(texts(refused).join()).toContain("rejected")
    const { updates } = await acp.prompt(sessionId, "run seq 1 9000")
    const data = callUpdates(updates).map((u) => u["_meta"]?.terminal_output?.data ?? "").join("")
    expect(data).toContain("\n5000\n")
    expect(data.endsWith("\n9000\n")).toBe(true)
  })
})
