import { execFileSync, spawn } from "node:child_process"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { type ProcessCommand, Processes } from "../../src/sandbox/process/Processes.ts"
import { processesWith } from "../support/Processes.ts"

const env = { PATH: "/usr/local/bin:/usr/bin:/bin" }

/** A shell command whose output releases `ready` when it says so, and whose processes are known by a marker in their argv. */
const command = (script: string, options: Partial<ProcessCommand> = {}) => {
  const ready = Deferred.makeUnsafe<void>()
  let output = ""
  const value: ProcessCommand = {
    argv: ["/bin/sh", "-c", script],
    cwd: "/",
    env,
    timeout: "1 minute",
    onOutput: (chunk) => {
      output += chunk.toString()
      if (output.includes("ready")) Deferred.doneUnsafe(ready, Effect.void)
    },
    ...options
  }
  return { value, ready: Deferred.await(ready), output: () => output }
}

/** Living processes, zombies left out, with this text in their command line. */
const alive = (marker: string): ReadonlyArray<string> =>
  execFileSync("ps", ["-eo", "stat=,args="], { encoding: "utf8" }).split("\n")
    .filter((line) => line.includes(marker) && !line.startsWith("Z") && !line.includes("ps -eo"))

const untilDead = (marker: string): Effect.Effect<void> =>
  Effect.suspend(() => alive(marker).length === 0 ? Effect.void : Effect.delay(untilDead(marker), "20 millis"))

let markers = 100_000 + process.pid % 10_000 * 10
const marker = () => `${++markers}`

describe("Processes", () => {
  it.live("gives exit code, signal and both streams, with standard input at its end", () =>
    Effect.gen(function*() {
      const processes = yield* Processes
      const mixed = command("cat; echo out; echo err >&2; exit 3")
      assert.deepStrictEqual(yield* processes.run(mixed.value), { code: 3, signal: null, timedOut: false })
      assert.deepStrictEqual(mixed.output().trim().split("\n").sort(), ["err", "out"])
      const killed = yield* processes.run(command("kill -SEGV $$").value)
      assert.deepStrictEqual(killed, { code: null, signal: "SIGSEGV", timedOut: false })
    }).pipe(Effect.provide(Processes.layer)))

  it.live("passes exactly the given environment", () =>
    Effect.gen(function*() {
      const processes = yield* Processes
      const run = command("", { argv: ["/usr/bin/env"], env: { A: "1" } })
      yield* processes.run(run.value)
      assert.strictEqual(run.output(), "A=1\n")
    }).pipe(Effect.provide(Processes.layer)))

  it.live("says what could not be started", () =>
    Effect.gen(function*() {
      const processes = yield* Processes
      for (
        const options of [{ argv: ["/no/such/program"] }, { cwd: "/no/such/folder" }, {
          argv: ["/bin/sh", "a\0b"]
        }] as const
      ) {
        const failed = yield* Effect.flip(processes.run(command("true", options).value))
        assert.strictEqual(failed._tag, "SpawnFailed")
      }
    }).pipe(Effect.provide(Processes.layer)))

  it.live("stops the whole group at the timeout", () =>
    Effect.gen(function*() {
      const processes = yield* Processes
      const m = marker()
      const ended = yield* processes.run(command(`sleep ${m} & sleep ${m}`, { timeout: "200 millis" }).value)
      assert.isTrue(ended.timedOut)
      assert.deepStrictEqual(alive(`sleep ${m}`), [])
    }).pipe(Effect.provide(Processes.layer)))

  it.live("kills a child that ignores SIGTERM after its grace", () =>
    Effect.gen(function*() {
      const processes = yield* Processes
      const m = marker()
      const ended = yield* processes.run(
        command(`trap "" TERM; echo ready; sleep ${m}; sleep ${m}`, { timeout: "200 millis" }).value
      )
      assert.isTrue(ended.timedOut)
      assert.deepStrictEqual(alive(m), [])
    }).pipe(Effect.provide(Processes.layer)))

  it.live("lets a child that handles SIGTERM finish its work", () =>
    Effect.gen(function*() {
      const processes = yield* Processes
      const run = command(`trap "echo cleaned; exit 0" TERM; echo ready; while :; do sleep 0.05; done`, {
        timeout: "300 millis"
      })
      yield* processes.run(run.value)
      assert.match(run.output(), /cleaned/)
    }).pipe(Effect.provide(Processes.layer)))

  it.live("has ended what a finished command left in the background when it returns", () =>
    Effect.gen(function*() {
      const processes = yield* Processes
      for (const trap of ["", `trap "" TERM; `]) {
        const m = marker()
        assert.deepStrictEqual(yield* processes.run(command(`(${trap}sleep ${m}) & exit 0`).value), {
          code: 0,
          signal: null,
          timedOut: false
        })
        assert.deepStrictEqual(alive(m), [])
      }
    }).pipe(Effect.provide(Processes.layer)))

  it.live("does not wait for a child that left the group with the pipes open", () =>
    Effect.gen(function*() {
      const processes = yield* Processes
      const m = marker()
      const ended = yield* processes.run(command(`setsid sleep ${m} & exit 0`).value)
      assert.strictEqual(ended.code, 0)
      execFileSync("sh", ["-c", `ps -eo pid=,args= | awk '$2 == "sleep" && $3 == "${m}" { print $1 }' | xargs -r kill`])
    }).pipe(Effect.provide(Processes.layer)))

  it.live("returns from an interruption when the processes are gone, whether they ignore SIGTERM or not", () =>
    Effect.gen(function*() {
      const processes = yield* Processes
      for (const trap of ["", `trap "" TERM; `]) {
        const m = marker()
        const run = command(`${trap}echo ready; sleep ${m} & sleep ${m}; sleep ${m}`)
        const fiber = yield* Effect.forkChild(processes.run(run.value), { startImmediately: true })
        yield* run.ready
        yield* Fiber.interrupt(fiber)
        assert.deepStrictEqual(alive(m), [])
      }
    }).pipe(Effect.provide(Processes.layer)))

  it.live("leaves nothing behind when the layer closes while a command runs", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const context = yield* Layer.buildWithScope(Processes.layer, scope)
      const m = marker()
      yield* Effect.gen(function*() {
        const processes = yield* Processes
        const first = command(`trap "" TERM; echo ready; sleep ${m} & sleep ${m}`)
        yield* Effect.forkIn(processes.run(first.value), scope, { startImmediately: true })
        yield* first.ready
      }).pipe(Effect.provideContext(context))
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(alive(m), [])
    }))
})

