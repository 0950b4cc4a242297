import { spawn } from "node:child_process"
import { createServer } from "node:net"
import type { DaemonProcess } from "./DaemonProcess.ts"
import { bundle, type Host } from "./Host.ts"
import type { Id, Json, Message } from "./Wire.ts"
import { RpcError } from "./Wire.ts"

/** A port that nobody listens on. */
export const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer()
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })

/** Runs `postern` to its end. */
export const postern = (host: Host, ...args: ReadonlyArray<string>) => {
  const child = spawn(process.execPath, [bundle, ...args], { cwd: host.project, env: host.env, stdio: "pipe" })
  const run = { child, stdout: "", stderr: "", exited: Promise.resolve<number | string>(0) }
  child.stdout.setEncoding("utf8").on("data", (text: string) => run.stdout += text)
  child.stderr.setEncoding("utf8").on("data", (text: string) => run.stderr += text)
  run.exited = new Promise((resolve) => child.on("close", (code, signal) => resolve(code ?? signal ?? "?")))
  return run
}

/** A token of the gateway, by way of a code of the operator. */
export const pairedToken = async (
  daemon: DaemonProcess,
  url: string,
  params: Json = {},
  body?: string
): Promise<string> => {
  const operator = await daemon.greet()
  const { code } = await operator.request("pairing/open", params)
  const response = await fetch(`${url}/pair`, {
    method: "POST",
    headers: { "x-pairing-code": String(code) },
    ...(body === undefined ? {} : { body })
  })
  operator.close()
  const answer = await response.json() as { readonly token: string }
  return answer.token
}

/** A client with nothing but a WebSocket; each message is one of JSON-RPC. */
export class WebSocketClient {
  readonly messages: Array<Message> = []
  readonly socket: WebSocket
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>
  /** What it answers requests with; without a value it leaves them open. */
  decide: (request: Message) => Json | undefined = () => undefined
  private readonly waiting = new Set<() => void>()
  private over = false
  private lastId = 0

  private constructor(socket: WebSocket) {
    this.socket = socket
    this.closed = new Promise((resolve) => {
      socket.addEventListener("close", ({ code, reason }) => {
        this.over = true
        this.wake()
        resolve({ code, reason })
      })
    })
    socket.addEventListener("message", ({ data }) => this.take(JSON.parse(String(data)) as Message))
  }

  static async open(url: string, protocols: ReadonlyArray<string> = []): Promise<WebSocketClient> {
    const socket = new WebSocket(url, [...protocols])
    const client = new WebSocketClient(socket)
    await new Promise<void>((resolve, reject) => {
      socket.addEventListener("open", () => resolve())
      socket.addEventListener("error", () => reject(new Error("the connection was refused")))
    })
    return client
  }

  private take(message: Message): void {
    this.messages.push(message)
    if (message.method !== undefined && message.id !== undefined) {
      const result = this.decide(message)
      if (result !== undefined) this.send({ id: message.id, result })
    }
    this.wake()
  }

  private wake(): void {
    for (const check of [...this.waiting]) check()
  }

  send(frame: Json): void {
    this.socket.send(JSON.stringify({ jsonrpc: "2.0", ...frame }))
  }

  waitFor(pick: (message: Message) => boolean, since = 0): Promise<Message> {
    return new Promise((resolve, reject) => {
      const check = () => {
        const found = this.messages.slice(since).find(pick)
        if (!found && !this.over) return
        this.waiting.delete(check)
        if (found) resolve(found)
        else reject(new Error(`the connection ended; last messages: ${JSON.stringify(this.messages.slice(-3))}`))
      }
      this.waiting.add(check)
      check()
    })
  }

  exchange(method: string, params: Json = {}): Promise<Message> {
    const id: Id = `t-${++this.lastId}`
    this.send({ id, method, params })
    return this.waitFor((message) => message.method === undefined && message.id === id)
  }

  async request(method: string, params: Json = {}): Promise<Json> {
    const { error, result } = await this.exchange(method, params)
    if (error) throw new RpcError(error)
    return result ?? {}
  }

  async failure(method: string, params: Json = {}): Promise<NonNullable<Message["error"]>> {
    const { error, result } = await this.exchange(method, params)
    if (!error) throw new Error(`${method} should fail, but gave ${JSON.stringify(result)}`)
    return error
  }

  initialize(): Promise<Json> {
    return this.request("initialize", { protocolVersion: 1, clientCapabilities: {} })
  }

  prompt(sessionId: string, text: string): Promise<Json> {
    return this.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] })
  }

  /** The updates of a session, as far as they have come. */
  updates(sessionId: string): ReadonlyArray<Json> {
    return this.messages.flatMap(({ method, params }) =>
      method === "session/update" && params?.["sessionId"] === sessionId ? [params["update"] as Json] : []
    )
  }

  text(sessionId: string): string {
    return this.updates(sessionId).map((update) =>
      update["sessionUpdate"] === "agent_message_chunk" ? (update["content"] as { readonly text: string }).text : ""
    ).join("")
  }

  close(): void {
    this.socket.close()
  }
}
