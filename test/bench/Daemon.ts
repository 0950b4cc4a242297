import { spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { parseArgs } from "node:util"
import { SocketClient } from "../support/SocketClient.ts"
import { median, quantile } from "./Statistics.ts"

/** `node test/bench/Daemon.ts [--seconds N]`: the built daemon with 500 connections, 200 sessions and 50 turns at a time. */

const { values } = parseArgs({ options: { seconds: { type: "string", default: "60" } } })
const [connections, sessions, atATime, seconds] = [500, 200, 50, Number(values.seconds)]

const folder = realpathSync(mkdtempSync(join(tmpdir(), "postern-bench-")))
const project = join(folder, "project")
mkdirSync(project)
writeFileSync(join(folder, "config.toml"), `log_level = "error"\n[rpc]\nmax_sessions = ${sessions + 1}\n`)
const daemon = spawn(process.execPath, [resolve("dist/main.js"), "daemon"], {
  env: { ...process.env, HOME: folder, POSTERN_CONFIG_DIR: folder },
  stdio: ["ignore", "pipe", "inherit"]
})
await new Promise((resolve) => daemon.stdout.once("data", resolve))
const path = join(folder, "data", "daemon.sock")

const watcher = await SocketClient.greeted(path)
const rss = async () => {
  await sleep(1500)
  return (await watcher.request("health"))["process"].rss_bytes / 1024
}

/** One session and its turns before anything is measured: code is loaded and compiled then. */
const warm = await watcher.session({ cwd: project, keep_siblings: true })
for (let i = 0; i < 200; i++) await watcher.prompt(warm, "say warm")

const before = await rss()
const clients: Array<SocketClient> = []
for (let i = 1; i < connections; i++) clients.push(await SocketClient.greeted(path))
const connected = await rss()
const ids: Array<string> = []
for (let i = 0; i < sessions; i++) ids.push(await clients[i]!.session({ cwd: project, keep_siblings: true }))
const opened = await rss()

const end = performance.now() + seconds * 1000
const turns: Array<number> = []
const statuses: Array<number> = []
let lost = 0
/** In KiB, over the load. */
const memory: Array<number> = []

const worker = async (first: number) => {
  for (let turn = 0; performance.now() < end; turn++) {
    const at = first + atATime * (turn % (sessions / atATime))
    const client = clients[at]!
    const since = client.messages.length
    const started = performance.now()
    const { content } = await client.prompt(ids[at]!, `say turn ${turn}`)
    turns.push(performance.now() - started)
    const said = client.messages.slice(since).filter(({ params }) => params?.["type"] === "agent_message_chunk").map((
      { params }
    ) => params?.["text"]).join("")
    if (said !== content || content !== `turn ${turn}`) lost++
    client.messages.length = 0
  }
}
const watch = async () => {
  while (performance.now() < end) {
    const started = performance.now()
    await watcher.request("status")
    statuses.push(performance.now() - started)
    memory.push((await watcher.request("health"))["process"].rss_bytes / 1024)
    await sleep(50)
  }
}
await Promise.all([watch(), ...Array.from({ length: atATime }, (_, index) => worker(index))])
const after = await rss()

const line = (name: string, value: string) => process.stdout.write(`${name.padEnd(34)}${value}\n`)
const ms = (times: ReadonlyArray<number>) =>
  `p50 ${median(times).toFixed(1)} ms, p99 ${quantile(times, 0.99).toFixed(1)} ms`
const mebibytes = (kibibytes: number) => (kibibytes / 1024).toFixed(0)
/** The peak of each third of the load: what is bounded does not grow from one to the next. */
const peaks = [0, 1, 2].map((third) =>
  mebibytes(Math.max(...memory.slice(third * memory.length / 3, (third + 1) * memory.length / 3)))
)
line("memory per connection", `${((connected - before) / (connections - 1)).toFixed(1)} KiB`)
line("turns", `${(turns.length / seconds).toFixed(0)}/s, ${ms(turns)}`)
line("status under load", ms(statuses))
line(
  "resident memory",
  `${mebibytes(opened)} MiB idle, peaks ${peaks.join(", ")} MiB, ${mebibytes(after)} MiB afterwards`
)
line("turns with a lost or foreign frame", String(lost))
daemon.kill("SIGTERM")
await new Promise((resolve) => daemon.once("exit", resolve))
rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
process.exit(lost === 0 ? 0 : 1)
