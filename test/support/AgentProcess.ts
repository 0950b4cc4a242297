import { type ChildProcess, spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { Validator } from "./Validator.ts"
import { type Dialect, type Id, isResponse, type Json, type Message, RpcError, type Tap, tapped } from "./Wire.ts"

export type Answer = { readonly result: Json } | { readonly error: NonNullable<Message["error"]> }
export type Decide = (request: Message) => Answer | undefined
export type Policy = "allow-once" | "allow-always" | "reject-once" | "reject-always" | "never" | Decide

export interface ProcessOptions {
  readonly command: ReadonlyArray<string>
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
  readonly dialect?: Dialect
  readonly permission?: Policy
  readonly capabilities?: Json
  /** Off only where a test breaks the rules itself. */
  readonly validate?: boolean
  /** `false`: nobody reads the agent's stdout. */
  readonly read?: boolean
  /** Sees every line of both directions, in the order of this process. */
  readonly tap?: Tap
}

/** Any agent on stdio, driven with raw frames; every line it writes is logged and judged. */
export class AgentProcess {
  readonly child: ChildProcess
  readonly lines: Array<string> = []
  readonly messages: Array<Message> = []
  readonly exited: Promise<number | string>
  stderr = ""
  permission: Policy
  protected readonly options: ProcessOptions
  private readonly validator: Validator
  private rest: Buffer = Buffer.alloc(0)
  private readonly waiting = new Set<() => void>()
  protected cursor = 0
  private lastId = 1000
  private ended = false

  constructor(options: ProcessOptions) {
    this.options = options
    this.permission = options.permission ?? "allow-once"
    this.validator = new Validator(options.dialect ?? "acp")
    const [program = "", ...args] = options.command
    this.child = spawn(program, args, { cwd: options.cwd, env: options.env, stdio: "pipe" })
    this.child.stdin?.on("error", () => {})
    this.child.stderr?.setEncoding("utf8").on("data", (text: string) => this.stderr += text)
    if (options.read !== false) this.child.stdout?.on("data", (chunk: Buffer) => this.chunk(chunk))
    this.exited = new Promise((resolve) => this.child.on("exit", (code, signal) => resolve(code ?? signal ?? "?")))
    this.child.on("close", () => this.wake())
  }

  get pid(): number {
    return this.child.pid ?? -1
  }
  get running(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null
  }
  get problems(): ReadonlyArray<string> {
    return this.options.validate === false ? [] : this.validator.problems
  }

  private chunk(chunk: Buffer): void {
    let from = 0
    for (let at; (at = chunk.indexOf(10, from)) >= 0; from = at + 1) {
      this.line(Buffer.concat([this.rest, chunk.subarray(from, at)]).toString("utf8"))
      this.rest = Buffer.alloc(0)
    }
    this.rest = Buffer.concat([this.rest, chunk.subarray(from)])
    this.wake()
  }

  private line(line: string): void {
    this.lines.push(line)
    this.options.tap?.("received", line)
    const message = this.validator.received(line)
    if (message === undefined) return
    this.messages.push(message)
    if (message.method !== undefined && message.id !== undefined) this.answer(message)
  }

  private answer(request: Message): void {
    const unsupported = { error: { code: -32601, message: "Method not found" } }
    const permission = request.method === "session/request_permission"
    const policy = this.permission
    const answer = typeof policy === "function" ?
      policy(request)
      : !permission ?
      unsupported
      : policy === "never" ?
      undefined
      : { result: { outcome: { outcome: "selected", optionId: policy } } }
    if (answer) this.send({ jsonrpc: "2.0", id: request.id, ...answer })
  }

  private wake(): void {
    for (const check of [...this.waiting]) check()
  }

  /** Frames go out in one write, newline added. */
  send(...frames: ReadonlyArray<unknown>): void {
    this.announce(...frames)
    this.raw(frames.map((frame) => JSON.stringify(frame) + "\n").join(""))
  }

  /** Bytes as they are. What they ask for must be announced, so that answers are expected. */
  raw(bytes: string | Buffer): void {
    tapped(this.options.tap, bytes)
    this.child.stdin?.write(bytes)
  }

  announce(...frames: ReadonlyArray<unknown>): void {
    for (const frame of frames) {
      if (typeof frame === "object" && frame !== null && !Array.isArray(frame)) this.validator.sent(frame as Message)
    }
  }

  notify(method: string, params: Json): void {
    this.send({ jsonrpc: "2.0", method, params })
  }

  /** The first message from `since` on that `pick` accepts. */
  async waitFor(pick: (message: Message) => boolean, since = 0, ms = 15_000): Promise<Message> {
    let at = since
    const find = () => {
      for (; at < this.messages.length; at++) if (pick(this.messages[at]!)) return this.messages[at]
      return undefined
    }
    return await new Promise((resolve, reject) => {
      const seen = () => this.messages.slice(-4).map((m) => JSON.stringify(m).slice(0, 200)).join("\n")
      const end = (act: () => void) => {
        clearTimeout(timer)
        this.waiting.delete(check)
        act()
      }
      const fail = (why: string) =>
        end(() => reject(new Error(`${why}; last messages:\n${seen()}\n${this.stderr.slice(-800)}`)))
      const check = () => {
        const found = find()
        if (found) end(() => resolve(found))
        else if (this.child.stdout?.readableEnded) fail("the agent's stdout ended")
      }
      const timer = setTimeout(() => fail("nothing of the kind came"), ms)
      this.waiting.add(check)
      check()
    })
  }

  waitForUpdate(pick: (update: Json) => boolean, since = 0): Promise<Message> {
    return this.waitFor((m) => m.method === "session/update" && pick(m.params?.["update"]), since)
  }

  /** The next message nobody took with `next` yet. */
  async next(ms?: number): Promise<Message> {
    const message = await this.waitFor(() => true, this.cursor, ms)
    this.cursor = this.messages.indexOf(message, this.cursor) + 1
    return message
  }

  /** Sends one request frame as it is and gives its answer, result or error. */
  async exchange(request: { readonly id: Id; readonly method: string } & Json): Promise<Message> {
    const since = this.messages.length
    this.send(request)
    return await this.waitFor((m) => isResponse(m) && m.id === request.id, since)
  }

  async request(method: string, params: Json = {}): Promise<Json> {
    const answer = await this.exchange({ jsonrpc: "2.0", id: ++this.lastId, method, params })
    if (answer.error) throw new RpcError(answer.error)
    return answer.result ?? {}
  }

  async failure(method: string, params: Json = {}): Promise<NonNullable<Message["error"]>> {
    const answer = await this.exchange({ jsonrpc: "2.0", id: ++this.lastId, method, params })
    if (!answer.error) throw new Error(`${method} should fail, but gave ${JSON.stringify(answer.result)}`)
    return answer.error
  }

  /** Everything the agent says until it has handled all that was sent just before. */
  async settle(): Promise<ReadonlyArray<Message>> {
    const since = this.messages.length
    const id = `settle-${++this.lastId}`
    await this.exchange({ jsonrpc: "2.0", id, method: "_test/settle", params: {} })
    const said = this.messages.slice(since).filter((m) => m.id !== id)
    this.cursor = this.messages.length
    return said
  }

  /** Resident memory in MiB: now, and at its peak (Linux). */
  memory(): { readonly now: number; readonly peak: number } {
    const status = readFileSync(`/proc/${this.pid}/status`, "utf8")
    const mib = (key: string) => Number(new RegExp(`${key}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024
    return { now: mib("VmRSS"), peak: mib("VmHWM") }
  }

  /** End of input: the agent has to exit 0 in time, having said nothing wrong. */
  async close(ms = 2000): Promise<void> {
    if (this.ended) return
    this.ended = true
    const late = Symbol("late")
    this.child.stdin?.end()
    const code = await Promise.race([this.exited, new Promise((resolve) => setTimeout(resolve, ms, late))])
    if (code === late) await this.kill()
    if (this.problems.length > 0) {
      throw new Error(`The agent broke the protocol:\n${this.problems.slice(0, 10).join("\n")}`)
    }
    if (code === late) throw new Error(`still running ${ms} ms after end of input\n${this.stderr.slice(-800)}`)
    if (code !== 0) throw new Error(`exit ${String(code)} after end of input\n${this.stderr.slice(-800)}`)
  }

  async kill(): Promise<void> {
    this.ended = true
    if (this.running) this.child.kill("SIGKILL")
    await this.exited
  }
}
