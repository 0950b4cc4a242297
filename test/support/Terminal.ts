import xterm from "@xterm/headless"
import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import { unconfined } from "./Bubblewrap.ts"
import { make, remove } from "./TemporaryFolder.ts"

/** Programs that run in a pseudo-terminal need `script` of util-linux. */
export const hasTerminal = process.platform === "linux" && existsSync("/usr/bin/script")

interface TerminalOptions {
  readonly columns?: number
  readonly rows?: number
  readonly cwd?: string
  readonly env?: NodeJS.ProcessEnv
}

const quoted = (word: string) => `'${word.replaceAll("'", "'\\''")}'`

/** A program in a terminal of its own, and what a person sees of it. */
export class Terminal {
  readonly exited: Promise<number | string>
  private readonly screen: xterm.Terminal
  private readonly child: ChildProcessWithoutNullStreams
  private readonly device: string
  private changed: () => void = () => {}
  private ended = false
  /** Everything the program wrote, as it wrote it. */
  raw = ""

  constructor(command: ReadonlyArray<string>, { columns = 80, cwd, env, rows = 24 }: TerminalOptions = {}) {
    this.screen = new xterm.Terminal({ cols: columns, rows, scrollback: 5000, allowProposedApi: true })
    const folder = make()
    this.device = join(folder, "device")
    const line = `stty cols ${columns} rows ${rows}; tty > ${quoted(this.device)}; exec ${
      command.map(quoted).join(" ")
    }`
    this.child = spawn("/usr/bin/script", ["-qfec", line, "/dev/null"], {
      cwd,
      env: { ...process.env, ...unconfined, TERM: "xterm-256color", COLORTERM: "", CI: "", NO_COLOR: "", ...env }
    })
    this.child.stdin.on("error", () => {})
    this.child.stdout.setEncoding("utf8").on("data", (text: string) => {
      this.raw += text
      this.screen.write(text, () => this.changed())
    })
    this.exited = new Promise((resolve) =>
      this.child.on("close", (code, signal) => {
        this.ended = true
        this.changed()
        resolve(code ?? signal ?? "?")
      })
    )
    onTestFinished(() => {
      this.close()
      remove(folder)
    })
  }

  type(text: string): void {
    this.child.stdin.write(text)
  }

  /** What is on the screen and in the lines above it, without blanks at the ends. */
  text(): string {
    const { active } = this.screen.buffer
    const lines = Array.from({ length: active.length }, (_, at) => active.getLine(at)?.translateToString(true) ?? "")
    return lines.join("\n").trimEnd()
  }

  /** Waits until the screen has a text, and gives what it has then. */
  async shows(text: string | RegExp): Promise<string> {
    const isThere = () => typeof text === "string" ? this.text().includes(text) : text.test(this.text())
    while (!isThere()) {
      if (this.ended) throw new Error(`ended without ${text}:\n${this.text()}`)
      await this.next(`never showed ${text}`)
    }
    return this.text()
  }

  /** Waits until the screen has a text no more. */
  async hides(text: string): Promise<void> {
    while (this.text().includes(text)) await this.next(`still shows ${text}`)
  }

  resize(columns: number, rows: number): void {
    this.screen.resize(columns, rows)
    execFileSync("stty", [
      "-F",
      readFileSync(this.device, "utf8").trim(),
      "cols",
      String(columns),
      "rows",
      String(rows)
    ])
  }

  close(): void {
    this.child.kill("SIGKILL")
    this.screen.dispose()
  }

  /** The next change; a program that hangs fails the test with its screen. */
  private next(problem: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`${problem}:\n${this.text()}`)), 60_000)
      this.changed = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}
