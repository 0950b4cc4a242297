import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect } from "vitest"
import { ChatServer, type Step } from "../support/ChatServer.ts"
import { answer, prompt } from "../support/Frames.ts"
import { type Host, test as base } from "../support/Host.ts"
import type { Dialect, Json, Message } from "../support/Wire.ts"

const after: Step = { say: "The model went on." }

const scripted = async (host: Host, ...steps: ReadonlyArray<Step>) => {
  const server = new ChatServer(...steps, after)
  writeFileSync(join(host.config, "config.toml"), await server.config())
  return server
}

const test = base.extend<{ model: (...steps: ReadonlyArray<Step>) => Promise<ChatServer> }>({
  model: async ({ host }, use) => {
    const servers: Array<ChatServer> = []
    await use(async (...steps) => {
      const server = await scripted(host, ...steps)
      servers.push(server)
      return server
    })
    servers.forEach((server) => server.close())
  }
})

const isQuestion = (m: Message) => m.method === "session/request_permission" || m.method === "elicitation/create"

const write: Step = { say: "I write.", calls: [["file_write", { path: "a.txt", content: "x\n" }]] }
const askChoice: Step = { calls: [["ask_user", { question: "Which?", choices: ["red", "blue"] }]] }
const askText: Step = { calls: [["ask_user", { question: "Name?" }]] }

const cancelled = { outcome: { outcome: "cancelled" } }
const forms = { elicitation: { form: {} } }

const stops: ReadonlyArray<readonly [string, Step, Json, unknown]> = [
  ["a permission request", write, {}, cancelled],
  ["a question with choices", askChoice, {}, cancelled],
  ["a form with choices", askChoice, forms, { action: "cancel" }],
  ["a form for text", askText, forms, { action: "cancel" }]
]

describe.for<Dialect>(["acp", "zeroclaw"])("A client of the dialect %s that closes", (dialect) => {
  test.for(stops)("%s stops the turn", async ([, step, capabilities, reply], { host, model }) => {
    const server = await model(step)
    const acp = host.start({ dialect, capabilities, permission: () => undefined })
    const clientCapabilities = {
      ...capabilities,
      ...(dialect === "acp" ? {} : { _meta: { zeroclaw: { dialect: true } } })
    }
    await acp.request("initialize", { protocolVersion: 1, clientCapabilities })
    const sessionId = await acp.newSession()
    acp.send(prompt(1, sessionId, "go"))
    const question = await acp.waitFor(isQuestion)
    acp.send(answer(question.id, reply))
    const { result } = await acp.waitFor((m) => m.id === 1 && m.method === undefined)
    expect(result?.["stopReason"]).toBe("cancelled")
    expect(server.requests).toHaveLength(1)
    expect(existsSync(join(host.project, "a.txt"))).toBe(false)
    const calls = acp.updates(sessionId).filter((u) => u.sessionUpdate === "tool_call_update")
    expect(calls.at(-1)).toMatchObject({ status: "failed" })
    expect(acp.messages.filter((m) => m.method === "$/cancel_request")).toEqual([])
    // The session goes on with the next prompt.
    expect((await acp.prompt(sessionId, "again")).text).toBe("The model went on.")
  })
})

describe("A client that", () => {
  test("rejects a call lets the turn go on", async ({ host, model }) => {
    const server = await model(write)
    const acp = await host.open({ permission: "reject-once" })
    const { result, text } = await acp.prompt(await acp.newSession(), "go")
    expect(result["stopReason"]).toBe("end_turn")
    expect(text).toContain("The model went on.")
    expect(server.requests).toHaveLength(2)
  })

  test("declines a form lets the turn go on", async ({ host, model }) => {
    const server = await model(askText)
    const acp = await host.open({ capabilities: forms, permission: () => ({ result: { action: "decline" } }) })
    expect((await acp.prompt(await acp.newSession(), "go")).result["stopReason"]).toBe("end_turn")
    expect(server.requests).toHaveLength(2)
  })

  test("closes a question among several calls stops them all", async ({ host, model }) => {
    const calls = ["a", "b", "c"].map((name) => ["file_write", { path: `${name}.txt`, content: name }] as const)
    const server = await model({ calls })
    const acp = await host.open({ permission: () => ({ result: cancelled }) })
    const { result, updates } = await acp.prompt(await acp.newSession(), "go")
    expect(result["stopReason"]).toBe("cancelled")
    expect(server.requests).toHaveLength(1)
    expect(updates.filter((u) => u.sessionUpdate === "tool_call")).toHaveLength(1)
  })
})
