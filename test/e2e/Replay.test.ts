import { describe, expect } from "vitest"
import type { AcpProcess } from "../support/AcpProcess.ts"
import { unconfined } from "../support/Bubblewrap.ts"
import { cancel, prompt } from "../support/Frames.ts"
import { held, said } from "../support/Held.ts"
import { type Host, test } from "../support/Host.ts"
import type { Json } from "../support/Wire.ts"

/** Prompts that between them show everything a turn can show. */
const turns: ReadonlyArray<string> = [
  "think let me look\nlist\nread a.txt\nsay seen it",
  "plan look; change; test\nwrite new/b.txt\none\ntwo\n.\nedit a.txt\nalpha\n---\nbeta\n.",
  "run echo out; echo err >&2\nrun exit 3\nsay after a failure",
  "read nowhere.txt\ncall nosuch {}\ncall file_read {\"path\": 7}\nsay still here",
  "call TodoWrite {\"todos\":[{\"content\":\"look\",\"status\":\"completed\"},{\"content\":\"test\",\"status\":\"in_progress\"}]}",
  "deliver a.txt\nsay delivered\nthink more\nsay and more",
  "/status",
  "/compact the names",
  "say after the summary"
]

const live = async (acp: AcpProcess, sessionId: string, texts: ReadonlyArray<string>) => {
  const updates: Array<unknown> = []
  for (const text of texts) {
    const turn = await acp.prompt(sessionId, text)
    updates.push(said(text), ...turn.updates)
  }
  return updates
}

const loaded = async (host: Host, sessionId: string, capabilities: Json) => {
  const acp = await host.open({ capabilities })
  const since = acp.messages.length
  await acp.request("session/load", { sessionId, cwd: host.project, mcpServers: [] })
  const updates = acp.updates(sessionId, since)
  await acp.close()
  return updates
}

const clients: ReadonlyArray<readonly [string, Json]> = [
  ["a plain client", {}],
  ["a client that takes notices and compactions", { session: { notices: {}, compaction: {} } }]
]

describe("After session/load in a new process", () => {
  for (const [who, capabilities] of clients) {
    test(`${who} holds what it held when the session had never ended`, async ({ host }) => {
      host.write("a.txt", "alpha\ngamma\n")
      const acp = await host.open({ capabilities, permission: "allow-once", env: unconfined })
      const sessionId = await acp.newSession()
      const updates = await live(acp, sessionId, turns)
      await acp.close()
      const replayed = held(await loaded(host, sessionId, capabilities))
      expect(replayed).toEqual(held(updates))
      expect(held(await loaded(host, sessionId, capabilities))).toEqual(replayed)
      // It is not the emptiness of both that makes them equal.
      const kinds = new Set(replayed.timeline.map(({ kind }) => kind))
      expect([...kinds].sort()).toEqual(
        ["agent", "call", ...("session" in capabilities ? ["compaction"] : []), "thought", "user"].sort()
      )
      expect(JSON.stringify(replayed.timeline)).toMatch(/"type":"diff".+exit code 3.+attachment:\/\/deliver/)
      expect(replayed.plan).toHaveLength(2)
    })
  }

  test("a refused, a cancelled and a killed turn are there as they were seen", async ({ host }) => {
    const acp = await host.open({ permission: "reject-once", env: unconfined })
    const sessionId = await acp.newSession()
    const updates = await live(acp, sessionId, ["write no.txt\nx\n.\nsay it was refused"])
    const since = acp.messages.length
    acp.send(prompt("c", sessionId, "say begun\nwait 30"))
    await acp.waitForUpdate((u) => u["content"]?.text?.includes("begun"), since)
    acp.send(cancel(sessionId))
    await acp.waitFor((m) => m.id === "c", since)
    updates.push(said("say begun\nwait 30"), ...acp.updates(sessionId, since))
    acp.permission = "allow-once"
    const killedSince = acp.messages.length
    acp.send(prompt("k", sessionId, "run echo shown; sleep 30"))
    await acp.waitForUpdate(
      (u) => u["sessionUpdate"] === "tool_call_update" && JSON.stringify(u["content"] ?? "").includes("shown\\n"),
      killedSince
    )
    // What is seen is saved within two seconds.
    await new Promise((resolve) => setTimeout(resolve, 2000))
    await acp.kill()
    updates.push(said("run echo shown; sleep 30"), ...acp.updates(sessionId, killedSince))
    const before = held(updates)
    const after = held(await loaded(host, sessionId, {}))
    const [call, marker] = after.timeline.slice(-2)
    expect(after.timeline.slice(0, -2)).toEqual(before.timeline.slice(0, -1))
    expect(call?.["call"]).toEqual({ ...before.timeline.at(-1)?.["call"], status: "failed" })
    expect(marker?.["content"][0].text).toContain("cut off")
  })
})
