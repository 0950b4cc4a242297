import { Context, Effect, Layer, Logger } from "effect"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import * as DaemonLayer from "../../src/app/DaemonLayer.ts"
import { serveConnection } from "../../src/native/NativeServer.ts"
import { listen, take } from "../../src/platform/socket/UnixSocket.ts"
import { SocketClient } from "../support/SocketClient.ts"
import { layerSettings } from "../support/Settings.ts"

/** `node --expose-gc test/bench/DaemonMemory.ts`: what an idle session and a connection hold on the heap, in a daemon of this process. */

const { gc } = globalThis
if (gc === undefined) throw new Error("start it with node --expose-gc")

const [sessions, connections] = [500, 300]
const folder = realpathSync(mkdtempSync(join(tmpdir(), "postern-bench-")))
const project = join(folder, "project")
mkdirSync(project)
writeFileSync(join(folder, "config.toml"), `[rpc]\nmax_sessions = ${sessions + 400}\n`)
const endpoint = join(folder, "data", "daemon.sock")

const measure = async () => {
  const client = await SocketClient.greeted(endpoint)
  const open = () => client.session({ cwd: project, keep_siblings: true })
  const heap = async () => {
    await sleep(300)
    client.messages.length = 0
    for (let i = 0; i < 3; i++) gc()
    return process.memoryUsage().heapUsed / 1024
  }
  await client.prompt(await open(), "say warm")
  // Until what is compiled on the way no longer counts.
  for (let i = 0; i < 300; i++) await open()
  const before = await heap()
  for (let i = 0; i < sessions; i++) await open()
  const opened = await heap()
  process.stdout.write(`idle session                      ${((opened - before) / sessions).toFixed(1)} KiB\n`)
  const others: Array<SocketClient> = []
  for (let i = 0; i < connections; i++) others.push(await SocketClient.greeted(endpoint))
  process.stdout.write(`connection, both ends             ${((await heap() - opened) / connections).toFixed(1)} KiB\n`)
}

await Effect.runPromise(Effect.scoped(Effect.gen(function*() {
  const layer = DaemonLayer.layer(endpoint, {}).pipe(Layer.provideMerge(layerSettings({ configDir: folder }, {})))
  const context = Context.merge(yield* Layer.build(layer), yield* Layer.build(Logger.layer([])))
  const far = { label: "unix:unknown", uid: process.geteuid?.() }
  yield* take(endpoint, true)
  yield* listen(
    { endpoint, maxConnections: connections + 1, drain: Effect.void },
    (transport) => Effect.provideContext(serveConnection(transport, far), context)
  )
  yield* Effect.promise(measure)
})))
rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
process.exit(0)
