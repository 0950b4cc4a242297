import { type ChildProcess, spawn } from "node:child_process"
import { Socket } from "node:net"
import { Context, Deferred, type Duration, Effect, Layer, Option, Schema, Scope } from "effect"
import type { Writable } from "node:stream"
import * as Progress from "../../rpc/Progress.ts"
import * as Disk from "../Disk.ts"
import * as Descriptors from "./Descriptors.ts"
import type { Attribution, ConfinedCommand } from "../Confinement.ts"

/** Ends processes that this process cannot end any more, because it was killed. */
export interface Watchdog {
  /** Before a group is started, so that it can be watched from its first moment. */
  readonly prepare: () => void
  /** Watches a group until the returned effect runs; running that effect again does nothing. */
  readonly watch: (group: number) => () => void
}

/**
 * Reads `+ group`, `- group`, and `.` where nothing is left to do. When no writer is left, the remaining groups get
 * SIGKILL, as confined commands do, and whatever has the mark in its command line: a runner that was started a moment
 * ago and that nobody could report. It is looked for again, because it may be about to start.
 */
const script = `trap '' HUP INT QUIT TERM
groups=' '
read -r mark
while read -r sign group; do
  case $sign in
    +) groups="$groups$group " ;;
    -) groups="\${groups%% $group *} \${groups#* $group }" ;;
    .) exit ;;
  esac
done
for group in $groups; do kill -s KILL -- "-$group"; done
for pause in 0 0.3 1 3; do
  sleep "$pause"
  for found in $(grep -lasF -e "$mark" /proc/[0-9]*/cmdline); do
    found=\${found#/proc/}
    kill -s KILL "\${found%/*}"
  done
done`

/** In a group of its own, and with nothing of this process but the pipe. */
const start = (): ChildProcess =>
  Descriptors.start(undefined, "pipe", ([input = "pipe", , , ...further]) =>
    spawn("/bin/sh", ["-c", script], {
      cwd: "/",
      env: { PATH: "/usr/bin:/bin" },
      detached: true,
      stdio: [input, "ignore", "ignore", ...further]
    }))

/** One helper process watches all groups. It is started with the first group and restarted if it is killed. */
export const makeWatchdog: Effect.Effect<Watchdog, never, Scope.Scope> = Effect.gen(function*() {
  const groups = new Set<number>()
  let process: ChildProcess | undefined

  const begin = (): ChildProcess => {
    const started = start()
    const gone = () => {
      if (process === started) process = undefined
    }
    started.on("error", gone).on("exit", (code) => {
      gone()
      if (code === null && groups.size > 0) process ??= begin()
    })
    started.stdin?.on("error", gone)
    // The watchdog must not keep the event loop of this process alive.
    started.unref()
    if (started.stdin instanceof Socket) started.stdin.unref()
    started.stdin?.write(`${Descriptors.hostMark}\n` + Array.from(groups, (group) => `+ ${group}\n`).join(""))
    return started
  }

  const prepare = () => {
    process ??= begin()
  }

  const watch: Watchdog["watch"] = (group) => {
    prepare()
    groups.add(group)
    process?.stdin?.write(`+ ${group}\n`)
    return () => {
      if (groups.delete(group)) process?.stdin?.write(`- ${group}\n`)
    }
  }

  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      groups.clear()
      process?.stdin?.end(".\n")
    })
  )
  return { prepare, watch }
})

export interface ProcessCommand {
  readonly argv: readonly [string, ...ReadonlyArray<string>]
  readonly cwd: string
  /** The whole environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>
  readonly timeout: Duration.Input
  /** How long it may print nothing; for ever without it. */
  readonly silence?: Duration.Input
  /** Called for each piece as it arrives; must not throw and not keep the process waiting. */
  readonly onOutput: (chunk: Buffer, from: "stdout" | "stderr") => void
  /** How long it may take to end after SIGTERM when its run is interrupted; 300 ms, 50 ms in a PID namespace of its own. */
  readonly grace?: Duration.Input
  /** Takes its standard input; without, that is at its end from the beginning. */
  readonly onInput?: (stdin: Writable) => void
  /** What confines it, where `argv`, `cwd` and `env` come from the sandbox. */
  readonly runner?: ConfinedCommand["runner"]
  readonly exceeded?: ConfinedCommand["exceeded"]
}

export interface ProcessExit {
  readonly code: number | null
  readonly signal: string | null
  readonly timedOut: boolean
  /** Why it was stopped for what it used. */
  readonly exceeded?: string
  /** What a confined command's end means. */
  readonly attribution?: Attribution
}

export class SpawnFailed extends Schema.TaggedError<SpawnFailed>()("SpawnFailed", {
  program: Schema.String,
  message: Schema.String
}) {}

