import { setTimeout as sleep } from "node:timers/promises"
import type { Key, Samples } from "./Figures.ts"
import * as Process from "./Process.ts"
import { median, quantile } from "./Statistics.ts"
import { type Name, pace, type Source, type Subjects } from "./Subjects.ts"

/** One agent, one process, one set of samples. */
export type Measure = (subjects: Subjects, name: Name, samples: Samples, size: Size) => Promise<void>

/** How much one measure repeats inside its process. */
export interface Size {
  readonly warmUp: number
  readonly turns: number
  readonly paced: number
}

const deltas = 20_000

/** Few, so that what is measured is a turn and not its history. */
const turnsPerSession = 10

const open = async (subjects: Subjects, name: Name, source: Source = "own") => {
  const client = subjects.start(name, source)
  await client.initialize()
  const { result } = await client.newSession()
  return { client, sessionId: result["sessionId"] as string }
}

/** A cold start as an editor makes it: the database is there from an earlier start, the process is not. */
export const start: Measure = async (subjects, name, samples) => {
  const client = subjects.start(name)
  const initialized = await client.initialize()
  const created = await client.newSession()
  samples.add("initialize", name, initialized.at - client.started)
  samples.add("newSession", name, created.at - client.started)
  await sleep(300)
  samples.add("exit", name, await client.end())
}

interface TurnKeys {
  readonly echo: Key
  readonly read: Key
}

const turnsWith = (keys: TurnKeys, source: Source): Measure => async (subjects, name, samples, { turns, warmUp }) => {
  const { client } = await open(subjects, name, source)
  const take = async (prompt: string, count: number) => {
    const times: Array<number> = []
    for (let sessionId = ""; times.length < count; times.push(await client.turn(sessionId, prompt))) {
      if (times.length % turnsPerSession === 0) sessionId = (await client.newSession()).result["sessionId"]
    }
    return times
  }
  for (const [key, prompt] of [[keys.echo, "say x"], [keys.read, "read hello.txt"]] as const) {
    await take(prompt, warmUp)
    samples.add(key, name, ...await take(prompt, turns))
  }
  await client.end()
}

export const turns = turnsWith({ echo: "echo", read: "read" }, "own")
/** The first turn of a process, a moment after its client has read the session; then what turns cost once it is warm. */
export const firstModelTurn: Measure = async (subjects, name, samples, { turns, warmUp }) => {
  const { client, sessionId } = await open(subjects, name, "http")
  await sleep(300)
  samples.add("modelFirst", name, await client.turn(sessionId, "say x"))
  const take = async (count: number) => {
    for (let left = count, id = ""; left > 0; left--) {
      if (left % turnsPerSession === 0 || id === "") id = (await client.newSession()).result["sessionId"]
      await client.turn(id, "say x")
    }
  }
  await take(warmUp)
  if (Process.readable) {
    const before = Process.cpuMillis(client.pid)
    await take(turns)
    samples.add("modelEchoCpu", name, (Process.cpuMillis(client.pid) - before) / turns)
  }
  await client.end()
}

export const modelTurns = turnsWith({ echo: "modelEcho", read: "modelRead" }, "http")

interface StreamKeys {
  readonly rate: Key
  readonly cpu: Key
}

const streamWith = (keys: StreamKeys, source: Source): Measure => async (subjects, name, samples) => {
  const { client, sessionId } = await open(subjects, name, source)
  await client.turn(sessionId, "stream 2000")
  let text = ""
  client.onText = (piece) => text += piece
  const cpu = Process.readable ? Process.cpuMillis(client.pid) : 0
  const millis = await client.turn(sessionId, `stream ${deltas}`)
  if (Process.readable) samples.add(keys.cpu, name, Process.cpuMillis(client.pid) - cpu)
  samples.add(keys.rate, name, deltas / millis * 1000)
  const words = text.trimEnd().split(" ")
  const whole = words.length === deltas && words.every((word, at) => Number(word.slice(1)) === at + 1)
  if (!whole) throw new Error(`${name} sent ${words.length} of ${deltas} deltas, or not in order`)
  await client.end()
}

export const stream = streamWith({ rate: "stream", cpu: "streamCpu" }, "own")
export const modelStream = streamWith({ rate: "modelStream", cpu: "modelStreamCpu" }, "http")

/**
 * A paced model has a delta when its timer fires; the delay runs from there to the arrival at the client. The network
 * of a real model is not in it.
 */
export const delay: Measure = async (subjects, name, samples, { paced }) => {
  const { client, stamps } = subjects.startStamped(name)
  await client.initialize()
  const { result } = await client.newSession()
  const script = (count: number) =>
    Array.from({ length: count }, (_, at) => `wait ${pace / 1000}\nsay t${at}`).join("\n")
  const warmUp = 50
  await client.turn(result["sessionId"], script(warmUp))
  const arrivals: Array<number> = []
  client.onText = (text, at) => {
    if (/t\d+/.test(text)) arrivals.push(at)
  }
  await client.turn(result["sessionId"], script(paced))
  await client.end()
  // The process itself sets a timer of that length while it warms up.
  const fired = stamps().slice(-paced)
  if (fired.length !== paced || arrivals.length !== paced) {
    throw new Error(`${name}: ${fired.length} timers and ${arrivals.length} deltas where ${paced} were expected`)
  }
  const delays = arrivals.map((at, index) => at - fired[index]!)
  samples.add("delay", name, median(delays))
  samples.add("delayTail", name, quantile(delays, 0.95))
}

/** By then the heap has grown to its working size, which is paid once and not by each session. */
const grown = 1000

/** Many, so that garbage that happens not to be collected yet weighs little on each. */
const furtherSessions = 2000

/** Long enough for what a session starts in the background, and for memory that was freed to be given back. */
const settle = 1500

export const memory: Measure = async (subjects, name, samples) => {
  const { client } = await open(subjects, name)
  const resident = async (further: number) => {
    for (let i = 0; i < further; i++) await client.newSession()
    await sleep(settle)
    return Process.residentMiB(client.pid)
  }
  samples.add("memory", name, await resident(0))
  samples.add("memoryMany", name, await resident(49))
  const before = await resident(grown - 50)
  samples.add("perSession", name, (await resident(furtherSessions) - before) * 1024 / furtherSessions)
  await client.end()
}
