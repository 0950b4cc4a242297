import { type ChildProcess, spawn } from "node:child_process"
import { Context, Deferred, Effect, type Duration, Exit, Layer, Option, Schema, Scope } from "effect"

export interface Command {
  readonly argv: readonly [string, ...ReadonlyArray<string>]
  readonly cwd: string
  /** The whole environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>
  readonly timeout: Duration.Input
  /** Called for each piece as it arrives; must not throw and not keep the process waiting. */
  readonly onOutput: (chunk: Buffer, from: "stdout" | "stderr") => void
}

export interface Ended {
  readonly code: number | null
  readonly signal: string | null
  readonly timedOut: boolean
}

export class SpawnFailed extends Schema.TaggedError<SpawnFailed>()("SpawnFailed", {
  program: Schema.String,
  message: Schema.String
}) {}

/**
 * Every child process a tool starts (spec §6): its own process group, standard input at its end, nothing inherited. A
 * process that must stop gets SIGTERM, 3 s and SIGKILL, its group with it; what it left in the background ends with it.
 */
export class Processes extends Context.Service<Processes, {
  /** Interruption sends SIGTERM and does not wait; the rest goes on in the background until the Layer closes. */
  readonly run: (command: Command) => Effect.Effect<Ended, SpawnFailed>
}>()("postern/tool/Processes") {
  static readonly layer: Layer.Layer<Processes> = Layer.effect(Processes, Effect.suspend(() => make))
}

const grace = "3 seconds"

/** After SIGKILL only the system's own bookkeeping is left to wait for. */
const killGrace = "500 millis"

/** A child that left the group may hold the pipes open for ever. */
const drain = "500 millis"

const shutdownGrace = "250 millis"

interface Running {
  readonly pid: number
  readonly process: ChildProcess
  readonly exited: Deferred.Deferred<Omit<Ended, "timedOut">>
  readonly closed: Deferred.Deferred<void>
  /** The group was seen empty: its id may belong to somebody else now. */
  gone: boolean
}

const make = Effect.gen(function*() {
  const running = new Set<Running>()
  const reapers = yield* Scope.make()
  const killAll = () => running.forEach((child) => signal(child, "SIGKILL"))

  // An exit that skips finalizers must not leave anything behind either.
  yield* Effect.acquireRelease(
    Effect.sync(() => process.on("exit", killAll)),
    () => Effect.sync(() => process.off("exit", killAll))
  )
  yield* Effect.addFinalizer(Effect.fnUntraced(function*() {
    running.forEach((child) => signal(child, "SIGTERM"))
    yield* Effect.timeoutOption(Effect.forEach(running, awaitGone), shutdownGrace)
    killAll()
    yield* Effect.timeoutOption(Effect.forEach(running, awaitGone), shutdownGrace)
    yield* Scope.close(reapers, Exit.void)
  }))

  const reap = (child: Running) =>
    Effect.ensuring(
      stop(child),
      Effect.sync(() => {
        child.process.stdout?.destroy()
        child.process.stderr?.destroy()
        running.delete(child)
      })
    )

  const retire = Effect.fnUntraced(function*(child: Running) {
    // Whoever asked has its answer; a process in its last seconds may still write without meeting a closed pipe.
    child.process.stdout?.removeAllListeners("data").resume()
    child.process.stderr?.removeAllListeners("data").resume()
    yield* Effect.forkIn(reap(child), reapers, { startImmediately: true })
  })

  const run = (command: Command) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(launch(command), (child) => {
        running.add(child)
        return Effect.ensuring(restore(outcome(child, command.timeout)), retire(child))
      })
    )

  return Processes.of({ run })
})

const outcome = Effect.fnUntraced(function*(child: Running, timeout: Duration.Input) {
  const ended = yield* Effect.timeoutOption(Deferred.await(child.exited), timeout)
  if (Option.isNone(ended)) yield* stop(child)
  yield* Effect.timeoutOption(Deferred.await(child.closed), drain)
  return { code: null, signal: null, ...Option.getOrUndefined(ended), timedOut: Option.isNone(ended) } satisfies Ended
})

const launch = (command: Command): Effect.Effect<Running, SpawnFailed> => {
  const [program, ...args] = command.argv
  const failed = (error: unknown) => {
    const message = error instanceof Error && "code" in error ? String(error.code) : "invalid arguments"
    return new SpawnFailed({ program, message })
  }
  return Effect.callback((resume) => {
    try {
      const child = spawn(program, args, {
        cwd: command.cwd,
        env: { ...command.env },
        detached: true,
        stdio: ["ignore", "pipe", "pipe"]
      })
      child.once("error", (error) => resume(Effect.fail(failed(error))))
      child.once("spawn", () => resume(Effect.succeed(watch(child, command))))
    } catch (error) {
      resume(Effect.fail(failed(error)))
    }
  })
}

const watch = (child: ChildProcess, command: Command): Running => {
  if (child.pid === undefined) throw new Error("a spawned process has an id")
  const running: Running = {
    pid: child.pid,
    process: child,
    exited: Deferred.makeUnsafe(),
    closed: Deferred.makeUnsafe(),
    gone: false
  }
  child.stdout?.on("data", (chunk: Buffer) => command.onOutput(chunk, "stdout"))
  child.stderr?.on("data", (chunk: Buffer) => command.onOutput(chunk, "stderr"))
  child.once("exit", (code, signalName) => {
    signal(running, 0)
    Deferred.doneUnsafe(running.exited, Effect.succeed({ code, signal: signalName }))
  })
  child.once("close", () => Deferred.doneUnsafe(running.closed, Effect.void))
  return running
}

/**
 * Signals the whole group; false when it has no member left. Its id stays reserved while it has one, also after the
 * leader went; once it was seen empty nothing is sent any more.
 */
const signal = (child: Running, name: NodeJS.Signals | 0): boolean => {
  if (child.gone) return false
  try {
    process.kill(-child.pid, name)
  } catch (error) {
    child.gone = error instanceof Error && "code" in error && error.code === "ESRCH"
  }
  return !child.gone
}

const stop = Effect.fnUntraced(function*(child: Running) {
  if (!signal(child, "SIGTERM")) return
  if (Option.isSome(yield* Effect.timeoutOption(awaitGone(child), grace))) return
  signal(child, "SIGKILL")
  yield* Effect.timeoutOption(awaitGone(child), killGrace)
})

const awaitGone = Effect.fnUntraced(function*(child: Running) {
  while (signal(child, 0)) yield* Effect.sleep("10 millis")
})
