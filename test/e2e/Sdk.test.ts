import { execFile } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs"
import { join, resolve } from "node:path"
import { promisify } from "node:util"
import { type ContentBlock, methods, type NewSessionRequest } from "@agentclientprotocol/sdk"
import { afterEach, expect } from "vitest"
import { bundle, type Host, test } from "../support/Host.ts"
import { SdkClient } from "../support/SdkClient.ts"
import { eventually } from "../support/Waiting.ts"

const open: Array<SdkClient> = []
const connect = async (host: Host) => {
  const made = new SdkClient(host)
  open.push(made)
  await made.initialize()
  return made
}
afterEach(async () => {
  await Promise.all(open.splice(0).map((c) => c.close()))
})
const text = (value: string): Array<ContentBlock> => [{ type: "text", text: value }]
const session = methods.agent.session

test("an editor opens a session, reads, edits with permission, and is told what happens", async ({ host }) => {
  const editor = await connect(host)
  host.write("a.txt", "one two\n")
  const active = await editor.agent.buildSession(host.project).start()
  const { sessionId } = active
  expect((await active.prompt("read a.txt\nsay read it")).stopReason).toBe("end_turn")
  const seen: Array<string> = []
  for (let m = await active.nextUpdate(); m.kind !== "stop"; m = await active.nextUpdate()) {
    seen.push(m.update.sessionUpdate)
  }
  expect(seen).toEqual(expect.arrayContaining(["tool_call", "tool_call_update", "agent_message_chunk"]))
  active.dispose()
  const edited = await editor.agent.request(session.prompt, { sessionId, prompt: text("edit a.txt\ntwo\n---\n2\n.") })
  expect(edited.stopReason).toBe("end_turn")
  expect(editor.asked).toHaveLength(1)
  expect(readFileSync(join(host.project, "a.txt"), "utf8")).toBe("one 2\n")
})

test("a rejected edit changes nothing and ends as a failed call", async ({ host }) => {
  const editor = await connect(host)
  host.write("a.txt", "one two\n")
  const { sessionId } = await editor.agent.request(session.new, { cwd: host.project, mcpServers: [] })
  editor.choose = () => "reject-once"
  const turn = await editor.agent.request(session.prompt, {
    sessionId,
    prompt: text("edit a.txt\ntwo\n---\n2\n.\nsay fine then")
  })
  expect(turn.stopReason).toBe("end_turn")
  expect(readFileSync(join(host.project, "a.txt"), "utf8")).toBe("one two\n")
  expect(editor.updates.some(({ update }) => update.sessionUpdate === "tool_call_update" && update.status === "failed"))
    .toBe(true)
  expect(editor.text(sessionId)).toContain("fine then")
})

test("allow always is remembered for the session, and reject always too", async ({ host }) => {
  const editor = await connect(host)
  const { sessionId } = await editor.agent.request(session.new, { cwd: host.project, mcpServers: [] })
  const prompt = (script: string) => editor.agent.request(session.prompt, { sessionId, prompt: text(script) })
  editor.choose = () => "allow-always"
  await prompt("write a.txt\n1\n.")
  await prompt("write a.txt\n2\n.")
  expect(editor.asked).toHaveLength(1)
  expect(readFileSync(join(host.project, "a.txt"), "utf8")).toContain("2")
  editor.choose = () => "reject-always"
  await prompt("run mkdir nope")
  await prompt("run mkdir nope")
  expect(editor.asked).toHaveLength(2)
})

test("a cancel in the middle of a pause ends the turn as cancelled", async ({ host }) => {
  const editor = await connect(host)
  const { sessionId } = await editor.agent.request(session.new, { cwd: host.project, mcpServers: [] })
  const turn = editor.agent.request(session.prompt, { sessionId, prompt: text("say begun\nwait 30") })
  await eventually(() => editor.text(sessionId).includes("begun"), 20_000)
  await editor.agent.notify(session.cancel, { sessionId })
  expect((await turn).stopReason).toBe("cancelled")
})

test("a second process loads the whole transcript in order, and a third resumes it silently", async ({ host }) => {
  const first = await connect(host)
  host.write("a.txt", "alpha\n")
  const { sessionId } = await first.agent.request(session.new, { cwd: host.project, mcpServers: [] })
  await first.agent.request(session.prompt, {
    sessionId,
    prompt: text("think hard\nread a.txt\nplan A; B\nsay the end")
  })
  await first.agent.request(session.prompt, { sessionId, prompt: text("say second") })
  await first.close()

  const second = await connect(host)
  const restored = { sessionId, cwd: host.project, mcpServers: [] }
  await second.agent.request(session.load, restored)
  expect(second.text(sessionId, "user_message_chunk")).toMatch(/think hard[^]*say second/)
  expect(second.text(sessionId)).toMatch(/the end[^]*second/)
  expect(second.text(sessionId, "agent_thought_chunk")).toContain("hard")
  expect(second.kinds(sessionId)).toEqual(expect.arrayContaining(["tool_call", "plan"]))
  expect(JSON.stringify(second.updates)).toContain("alpha")
  const kinds = second.kinds(sessionId).filter((k) => k.endsWith("_chunk"))
  expect(kinds[0]).toBe("user_message_chunk")
  expect(kinds.lastIndexOf("user_message_chunk")).toBeLessThan(kinds.length - 1)
  await second.close()

  const third = await connect(host)
  await third.agent.request(session.resume, { sessionId, cwd: host.project })
  expect((await third.agent.request(session.prompt, { sessionId, prompt: text("say third") })).stopReason).toBe(
    "end_turn"
  )
  expect(third.kinds(sessionId)).not.toContain("user_message_chunk")
  expect(third.text(sessionId)).not.toContain("second")
  expect(third.text(sessionId)).toContain("third")
})

