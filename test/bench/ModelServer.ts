import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

/**
 * A model that answers at once, in a process of its own: chat completions over HTTP, told what to do by the last message of the user, in
 * the words of the offline model: `say`, `read`, `stream`. Prints its port and ends with its input.
 */

type Json = Record<string, any>

const chunk = (delta: Json, finish_reason: string | null = null) =>
  `data: ${
    JSON.stringify({
      id: "c",
      object: "chat.completion.chunk",
      created: 1,
      model: "mock",
      choices: [{ index: 0, delta, finish_reason }]
    })
  }\n\n`

const text = (content: string) => chunk({ content })
const usage = `data: ${
  JSON.stringify({
    id: "c",
    object: "chat.completion.chunk",
    choices: [],
    usage: { prompt_tokens: 100, completion_tokens: 10 }
  })
}\n\n`
const end = (reason: string) => `${chunk({}, reason)}${usage}data: [DONE]\n\n`

const streams = new Map<number, Buffer>()

/** Made once: what is measured is who reads it. */
const deltas = (count: number): Buffer => {
  const known = streams.get(count)
  if (known !== undefined) return known
  const made = Buffer.from(
    Array.from({ length: count }, (_, i) => text(`w${String(i + 1).padStart(6, "0")} `)).join("")
  )
  streams.set(count, made)
  return made
}

const read = (path: string) =>
  chunk({
    tool_calls: [{
      index: 0,
      id: "call_1",
      type: "function",
      function: { name: "file_read", arguments: JSON.stringify({ path }) }
    }]
  }) + end("tool_calls")

const contentOf = ({ content }: Json): string =>
  typeof content === "string" ? content : content.map(({ text = "" }: Json) => text).join("")

const piece = 16 * 1024

const send = async (response: ServerResponse, bytes: Buffer) => {
  for (let at = 0; at < bytes.length && !response.destroyed; at += piece) {
    if (!response.write(bytes.subarray(at, at + piece))) await new Promise((resolve) => response.once("drain", resolve))
  }
}

const answer = async ({ messages }: Json, response: ServerResponse) => {
  response.writeHead(200, { "content-type": "text/event-stream" })
  const asked = messages.findLastIndex(({ role }: Json) => role === "user")
  const [, command, argument = ""] = /^(\w+) (.*)/.exec(contentOf(messages[asked])) ?? []
  if (messages.at(-1).role === "tool") return response.end(text(contentOf(messages.at(-1))) + end("stop"))
  if (command === "read") return response.end(read(argument))
  if (command === "stream") await send(response, deltas(Number(argument)))
  else response.write(text(argument))
  return response.end(end("stop"))
}

const server = createServer((request, response) => {
  if (request.method === "GET") return void response.writeHead(404).end()
  let body = ""
  request.setEncoding("utf8").on("data", (piece: string) => body += piece).on(
    "end",
    () => void answer(JSON.parse(body), response)
  )
})
server.keepAliveTimeout = 60_000
server.listen(0, "127.0.0.1", () => console.log((server.address() as AddressInfo).port))
process.stdin.on("end", () => process.exit(0)).resume()
