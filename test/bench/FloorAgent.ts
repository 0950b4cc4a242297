import fs from "node:fs"
import { ask, close } from "./FloorModel.ts"

/**
 * The least Node that answers ACP: what an agent on this platform costs before it does anything. No store, no checks;
 * it makes the deltas itself, or relays those of the model at `BENCH_MODEL`. Every figure is read against it, so
 * nothing may be slower than it has to be.
 */

type Json = Record<string, unknown>

const model = process.env["BENCH_MODEL"]

const batch = 16 * 1024
let out = ""
let sessions = 0

const flush = () => {
  if (out !== "") process.stdout.write(out)
  out = ""
}

const send = (message: Json) => {
  if (out === "") queueMicrotask(flush)
  out += JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n"
  if (out.length > batch) flush()
}

const update = (sessionId: string, update: Json) => send({ method: "session/update", params: { sessionId, update } })

const chunk = (sessionId: string, text: string) =>
  update(sessionId, { sessionUpdate: "agent_message_chunk", content: { type: "text", text } })

const read = (sessionId: string, path: string): string => {
  const toolCallId = `call-${path}`
  const call = { title: `Read ${path}`, kind: "read", status: "in_progress", locations: [{ path }] }
  update(sessionId, { sessionUpdate: "tool_call", toolCallId, ...call })
  const text = fs.readFileSync(path, "utf8")
  const content = [{ type: "content", content: { type: "text", text } }]
  update(sessionId, { sessionUpdate: "tool_call_update", toolCallId, status: "completed", content })
  return text
}

const turn = async (url: string, sessionId: string, content: string) => {
  const messages: Array<Json> = [{ role: "user", content }]
  for (let call; (call = await ask(url, messages, (text) => chunk(sessionId, text)));) {
    const text = read(sessionId, JSON.parse(call["function"].arguments).path)
    messages.push({ role: "assistant", tool_calls: [call] }, { role: "tool", tool_call_id: call["id"], content: text })
  }
}

const stream = (sessionId: string, count: number) => {
  for (let i = 1; i <= count; i++) chunk(sessionId, `w${String(i).padStart(6, "0")} `)
}

const step = (sessionId: string, line: string): Promise<void> | undefined => {
  const space = line.indexOf(" ")
  const argument = line.slice(space + 1)
  switch (line.slice(0, space)) {
    case "read":
      return void chunk(sessionId, read(sessionId, argument))
    case "stream":
      return void stream(sessionId, Number(argument))
    case "wait":
      return new Promise((resolve) => setTimeout(resolve, Number(argument) * 1000))
    default:
      return void chunk(sessionId, argument)
  }
}

const answer = async (id: unknown, method: unknown, params: Json) => {
  switch (method) {
    case "initialize":
      return send({ id, result: { protocolVersion: 1, agentCapabilities: {}, authMethods: [] } })
    case "session/new":
      return send({ id, result: { sessionId: `s${++sessions}` } })
    case "session/prompt": {
      const [block] = params["prompt"] as ReadonlyArray<{ readonly text: string }>
      if (model !== undefined) await turn(model, params["sessionId"] as string, block!.text)
      else {for (const line of block!.text.split("\n")) {
          const pause = step(params["sessionId"] as string, line)
          if (pause !== undefined) await pause
        }}
      return send({ id, result: { stopReason: "end_turn" } })
    }
    default:
      return send({ id, error: { code: -32601, message: "Method not found" } })
  }
}

let held = ""
process.stdin.setEncoding("utf8")
process.stdin.on("data", (text: string) => {
  const lines = (held + text).split("\n")
  held = lines.pop()!
  for (const line of lines) {
    const { id, method, params } = JSON.parse(line) as Json
    void answer(id, method, params as Json)
  }
})
process.stdin.on("end", close)
