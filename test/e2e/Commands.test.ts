import { describe, expect } from "vitest"
import type { AcpProcess } from "../support/AcpProcess.ts"
import { test } from "../support/Host.ts"
import type { Json } from "../support/Wire.ts"

const names = (update: Json): ReadonlyArray<string> =>
  update["availableCommands"].map((command: Json) => command["name"])

/** What comes after an answer, up to the commands. */
const welcomed = async (acp: AcpProcess, method: string, params: Json) => {
  const since = acp.messages.length
  const result = await acp.request(method, params)
  const answered = acp.messages.findIndex((m, at) => at >= since && m.result === result)
  const commands = await acp.waitForUpdate((u) => u["sessionUpdate"] === "available_commands_update", since)
  const at = acp.messages.indexOf(commands)
  return {
    result,
    commands: names(commands.params?.["update"]),
    isAfter: at > answered,
    before: acp.messages.slice(answered + 1, at).map((m) => m.params?.["update"])
  }
}

describe("The commands of a session", () => {
  test("are told after the answer of new, load and resume, with the skills, and how full the context is", async ({ host }) => {
    host.write(
      "../config/shared/skills/ship/SKILL.md",
      "---\nname: ship\ndescription: How to ship\n---\nTag, then push."
    )
    const first = await host.open()
    const opened = await welcomed(first, "session/new", { cwd: host.project, mcpServers: [] })
    expect(opened).toMatchObject({ isAfter: true, before: [] })
    for (const name of ["help", "compact", "new", "ship"]) expect(opened.commands).toContain(name)
    const sessionId = opened.result["sessionId"]
    await first.prompt(sessionId, "say hello")
    await first.close()
    for (const method of ["session/load", "session/resume"]) {
      const acp = await host.open()
      const again = await welcomed(acp, method, { sessionId, cwd: host.project, mcpServers: [] })
      expect(again.isAfter).toBe(true)
      expect(again.commands).toEqual(opened.commands)
      expect(again.before).toContainEqual(expect.objectContaining({ sessionUpdate: "usage_update", size: 32_000 }))
      await acp.close()
    }
  })

  test("answer in the session, and one of them makes the model forget", async ({ host }) => {
    const acp = await host.open()
    const sessionId = await acp.newSession()
    expect((await acp.prompt(sessionId, "/status")).text).toContain("Model: offline/builtin")
    const mode = await acp.prompt(sessionId, "/mode ro")
    expect(mode.updates).toContainEqual({ sessionUpdate: "current_mode_update", currentModeId: "ro" })
    expect((await acp.prompt(sessionId, "/new")).result["stopReason"]).toBe("end_turn")
  })
})

describe("session/set_title", () => {
  test("renames a session where unstable methods are on, for lists and clients", async ({ host }) => {
    const acp = await host.open({ env: { POSTERN_acp__unstable: "true" }, validate: false })
    const sessionId = await acp.newSession()
    const since = acp.messages.length
    expect(await acp.request("session/set_title", { sessionId, title: "  Mine  " })).toMatchObject({ title: "Mine" })
    expect(acp.updates(sessionId, since)).toContainEqual(
      expect.objectContaining({ sessionUpdate: "session_info_update", title: "Mine" })
    )
    await acp.prompt(sessionId, "say hello")
    expect((await acp.request("session/list"))["sessions"]).toMatchObject([{ sessionId, title: "Mine" }])
    expect(await acp.failure("session/set_title", { sessionId, title: " " })).toMatchObject({
      code: -32602,
      data: { reason: "empty_title" }
    })
  })

  test("is no method otherwise", async ({ host }) => {
    const acp = await host.open()
    const sessionId = await acp.newSession()
    expect(await acp.failure("session/set_title", { sessionId, title: "Mine" })).toMatchObject({ code: -32601 })
  })
})
