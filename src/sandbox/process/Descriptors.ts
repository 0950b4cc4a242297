import type { ChildProcess } from "node:child_process"
import { closeSync, constants, fstatSync, openSync, readlinkSync } from "node:fs"
import { join } from "node:path"
import type { Readable, Writable } from "node:stream"
import { plainRunner, type Runner } from "../Confinement.ts"
import * as Disk from "../Disk.ts"
import { decode, forSystem } from "../../platform/PathBytes.ts"
import { quoted } from "../../platform/QuotedName.ts"

const stderrKept = 8192

/** In the command line of runners of this process, so that they can be found when it was killed. */
export const hostMark = `host-${process.getBuiltinModule("node:crypto").randomUUID()}`

type Stdio = "ignore" | "pipe" | number

/** Something else lies at a path than was checked. */
export class PathReplaced extends Error {
  override readonly name = "PathReplaced"
}

/** Opens a file or folder as a place only, without following a link anywhere on its path. */
export const hold = (path: string): number => {
  const pathOnly = 0o10000000
  const descriptor = openSync(forSystem(path), pathOnly | constants.O_NOFOLLOW)
  const opened = decode(readlinkSync(`/proc/self/fd/${descriptor}`, "buffer"))
  if (opened === path && !fstatSync(descriptor).isSymbolicLink()) return descriptor
  closeSync(descriptor)
  throw new PathReplaced(`${quoted(path)} was moved, or replaced by a link, while the command was being started`)
}

/** Of the flags of an open descriptor, in octal. */
const closedOnExec = 0o2000000

const isPassedOn = (descriptor: number): boolean => {
  const flags = /^flags:\s*([0-7]+)$/m.exec(Disk.text(join("/proc/self/fdinfo", `${descriptor}`)) ?? "")?.[1]
  return flags !== undefined && (Number.parseInt(flags, 8) & closedOnExec) === 0
}

let known: ReadonlyArray<number> | undefined

/**
 * What this process was started with besides its standard descriptors: its own ones are never passed on. An open folder
 * among them would lead a command out of any sandbox, a socket to its peer.
 */
const inherited = (): ReadonlyArray<number> =>
  known ??= (Disk.names("/proc/self/fd") ?? []).map(Number).filter((descriptor) =>
    descriptor > 2 && isPassedOn(descriptor)
  )

/**
 * Starts a process with standard input at its end or a pipe, two pipes, and what its runner reads, reports through or
 * is handed.
 */
export const start = (
  runner: Runner = plainRunner,
  input: "ignore" | "pipe",
  spawn: (stdio: Array<Stdio>) => ChildProcess
): ChildProcess => {
  const held: Array<number> = []
  try {
    const further = runner.descriptors.map((descriptor) => {
      if (typeof descriptor === "string" || descriptor instanceof Uint8Array) return "pipe" as const
      held.push(hold(descriptor.path))
      return held.at(-1)!
    })
    const stdio: Array<Stdio> = [input, "pipe", "pipe", ...further]
    const leaks = inherited().filter((descriptor) => descriptor >= stdio.length)
    if (leaks.length > 0) {
      held.push(openSync("/dev/null", constants.O_RDONLY))
      const null_ = held.at(-1)!
      const last = Math.max(...leaks)
      for (let at = stdio.length; at <= last; at++) stdio.push(leaks.includes(at) ? null_ : "ignore")
    }
    return spawn(stdio)
  } finally {
    held.forEach((descriptor) => closeSync(descriptor))
  }
}

export interface RunnerOutput {
  /** What the runner reported so far. */
  status: string
  /** The end of what went to standard error. */
  stderr: string
  /** It has not been let to run anything yet. */
  waits: boolean
  /** Why it was killed before it ran anything. */
  refused?: string
}

/** In milliseconds: between two looks at a sandbox that is being set up, and altogether. */
const admission = { step: 1, longest: 10_000 }

/** Lets a runner go on only when its sandbox is as it should be; until then nothing inside has run. */
const guard = (child: ChildProcess, runner: Runner, told: RunnerOutput, gate: Writable) => {
  const began = performance.now()
  let timer: NodeJS.Timeout | undefined
  const refuse = (why: string) => {
    told.refused = why
    sweep(told, runner)
    child.kill("SIGKILL")
  }
  const look = () => {
    const pid = runner.innerPid(told.status)
    const found = pid === undefined ? "pending" : runner.admit?.(pid) ?? "admitted"
    if (found === "admitted") {
      told.waits = false
      return void gate.end("\n")
    }
    if (found !== "pending") return refuse(found.refused)
    if (performance.now() - began > admission.longest) return refuse("it took too long to set up")
    timer = setTimeout(look, admission.step)
  }
  child.once("exit", () => clearTimeout(timer))
  look()
}

/** Gives a runner what it reads, and collects what it says. */
export const attach = (child: ChildProcess, runner: Runner = plainRunner): RunnerOutput => {
  const told: RunnerOutput = { status: "", stderr: "", waits: runner.descriptors.includes("gate") }
  if (runner !== plainRunner) {
    child.stderr?.on("data", (chunk: Buffer) => told.stderr = (told.stderr + chunk.toString("utf8")).slice(-stderrKept))
  }
  runner.descriptors.forEach((content, index) => {
    const end = child.stdio[3 + index] as Readable & Writable | null | undefined
    // A runner that ends early closes them under us; how it ended is what is to be said.
    end?.on("error", () => undefined)
    if (content === "status") end?.on("data", (chunk: Buffer) => told.status += chunk.toString("utf8"))
    else if (content === "alive") end?.once("data", () => end.end("\n"))
    else if (content === "gate") end && guard(child, runner, told, end)
    else if (content instanceof Uint8Array) end?.end(content)
  })
  return told
}

/** A runner that was killed before it had set everything up cannot take the rest with it. */
export const sweep = (told: RunnerOutput, runner: Runner = plainRunner) => {
  const inner = runner.innerPid(told.status)
  if (inner === undefined || runner.finished(told.status)) return
  try {
    process.kill(inner, "SIGKILL")
  } catch {
    // The usual case: it went with its runner.
  }
}

/** Asked to end, a runner would take its command with it at once: the command's own group is asked instead. */
export const ask = (group: number): true => {
  try {
    process.kill(-group, "SIGTERM")
  } catch {
    // It ended by itself, and its runner is about to.
  }
  return true
}