describe("After kill -9 of the host", () => {
  /** What is left of it, once it is dead itself. */
  const abandon = Effect.fnUntraced(function*(what: string, m: string) {
    const host = spawn(process.execPath, [join(import.meta.dirname, "Abandoned.ts"), what, m], {
      stdio: ["ignore", "pipe", "inherit"]
    })
    yield* Effect.callback<void>((resume) => {
      host.stdout.once("data", () => resume(Effect.void))
    })
    yield* Effect.callback<void>((resume) => {
      host.once("exit", () => resume(Effect.void))
      host.kill("SIGKILL")
    })
  })

  it.live("unconfined commands end with all of their group, whatever they ignore", () =>
    Effect.gen(function*() {
      const m = marker()
      yield* abandon("commands", m)
      yield* untilDead(`sleep ${m}`)
    }))

  it.live("a runner that dies of it leaves no process that waits for its word", () =>
    Effect.gen(function*() {
      const m = marker()
      yield* abandon("runner", m)
      yield* untilDead(`sleep ${m}`)
    }))

  it.live("a runner that nobody could report ends too, and no other process", () =>
    Effect.gen(function*() {
      const m = marker()
      yield* abandon("marked", m)
      yield* untilDead(`sleep ${m}; :`)
      assert.isNotEmpty(alive(`sleep ${m}9`))
      for (const pid of processesWith(`sleep ${m}9`)) process.kill(pid)
    }))

  it.live("groups that are over are left alone", () =>
    Effect.gen(function*() {
      const m = marker()
      yield* abandon("groups", m)
      yield* untilDead(`sleep ${m}1`)
      yield* untilDead(`sleep ${m}3`)
      assert.lengthOf(alive(`sleep ${m}2`), 1)
      execFileSync("sh", [
        "-c",
        `ps -eo pid=,args= | awk '$2 == "sleep" && $3 == "${m}2" { print $1 }' | xargs -r kill`
      ])
    }))

  it.live("commands end with the host even when their watchdog was killed before", () =>
    Effect.gen(function*() {
      const m = marker()
      yield* abandon("again", m)
      for (const name of [1, 3, 4]) yield* untilDead(`sleep ${m}${name}`)
      assert.lengthOf(alive(`sleep ${m}2`), 1)
      execFileSync("sh", [
        "-c",
        `ps -eo pid=,args= | awk '$2 == "sleep" && $3 == "${m}2" { print $1 }' | xargs -r kill`
      ])
    }))
})