/**
 * Every child process a tool starts (docs/sandbox.md#processes): its own process group, standard input at its end,
 * nothing inherited. A process that must stop gets SIGTERM, a grace and SIGKILL, its group with it; what it left in the
 * background ends with it.
 */
export class Processes extends Context.Service<Processes, {
  /** However it ends, interrupted or not, the processes of its group are gone by then. */
  readonly run: (command: ProcessCommand) => Effect.Effect<ProcessExit, SpawnFailed>
}>()("postern/sandbox/Processes") {
  static readonly layer: Layer.Layer<Processes> = Layer.effect(Processes, Effect.suspend(() => make))
}

/** A child that left the group may hold the pipes open for ever. */
const drain = "500 millis"

const shutdownGrace = "250 millis"

interface Running extends ProcessGroup {
  readonly process: ChildProcess
  readonly exited: Deferred.Deferred<Pick<ProcessExit, "code" | "signal">>
  readonly closed: Deferred.Deferred<void>
  readonly told: Descriptors.RunnerOutput
  readonly printed: Progress.Progress
  /** Nothing of the group is left. */
  readonly over: () => void
}

const make = Effect.gen(function*() {
  const running = new Set<Running>()
  const survivor = yield* makeWatchdog
  const killAll = () =>
    running.forEach((child) => {
      signal(child, "SIGKILL")
      child.sweep()
    })

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
  }))

  const reap = (child: Running, grace: Duration.Input | undefined) =>
    Effect.suspend(() => {
      // Nobody reads any more what a process writes that is being ended; it must not get EPIPE for it.
      child.process.stdout?.removeAllListeners("data").resume()
      child.process.stderr?.removeAllListeners("data").resume()
      return stop(child, grace ?? (child.inner() === undefined ? "300 millis" : "50 millis"))
    }).pipe(Effect.ensuring(Effect.sync(() => {
      child.sweep()
      child.over()
      child.process.stdout?.destroy()
      child.process.stderr?.destroy()
      running.delete(child)
    })))

  const run = (command: ProcessCommand) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(launch(command, survivor), (child) => {
        running.add(child)
        return Effect.ensuring(restore(outcome(child, command)), reap(child, command.grace))
      })
    )

  return Processes.of({ run })
})

const outcome = Effect.fnUntraced(function*(
  child: Running,
  { exceeded = Effect.never, runner, silence, timeout }: ProcessCommand
) {
  let reason: string | undefined
  const ended = yield* Deferred.await(child.exited).pipe(
    Effect.timeoutOption(timeout),
    (ending) =>
      silence === undefined
        ? ending
        : Effect.raceFirst(ending, Effect.as(Progress.silent(child.printed, silence), Option.none())),
    Effect.raceFirst(Effect.map(exceeded, (text) => {
      reason = text
      return Option.none()
    }))
  )
  const timedOut = Option.isNone(ended) && reason === undefined
  if (Option.isNone(ended)) yield* stop(child)
  yield* Effect.timeoutOption(Deferred.await(child.closed), drain)
  const plain: ProcessExit = {
    code: null,
    signal: null,
    ...Option.getOrUndefined(ended),
    timedOut,
    ...(reason === undefined ? {} : { exceeded: reason })
  }
  if (runner === undefined) return plain
  // A runner that was killed reports nothing about the sandbox.
  const stopped = Option.isNone(ended) || plain.signal !== null
  return {
    ...plain,
    attribution: runner.attribute({ ...child.told, code: plain.code, stopped })
  }
})

/**
 * A runner that is told nothing by this process does not notice its end. One that is told everything may die of it, and
 * leave a process that waits for its next word.
 */
const watched = ({ pid }: ChildProcess, { runner }: ProcessCommand, survivor: Watchdog) =>
  pid === undefined || runner === undefined ? () => undefined : survivor.watch(pid)

const launch = (command: ProcessCommand, survivor: Watchdog): Effect.Effect<Running, SpawnFailed> => {
  const [program, ...args] = command.argv
  const failed = (error: unknown) => {
    const message = error instanceof Descriptors.PathReplaced
      ? error.message
      : error instanceof Error && "code" in error
      ? String(error.code)
      : "invalid arguments"
    return new SpawnFailed({ program, message })
  }
  return Effect.callback((resume) => {
    try {
      if (command.runner !== undefined) survivor.prepare()
      const child = Descriptors.start(
        command.runner,
        command.onInput === undefined ? "ignore" : "pipe",
        (stdio) => spawn(program, args, { cwd: command.cwd, env: { ...command.env }, detached: true, stdio })
      )
      const over = watched(child, command, survivor)
      child.once("error", (error) => resume(Effect.fail(failed(error))))
      child.once("spawn", () => resume(Effect.map(Progress.make, (printed) => watch(child, command, printed, over))))
    } catch (error) {
      resume(Effect.fail(failed(error)))
    }
  })
}

