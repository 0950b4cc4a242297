import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { SmallDisk } from "../support/SmallDisk.ts"
import { Client, type Place } from "./Client.ts"

/**
 * `npm run soak -- [minutes] [seed]`: kills, full disks, odd frames, slow clients and several processes on one store, against the built
 * bundle, until the time is over. Prints what was done and what was lost; exits with 1 on a fault, which names the seed.
 */

const minutes = Number(process.argv[2] ?? 1)
const seed = Number(process.argv[3] ?? Math.trunc(Date.now() % 1e9))
if (!(minutes > 0) || !Number.isInteger(seed)) {
  process.stderr.write("usage: npm run soak -- [minutes] [seed]\n")
  process.exit(2)
}

/** The same numbers for the same seed: https://en.wikipedia.org/wiki/Xorshift */
const random = (() => {
  let state = (seed ^ 0x9e3779b9) | 1
  return (below: number) => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % below
  }
})()

const faults: Array<string> = []
const fault = (what: string) => void faults.push(what)
const figures = new Map<string, number>()
const count = (what: string, by = 1) => void figures.set(what, (figures.get(what) ?? 0) + by)

const folder = mkdtempSync(join(tmpdir(), "postern-soak-"))
const placeIn = (name: string, data?: string): Place => {
  const home = join(folder, name)
  const project = join(home, "project")
  mkdirSync(project, { recursive: true })
  return { bundle: resolve("dist/main.js"), home, project, data: data ?? join(home, "data") }
}

/** A process that ends by itself ends with 0, and its standard output has nothing but the protocol. */
const close = async (client: Client) => {
  const code = await client.end()
  if (code !== 0) fault(`a process ended with ${code}: ${client.stderr.slice(-300)}`)
  if (client.junk.length > 0) fault(`standard output had ${client.junk[0]}`)
}

/** Each turn says a number; every number that was answered is there afterwards, once and in order. */
const check = async (place: Place, sessionId: string, answered: ReadonlyArray<number>) => {
  const client = new Client(place)
  await client.initialize()
  const loaded = await client.load(sessionId)
  if (loaded?.result === undefined) fault(`a session cannot be loaded: ${JSON.stringify(loaded?.error)}`)
  const said = [...client.said.matchAll(/<(\d+)>/g)].map(([, number]) => Number(number))
  const kept = said.filter((number) => answered.includes(number))
  if (kept.join() !== answered.join()) {
    const lost = answered.filter((number) => !said.includes(number))
    fault(`of ${answered.length} answered turns ${lost.length} are lost, or they are doubled or in another order`)
  }
  count("turns checked", answered.length)
  await close(client)
}

/** `kill -9` at any moment of a turn. */
const kills = async (round: number) => {
  const place = placeIn(`kills-${round}`)
  const answered: Array<number> = []
  let sessionId: string | undefined
  let next = 0
  for (let life = 0; life < 5; life++) {
    const client = new Client(place)
    // The first life is long enough for a session.
    const killing = sleep(random(1500) + (sessionId === undefined ? 3000 : 100)).then(() => client.kill())
    await client.initialize()
    if (sessionId === undefined) sessionId = await client.open()
    else if ((await client.load(sessionId))?.error !== undefined) fault("a session cannot be loaded after a kill")
    if (sessionId === undefined) return fault("no session could be opened")
    for (;;) {
      const number = next++
      const answer = await client.prompt(sessionId, `run echo ${number} >> log\nsay <${number}>`)
      if (answer === undefined) break
      if (answer.error !== undefined) fault(`a turn failed: ${answer.error.message}`)
      else answered.push(number)
    }
    await killing
    await client.ended
    count("kills")
  }
  if (sessionId !== undefined) await check(place, sessionId, answered)
}

