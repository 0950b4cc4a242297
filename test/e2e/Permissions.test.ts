import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect } from "vitest"
import type { Answer, Policy } from "../support/AgentProcess.ts"
import { answer, cancel, prompt } from "../support/Frames.ts"
import { test } from "../support/Host.ts"
import type { Json, Message } from "../support/Wire.ts"

const asks = (m: Message) => m.method === "session/request_permission"
const selected = (optionId: unknown): Answer => ({ result: { outcome: { outcome: "selected", optionId } } })

describe("whatever a client answers to a permission request, only a clear yes runs the call", () => {
  const ways: ReadonlyArray<readonly [string, Policy, boolean, stops?: true]> = [
    ["allow-once", "allow-once", true],
    ["allow-always", "allow-always", true],
    ["reject-once", "reject-once", false],
    ["reject-always", "reject-always", false],
    ["dismissed without a cancel", () => ({ result: { outcome: { outcome: "cancelled" } } }), false, true],
    ["an unknown option", () => selected("sure-why-not"), false],
    ["an option of a wrong type", () => selected(7), false],
    ["an unknown outcome", () => ({ result: { outcome: { outcome: "perhaps", optionId: "allow-once" } } }), false],
    ["an empty result", () => ({ result: {} }), false],
    ["the outcome as a bare string", () => ({ result: { outcome: "allow-once" } }), false],
    ["method not found", () => ({ error: { code: -32601, message: "Method not found" } }), false],
    ["a client's own error", () => ({ error: { code: -32000, message: "Authentication required" } }), false],
    ["request cancelled", () => ({ error: { code: -32800, message: "Request cancelled" } }), false]
  ]
  for (const [name, permission, runs, stops = false] of ways) {
    test(name, async ({ host }) => {
      const acp = await host.open({ permission })
      const sessionId = await acp.newSession()
      const { result, updates, text } = await acp.prompt(sessionId, "write a.txt\nhello\n.\nsay went on")
      expect(existsSync(join(host.project, "a.txt"))).toBe(runs)
      expect(result["stopReason"]).toBe(stops ? "cancelled" : "end_turn")
      expect(text.includes("went on")).toBe(!stops)
      const last: Json | undefined = updates.findLast((u) => u.sessionUpdate === "tool_call_update")
      expect(last?.["status"]).toBe(runs ? "completed" : "failed")
      expect((await acp.prompt(sessionId, "say usable")).text).toContain("usable")
    })
  }

  test("a result of null denies, and so does a malformed answer that is followed by a cancel", async ({ host }) => {
    const acp = await host.open({ permission: "never" })
    const sessionId = await acp.newSession()
    acp.send(prompt(1, sessionId, "write a.txt\nhello\n."))
    const asked = await acp.waitFor(asks)
    acp.send(answer(asked.id, null))
    expect((await acp.waitFor((m) => m.id === 1)).result?.["stopReason"]).toBe("end_turn")
    acp.send(prompt(2, sessionId, "write b.txt\nhello\n."))
    const again = await acp.waitFor((m) => asks(m) && m.id !== asked.id)
    acp.raw(`{"jsonrpc":"2.0","id":${JSON.stringify(again.id)},"result":{},"error":{}}\n`)
    acp.send(cancel(sessionId))
    expect((await acp.waitFor((m) => m.id === 2)).result?.["stopReason"]).toBe("cancelled")
    for (const file of ["a.txt", "b.txt"]) expect(existsSync(join(host.project, file))).toBe(false)
  })
})

describe("what was shown is what happens", () => {
  const change: ReadonlyArray<readonly [string, (project: string) => void]> = [
    ["a folder on the path is another one by now", (project) => {
      rmSync(join(project, "d"))
      symlinkSync("hooks", join(project, "d"))
    }],
    ["the file has other content by now", (project) => writeFileSync(join(project, "docs", "run.sh"), "mine\n")]
  ]
  for (const [name, meanwhile] of change) {
    test(`a write that was allowed fails when ${name}`, async ({ host }) => {
      host.write("docs/run.sh", "old\n")
      host.write("hooks/run.sh", "old\n")
      symlinkSync("docs", join(host.project, "d"))
      const acp = await host.open({ permission: "never" })
      const sessionId = await acp.newSession()
      acp.send(prompt(1, sessionId, "write d/run.sh\nnew\n."))
      const asked = await acp.waitFor(asks)
      meanwhile(host.project)
      acp.send(answer(asked.id, { outcome: { outcome: "selected", optionId: "allow-once" } }))
      await acp.waitFor((m) => m.id === 1)
      const last: Json | undefined = acp.updates(sessionId).findLast((u) => u.sessionUpdate === "tool_call_update")
      expect(last?.["status"]).toBe("failed")
      for (const folder of ["docs", "hooks"]) {
        expect(readFileSync(join(host.project, folder, "run.sh"), "utf8")).not.toBe("new\n")
      }
    })
  }
})

test("the first answer counts, a second one is ignored", async ({ host }) => {
  const acp = await host.open({ permission: "never" })
  const sessionId = await acp.newSession()
  acp.send(prompt(1, sessionId, "write a.txt\nhello\n."))
  const asked = await acp.waitFor(asks)
  const reply = (option: string) => answer(asked.id, { outcome: { outcome: "selected", optionId: option } })
  acp.send(reply("reject-once"), reply("allow-once"))
  await acp.waitFor((m) => m.id === 1)
  expect(existsSync(join(host.project, "a.txt"))).toBe(false)
})

test("cancelled by the client together with a dismissal ends as cancelled", async ({ host }) => {
  const acp = await host.open({ permission: "never" })
  const sessionId = await acp.newSession()
  acp.send(prompt(1, sessionId, "write a.txt\nhello\n.\nsay never"))
  const asked = await acp.waitFor(asks)
  acp.send(cancel(sessionId), answer(asked.id, { outcome: { outcome: "cancelled" } }))
  expect((await acp.waitFor((m) => m.id === 1)).result?.["stopReason"]).toBe("cancelled")
  expect(JSON.stringify(acp.updates(sessionId).filter((u) => u.sessionUpdate === "agent_message_chunk"))).not.toContain(
    "never"
  )
})

test("an answer given with always does not spread to another session", async ({ host }) => {
  const acp = await host.open({ permission: "allow-always" })
  const [one, two] = [await acp.newSession(), await acp.newSession()]
  await acp.prompt(one, "write a.txt\n1\n.")
  await acp.prompt(two, "write a.txt\n2\n.")
  expect(acp.messages.filter(asks)).toHaveLength(2)
})

test("an answer given with always holds after the session is loaded by another process", async ({ host }) => {
  const first = await host.open({ permission: "reject-always" })
  const sessionId = await first.newSession()
  await first.prompt(sessionId, "write a.txt\n1\n.")
  await first.close()
  const acp = await host.open({ permission: "allow-once" })
  await acp.request("session/load", { sessionId, cwd: host.project, mcpServers: [] })
  await acp.prompt(sessionId, "write a.txt\n2\n.")
  expect(acp.messages.filter(asks)).toEqual([])
  expect(existsSync(join(host.project, "a.txt"))).toBe(false)
})