const watch = (
  child: ChildProcess,
  command: ProcessCommand,
  printed: Progress.Progress,
  over: () => void
): Running => {
  if (child.pid === undefined) throw new Error("a spawned process has an id")
  const told = Descriptors.attach(child, command.runner)
  const running: Running = {
    pid: child.pid,
    process: child,
    told,
    printed,
    inner: () => command.runner?.innerPid(told.status),
    sweep: () => Descriptors.sweep(told, command.runner),
    waits: () => told.waits,
    hasLeader: () => child.exitCode === null && child.signalCode === null,
    over,
    exited: Deferred.makeUnsafe(),
    closed: Deferred.makeUnsafe(),
    gone: false
  }
  if (child.stdin !== null) command.onInput?.(child.stdin)
  for (const from of ["stdout", "stderr"] as const) {
    child[from]?.on("data", (chunk: Buffer) => {
      printed.mark()
      command.onOutput(chunk, from)
    })
  }
  child.once("exit", (code, signalName) => {
    if (!signal(running, 0)) over()
    Deferred.doneUnsafe(running.exited, Effect.succeed({ code, signal: signalName }))
  })
  child.once("close", () => Deferred.doneUnsafe(running.closed, Effect.void))
  return running
}

/** A command and everything it started, as far as that stayed in its group. */
interface ProcessGroup {
  /** Of the leader, and so of the group. */
  readonly pid: number
  /**
   * A process of the command's own group, while there is one: its runner is in another. It is the first one of its PID
   * namespace, which the system ends with it.
   */
  readonly inner: () => number | undefined
  /** Kills that process, which a killed runner may have left. */
  readonly sweep: () => void
  /** Its runner has not let it begin. */
  readonly waits: () => boolean
  readonly hasLeader: () => boolean
  /** The group was seen empty: its id may belong to another process now. */
  gone: boolean
}

/** For a command whose time is over: it may still say how far it came. */
const usualGrace = "3 seconds"

/** After SIGKILL only the system's own bookkeeping is left to wait for. */
const killGrace = "500 millis"

/**
 * Signals the whole group; false when it has no member left. Its id stays reserved while it has one, also after the
 * leader went; once it was seen empty nothing is sent any more.
 */
export const signal = (group: ProcessGroup, name: NodeJS.Signals | 0): boolean => {
  if (group.gone) return false
  const inner = name === "SIGTERM" ? group.inner() : undefined
  if (inner !== undefined) return signal(group, 0) && Descriptors.ask(inner)
  try {
    process.kill(-group.pid, name)
  } catch (error) {
    group.gone = error instanceof Error && "code" in error && error.code === "ESRCH"
  }
  return !group.gone
}

export const stop = Effect.fnUntraced(function*(group: ProcessGroup, grace: Duration.Input = usualGrace) {
  // Nothing of it has run that could end in order, and the first process of a namespace takes no other signal.
  if (group.waits()) {
    group.sweep()
    if (signal(group, "SIGKILL")) yield* Effect.timeoutOption(awaitGone(group), killGrace)
    return
  }
  if (!signal(group, "SIGTERM")) return
  if (Option.isSome(yield* Effect.timeoutOption(awaitGone(group), grace))) return
  // Its runner ends once nothing of the namespace is left; killed itself, it would not wait for that.
  if (group.inner() !== undefined) {
    group.sweep()
    if (Option.isSome(yield* Effect.timeoutOption(awaitGone(group), killGrace))) return
  }
  signal(group, "SIGKILL")
  yield* Effect.timeoutOption(awaitGone(group), killGrace)
})

const awaitGone = Effect.fnUntraced(function*(group: ProcessGroup) {
  while (signal(group, 0)) {
    const isLed = group.hasLeader()
    if (!isLed && isDead(group.pid)) return
    yield* Effect.sleep(isLed ? "10 millis" : "25 millis")
  }
})

/** State and group of a process; a name may hold anything, so what counts follows the last parenthesis. */
const statusOf = (pid: string) => {
  const stat = Disk.text(`/proc/${pid}/stat`) ?? ""
  const [state, , group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  return { state, group: Number(group) }
}

/**
 * Whether all that is left of a group are processes that ended and were not collected yet: they were orphaned, and the
 * first process of a container may take its time, or never do it.
 */
const isDead = (group: number): boolean => {
  const left = (Disk.names("/proc") ?? []).filter((name) => /^\d+$/.test(name)).map(statusOf)
    .filter((process) => process.group === group)
  return left.length > 0 && left.every(({ state }) => state === "Z" || state === "X")
}
