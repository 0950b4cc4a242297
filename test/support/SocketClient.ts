import { connect, type Socket } from "node:net"
import { Schema } from "effect"
import { type NativeMethod, type ResultOf, results } from "../../src/native/protocol/Native.ts"
import type { MessagePage } from "../../src/native/protocol/SessionContracts.ts"
import { type Id, type Json, type Message, RpcError, type Tap, tapped } from "./Wire.ts"

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
export class SocketClient {
  readonly messages: Array<Message> = []
  readonly socket: Socket
  /** Fulfilled by the end of what the daemon says. */
  readonly ended: Promise<void>
  private readonly waiting = new Set<() => void>()
  private rest = ""
  private lastId = 0
  over = false

  private readonly tap: Tap | undefined

  private constructor(socket: Socket, tap?: Tap) {
    this.socket = socket
    this.tap = tap
    this.ended = new Promise((resolve) => {
      const end = () => {
        this.over = true
        this.wake()
        resolve()
      }
      socket.on("end", end).on("close", end).on("error", () => {})
    })
    socket.setEncoding("utf8").on("data", (text: string) => this.take(text))
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

  private take(text: string): void {
    const lines = (this.rest + text).split("\n")
    this.rest = lines.pop() ?? ""
    for (const line of lines) {
      this.tap?.("received", line)
      this.messages.push(JSON.parse(line) as Message)
    }
    this.wake()
  }

  private wake(): void {
    for (const check of [...this.waiting]) check()
  }

  write(text: string | Buffer): void {
    tapped(this.tap, text)
    this.socket.write(text)
  }

  send(...frames: ReadonlyArray<Json>): void {
    this.write(frames.map((frame) => `${JSON.stringify({ jsonrpc: "2.0", ...frame })}\n`).join(""))
  }

  /** The first message from `since` on that `pick` accepts. */
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

  update(type: string, since = 0): Promise<Json> {
    return this.waitFor((m) => m.method === "session/update" && m.params?.["type"] === type, since).then(({ params }) =>
      params!
    )
  }

  updates(type: string): ReadonlyArray<Json> {
    return this.messages.flatMap((m) => m.method === "session/update" && m.params?.["type"] === type ? [m.params] : [])
  }

  answer(id: Id): Promise<Message> {
    return this.waitFor((m) => m.method === undefined && m.id === id)
  }

  async request<M extends NativeMethod>(method: M, params?: Json): Promise<ResultOf<M>>
  async request(method: string, params?: Json): Promise<Json>
  async request(method: string, params?: Json): Promise<unknown> {
    const { error, result } = await this.exchange(method, params)
    if (error) throw new RpcError(error)
    check(method, result)
    return result
  }

  /** A page of messages, not of what is stored. */
  async messagePage(params: Json): Promise<MessagePage> {
    const found = await this.request("session/messages", params)
    if (!("messages" in found)) throw new Error(`no messages: ${JSON.stringify(found)}`)
    return found
  }

  async failure(method: string, params?: Json): Promise<NonNullable<Message["error"]>> {
    const { error, result } = await this.exchange(method, params)
    if (!error) throw new Error(`${method} should fail, but gave ${JSON.stringify(result)}`)
    return error
  }

  /** The answer, whether it is a result or an error. */
  exchange(method: string, params?: Json): Promise<Message> {
    const id = `t-${++this.lastId}`
    this.send({ id, method, ...(params === undefined ? {} : { params }) })
    return this.answer(id)
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
