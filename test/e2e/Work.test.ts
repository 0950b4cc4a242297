import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { methods } from "@agentclientprotocol/sdk"
import { describe, expect } from "vitest"
import { textOf } from "../support/AcpProcess.ts"
import { type Ended, run, test as base } from "../support/Acpx.ts"
import { hasBubblewrap, unconfined } from "../support/Bubblewrap.ts"
import { ChatServer } from "../support/ChatServer.ts"
import { held, said } from "../support/Held.ts"
import type { Host } from "../support/Host.ts"
import { SdkClient } from "../support/SdkClient.ts"
import type { Json } from "../support/Wire.ts"
import * as Work from "../support/Work.ts"
import { eventually } from "../support/Waiting.ts"

const test = base.extend<{ model: ChatServer }>({
  model: async ({ host }, use) => {
    const model = new ChatServer()
    writeFileSync(join(host.config, "config.toml"), await model.config())
    Work.prepare(host)
    await use(model)
    model.close()
  }
})

const fixed = (host: Host) => {
  expect(readFileSync(join(host.project, "src/format.mjs"), "utf8")).toContain("toFixed(2)")
  expect(readFileSync(join(host.project, "src/cart.mjs"), "utf8")).toContain("item.price * item.count")
  expect(readFileSync(join(host.project, "CHANGES.md"), "utf8")).toBe("- Counts are multiplied.\n")
  if (hasBubblewrap) expect(existsSync(Work.outside(host))).toBe(false)
}

const updatesOf = (client: SdkClient, since = 0) => client.updates.slice(since).map(({ update }) => update)

const open = async (host: Host) => {
  const client = new SdkClient(host, unconfined)
  await client.initialize()
  return client
}

const load = async (host: Host, sessionId: string) => {
  const client = await open(host)
  await client.agent.request(methods.agent.session.load, { sessionId, cwd: host.project, mcpServers: [] })
  return {
    client,
    updates: updatesOf(client).filter((u) =>
      u.sessionUpdate !== "available_commands_update" && u.sessionUpdate !== "usage_update"
    )
  }
}

const calls = (updates: ReadonlyArray<unknown>): ReadonlyArray<Json> =>
  held(updates).timeline.flatMap(({ call }) => call === undefined ? [] : [call as Json])

const brief = (call: Json) => [call["name"], call["status"]]

describe("A whole piece of work", () => {
  test("shows up step by step at the protocol's own client, survives kill -9 in the middle, and replays", async ({ host, model }) => {
    const texts = ["Prices come out wrong. Look into it.", "Fix it, please.", "Go on."]
    const prompt = (client: SdkClient, sessionId: string, text: string) =>
      client.agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text }] })

    const first = await open(host)
    const { sessionId } = await first.agent.request(methods.agent.session.new, { cwd: host.project, mcpServers: [] })
    model.steps = [...Work.explore]
    expect(await prompt(first, sessionId, texts[0]!)).toMatchObject({ stopReason: "end_turn" })
    const explored = updatesOf(first)
    expect(calls(explored).map(brief)).toEqual([
      ["file_list", "completed"],
      ["content_search", "completed"],
      ["file_read", "completed"],
      ["file_read", "failed"]
    ])
    expect(JSON.stringify(calls(explored).at(-1))).toContain("the operator forbids the path")
    expect(first.asked).toEqual([])
    expect(first.text(sessionId, "agent_thought_chunk")).toBe("I should look around first.")
    expect(model.requests[0]?.["messages"][0]).toMatchObject({
      role: "system",
      content: expect.stringContaining("Run `node test.mjs` after each change.")
    })

    const before = first.updates.length
    model.steps = [...Work.edits, Work.hang]
    void prompt(first, sessionId, texts[1]!).catch(() => {})
    await eventually(() => JSON.stringify(updatesOf(first, before)).includes("wrong: 5 EUR"), 20_000)
    // What is seen is saved within two seconds.
    await new Promise((resolve) => setTimeout(resolve, 2000))
    const edited = updatesOf(first, before)
    first.child.kill("SIGKILL")
    await first.exited
    expect(first.asked.map(({ toolCall }) => toolCall.kind)).toEqual(["edit", "edit", "edit", "execute"])
    expect(calls(edited).filter((call) => JSON.stringify(call["content"] ?? "").includes("\"diff\""))).toHaveLength(3)

    const second = await load(host, sessionId)
    const seen = held([said(texts[0]!), ...explored, said(texts[1]!), ...edited])
    const again = held(second.updates)
    expect(again.plan).toEqual(seen.plan)
    expect(again.timeline.slice(0, -2)).toEqual(seen.timeline.slice(0, -1))
    expect(again.timeline.at(-2)).toMatchObject({ kind: "call", call: { name: "shell", status: "failed" } })
    expect(again.timeline.at(-1)).toMatchObject({
      kind: "agent",
      content: [{ text: expect.stringContaining("cut off") }]
    })

    const from = second.client.updates.length
    model.steps = [...Work.finish]
    expect(await prompt(second.client, sessionId, texts[2]!)).toMatchObject({ stopReason: "end_turn" })
    const finished = updatesOf(second.client, from)
    expect(calls(finished).map(brief)).toEqual([
      ["shell", "failed"],
      ["file_edit", "completed"],
      ["shell", "completed"]
    ])
    expect(JSON.stringify(calls(finished)[2])).toContain("all tests pass")
    expect(finished.findLast((u) => u.sessionUpdate === "usage_update")).toMatchObject({
      size: 100_000,
      cost: { currency: "USD" }
    })
    expect(held(finished).plan).toMatchObject([{ status: "completed" }, { status: "completed" }, {
      status: "completed"
    }])
    // The model knows what it did before the restart, and that its command was cut off.
    const told = JSON.stringify(model.requests.at(-5)?.["messages"])
    for (const part of ["Let me look.", "item.price * item.count", "cancelled before it finished", "Go on."]) {
      expect(told).toContain(part)
    }
    fixed(host)

    const { sessions } = await second.client.agent.request(methods.agent.session.list, { cwd: host.project })
    expect(sessions).toMatchObject([{ sessionId, title: texts[0] }])
    await second.client.close()
    const third = await load(host, sessionId)
    expect(held(third.updates)).toEqual(held([...second.updates, said(texts[2]!), ...finished]))
    await third.client.close()
  })

  test("goes through acpx", async ({ host, model }) => {
    model.steps = [...Work.explore, ...Work.edits, { say: "Edited." }, ...Work.finish]
    await run(host, "sessions", "ensure", "--name", "w")
    const traffic: Array<Ended> = []
    for (const text of ["Prices come out wrong.", "Fix it.", "Test it."]) {
      const ended = await run(
        host,
        "--ttl",
        "20",
        "--approve-all",
        "--format",
        "json",
        "--json-strict",
        "prompt",
        "-s",
        "w",
        text
      )
      expect(ended).toMatchObject({ code: 0 })
      traffic.push(ended)
    }
    const outs = traffic.map(({ out }) =>
      out.split("\n").filter(Boolean).flatMap((line) => JSON.parse(line)?.params?.update ?? [])
    )
    expect(textOf(outs[0]!)).toContain("The cart ignores how many there are of an item.")
    expect(calls(outs[1]!).filter((call) => JSON.stringify(call["content"] ?? "").includes("\"diff\""))).toHaveLength(3)
    expect(JSON.stringify(calls(outs[2]!)[2])).toContain("all tests pass")
    expect(textOf(outs[2]!)).toContain("Counts and cents are right now")
    expect(model.steps).toEqual([])
    fixed(host)
    await run(host, "sessions", "close", "w")
  })
})
