import type { SessionUpdate } from "@agentclientprotocol/sdk"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect } from "vitest"
import { textOf } from "../support/AcpProcess.ts"
import { prompt, request } from "../support/Frames.ts"
import { test } from "../support/Host.ts"

const calls = (updates: ReadonlyArray<SessionUpdate>) =>
  updates.flatMap((u) => u.sessionUpdate === "tool_call" || u.sessionUpdate === "tool_call_update" ? [u] : [])

describe("one turn on the wire", () => {
  test("a new session has a UUID v4 and announces its commands after the result", async ({ host }) => {
    const acp = await host.open()
    acp.send(request("n", "session/new", { cwd: host.project, mcpServers: [] }))
    const first = await acp.next()
    expect(first.id).toBe("n")
    expect(first.result?.["sessionId"]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  })

  test("text and thought come as chunks with message ids, one id per message", async ({ host }) => {
    const acp = await host.open()
    const sessionId = await acp.newSession()
    const { updates, text, result } = await acp.prompt(sessionId, "think deep thought\nsay some plain words")
    expect(result["stopReason"]).toBe("end_turn")
    expect(text).toContain("some plain words")
    expect(textOf(updates, "agent_thought_chunk")).toContain("deep thought")
    const chunks = updates.flatMap((u) =>
      u.sessionUpdate === "agent_message_chunk" || u.sessionUpdate === "agent_thought_chunk" ? [u] : []
    )
    expect(chunks.every((c) => typeof c.messageId === "string" && c.messageId !== "")).toBe(true)
    const kinds = new Map(chunks.map((c) => [`${c.messageId} ${c.sessionUpdate}`, c.messageId]))
    expect(new Set(kinds.values()).size).toBe(kinds.size)
  })

  test("the live prompt is not echoed", async ({ host }) => {
    const acp = await host.open()
    const { updates } = await acp.prompt(await acp.newSession(), "say hello")
    expect(updates.some((u) => u.sessionUpdate === "user_message_chunk")).toBe(false)
  })

  test("a read shows name, kind, location, raw input, visible content, and goes from open to completed", async ({ host }) => {
    const acp = await host.open()
    const file = host.write("src/a.txt", "alpha\nbeta\n")
    const { updates } = await acp.prompt(await acp.newSession(), "read src/a.txt")
    const [first, ...rest] = calls(updates)
    expect(first).toMatchObject({
      sessionUpdate: "tool_call",
      name: "file_read",
      rawInput: { path: expect.any(String) }
    })
    expect(first?.title).toMatch(/\S/)
    expect(rest.some((u) => u.status === "in_progress") || first?.status === "in_progress").toBe(true)
    expect(rest.at(-1)).toMatchObject({ status: "completed" })
    expect(JSON.stringify(rest)).toContain("alpha")
    const shown = calls(updates)
    expect(shown.some((u) => u.locations?.some((l) => l.path === file))).toBe(true)
    expect(shown.some((u) => u.kind === "read")).toBe(true)
    const texts = shown.flatMap((u) => u.content ?? [])
      .map((c) => c.type === "content" && c.content.type === "text" ? c.content.text : "")
    expect(texts.join("")).toContain("alpha")
    expect(acp.messages.some((m) => m.method === "session/request_permission")).toBe(false)
  })

  test("a write asks first and shows a diff of a new file with absolute path", async ({ host }) => {
    const acp = await host.open()
    const { updates } = await acp.prompt(await acp.newSession(), "write new.txt\nfresh\n.")
    const path = join(host.project, "new.txt")
    const diffs = calls(updates).flatMap((u) => u.content ?? []).filter((c) => c.type === "diff")
    expect(diffs.at(-1)).toMatchObject({ path, newText: expect.stringContaining("fresh") })
    expect(diffs.at(-1)?.oldText ?? null).toBeNull()
    expect(calls(updates).some((u) => u.kind === "edit")).toBe(true)
    expect(readFileSync(path, "utf8")).toContain("fresh")
    expect(acp.messages.filter((m) => m.method === "session/request_permission")).toHaveLength(1)
  })

  test("an edit shows old and new text", async ({ host }) => {
    const acp = await host.open()
    const path = host.write("e.txt", "one two three\n")
    const { updates } = await acp.prompt(await acp.newSession(), "edit e.txt\ntwo\n---\nTWO\n.")
    const diff = calls(updates).flatMap((u) => u.content ?? []).find((c) => c.type === "diff")
    expect(diff).toMatchObject({
      path,
      oldText: expect.stringContaining("two"),
      newText: expect.stringContaining("TWO")
    })
    expect(readFileSync(path, "utf8")).toBe("one TWO three\n")
  })

  test("a command's output is visible content, and its kind is execute", async ({ host }) => {
    const acp = await host.open()
    const { updates } = await acp.prompt(await acp.newSession(), "run echo visible-$((40+2))")
    expect(calls(updates).some((u) => u.kind === "execute")).toBe(true)
    // With the end of the call, or before it where the command took longer.
    expect(JSON.stringify(calls(updates).map(({ content }) => content))).toContain("visible-42")
  })

  test("a tool that fails ends as failed with a reason, and the turn still ends well", async ({ host }) => {
    const acp = await host.open()
    const { updates, result } = await acp.prompt(await acp.newSession(), "read missing.txt\nsay went on")
    expect(calls(updates).at(-1)).toMatchObject({ status: "failed" })
    expect(JSON.stringify(calls(updates).at(-1)?.content)).toMatch(/missing\.txt/)
    expect(result["stopReason"]).toBe("end_turn")
    expect(textOf(updates)).toContain("went on")
  })

  test("a call of no known tool, or with bad arguments, is no protocol error", async ({ host }) => {
    const acp = await host.open()
    const sessionId = await acp.newSession()
    for (const script of ["call no_such_tool {}", "call file_read {\"path\": 7}", "call file_read not json"]) {
      const { result } = await acp.prompt(sessionId, `${script}\nsay on`)
      expect(result["stopReason"]).toBe("end_turn")
    }
  })

  test("a path outside the session's folder is refused and named", async ({ host }) => {
    const acp = await host.open()
    host.write(join(host.folder, "outside.txt"), "secret-content")
    const { updates } = await acp.prompt(await acp.newSession(), "read ../outside.txt")
    expect(calls(updates).at(-1)).toMatchObject({ status: "failed" })
    expect(JSON.stringify(updates)).not.toContain("secret-content")
  })

  test("a plan has exactly the three keys per entry", async ({ host }) => {
    const acp = await host.open()
    const { updates } = await acp.prompt(await acp.newSession(), "plan First; Second; Third")
    const plan = updates.findLast((u) => u.sessionUpdate === "plan")
    expect(plan?.entries.map((e) => e.content)).toEqual(["First", "Second", "Third"])
    for (const entry of plan?.entries ?? []) {
      expect(Object.keys(entry).sort()).toEqual(["content", "priority", "status"])
    }
  })

  test("token use is reported before the result", async ({ host }) => {
    const acp = await host.open()
    const { updates } = await acp.prompt(await acp.newSession(), "say hi")
    const usage = updates.findLast((u) => u.sessionUpdate === "usage_update")
    expect(usage).toMatchObject({ used: expect.any(Number), size: expect.any(Number) })
  })

  test("twenty thousand deltas arrive complete, in order, and before the result", async ({ host }) => {
    const acp = await host.open()
    const sessionId = await acp.newSession()
    const one = (await acp.prompt(sessionId, "stream 20")).text
    const { text, result } = await acp.prompt(sessionId, "stream 20000")
    expect(result["stopReason"]).toBe("end_turn")
    expect(text.length).toBeGreaterThan(one.length * 500)
    expect(text.startsWith(one.slice(0, one.length / 2))).toBe(true)
  })

  test("a prompt that is no script gets an answer in words", async ({ host }) => {
    const acp = await host.open()
    const { text, result } = await acp.prompt(await acp.newSession(), "What is this project about?")
    expect(result["stopReason"]).toBe("end_turn")
    expect(text.length).toBeGreaterThan(20)
  })

  test("an unknown slash command is plain text", async ({ host }) => {
    const acp = await host.open()
    const { result } = await acp.prompt(await acp.newSession(), "/nonsense here")
    expect(result["stopReason"]).toBe("end_turn")
  })

  test("a second prompt while one runs is busy, and the running turn does not notice", async ({ host }) => {
    const acp = await host.open()
    const sessionId = await acp.newSession()
    acp.send(prompt(1, sessionId, "wait 1\nsay unharmed"), prompt(2, sessionId, "say intruder"))
    const busy = await acp.waitFor((m) => m.id === 2)
    expect(busy.error).toMatchObject({ code: 1001, data: { reason: "session_busy", sessionId } })
    expect((await acp.waitFor((m) => m.id === 1)).result?.["stopReason"]).toBe("end_turn")
    expect(textOf(acp.updates(sessionId))).toContain("unharmed")
    expect(textOf(acp.updates(sessionId))).not.toContain("intruder")
  })

  const unusable: ReadonlyArray<readonly [string, unknown]> = [
    ["an empty prompt", []],
    ["a block of unknown type", [{ type: "hologram", data: "x" }]],
    ["a text block without text", [{ type: "text" }]],
    ["an audio block, which is not advertised", [{ type: "audio", data: "AAAA", mimeType: "audio/wav" }]],
    ["a prompt of a wrong type", 42],
    ["no prompt", undefined]
  ]
  for (const [name, blocks] of unusable) {
    test(`${name} is invalid params, and the session stays usable`, async ({ host }) => {
      const acp = await host.open()
      const sessionId = await acp.newSession()
      const error = await acp.failure("session/prompt", { sessionId, prompt: blocks })
      expect(error).toMatchObject({
        code: -32602,
        data: { reason: expect.any(String), field: expect.stringMatching(/^prompt/) }
      })
      expect((await acp.prompt(sessionId, "say usable")).text).toContain("usable")
    })
  }
})
