import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect } from "vitest"
import { run, start, test } from "../support/Acpx.ts"
import { processesAtHome } from "../support/Processes.ts"
import type { Message } from "../support/Wire.ts"
import { eventually } from "../support/Waiting.ts"

const frames = (out: string): ReadonlyArray<Message> => out.split("\n").filter(Boolean).map((line) => JSON.parse(line))

describe("acpx drives the agent", () => {
  test("exec: one prompt and out, in plain text", async ({ host }) => {
    host.write("a.txt", "alpha content")
    const { code, out, err } = await run(host, "--format", "quiet", "exec", "read a.txt\nsay answered")
    expect(err + out).toContain("answered")
    expect(code).toBe(0)
  })

  test("exec in JSON shows clean traffic, and --approve-all lets a command run", async ({ host }) => {
    const script = "run echo made > made.txt\nsay done"
    const { code, out } = await run(host, "--format", "json", "--json-strict", "--approve-all", "exec", script)
    expect(code).toBe(0)
    expect(readFileSync(join(host.project, "made.txt"), "utf8")).toBe("made\n")
    const traffic = frames(out)
    expect(traffic.find((m) => m.result?.["stopReason"])?.result?.["stopReason"]).toBe("end_turn")
    expect(traffic.some((m) => m.method === "session/request_permission")).toBe(true)
    expect(traffic.filter((m) => m.error)).toEqual([])
  })

  test("--deny-all ends with exit code 5 and changes nothing", async ({ host }) => {
    const { code } = await run(host, "--deny-all", "exec", "write a.txt\nx\n.")
    expect(code).toBe(5)
    expect(existsSync(join(host.project, "a.txt"))).toBe(false)
  })

  test("--approve-reads lets reads pass without a question", async ({ host }) => {
    host.write("a.txt", "alpha content")
    const { code, out } = await run(
      host,
      "--format",
      "json",
      "--json-strict",
      "--approve-reads",
      "exec",
      "read a.txt\nlist"
    )
    expect(code).toBe(0)
    expect(out).toContain("alpha content")
    expect(frames(out).some((m) => m.method === "session/request_permission")).toBe(false)
  })

  test("a named session goes on in the next process, and can be listed and closed", async ({ host }) => {
    const ensured = await run(host, "--format", "json", "sessions", "ensure", "--name", "k")
    expect(ensured).toMatchObject({ code: 0 })
    const first = await run(host, "--format", "quiet", "prompt", "-s", "k", "say first words")
    expect(first).toMatchObject({ code: 0, out: expect.stringContaining("first words") })
    await run(host, "--format", "json", "sessions", "close", "k")
    const again = await run(host, "--format", "json", "--json-strict", "sessions", "list")
    expect(again.code).toBe(0)
    const listed = JSON.parse(again.out.trim().split("\n").at(-1) ?? "{}")
    expect(listed.sessions).toHaveLength(1)
    expect(listed.sessions[0].title).toMatch(/\S/)
  })

  test("each prompt of a named session resumes the same agent session, never a fresh one", async ({ host }) => {
    await run(host, "sessions", "ensure", "--name", "k")
    for (const word of ["one", "two"]) {
      const { code, out } = await run(
        host,
        "--ttl",
        "1",
        "--format",
        "json",
        "--json-strict",
        "prompt",
        "-s",
        "k",
        `say ${word}`
      )
      expect(code).toBe(0)
      expect(frames(out).some((m) => m.method === "session/new")).toBe(false)
      // Whoever comes while the last owner is leaving is turned away.
      await eventually(() => processesAtHome("__queue-owner", host.folder).length === 0, 20_000)
    }
    const acp = await host.open()
    expect((await acp.request("session/list"))["sessions"]).toHaveLength(1)
    await run(host, "sessions", "close", "k")
  })

  test("cancel ends a running prompt of a named session", async ({ host }) => {
    await run(host, "sessions", "ensure", "--name", "k")
    const { child, ended } = start(host, [
      "--format",
      "json",
      "--json-strict",
      "prompt",
      "-s",
      "k",
      "say begun\nwait 30"
    ])
    let seen = ""
    child.stdout?.on("data", (chunk) => seen += chunk)
    await eventually(() => seen.includes("begun"), 15_000)
    const { code, out } = await run(host, "--format", "json", "cancel", "-s", "k")
    expect(code).toBe(0)
    expect(out).toContain("\"cancelled\":true")
    const end = await ended
    expect(end.code).toBe(0)
    expect(frames(end.out).find((m) => m.result?.["stopReason"])?.result?.["stopReason"]).toBe("cancelled")
    await run(host, "sessions", "close", "k")
  })

  test("an unknown agent session makes acpx start a fresh one: the error number is the right one", async ({ host }) => {
    await run(host, "sessions", "ensure", "--name", "k")
    const acp = await host.open()
    const db = new DatabaseSync(host.database, { readOnly: true })
    for (const { sessionId } of db.prepare("SELECT session_id AS sessionId FROM sessions").all()) {
      await acp.request("session/delete", { sessionId })
    }
    db.close()
    const { code, out } = await run(host, "--format", "quiet", "prompt", "-s", "k", "say fresh start")
    expect(code).toBe(0)
    expect(out).toContain("fresh start")
    await run(host, "sessions", "close", "k")
  })
})
