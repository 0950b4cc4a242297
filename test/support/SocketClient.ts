import { connect, type Socket } from "node:net"
import { Schema } from "effect"
import { type NativeMethod, type ResultOf, results } from "../../src/native/protocol/Native.ts"
import type { MessagePage } from "../../src/native/protocol/SessionContracts.ts"
import { JsonRpcClient } from "./JsonRpcClient.ts"
import { type Json, type Message, type Tap, tapped } from "./Wire.ts"

const decoders = new Map<string, (result: unknown) => unknown>()

/** Fails where a result is not what its contract says, or has a field that the contract does not have. */
const check = (method: string, result: unknown) => {
  const schema = results.get(method)
  if (schema === undefined) return
  const decode = decoders.get(method) ??
    Schema.decodeUnknownSync(schema as Schema.Codec<unknown>, { onExcessProperty: "error" })
  decoders.set(method, decode)
  decode(result)
}

/** A client of the native protocol with nothing but a socket. */
export class SocketClient extends JsonRpcClient {
  readonly socket: Socket
  /** Fulfilled by the end of what the daemon says. */
  readonly ended: Promise<void>
  private rest = ""
  private readonly tap: Tap | undefined

  private constructor(socket: Socket, tap?: Tap) {
    super()
    this.socket = socket
    this.tap = tap
    this.ended = new Promise((resolve) => {
      const end = () => {
        this.end()
        resolve()
      }
      socket.on("end", end).on("close", end).on("error", () => {})
    })
    socket.setEncoding("utf8").on("data", (text: string) => this.read(text))
  }

  static async open(path: string, tap?: Tap): Promise<SocketClient> {
    const socket = connect(path)
    await new Promise<void>((resolve, reject) => socket.once("connect", resolve).once("error", reject))
    return new SocketClient(socket, tap)
  }

  /** Connected and greeted. */
  static async greeted(path: string, params: Json = {}, tap?: Tap): Promise<SocketClient> {
    const client = await SocketClient.open(path, tap)
    await client.request("initialize", { protocol_version: 1, ...params })
    return client
  }

  private read(text: string): void {
    const lines = (this.rest + text).split("\n")
    this.rest = lines.pop() ?? ""
    this.take(...lines.map((line) => {
      this.tap?.("received", line)
      return JSON.parse(line) as Message
    }))
  }

  write(text: string | Buffer): void {
    tapped(this.tap, text)
    this.socket.write(text)
  }

  send(...frames: ReadonlyArray<Json>): void {
    this.write(frames.map((frame) => `${JSON.stringify({ jsonrpc: "2.0", ...frame })}\n`).join(""))
  }

  update(type: string, since = 0): Promise<Json> {
    return this.waitFor((m) => m.method === "session/update" && m.params?.["type"] === type, since).then(({ params }) =>
      params!
    )
  }

  updates(type: string): ReadonlyArray<Json> {
    return this.messages.flatMap((m) => m.method === "session/update" && m.params?.["type"] === type ? [m.params] : [])
  }

  async request<M extends NativeMethod>(method: M, params?: Json): Promise<ResultOf<M>>
  async request(method: string, params?: Json): Promise<Json>
  async request(method: string, params?: Json): Promise<unknown> {
    const result = await this.result(method, params)
    check(method, result)
    return result
  }

  /** A page of messages, not of what is stored. */
  async messagePage(params: Json): Promise<MessagePage> {
    const found = await this.request("session/messages", params)
    if (!("messages" in found)) throw new Error(`no messages: ${JSON.stringify(found)}`)
    return found
  }

  async session(params: Json = {}): Promise<string> {
    return (await this.request("session/new", { agent_alias: "default", ...params }))["session_id"] as string
  }

  prompt(sessionId: string, prompt: string, params: Json = {}): Promise<Json> {
    return this.request("session/prompt", { session_id: sessionId, prompt, ...params })
  }

  close(): void {
    this.socket.destroy()
  }
}
