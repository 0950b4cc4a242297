import { createInterface } from "node:readline"

/** A tiny ACP agent without any of our code. What it does in a turn is what the prompt's first word says. */

type Json = Record<string, any>

const [mode = ""] = process.argv.slice(2)
const put = (message: Json) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
const log = (text: string) => process.stderr.write(`${text}\n`)

let nextId = 0
const waiting = new Map<number, (answer: Json) => void>()
const ask = (method: string, params: Json) =>
  new Promise<Json>((resolve) => {
    const id = nextId++
    waiting.set(id, resolve)
    put({ id, method, params })
  })

const sessions = [
  { sessionId: "aaaa1111-old", cwd: process.cwd(), title: "old", updatedAt: "2026-01-01T00:00:00Z" },
  { sessionId: "bbbb2222-new", cwd: process.cwd(), title: "new", updatedAt: "2026-02-01T00:00:00Z" },
  { sessionId: "cccc3333-away", cwd: "/", title: "elsewhere", updatedAt: "2026-03-01T00:00:00Z" }
]

let onCancel = () => {}

const turns: Record<string, (sessionId: string, update: (update: Json) => void) => Promise<Json | undefined>> = {
  say: async (_, update) => {
    for (const text of ["Hello, ", "world", "."]) {
      update({ sessionUpdate: "agent_message_chunk", messageId: "m1", content: { type: "text", text } })
    }
    return { stopReason: "end_turn", usage: { inputTokens: 1 } }
  },
  work: async (_, update) => {
    update({ sessionUpdate: "agent_thought_chunk", content: { type: "text", text: "hm" } })
    update({ sessionUpdate: "future_kind", anything: 1 })
    update({ sessionUpdate: "tool_call", toolCallId: "t1", title: "Read a.txt", kind: "read", status: "in_progress" })
    const content = [{ type: "content", content: { type: "text", text: "one\n\u001b]0;owned\u0007two" } }]
    update({ sessionUpdate: "tool_call_update", toolCallId: "t1", status: "completed", content })
    return await turns["say"]!("", update)
  },
  permit: async (sessionId, update) => {
    const toolCall = { toolCallId: "t2", title: "Run `make`", kind: "execute", rawInput: { command: "make all" } }
    update({ sessionUpdate: "tool_call", ...toolCall, status: "pending" })
    const answer = await ask("session/request_permission", {
      sessionId,
      toolCall,
      options: [
        { optionId: "allow-once", name: "Allow once", kind: "allow_once" },
        { optionId: "allow-always", name: "Always allow", kind: "allow_always" },
        { optionId: "reject-once", name: "Reject", kind: "reject_once" }
      ]
    })
    const outcome = answer["result"]?.outcome
    const allowed = String(outcome?.optionId).startsWith("allow")
    update({ sessionUpdate: "tool_call_update", toolCallId: "t2", status: allowed ? "completed" : "failed" })
    update({
      sessionUpdate: "agent_message_chunk",
      content: { type: "text", text: `outcome ${outcome?.optionId ?? outcome?.outcome}` }
    })
    return { stopReason: outcome?.outcome === "cancelled" ? "cancelled" : "end_turn" }
  },
  elsewhere: async (_, update) => {
    const content = { type: "text", text: "of another session" }
    put({
      method: "session/update",
      params: { sessionId: "s-2", update: { sessionUpdate: "agent_message_chunk", content } }
    })
    return await turns["say"]!("", update)
  },
  refuse: async () => ({ stopReason: "refusal" }),
  fail: async () => ({
    error: { code: -32603, message: "The model is out of reach", data: { reason: "provider_unavailable" } }
  }),
  crash: async (_, update) => {
    update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: "half a" } })
    log("fatal: out of cheese")
    setTimeout(() => process.exit(3), 50)
    return undefined
  },
  wait: (_, update) =>
    new Promise((resolve) => {
      onCancel = () => resolve({ stopReason: "cancelled" })
      update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: "waiting\n" } })
    }),
  stubborn: (_, update) =>
    new Promise(() => {
      onCancel = () => update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: "I will not\n" } })
      update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: "waiting\n" } })
    }),
  stray: async (_, update) => {
    process.stdout.write("debug: hello from console.log\n")
    return await turns["say"]!("", update)
  }
}

const history = (sessionId: string) => {
  const send = (update: Json) => put({ method: "session/update", params: { sessionId, update } })
  send({ sessionUpdate: "user_message_chunk", messageId: "u0", content: { type: "text", text: "earlier question" } })
  send({ sessionUpdate: "agent_message_chunk", messageId: "a0", content: { type: "text", text: "earlier answer" } })
}

const handlers: Record<string, (params: Json) => Promise<Json | undefined>> = {
  initialize: async () => ({
    protocolVersion: 1,
    agentInfo: { name: "scripted", version: "0" },
    agentCapabilities: {
      loadSession: mode !== "no-resume",
      sessionCapabilities: { list: {}, ...(mode === "load-only" || mode === "no-resume" ? {} : { resume: {} }) }
    }
  }),
  "session/new": async (params) => {
    log(`new ${JSON.stringify(params)}`)
    return { sessionId: "s-1" }
  },
  "session/list": async ({ cursor, cwd }) => {
    const mine = sessions.filter((session) => cwd === undefined || session.cwd === cwd)
    const at = Number(cursor ?? 0)
    return { sessions: mine.slice(at, at + 1), ...(at + 1 < mine.length ? { nextCursor: String(at + 1) } : {}) }
  },
  "session/load": async ({ sessionId, cwd }) => {
    log(`load ${sessionId} ${cwd}`)
    history(sessionId)
    return {}
  },
  "session/resume": async ({ sessionId, cwd }) => {
    log(`resume ${sessionId} ${cwd}`)
    return sessionId === "gone" ? { error: { code: -32002, message: "Resource not found" } } : {}
  },
  "session/prompt": async ({ prompt, sessionId }) => {
    const word = String(prompt[0].text).split(/\s/)[0] ?? ""
    const update = (update: Json) => put({ method: "session/update", params: { sessionId, update } })
    return await turns[word]?.(sessionId, update) ?? (word in turns ? undefined : { stopReason: "end_turn" })
  }
}

if (mode === "banner") process.stdout.write("Welcome to BannerAgent 3000!\n")
if (mode === "stubborn-exit") process.on("SIGTERM", () => log("not now"))

createInterface({ input: process.stdin }).on("line", async (line) => {
  const message = JSON.parse(line) as Json
  if (message["method"] === undefined) return waiting.get(message["id"])?.(message)
  if (message["method"] === "session/cancel") return onCancel()
  const result = await handlers[message["method"]]?.(message["params"])
  if (result?.["error"] !== undefined) put({ id: message["id"], error: result["error"] })
  else if (result !== undefined) put({ id: message["id"], result })
})
  .on("close", () => {
    if (mode === "stubborn-exit") setInterval(() => {}, 1000)
  })
