import { type ChildProcess, spawn } from "node:child_process"
import { createInterface } from "node:readline"

export interface Reply {
  readonly id?: unknown
  readonly method?: string
  readonly params?: {
    readonly update?: { readonly sessionUpdate?: string; readonly content?: { readonly text?: string } }
  }
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: { readonly code: number; readonly message: string }
}

/** `undefined`: the process ended before it answered. */
type Answer = Reply | undefined

export interface Place {
  readonly bundle: string
  readonly home: string
  readonly data: string
  readonly project: string
}

/** One `postern acp`, which may be killed at any moment. */
export class Client {
  readonly child: ChildProcess
  readonly ended: Promise<number | string>
  /** Lines that are no JSON-RPC: the protocol is broken. */
  readonly junk: Array<string> = []
  stderr = ""
  said = ""
  private readonly place: Place
  private readonly waiting = new Map<unknown, (answer: Answer) => void>()
  private last = 0

  constructor(place: Place) {
    this.place = place
    const { bundle, data, home, project } = place
    this.child = spawn(process.execPath, [bundle, "acp"], {
      cwd: project,
      env: {
        PATH: process.env["PATH"],
        HOME: home,
        POSTERN_CONFIG_DIR: `${home}/config`,
        POSTERN_DATA_DIR: data,
        POSTERN_policy__tool_approval: "universal_accept"
      },
      stdio: "pipe"
    })
    this.child.stdin?.on("error", () => {})
    this.child.stderr?.setEncoding("utf8").on("data", (text: string) => this.stderr = (this.stderr + text).slice(-4000))
    createInterface({ input: this.child.stdout! }).on("line", (line) => this.line(line))
    this.ended = new Promise((resolve) =>
      this.child.once("close", (code, signal) => {
        for (const settle of this.waiting.values()) settle(undefined)
        this.waiting.clear()
        resolve(code ?? signal ?? "?")
      })
    )
  }

  private line(line: string): void {
    let message: Reply
    try {
      message = JSON.parse(line) as Reply
    } catch {
      this.junk.push(line.slice(0, 200))
      return
    }
    const { content, sessionUpdate } = message.params?.update ?? {}
    if (sessionUpdate === "agent_message_chunk") this.said += content?.text ?? ""
    if (message.method === "session/request_permission") {
      this.send({
        jsonrpc: "2.0",
        id: message.id,
        result: { outcome: { outcome: "selected", optionId: "allow-once" } }
      })
    }
    if (message.method !== undefined) return
    this.waiting.get(message.id)?.(message)
    this.waiting.delete(message.id)
  }

  raw(bytes: string | Buffer): void {
    this.child.stdin?.write(bytes)
  }

  send(message: unknown): void {
    this.raw(`${JSON.stringify(message)}\n`)
  }

  ask(method: string, params: unknown = {}): Promise<Answer> {
    const id = `soak-${++this.last}`
    return new Promise((resolve) => {
      if (this.child.exitCode !== null || this.child.signalCode !== null) return resolve(undefined)
      this.waiting.set(id, resolve)
      this.send({ jsonrpc: "2.0", id, method, params })
    })
  }

  initialize(): Promise<Answer> {
    return this.ask("initialize", { protocolVersion: 1, clientCapabilities: {} })
  }

  async open(): Promise<string | undefined> {
    const { project: cwd } = this.place
    return (await this.ask("session/new", { cwd, mcpServers: [] }))?.result?.["sessionId"] as string | undefined
  }

  load(sessionId: string): Promise<Answer> {
    this.said = ""
    return this.ask("session/load", { sessionId, cwd: this.place.project, mcpServers: [] })
  }

  prompt(sessionId: string, text: string): Promise<Answer> {
    return this.ask("session/prompt", { sessionId, prompt: [{ type: "text", text }] })
  }

  kill(): void {
    this.child.kill("SIGKILL")
  }

  end(): Promise<number | string> {
    this.child.stdin?.end()
    return this.ended
  }
}
