import { spawn } from "node:child_process"
import { createServer } from "node:net"
import type { DaemonProcess } from "./DaemonProcess.ts"
import { bundle, type Host } from "./Host.ts"
import { JsonRpcClient } from "./JsonRpcClient.ts"
import type { Json, Message } from "./Wire.ts"

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
export class WebSocketClient extends JsonRpcClient {
  readonly socket: WebSocket
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>
  /** What it answers requests with; without a value it leaves them open. */
  decide: (request: Message) => Json | undefined = () => undefined

  private constructor(socket: WebSocket) {
    super()
    this.socket = socket
    this.closed = new Promise((resolve) => {
      socket.addEventListener("close", ({ code, reason }) => {
        this.end()
        resolve({ code, reason })
      })
    })
    socket.addEventListener("message", ({ data }) => this.receive(JSON.parse(String(data)) as Message))
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

  private receive(message: Message): void {
    if (message.method !== undefined && message.id !== undefined) {
      const result = this.decide(message)
      if (result !== undefined) this.send({ id: message.id, result })
    }
    this.take(message)
  }

  send(...frames: ReadonlyArray<Json>): void {
    for (const frame of frames) this.socket.send(JSON.stringify({ jsonrpc: "2.0", ...frame }))
  }

  async request(method: string, params: Json = {}): Promise<Json> {
    return (await this.result(method, params) ?? {}) as Json
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
