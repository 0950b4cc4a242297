import { execFileSync, spawn } from "node:child_process"
import { Effect } from "effect"
import { plainRunner } from "../../src/sandbox/Confinement.ts"
import { Processes } from "../../src/sandbox/process/Processes.ts"
import { hostMark } from "../../src/sandbox/process/Descriptors.ts"
import * as Watchdog from "../../src/sandbox/process/Processes.ts"

/** A host that is about to be killed. Given: what it does, and a number by which its processes are known. */
const [, , what, marker = ""] = process.argv

/** The processes that outlive this one, by their parent. */
const survivors = () =>
  execFileSync("ps", ["-eo", "pid=,ppid=,stat=,args="], { encoding: "utf8" }).split("\n").flatMap((line) => {
    const [, pid, parent, stat, args = ""] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? []
    return Number(parent) === process.pid && !stat?.startsWith("Z") && args.startsWith("/bin/sh -c trap '' HUP")
      ? [Number(pid)]
      : []
  })

const group = (name: string): number =>
  spawn("sleep", [`${marker}${name}`], { detached: true, stdio: "ignore" }).pid ?? 0

const another: Effect.Effect<void> = Effect.suspend(() =>
  survivors().length === 1 ? Effect.void : Effect.delay(another, "20 millis")
)

const commands = Effect.gen(function*() {
  const processes = yield* Processes
  const run = (script: string) =>
    processes.run({
      argv: ["/bin/sh", "-c", script],
      cwd: "/",
      env: { PATH: process.env["PATH"] ?? "" },
      timeout: "10 minutes",
      onOutput: (chunk) => void process.stdout.write(chunk),
      runner: plainRunner
    })
  yield* run("true")
  yield* run(`trap "" TERM HUP; sleep ${marker} & echo ready; sleep ${marker}`)
}).pipe(Effect.provide(Processes.layer))

const groups = Effect.gen(function*() {
  const { watch } = yield* Watchdog.makeWatchdog
  watch(group("1"))
  const over = watch(group("2"))
  watch(group("3"))
  over()
  over()
  if (what === "again") {
    const [first = 0] = survivors()
    process.kill(first, "SIGKILL")
    while (survivors().includes(first)) execFileSync("sleep", ["0.02"])
    watch(group("4"))
    yield* another
  }
  process.stdout.write("ready\n")
  return yield* Effect.never
}).pipe(Effect.scoped)

/** A runner that dies of its host's end, and leaves a process that waits for its word. */
const runner = Effect.gen(function*() {
  const processes = yield* Processes
  yield* processes.run({
    argv: ["/bin/sh", "-c", `sleep ${marker} & echo ready; while echo report >&3; do sleep 0.05; done`],
    cwd: "/",
    env: { PATH: process.env["PATH"] ?? "" },
    timeout: "10 minutes",
    onOutput: (chunk) => void process.stdout.write(chunk),
    runner: { ...plainRunner, descriptors: ["status"] }
  })
}).pipe(Effect.provide(Processes.layer))

/** One that was started and not reported, like a runner in the moment of its start. */
const marked = Effect.gen(function*() {
  const processes = yield* Processes
  spawn("sh", ["-c", `sleep ${marker}; : ${hostMark}`], { detached: true, stdio: "ignore" })
  spawn("sh", ["-c", `sleep ${marker}9; : host-`], { detached: true, stdio: "ignore" })
  yield* processes.run({
    argv: ["/bin/echo", "ready"],
    cwd: "/",
    env: {},
    timeout: "10 minutes",
    onOutput: (chunk) => void process.stdout.write(chunk),
    runner: plainRunner
  })
  return yield* Effect.never
}).pipe(Effect.provide(Processes.layer))

setInterval(() => undefined, 60_000)
Effect.runFork({ commands, runner, marked }[what ?? ""] ?? groups)
