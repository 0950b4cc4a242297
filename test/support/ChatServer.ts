import { once } from "node:events"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import type { Json } from "./Wire.ts"

/** One answer of the model: what it thinks and says, and the calls it makes. */
export interface Step {
  readonly think?: string
  readonly say?: string
  readonly calls?: ReadonlyArray<readonly [tool: string, params: Json]>
  /** Fails with this number instead. */
  readonly status?: number
}

const event = (data: Json) => `data: ${JSON.stringify(data)}\n\n`

const chunk = (delta: Json, finish_reason: string | null = null) =>
  event({
    id: "c",
    object: "chat.completion.chunk",
    created: 1,
    model: "m",
    choices: [{ index: 0, delta, finish_reason }]
  })

const words = (text: string) => text.match(/\S+\s*|^\s+/g) ?? []

/** Arguments come in pieces, as from a real model. */
const callChunks = (index: number, id: string, name: string, params: Json) => {
  const json = JSON.stringify(params)
  const half = Math.ceil(json.length / 2)
  return chunk({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] }) +
    [json.slice(0, half), json.slice(half)].map((piece) =>
      chunk({ tool_calls: [{ index, function: { arguments: piece } }] })
    ).join("")
}

const stream = ({ calls = [], say = "", think = "" }: Step, request: number): string =>
  words(think).map((word) => chunk({ reasoning_content: word })).join("") +
  words(say).map((word) => chunk({ content: word })).join("") +
  calls.map(([name, params], index) => callChunks(index, `call_${request}_${index}`, name, params)).join("") +
  chunk({}, calls.length > 0 ? "tool_calls" : "stop") +
  event({
    id: "c",
    object: "chat.completion.chunk",
    choices: [],
    usage: { prompt_tokens: 1000 + request, completion_tokens: 50 }
  }) +
  "data: [DONE]\n\n"

/** A model behind chat completions that plays the given steps, one a request. */
export class ChatServer {
  readonly requests: Array<Json> = []
  steps: Array<Step>
  private readonly server: Server

  constructor(...steps: ReadonlyArray<Step>) {
    this.steps = [...steps]
    this.server = createServer((request, response) => {
      let text = ""
      request.setEncoding("utf8").on("data", (piece: string) => text += piece).on("end", () => {
        if (request.method === "GET") {
          return void response.writeHead(200, { "content-type": "application/json" }).end(
            JSON.stringify({ data: [{ id: "m" }] })
          )
        }
        this.requests.push(JSON.parse(text))
        const step = this.steps.shift() ?? { say: "There is nothing more in the script." }
        if (step.status !== undefined) return void response.writeHead(step.status).end()
        response.writeHead(200, { "content-type": "text/event-stream" }).end(stream(step, this.requests.length))
      })
    })
  }

  /** A configuration whose agent is this model. */
  async config(): Promise<string> {
    this.server.listen(0, "127.0.0.1")
    await once(this.server, "listening")
    const { port } = this.server.address() as AddressInfo
    return `[agents.default]
model = "local/m"
[providers.local]
kind = "openai-compatible"
base_url = "http://127.0.0.1:${port}/v1"
context_window = 100000
prices = { input = 1, output = 2 }
`
  }

  close(): void {
    this.server.close()
    this.server.closeAllConnections()
  }
}
