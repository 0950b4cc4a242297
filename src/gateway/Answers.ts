import { Effect } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Duplex } from "node:stream"

/** The answer to a request. */
export interface Answer {
  readonly status: number
  readonly text: string
  readonly headers?: Readonly<Record<string, string>>
}

export const refusal = (status: number, text: string, headers: Answer["headers"] = {}): Answer => ({
  status,
  text: `${text}\n`,
  headers: { "content-type": "text/plain; charset=utf-8", ...headers }
})

export const json = (value: unknown): Answer => ({
  status: 200,
  text: `${JSON.stringify(value)}\n`,
  headers: { "content-type": "application/json" }
})

export const retryLater = (text: string, seconds: number): Answer =>
  refusal(429, text, { "retry-after": String(seconds) })

export const notAllowed = (allow: string): Answer => refusal(405, "This method is not allowed here.", { allow })

const reasons: Readonly<Record<number, string>> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  429: "Too Many Requests",
  503: "Service Unavailable"
}

/** The answer to a request for an upgrade, which has no response object; then the connection ends. */
export const refuseUpgrade = (socket: Duplex, { headers = {}, status, text }: Answer): void => {
  const all = { ...headers, connection: "close", "content-length": String(Buffer.byteLength(text)) }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`).join("")
  socket.on("error", () => {})
  socket.end(`HTTP/1.1 ${status} ${reasons[status] ?? "Refused"}\r\n${lines}\r\n${text}`)
  socket.once("finish", () => socket.destroy())
}

export const send = (response: ServerResponse, { headers = {}, status, text }: Answer): void => {
  response.writeHead(status, { "cache-control": "no-store", ...headers }).end(text)
}

/** The body; `undefined` where it is longer than `most` bytes or does not arrive. */
export const bodyOf = (request: IncomingMessage, most: number) =>
  Effect.callback<Buffer | undefined>((resume) => {
    const chunks: Array<Buffer> = []
    let size = 0
    request.on("data", (chunk: Buffer) => {
      size += chunk.length
      if (size <= most) return void chunks.push(chunk)
      chunks.length = 0
      request.pause()
      resume(Effect.undefined)
    })
    request.on("end", () => resume(Effect.succeed(Buffer.concat(chunks))))
    request.on("close", () => resume(Effect.undefined))
    request.on("error", () => resume(Effect.undefined))
  })
