import { JsonRpcClient } from "./JsonRpcClient.ts"
import type { Json, Message } from "./Wire.ts"

/** ACP over HTTP, with nothing but `fetch`. */
export class HttpClient extends JsonRpcClient {
  /** Of the gateway, `/acp` included. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  connectionId = ""
  /** The session whose messages are sent without naming it, as answers are. */
  decide: (request: Message) => Json | undefined = () => undefined
  /** Comments of the event streams. */
  comments = 0
  private readonly streams = new Map<string, AbortController>()

  constructor(url: string, token: string) {
    super()
    this.url = url
    this.headers = { authorization: `Bearer ${token}` }
  }

  /** A request as it is; the headers are added to the usual ones, empty ones taken away. */
  fetch(method: string, headers: Readonly<Record<string, string>> = {}, body?: string): Promise<Response> {
    const all = {
      ...this.headers,
      ...(this.connectionId === "" ? {} : { "acp-connection-id": this.connectionId }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers
    }
    return fetch(this.url, {
      method,
      headers: Object.fromEntries(Object.entries(all).filter(([, value]) => value !== "")),
      ...(body === undefined ? {} : { body })
    })
  }

  async initialize(): Promise<Json> {
    const params = { protocolVersion: 1, clientCapabilities: {} }
    const response = await this.fetch(
      "POST",
      {},
      JSON.stringify({ jsonrpc: "2.0", id: "init", method: "initialize", params })
    )
    this.connectionId = response.headers.get("acp-connection-id") ?? ""
    const { result } = await response.json() as Message
    return result as Json
  }

  post(frame: Json, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    const sessionId = (frame["params"] as Json | undefined)?.["sessionId"] as string | undefined
    return this.fetch(
      "POST",
      { ...(sessionId === undefined ? {} : { "acp-session-id": sessionId }), ...headers },
      JSON.stringify({ jsonrpc: "2.0", ...frame })
    )
  }

  send(...frames: ReadonlyArray<Json>): void {
    for (const frame of frames) void this.post(frame)
  }

  /** Opens the event stream of the connection, or of a session; the response is refused or read to its end. */
  async listen(sessionId?: string): Promise<Response> {
    const controller = new AbortController()
    const response = await fetch(this.url, {
      headers: {
        ...this.headers,
        accept: "text/event-stream",
        "acp-connection-id": this.connectionId,
        ...(sessionId === undefined ? {} : { "acp-session-id": sessionId })
      },
      signal: controller.signal
    })
    if (response.ok) {
      this.streams.set(sessionId ?? "", controller)
      void this.read(response, sessionId).catch(() => undefined)
    }
    return response
  }

  private async read({ body }: Response, sessionId: string | undefined): Promise<void> {
    let rest = ""
    for await (const text of body!.pipeThrough(new TextDecoderStream())) {
      const events = (rest + text).split("\n\n")
      rest = events.pop() ?? ""
      for (const event of events) {
        if (event.startsWith(":")) this.comments++
        else this.receive(JSON.parse(event.slice("data: ".length)) as Message, sessionId)
      }
    }
  }

  private receive(message: Message, sessionId: string | undefined): void {
    if (message.method !== undefined && message.id !== undefined) {
      const result = this.decide(message)
      if (result !== undefined) {
        void this.post({ id: message.id, result }, sessionId === undefined ? {} : { "acp-session-id": sessionId })
      }
    }
    this.take(message)
  }

  /** The client no longer reads a stream; without a session that of the connection. */
  lose(sessionId = ""): void {
    this.streams.get(sessionId)?.abort()
    this.streams.delete(sessionId)
  }

  async request(method: string, params: Json = {}): Promise<Json> {
    return (await this.result(method, params) ?? {}) as Json
  }

  text(sessionId: string): string {
    return this.messages.flatMap(({ method, params }) => {
      const update = method === "session/update" && params?.["sessionId"] === sessionId ? params["update"] as Json : {}
      return update["sessionUpdate"] === "agent_message_chunk"
        ? [(update["content"] as { readonly text: string }).text]
        : []
    }).join("")
  }

  close(): void {
    for (const key of [...this.streams.keys()]) this.lose(key)
  }
}
