import { spawn } from "node:child_process"
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe } from "vitest"
import { type DaemonProcess, test as base } from "../support/DaemonProcess.ts"
import type { Message } from "../support/Wire.ts"

const config = `
[users.ann]
uid = 70001
permission_profiles = ["worker"]

[permission_profiles.worker]
allowed_agents = ["*"]
grants = { sessions = ["create", "read"], system = ["read"], tui = ["read"] }
`

/** Becomes another user before it connects, as the folder of the program may be closed to that one. */
const client = `
const { createConnection } = require("node:net")
const [uid, path, ...frames] = process.argv.slice(1)
process.setgroups([])
process.setgid(Number(uid))
process.setuid(Number(uid))
const socket = createConnection(path)
socket.on("error", ({ code }) => { console.log(JSON.stringify({ code })); process.exit() })
socket.setEncoding("utf8").on("data", (text) => {
  process.stdout.write(text)
  for (const _ of text.match(/\\n/g) ?? []) if (frames.length > 0) socket.write(frames.shift() + "\\n"); else socket.end()
})
socket.write(frames.shift() + "\\n")
`

const test = base.extend<{ shared: (config: string) => Promise<DaemonProcess> }>({
  shared: async ({ daemon, host }, use) => {
    const folder = mkdtempSync(join(tmpdir(), "postern-socket-"))
    chmodSync(folder, 0o755)
    await use(async (text) => {
      writeFileSync(join(host.config, "config.toml"), text)
      const running = daemon([], { POSTERN_SOCKET: join(folder, "daemon.sock") })
      await running.ready
      return running
    })
    rmSync(folder, { recursive: true, force: true })
  }
})

/** What a client of another user gets, and its process. */
const asUser = async (uid: number, { socket }: DaemonProcess, ...methods: ReadonlyArray<string>) => {
  const frames = methods.map((method, id) => JSON.stringify({ jsonrpc: "2.0", id, method, params: {} }))
  const child = spawn(process.execPath, ["-e", client, String(uid), socket, ...frames], {
    stdio: ["ignore", "pipe", "inherit"]
  })
  let text = ""
  child.stdout.setEncoding("utf8").on("data", (more: string) => text += more)
  await new Promise((resolve) => child.on("close", resolve))
  const answers = text.trim().split("\n").map((line) => JSON.parse(line) as Message & { readonly code?: string })
  return { answers, pid: child.pid }
}

describe.skipIf(process.geteuid?.() !== 0)("clients of other users (needs root)", () => {
  test("are the users whose uid they have; others are refused", async ({ shared }) => {
    const daemon = await shared(config)
    assert.strictEqual(statSync(daemon.socket).mode & 0o777, 0o666)
    const ann = await asUser(70001, daemon, "initialize", "tui/list", "config/list")
    assert.strictEqual(ann.answers[0]?.result?.["principal_id"], "ann")
    const [own] = ann.answers[1]?.result?.["tuis"] ?? []
    assert.strictEqual(own?.peer_label, `unix:pid=${ann.pid},uid=70001`)
    assert.strictEqual(ann.answers[2]?.error?.code, -32012)
    const other = await asUser(70002, daemon, "initialize", "status")
    assert.deepStrictEqual(other.answers.map(({ error }) => error?.code), [-32010, -32010])
    assert.include(other.answers[0]?.error?.message, "uid = 70002")
    const operator = await daemon.greet()
    assert.strictEqual((await operator.request("status"))["protocol_version"], 1)
  })

  test("cannot connect where no user has a uid", async ({ shared }) => {
    const daemon = await shared("")
    assert.strictEqual(statSync(daemon.socket).mode & 0o777, 0o600)
    const { answers } = await asUser(70001, daemon, "initialize")
    assert.deepStrictEqual(answers, [{ code: "EACCES" }] as never)
  })
})

test("the daemon knows the process of a client of its own user", async ({ shared }) => {
  const daemon = await shared("")
  const operator = await daemon.greet()
  const { tuis } = await operator.request("tui/list")
  assert.strictEqual(tuis[0]?.peer_label, `unix:pid=${process.pid},uid=${process.geteuid?.()}`)
})
