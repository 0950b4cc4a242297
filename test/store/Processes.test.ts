import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import type { SessionStore } from "../../src/store/SessionStore.ts"
import { newSession, openStore, tell, tempFile, user } from "./Samples.ts"

const worker = fileURLToPath(new URL("Worker.ts", import.meta.url))

interface Worker {
  readonly process: ChildProcess
  /** The lines it said until the one that `isLast`, or until its end. */
  readonly until: (isLast: (line: string, count: number) => boolean) => Promise<void>
  readonly lines: Array<string>
  readonly errors: () => string
}

const startWorker = (...args: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.sync((): Worker => {
      const child = spawn(process.execPath, [worker, ...args], { stdio: ["ignore", "pipe", "pipe"] })
      const lines: Array<string> = []
      let errors = ""
      child.stderr.on("data", (data) => errors += String(data))
      const reader = createInterface({ input: child.stdout })
      const until: Worker["until"] = (isLast) =>
        new Promise((resolve) => {
          reader.on("line", (line) => {
            lines.push(line)
            if (isLast(line, lines.length)) resolve()
          })
          reader.on("close", resolve)
        })
      return { process: child, until, lines, errors: () => errors }
    }),
    ({ process }) => Effect.promise(() => kill(process))
  )

const kill = async (child: ChildProcess) => {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill("SIGKILL")
  await once(child, "exit")
}

/** mulberry32 */
const seeded = (seed: number) => () => {
  let t = seed += 0x6d2b79f5
  t = Math.imul(t ^ t >>> 15, t | 1)
  t ^= t + Math.imul(t ^ t >>> 7, t | 61)
  return ((t ^ t >>> 14) >>> 0) / 4294967296
}

const markers = (transcript: ReadonlyArray<string>) => transcript.filter((line) => line === "Interrupted").length

describe("two processes on one file", () => {
  it.live("keep a session without a prompt for as long as one of them has it open", () =>
    Effect.gen(function*() {
      const file = yield* tempFile
      const store = yield* openStore(file)
      yield* store.create(newSession("s"))
      const other = yield* startWorker(file, "open")
      yield* Effect.promise(() => other.until((line) => line === "open"))
      const inAMonth = Date.now() + 31 * 24 * 60 * 60 * 1000
      assert.strictEqual(yield* store.removeUnprompted(new Set(), inAMonth), 0, other.errors())
      yield* Effect.promise(() => kill(other.process))
      assert.strictEqual(yield* store.removeUnprompted(new Set(), inAMonth), 1)
    }))

  it.live("create it at once and lose no session", () =>
    Effect.gen(function*() {
      const file = yield* tempFile
      const children = yield* Effect.forEach(["a", "b", "c"], (name) => startWorker(file, "create", name))
      const store = yield* openStore(file)
      yield* Effect.promise(() => Promise.all(children.map(({ process }) => once(process, "close"))))
      for (const { process, errors } of children) assert.deepStrictEqual([process.exitCode, errors()], [0, ""])
      assert.strictEqual((yield* store.list({ limit: 500, unprompted: true })).sessions.length, 150)
    }))

  it.live("respect each other's running turn, and take it over when the other one is killed", () =>
    Effect.gen(function*() {
      const file = yield* tempFile
      const store = yield* openStore(file)
      yield* store.create(newSession("s"))
      const child = yield* startWorker(file, "hold")
      yield* Effect.promise(() => child.until((line) => line === "holding"))
      assert.deepStrictEqual(tell(yield* store.transcript("s")), ["user: from afar", "tool t: in_progress"])
      assert.strictEqual((yield* Effect.flip(store.beginTurn("s", user("here"))))._tag, "TurnRunning")
      yield* Effect.promise(() => kill(child.process))
      const cutOff = ["user: from afar", "tool t: failed", "Interrupted"]
      assert.deepStrictEqual(tell(yield* store.transcript("s")), cutOff)
      const next = yield* store.beginTurn("s", user("here"))
      assert.deepInclude(next, { turn: 1, position: 4, context: "[\"from afar\"]" })
      assert.deepStrictEqual(tell(yield* store.transcript("s")), [...cutOff, "user: here"])
    }))
})

/** What two stores see that recover the same turn at once, and what each of them may do then. */
const recoverTwice = Effect.fnUntraced(function*(one: SessionStore["Service"], two: SessionStore["Service"]) {
  const seen = tell(yield* one.transcript("s"))
  assert.deepStrictEqual(tell(yield* two.transcript("s")), seen)
  const begin = (store: SessionStore["Service"]) => Effect.result(store.beginTurn("s", user("recovered")))
  const [first, second] = yield* Effect.all([begin(one), begin(two)], { concurrency: "unbounded" })
  assert.deepStrictEqual([first._tag, second._tag], ["Success", "Failure"])
  const start = first._tag === "Success" ? first.success : { turn: -1, context: null }
  yield* one.commitTurn("s", start.turn, { rows: [], context: start.context ?? "[]", outcome: "end_turn", title: null })
  assert.deepStrictEqual(tell(yield* two.transcript("s")), [...seen, "user: recovered"])
  return { seen, context: start.context }
})

describe("kill -9 in the middle of turns", () => {
  it.live("loses no committed turn, keeps what the last one saved, and marks it once", () =>
    Effect.gen(function*() {
      const file = yield* tempFile
      const one = yield* openStore(file)
      const two = yield* openStore(file)
      yield* one.create(newSession("s"))
      const random = seeded(20_261_129)
      let before: ReadonlyArray<string> = []
      for (let round = 0; round < 8; round++) {
        const child = yield* startWorker(file, "turns")
        const moment = 1 + Math.floor(random() * 60)
        const closed = once(child.process, "close")
        yield* Effect.promise(() => child.until((_, count) => count >= moment))
        child.process.kill("SIGKILL")
        yield* Effect.promise(() => closed)
        assert.strictEqual(child.errors(), "")

        const { seen, context } = yield* recoverTwice(one, two)
        assert.deepStrictEqual(seen.slice(0, before.length), before)
        const turns = seen.slice(before.length)
        const committed = child.lines.filter((line) => line.startsWith("committed")).map((line) => line.split(" ")[1])
        committed.forEach((turn, n) =>
          assert.deepStrictEqual(
            turns.slice(n * 3, n * 3 + 3),
            ["user: q", `tool ${turn}: completed`, `agent: answer ${turn}`]
          )
        )
        const rest = turns.slice(committed.length * 3)
        assert.isAtMost(markers(turns), 1)
        if (markers(turns) === 1) assert.strictEqual(turns.at(-1), "Interrupted")
        assert.isFalse(turns.some((line) => line.endsWith("in_progress")))
        // The process may have died between a commit or a beginning and saying so: one turn more, never less.
        assert.isAtMost(rest.filter((line) => line === "user: q").length, 2)
        const saved = child.lines.filter((line) => line.startsWith("saved")).at(-1)?.split(" ")[1]
        if (saved !== undefined) assert.match(context ?? "", new RegExp(`^\\[(${saved}|${Number(saved) + 1})[,\\]]`))
        before = [...seen, "user: recovered"]
      }
    }), 60_000)
})
