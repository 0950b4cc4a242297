import { existsSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect } from "vitest"
import type { AcpProcess } from "../support/AcpProcess.ts"
import { type Host, test } from "../support/Host.ts"
import type { Json } from "../support/Wire.ts"

const blob = (name: string, text: string, mimeType?: string) => ({
  type: "resource",
  resource: {
    uri: `file:///${name}`,
    blob: Buffer.from(text).toString("base64"),
    ...(mimeType === undefined ? {} : { mimeType })
  }
})

/** By what the session only reads, and how it gets there. */
const ways: Readonly<
  Record<string, (host: Host) => Promise<{ readonly acp: AcpProcess; readonly sessionId: string }>>
> = {
  "the level readonly": async (host) => {
    writeFileSync(join(host.config, "config.toml"), "[risk_profiles.default]\nlevel = \"readonly\"\n")
    const acp = await host.open()
    return { acp, sessionId: await acp.newSession() }
  },
  ...Object.fromEntries(["read-only", "workspace-read"].map((value) => [`the sandbox ${value}`, async (host: Host) => {
    const acp = await host.open()
    const sessionId = await acp.newSession()
    await acp.request("session/set_config_option", { sessionId, configId: "sandbox", value })
    return { acp, sessionId }
  }]))
}

const delivered = (updates: ReadonlyArray<Json>) =>
  updates.flatMap((u) => u["content"] ?? []).find((item: Json) => item["content"]?.type === "resource")?.content
    .resource

describe("A session that only reads", () => {
  for (const [what, open] of Object.entries(ways)) {
    test(`writes nothing in its workspace: by ${what}`, async ({ host }) => {
      host.write("a.txt", "alpha")
      const { acp, sessionId } = await open(host)
      const turn = await acp.prompt(sessionId, "deliver a.txt")
      expect(Buffer.from(delivered(turn.updates)?.blob ?? "", "base64").toString()).toBe("alpha")
      await acp.prompt(sessionId, [{ type: "text", text: "say seen" }, blob("notes.md", "# notes")])
      await acp.prompt(sessionId, "call plan_write {\"content\": \"the whole plan\"}")
      expect(readdirSync(host.project)).toEqual(["a.txt"])
      await acp.request("session/close", { sessionId })
      const since = acp.messages.length
      await acp.request("session/load", { sessionId, cwd: host.project, mcpServers: [] })
      expect(delivered(acp.updates(sessionId, since) as ReadonlyArray<Json>)?.blob).toBeDefined()
      const files = join(host.data, "sessions", "files")
      expect(readdirSync(files)).toHaveLength(1)
      await acp.request("session/delete", { sessionId })
      expect(readdirSync(files)).toEqual([])
    })
  }

  test("shows its plan in the call", async ({ host }) => {
    const { acp, sessionId } = await ways["the sandbox read-only"]!(host)
    const { updates } = await acp.prompt(sessionId, "call plan_write {\"content\": \"the whole plan\"}")
    expect(JSON.stringify(updates)).toContain("the whole plan")
    expect(existsSync(join(host.project, ".postern"))).toBe(false)
  })
})

test("An uploaded content is stored once, whatever name it came with", async ({ host }) => {
  const acp = await host.open()
  const sessionId = await acp.newSession()
  for (const [name, type] of [["a.png", "image/png"], ["b.jpg", "image/jpeg"], ["c", undefined]] as const) {
    await acp.prompt(sessionId, [{ type: "text", text: "say x" }, blob(name, "the same", type)])
  }
  expect(readdirSync(join(host.project, "uploads"))).toHaveLength(1)
})

describe("A person", () => {
  test("is told by a permission request where the client has no forms", async ({ host }) => {
    const acp = await host.open({
      permission: () => ({ result: { outcome: { outcome: "selected", optionId: "choice-0" } } })
    })
    const sessionId = await acp.newSession()
    const { updates } = await acp.prompt(sessionId, "call escalate_to_human {\"summary\": \"The disk is full\"}")
    const asked = acp.messages.find(({ method }) => method === "session/request_permission")
    expect(asked?.params?.["options"]).toEqual([{ optionId: "choice-0", name: "Seen", kind: "allow_once" }])
    expect(asked?.params?.["toolCall"].title).toBe("The disk is full")
    expect(JSON.stringify(updates)).toContain("The user was told")
  })

  test("is not asked where the Approval response is never", async ({ host }) => {
    const acp = await host.open()
    const sessionId = await acp.newSession()
    await acp.request("session/set_config_option", { sessionId, configId: "approval_response", value: "never" })
    const { updates } = await acp.prompt(sessionId, "ask Which? | a | b\ncall escalate_to_human {\"summary\": \"x\"}")
    expect(acp.messages.some(({ method }) => method === "session/request_permission")).toBe(false)
    expect(JSON.stringify(updates)).toContain("the Approval response is never")
    expect(JSON.stringify(updates)).not.toContain("The user was told")
  })
})

describe("An inbound session/update", () => {
  const opened = async (host: Host) => {
    // What it does is outside of the turns that prompts begin.
    const acp = host.start({ dialect: "zeroclaw", validate: false })
    await acp.initialize()
    return { acp, sessionId: await acp.newSession() }
  }
  const message = (text: string) => ({ sessionUpdate: "user_message_chunk", content: { type: "text", text } })

  test("with a message of the user is a turn of its own in an idle session", async ({ host }) => {
    const { acp, sessionId } = await opened(host)
    const answer = await acp.request("session/update", { sessionId, update: message("say from outside") })
    expect(answer).toEqual({ sessionId, type: "user_message_chunk", status: "processed" })
    // A turn begun by nobody's prompt is at work until its record is told.
    await acp.waitFor((m) => m.params?.["update"]?.sessionUpdate === "usage_update")
    await acp.waitFor((m) =>
      m.params?.["update"]?.sessionUpdate === "session_info_update" && acp.messages.indexOf(m) > 3
    )
    const { result } = await acp.prompt(sessionId, "say after")
    expect(result["content"]).toBe("after")
    await acp.request("session/close", { sessionId })
    const since = acp.messages.length
    await acp.request("session/load", { sessionId })
    const said = (acp.updates(sessionId, since) as ReadonlyArray<Json>)
      .filter((u) => u["sessionUpdate"] === "user_message_chunk").map((u) => u["content"].text)
    expect(said).toEqual(["say from outside", "say after"])
  })

  test("with another event is read with the next prompt", async ({ host }) => {
    const { acp, sessionId } = await opened(host)
    await acp.request("session/event", { sessionId, type: "build_failed", data: { step: "lint" } })
    await acp.prompt(sessionId, "say after")
    await acp.request("session/close", { sessionId })
    const since = acp.messages.length
    await acp.request("session/load", { sessionId })
    const texts = (acp.updates(sessionId, since) as ReadonlyArray<Json>)
      .filter((u) => u["sessionUpdate"] === "user_message_chunk").map((u) => u["content"].text)
    expect(texts).toEqual(["say after", "<event type=\"build_failed\">\n{\"step\":\"lint\"}\n</event>"])
  })
})
