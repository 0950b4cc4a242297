import { type ChildProcess, spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { unconfined } from "../../support/Bubblewrap.ts"

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url))

/** Said where the agent takes long to start, which on a busy machine it may. */
const waiting = "postern: waiting for the agent to answer initialize…\n"

export const agent = (mode = "") => `"${process.execPath}" "${here("ScriptedAgent.ts")}" ${mode}`

export interface Ran {
  readonly code: number | string
  readonly stdout: string
  readonly stderr: string
}

/** The command line as its own process, without a terminal. */
export class Run {
  readonly child: ChildProcess
  readonly done: Promise<Ran>
  private stdout = ""
  private stderr = ""

  constructor(
    args: ReadonlyArray<string>,
    options: { readonly cwd?: string; readonly stdin?: string; readonly env?: NodeJS.ProcessEnv } = {}
  ) {
    this.child = spawn(process.execPath, [here("entry.ts"), ...args], {
      cwd: options.cwd,
      env: { ...process.env, ...unconfined, NO_COLOR: "1", ...options.env },
      stdio: "pipe"
    })
    this.child.stdout?.setEncoding("utf8").on("data", (text: string) => this.stdout += text)
    this.child.stderr?.setEncoding("utf8").on("data", (text: string) => this.stderr += text)
    // Left open where nothing is said: whoever waits for its end hangs, and must not.
    if (options.stdin !== undefined) this.child.stdin?.end(options.stdin)
    this.done = new Promise((resolve) =>
      this.child.on("close", (code, signal) => {
        this.child.stdin?.destroy()
        resolve({ code: code ?? signal ?? "?", stdout: this.stdout, stderr: this.stderr.replace(waiting, "") })
      })
    )
  }

  async shows(text: string, where: "stdout" | "stderr" = "stdout"): Promise<void> {
    const stream = this.child[where]
    while (!this[where].includes(text)) {
      await new Promise((resolve, reject) => {
        stream?.once("data", resolve)
        this.child.once("close", () => reject(new Error(`ended without ${text}: ${this.stdout}\n${this.stderr}`)))
      })
    }
  }
}

export const client = (mode: string, ...args: ReadonlyArray<string>) =>
  new Run(["client", "--server", agent(mode), ...args]).done

export const lines = (ndjson: string): ReadonlyArray<Record<string, any>> =>
  ndjson.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line))
