import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "rolldown"
import { AcpClient, type Command, now } from "./AcpClient.ts"

/**
 * `floor` is the floor agent as a plain ES module, as Node agents are written; `lean` is the same bundled to CommonJS,
 * as Postern is. They differ at the start only: an ES module that imports `node:http` makes Node load all of it,
 * `WebSocket` included.
 */
export type Name = "postern" | "floor" | "lean"
export const names: ReadonlyArray<Name> = ["postern", "floor", "lean"]

/** Where the deltas come from: the agent itself, or a model behind HTTP. */
export type Source = "own" | "http"

/** Milliseconds between two deltas where the pace is that of a real model. */
export const pace = 10

const maxSessions = 10_000
const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** The agents that are compared, in folders of their own. Whoever starts one ends it. */
export class Subjects implements AsyncDisposable {
  private readonly root = mkdtempSync(join(tmpdir(), "postern-bench-"))
  private readonly live = new Set<AcpClient>()
  private readonly model: ChildProcess = spawn(process.execPath, [here("ModelServer.ts")], {
    stdio: ["pipe", "pipe", "inherit"]
  })
  private modelUrl = ""
  private readonly main: Record<Name, string> = {
    postern: here("../../dist/main.js"),
    floor: join(this.root, "floor.mjs"),
    lean: join(this.root, "lean.cjs")
  }

  static async make(): Promise<Subjects> {
    const subjects = new Subjects()
    const [port] = await once(subjects.model.stdout!, "data")
    subjects.modelUrl = `http://127.0.0.1:${String(port).trim()}`
    for (const [name, format] of [["floor", "esm"], ["lean", "cjs"]] as const) {
      const output = { file: subjects.main[name], format, minify: true } as const
      await build({ input: here("FloorAgent.ts"), platform: "node", output })
    }
    for (const name of names) {
      mkdirSync(join(subjects.root, name, "work"), { recursive: true })
      mkdirSync(join(subjects.root, name, "tmp"))
      writeFileSync(join(subjects.root, name, "work", "hello.txt"), "hello from the bench\nsecond line\n")
    }
    return subjects
  }

  start(name: Name, source: Source = "own"): AcpClient {
    return this.spawn(this.command(name, [], source === "own" ? {} : this.withModel()))
  }

  /** With the moments at which the pace timer fired; they can be read once the process has ended. */
  startStamped(name: Name): { readonly client: AcpClient; readonly stamps: () => ReadonlyArray<number> } {
    const file = join(this.root, name, `stamps-${now()}.json`)
    const preload = ["--import", new URL("TimerStamps.ts", import.meta.url).href]
    const client = this.spawn(this.command(name, preload, { BENCH_PACE: String(pace), BENCH_STAMPS: file }))
    return { client, stamps: () => JSON.parse(readFileSync(file, "utf8")) }
  }

  /** Ends what a failed measure left behind. */
  async clear(): Promise<void> {
    for (const client of this.live) client.kill()
    await Promise.all(Array.from(this.live, ({ exited }) => exited))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.clear()
    this.model.stdin!.end()
    rmSync(this.root, { recursive: true, force: true })
  }

  private withModel(): Record<string, string> {
    return {
      BENCH_MODEL: this.modelUrl,
      POSTERN_agents__main__model: "bench/mock",
      POSTERN_providers__bench__kind: "openai-compatible",
      POSTERN_providers__bench__base_url: this.modelUrl
    }
  }

  private spawn(command: Command): AcpClient {
    const client = new AcpClient(command)
    this.live.add(client)
    client.exited.then(() => this.live.delete(client))
    return client
  }

  // Nothing of the caller's environment comes in: a key would bring a real model, a setting another host.
  private command(name: Name, options: ReadonlyArray<string>, env: Record<string, string>): Command {
    const home = join(this.root, name)
    return {
      argv: [process.execPath, ...options, this.main[name], "acp"],
      cwd: join(home, "work"),
      env: {
        PATH: process.env["PATH"] ?? "",
        HOME: home,
        TMPDIR: join(home, "tmp"),
        POSTERN_CONFIG_DIR: join(home, "config"),
        POSTERN_acp__max_sessions: String(maxSessions),
        ...env
      }
    }
  }
}
