import { type ChildProcess, spawn } from "node:child_process"

type Json = Record<string, any>

/** Milliseconds of the machine's monotonic clock: comparable between processes. */
export const now = (): number => Number(process.hrtime.bigint()) / 1e6

export interface Command {
  readonly argv: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
}

/** `at`: when the bytes of the answer arrived, before anything was made of them. */
export interface Answer {
  readonly result: Json
  readonly at: number
}

interface Waiting {
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: Error) => void
}

const patience = 60_000
const newline = 10

/** A raw ACP client: every line is parsed as it arrives, as an editor would, and nothing else is done with it. */
export class AcpClient {
  readonly started = now()
  private readonly command: Command
  private readonly child: ChildProcess
  private readonly waiting = new Map<number, Waiting>()
  /** When the process ended. */
  readonly exited: Promise<number>
  private held: Buffer | undefined
  private stderr = ""
  private nextId = 1
  /** Called for each piece of message text. */
  onText: (text: string, at: number) => void = () => {}

  constructor(command: Command) {
    this.command = command
    const [file, ...args] = command.argv
    this.child = spawn(file!, args, { cwd: command.cwd, env: command.env, stdio: ["pipe", "pipe", "pipe"] })
    this.child.stdin!.on("error", () => {})
    this.child.stderr!.on("data", (text) => this.stderr = (this.stderr + text).slice(-2000))
    this.child.stdout!.on("data", (bytes: Buffer) => this.take(bytes, now()))
    this.exited = new Promise((resolve) => {
      this.child.on("error", (error) => this.fail(error))
      this.child.on("exit", (code, signal) => {
        resolve(now())
        this.fail(new Error(`the agent ended with ${code ?? signal}: ${this.stderr}`))
      })
    })
  }

  get pid(): number {
    return this.child.pid!
  }

  request(method: string, params: Json): Promise<Answer> {
    const id = this.nextId++
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`no answer to ${method}: ${this.stderr}`)), patience)
      const settled = <A>(settle: (value: A) => void) => (value: A) => {
        clearTimeout(late)
        settle(value)
      }
      this.waiting.set(id, { resolve: settled(resolve), reject: settled(reject) })
      this.write({ id, method, params })
    })
  }

  initialize(): Promise<Answer> {
    const clientCapabilities = { fs: { readTextFile: false, writeTextFile: false }, terminal: false }
    return this.request("initialize", { protocolVersion: 1, clientCapabilities })
  }

  newSession(): Promise<Answer> {
    return this.request("session/new", { cwd: this.command.cwd, mcpServers: [] })
  }

  /** Milliseconds from the prompt to its result. */
  async turn(sessionId: string, text: string): Promise<number> {
    const start = now()
    const { at, result } = await this.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] })
    if (result["stopReason"] !== "end_turn") throw new Error(`the turn ended with ${JSON.stringify(result)}`)
    return at - start
  }

  /** Milliseconds from the end of input to the end of the process. */
  async end(): Promise<number> {
    const start = now()
    this.child.stdin!.end()
    const late = setTimeout(() => this.child.kill("SIGKILL"), patience)
    const ended = await this.exited
    clearTimeout(late)
    return ended - start
  }

  /** For failures on the way: whatever state the process is in, it is gone afterwards. */
  kill(): void {
    this.child.kill("SIGKILL")
  }

  private write(message: Json): void {
    this.child.stdin!.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n")
  }

  private fail(error: Error): void {
    for (const { reject } of this.waiting.values()) reject(error)
    this.waiting.clear()
  }

  private take(bytes: Buffer, at: number): void {
    const all = this.held === undefined ? bytes : Buffer.concat([this.held, bytes])
    let from = 0
    for (let end = all.indexOf(newline); end !== -1; end = all.indexOf(newline, from)) {
      this.onMessage(JSON.parse(all.toString("utf8", from, end)), at)
      from = end + 1
    }
    this.held = from === all.length ? undefined : all.subarray(from)
  }

  private onMessage({ error, id, method, params, result }: Json, at: number): void {
    if (method === "session/update") {
      const { content, sessionUpdate } = params["update"]
      if (sessionUpdate === "agent_message_chunk") this.onText(content.text, at)
    } else if (method !== undefined) {
      if (id !== undefined) this.write({ id, error: { code: -32601, message: `the bench does not answer ${method}` } })
    } else {
      const waiting = this.waiting.get(id)
      this.waiting.delete(id)
      if (error === undefined) waiting?.resolve({ result, at })
      else waiting?.reject(new Error(`${JSON.stringify(error)} ${this.stderr}`))
    }
  }
}
