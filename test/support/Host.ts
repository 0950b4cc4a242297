import { execFile } from "node:child_process"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { promisify } from "node:util"
import { test as base } from "vitest"
import { AcpProcess } from "./AcpProcess.ts"
import type { ProcessOptions } from "./AgentProcess.ts"
import { unconfined } from "./Bubblewrap.ts"

const exec = promisify(execFile)

export const bundle = resolve("dist/main.js")

export interface StartOptions extends Partial<Omit<ProcessOptions, "env">> {
  readonly args?: ReadonlyArray<string>
  readonly env?: NodeJS.ProcessEnv
}

/** A machine of its own for one test: home, configuration, data and a project folder, all temporary. */
export class Host {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), "postern-test-")))
  readonly config = join(this.folder, "config")
  readonly data = join(this.folder, "data")
  readonly project = join(this.folder, "project")
  readonly processes: Array<AcpProcess> = []

  constructor() {
    for (const folder of [this.config, this.project]) mkdirSync(folder)
  }

  get database(): string {
    return join(this.data, "sessions", "acp-sessions.db")
  }

  get env(): NodeJS.ProcessEnv {
    return {
      ...unconfined,
      PATH: `${dirname(process.execPath)}:${process.env["PATH"]}`,
      HOME: this.folder,
      LANG: "C.UTF-8",
      POSTERN_CONFIG_DIR: this.config,
      POSTERN_DATA_DIR: this.data
    }
  }

  /** `postern acp`, not yet initialised. */
  start(options: StartOptions = {}): AcpProcess {
    const command = options.command ?? [process.execPath, bundle, "acp", ...(options.args ?? [])]
    const made = new AcpProcess({ cwd: this.project, ...options, command, env: { ...this.env, ...options.env } })
    this.processes.push(made)
    return made
  }

  /** `postern acp`, initialised. */
  async open(options: StartOptions = {}): Promise<AcpProcess> {
    const made = this.start(options)
    await made.initialize()
    return made
  }

  /** A command to its end, with nothing on its standard input. */
  async run(...words: ReadonlyArray<string>): Promise<{
    readonly code: number
    readonly stdout: string
    readonly stderr: string
  }> {
    const running = exec(process.execPath, [bundle, ...words], { cwd: this.project, env: this.env })
    running.child.stdin?.end()
    return running.then(
      (said) => ({ code: 0, ...said }),
      ({ code, stderr, stdout }) => ({ code, stdout, stderr })
    )
  }

  write(path: string, content: string | Buffer): string {
    const target = resolve(this.project, path)
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, content)
    return target
  }

  async dispose(): Promise<void> {
    const ends = await Promise.allSettled(this.processes.map((p) => p.close()))
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 })
    const failed = ends.find((end) => end.status === "rejected")
    if (failed) throw failed.reason
  }
}

/** Every process a test starts ends with its input; the test fails if that is not clean. */
export const test = base.extend<{ host: Host }>({
  host: async ({}, use) => {
    const host = new Host()
    await use(host)
    await host.dispose()
  }
})
