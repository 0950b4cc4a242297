import { type ChildProcess, spawn } from "node:child_process"
import { join } from "node:path"
import { bundle, Host, test as base } from "./Host.ts"
import { SocketClient } from "./SocketClient.ts"

/** `postern daemon` from the built bundle, or from another program. */
export class DaemonProcess {
  readonly child: ChildProcess
  readonly exited: Promise<number | string>
  /** Fulfilled by its first line on stdout; rejected when it ends before. */
  readonly ready: Promise<void>
  readonly socket: string
  stdout = ""
  stderr = ""

  constructor(
    host: Host,
    args: ReadonlyArray<string> = [],
    env: NodeJS.ProcessEnv = {},
    before: ReadonlyArray<string> = [],
    main = bundle
  ) {
    this.socket = env["POSTERN_SOCKET"] ?? join(host.data, "daemon.sock")
    const [program = "", ...words] = [...before, process.execPath, main, "daemon", ...args]
    this.child = spawn(program, words, {
      cwd: host.project,
      env: { ...host.env, ...env },
      stdio: ["ignore", "pipe", "pipe"]
    })
    this.child.stderr?.setEncoding("utf8").on("data", (text: string) => this.stderr += text)
    this.exited = new Promise((resolve) => this.child.on("exit", (code, signal) => resolve(code ?? signal ?? "?")))
    this.ready = new Promise((resolve, reject) => {
      this.child.stdout?.setEncoding("utf8").on("data", (text: string) => {
        this.stdout += text
        resolve()
      })
      void this.exited.then((code) => reject(new Error(`the daemon ended with ${code}: ${this.stderr}`)))
    })
    this.ready.catch(() => {})
  }

  get pid(): number {
    return this.child.pid ?? -1
  }

  greet(): Promise<SocketClient> {
    return SocketClient.greeted(this.socket)
  }

  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<number | string> {
    this.child.kill(signal)
    return await this.exited
  }
}

export const test = base.extend<
  { daemon: (args?: ReadonlyArray<string>, env?: NodeJS.ProcessEnv, before?: ReadonlyArray<string>) => DaemonProcess }
>({
  daemon: async ({ host }, use) => {
    const started: Array<DaemonProcess> = []
    await use((args = [], env = {}, before = []) => {
      const made = new DaemonProcess(host, args, env, before)
      started.push(made)
      return made
    })
    await Promise.all(started.map((daemon) => daemon.stop("SIGKILL")))
  }
})