/** A disk that fills up while turns run: what was answered is there, and what was not recorded did not run. */
const fullDisk = async (round: number) => {
  const disk = SmallDisk.make(8)
  if (disk === undefined) return
  try {
    const place = placeIn(`disk-${round}`, join(disk.folder, "data"))
    const client = new Client(place)
    await client.initialize()
    const sessionId = await client.open()
    if (sessionId === undefined) return fault("no session could be opened on a small disk")
    const answered: Array<number> = []
    for (let number = 0; number < 12; number++) {
      if (number === 3 + random(3)) disk.fill()
      if (number === 9) disk.empty()
      const answer = await client.prompt(sessionId, `say <${number}> ${"x".repeat(random(400_000))}`)
      if (answer?.result !== undefined) answered.push(number)
      else if (!/disk is full|could not be written/i.test(answer?.error?.message ?? "")) {
        fault(`on a full disk: ${JSON.stringify(answer?.error ?? "the process ended")}`)
      }
    }
    disk.fill()
    if ((await client.ask("session/list"))?.result === undefined) fault("sessions cannot be listed on a full disk")
    await close(client)
    await check(place, sessionId, answered)
    const deleting = new Client(place)
    await deleting.initialize()
    if ((await deleting.ask("session/delete", { sessionId }))?.result === undefined) {
      fault("a session cannot be deleted on a full disk")
    }
    await close(deleting)
    count("full disks")
  } finally {
    disk.remove()
  }
}

const words = ["session/new", "session/prompt", "session/load", "session/cancel", "initialize", "nope", ""]

const oddFrame = (): string | Buffer => {
  switch (random(8)) {
    case 0:
      return Buffer.from(Array.from({ length: random(300) }, () => random(256)))
    case 1:
      return "[".repeat(random(5000))
    case 2:
      return "{\"jsonrpc\":\"2.0\",\"id\":"
    case 3:
      return JSON.stringify({ jsonrpc: "2.0", id: [null, {}, [], 1e400, -0, "x"][random(6)], method: words[random(7)] })
    case 4:
      return JSON.stringify({ jsonrpc: "2.0", method: words[random(7)], params: [random(9), "x".repeat(random(2000))] })
    case 5:
      return JSON.stringify({ jsonrpc: "2.0", id: random(5), result: {}, error: {} })
    case 6:
      return JSON.stringify([{}, 1, null])
    default:
      return JSON.stringify({
        jsonrpc: "2.0",
        id: random(99),
        method: words[random(7)],
        params: { sessionId: random(9), prompt: random(9) }
      })
  }
}

/** Frames that are none, or mean nothing: the process answers the next good one. */
const fuzz = async () => {
  const client = new Client(placeIn("fuzz"))
  await client.initialize()
  for (let batch = 0; batch < 20; batch++) {
    for (let frame = 0; frame < 100; frame++) {
      client.raw(oddFrame())
      client.raw("\n")
    }
    count("odd frames", 100)
    if ((await client.ask("session/list"))?.result === undefined) return fault("no answer after odd frames")
  }
  await close(client)
}

/** Several processes on one store, one of them killed, and a client that reads now and then. */
const together = async (round: number) => {
  const place = placeIn(`together-${round}`)
  const work = async (isKilled: boolean) => {
    const client = new Client(place)
    await client.initialize()
    const sessionId = await client.open()
    if (sessionId === undefined) return fault("no session could be opened beside others")
    const answered: Array<number> = []
    for (let number = 0; number < 8; number++) {
      if (isKilled && number === 4) {
        client.kill()
        await client.ended
        count("kills")
        return await check(place, sessionId, answered)
      }
      if (random(3) === 0) {
        client.child.stdout?.pause()
        setTimeout(() => client.child.stdout?.resume(), random(200))
        count("stalls")
      }
      const answer = await client.prompt(sessionId, `say <${number}> ${"y".repeat(random(50_000))}`)
      if (answer?.result === undefined) fault(`a turn beside others failed: ${answer?.error?.message}`)
      else answered.push(number)
    }
    await close(client)
    await check(place, sessionId, answered)
  }
  await Promise.all([work(false), work(true), work(false)])
  count("processes together", 3)
}

const campaigns = [kills, fullDisk, fuzz, together]
const until = performance.now() + minutes * 60_000
for (let round = 0; faults.length === 0 && (round < campaigns.length || performance.now() < until); round++) {
  await campaigns[round % campaigns.length]!(round)
}
const log = join(folder, "kills-0", "project", "log")
if (existsSync(log)) count("commands run", readFileSync(log, "utf8").split("\n").length - 1)
rmSync(folder, { recursive: true, force: true })
const told = Array.from(figures, ([what, many]) => `${many} ${what}`).join(", ")
process.stdout.write(`soak: ${told}; ${faults.length === 0 ? "0 lost" : `${faults.length} faults`}; seed ${seed}\n`)
for (const what of faults) process.stdout.write(`fault: ${what}\n`)
process.exit(faults.length === 0 ? 0 : 1)