test("sessions are listed page by page, filtered by folder, with title and time", async ({ host }) => {
  const editor = await connect(host)
  const folders = ["x", "y"].map((name) => join(host.project, name))
  for (const folder of folders) mkdirSync(folder)
  const ids: Array<string> = []
  for (let i = 0; i < 55; i++) {
    const cwd = folders[i % 2]!
    const { sessionId } = await editor.agent.request(session.new, { cwd, mcpServers: [] })
    await editor.agent.request(session.prompt, { sessionId, prompt: text("say titled turn") })
    await editor.agent.request(session.close, { sessionId })
    ids.push(sessionId)
  }
  const listed: Array<string> = []
  let cursor: string | null | undefined
  let pages = 0
  do {
    const page = await editor.agent.request(session.list, cursor ? { cursor } : {})
    listed.push(...page.sessions.map((s) => s.sessionId))
    cursor = page.nextCursor
    pages++
  } while (cursor)
  expect(pages).toBeGreaterThan(1)
  expect([...listed].sort()).toEqual([...ids].sort())
  const only = await editor.agent.request(session.list, { cwd: folders[0]! })
  expect(only.sessions).toHaveLength(28)
  expect(only.sessions.every((s) => s.cwd === folders[0])).toBe(true)
  const shown = { title: expect.stringMatching(/\S/), updatedAt: expect.stringMatching(/^\d{4}-.*Z$/) }
  expect(only.sessions[0]).toMatchObject({ sessionId: ids[54], ...shown })
  expect((await editor.agent.request(session.list, { cwd: join(host.project, "z") })).sessions).toEqual([])
})

test("a closed session can be loaded again, a deleted one is gone", async ({ host }) => {
  const editor = await connect(host)
  const { sessionId } = await editor.agent.request(session.new, { cwd: host.project, mcpServers: [] })
  await editor.agent.request(session.prompt, { sessionId, prompt: text("say kept") })
  await editor.agent.request(session.close, { sessionId })
  await expect(editor.agent.request(session.prompt, { sessionId, prompt: text("say x") })).rejects.toMatchObject({
    code: -32002
  })
  const restored = { sessionId, cwd: host.project, mcpServers: [] }
  await editor.agent.request(session.load, restored)
  expect(editor.text(sessionId)).toContain("kept")
  await editor.agent.request(session.delete, { sessionId })
  await editor.agent.request(session.delete, { sessionId })
  await expect(editor.agent.request(session.load, restored)).rejects.toMatchObject({
    code: -32002,
    data: { sessionId }
  })
  expect((await editor.agent.request(session.list, {})).sessions).toEqual([])
})

test("further folders are readable and writable, and only while they are given", async ({ host }) => {
  const editor = await connect(host)
  const other = join(host.folder, "other")
  host.write(join(other, "o.txt"), "other content")
  const script = `read ${join(other, "o.txt")}\nwrite ${join(other, "new.txt")}\nx\n.`
  const roots: NewSessionRequest = { cwd: host.project, mcpServers: [], additionalDirectories: [other] }
  const { sessionId } = await editor.agent.request(session.new, roots)
  await editor.agent.request(session.prompt, { sessionId, prompt: text(script) })
  expect(JSON.stringify(editor.updates)).toContain("other content")
  expect(existsSync(join(other, "new.txt"))).toBe(true)
  await editor.agent.request(session.close, { sessionId })
  await editor.agent.request(session.resume, { sessionId, cwd: host.project })
  const before = editor.updates.length
  await editor.agent.request(session.prompt, { sessionId, prompt: text(`read ${join(other, "o.txt")}`) })
  expect(JSON.stringify(editor.updates.slice(before))).not.toContain("other content")
  const absent = { cwd: host.project, mcpServers: [], additionalDirectories: ["relative"] }
  await expect(editor.agent.request(session.new, absent)).rejects.toMatchObject({ code: -32602 })
})

test("the script that docs/editors.md shows prints the answer and ends", async ({ host }) => {
  const shown = /^```js\n([^]*?)^```/m.exec(readFileSync("docs/editors.md", "utf8"))?.[1] ?? ""
  symlinkSync(resolve("node_modules"), join(host.project, "node_modules"))
  const script = host.write("script.mjs", shown.replace("/path/to/postern/dist/main.js", bundle))
  const { stdout } = await promisify(execFile)(process.execPath, [script], { cwd: host.project, env: host.env })
  expect(stdout).toBe("hello")
})
