import { createServer, type IncomingMessage, type Server as HttpServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Deferred, Effect } from "effect"

export type Json = Record<string, any>

/** One request as it came in. */
export interface Seen {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage["headers"]
  readonly body: Json
}

export interface Exchange extends Seen {
  readonly response: ServerResponse
  /** Done when the client hung up before the answer was whole. */
  readonly gone: Promise<void>
}

export type Answer = (exchange: Exchange) => void | Promise<void>

/** A provider that answers its requests one after the other as it is told, on a port of its own. */
export class Server {
  readonly seen: Array<Seen> = []
  readonly url: string
  private readonly answers: Array<Answer>
  private readonly http: HttpServer
  private constructor(http: HttpServer, answers: Array<Answer>) {
    this.http = http
    this.answers = answers
    this.url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  }

  static readonly make = (...answers: ReadonlyArray<Answer>) =>
    Effect.acquireRelease(
      Effect.callback<Server>((resume) => {
        const http = createServer((request, response) => {
          const chunks: Array<Buffer> = []
          request.on("data", (chunk: Buffer) => chunks.push(chunk))
          request.on("end", () => void server.answer(request, response, Buffer.concat(chunks).toString()))
        })
        let server: Server
        http.listen(0, "127.0.0.1", () => resume(Effect.sync(() => server = new Server(http, [...answers]))))
      }),
      ({ http }) =>
        Effect.callback<void>((resume) => {
          http.close(() => resume(Effect.void))
          http.closeAllConnections()
        })
    )

  private async answer(request: IncomingMessage, response: ServerResponse, text: string): Promise<void> {
    const seen = {
      method: request.method ?? "",
      path: request.url ?? "",
      headers: request.headers,
      body: text === "" ? {} : JSON.parse(text) as Json
    }
    this.seen.push(seen)
    const gone = new Promise<void>((resolve) => response.on("close", () => response.writableFinished || resolve()))
    const answer = this.answers.shift()
    if (answer === undefined) response.writeHead(500).end("this was one request too many")
    else await answer({ ...seen, response, gone })
  }
}

/** Writes the pieces one after the other, each on its own. */
export const pieces = (...all: ReadonlyArray<string | Uint8Array>): Answer => async ({ response }) => {
  response.writeHead(200, { "content-type": "text/event-stream" })
  response.socket?.setNoDelay(true)
  for (const piece of all) {
    await new Promise<void>((resolve) => response.write(piece, () => resolve()))
    await new Promise<void>((resolve) => setImmediate(resolve))
  }
  response.end()
}

/** The connection is cut behind the last piece. */
export const cut = (...all: ReadonlyArray<string>): Answer => async ({ response }) => {
  response.writeHead(200, { "content-type": "text/event-stream" })
  response.flushHeaders()
  for (const piece of all) await new Promise<void>((resolve) => response.write(piece, () => resolve()))
  setImmediate(() => response.destroy())
}

/** Nothing comes behind the last piece, and the connection stays open. */
export const stall = (...all: ReadonlyArray<string>): Answer => ({ response }) => {
  response.writeHead(200, { "content-type": "text/event-stream" })
  response.flushHeaders()
  for (const piece of all) response.write(piece)
}

export const status =
  (code: number, body: Json | string = {}, headers: Record<string, string> = {}): Answer => ({ response }) => {
    const isJson = typeof body !== "string"
    response.writeHead(code, { "content-type": isJson ? "application/json" : "text/html", ...headers }).end(
      isJson ? JSON.stringify(body) : body
    )
  }

export const event = (data: Json, name?: string): string =>
  `${name === undefined ? "" : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`

/** A signal between a server and a test. */
export const signal = () => Deferred.makeUnsafe<void>()
