import { Clock, Deferred, Effect, Exit, FiberMap, type Scope } from "effect"
import type { Capability } from "../../domain/Capability.ts"
import { grants, type ResolvedSettings } from "../../domain/PolicySettings.ts"
import { unfinishedAt } from "../../domain/secrets/LeakDetector.ts"
import * as CommandOutput from "./CommandOutput.ts"
import type { EmergencyStop } from "../../security/EmergencyStop.ts"
import type { ProcessExit } from "../../sandbox/process/Processes.ts"
import { ToolFailed } from "../ToolFailed.ts"

/**
 * Commands that one session runs in the background (docs/sandbox.md#background-jobs): they go on over turns and end
 * with it, at the latest.
 */

export const maxRunning = 8
const maxKept = 32

interface JobStart {
  readonly command: string
  /** What it needs for as long as it runs (docs/sandbox.md#background-jobs). */
  readonly capabilities: ReadonlyArray<Capability>
  readonly network: boolean
  /** Gets it ready; `run` is the command itself. Both are in the job's own scope. */
  readonly prepare: Effect.Effect<
    (onOutput: (chunk: Buffer) => void) => Effect.Effect<ProcessExit, ToolFailed>,
    ToolFailed,
    Scope.Scope
  >
}

export interface Job {
  readonly id: string
  readonly command: string
  readonly startedAt: number
  readonly needs: Pick<JobStart, "capabilities" | "network">
  /** In words; `undefined` while it runs. */
  readonly ending: () => string | undefined
  readonly over: Effect.Effect<void>
  /** Output since the last read; while it runs, up to where a secret may have begun that is not all there yet. */
  readonly take: () => string
}

export interface Jobs {
  readonly start: (what: JobStart) => Effect.Effect<Job, ToolFailed>
  /** The running ones and the last that ended, oldest first. */
  readonly all: () => ReadonlyArray<Job>
  readonly get: (id: string) => Job | undefined
  /** Does nothing to one that ended. */
  readonly stop: (job: Job, why: string) => Effect.Effect<void>
  /** Ends the jobs that the policy no longer permits. */
  readonly policyChanged: (settings: ResolvedSettings) => Effect.Effect<void>
}

const words = ({ attribution, code, exceeded, signal }: ProcessExit): string =>
  attribution?.kind === "runner-failed"
    ? `did not run: ${attribution.note}`
    : exceeded !== undefined
    ? `was stopped: ${exceeded}`
    : code === null
    ? `ended by signal ${signal}`
    : `ended with exit code ${code}`

/** All of them end with the scope, and where an emergency stop forbids them. */
export const make = Effect.fnUntraced(function*(
  untilRefused: EmergencyStop["untilRefused"]
): Effect.fn.Return<Jobs, never, Scope.Scope> {
  const fibers = yield* FiberMap.make<string>()
  const jobs = new Map<string, Job>()
  const stopped = new Map<string, string>()
  let last = 0

  const isRunning = (job: Job) => job.ending() === undefined

  const makeRoom = () => {
    for (const job of jobs.values()) if (jobs.size >= maxKept && !isRunning(job)) jobs.delete(job.id)
  }

  const start = ({ capabilities, command, network, prepare }: JobStart) =>
    Effect.gen(function*(): Effect.fn.Return<Job, ToolFailed> {
      if (Array.from(jobs.values()).filter(isRunning).length >= maxRunning) {
        return yield* new ToolFailed({
          message: `${maxRunning} commands run in the background already. End one with job_kill first.`
        })
      }
      const id = `${++last}`
      const ready = Deferred.makeUnsafe<void, ToolFailed>()
      const over = Deferred.makeUnsafe<void>()
      let ending: string | undefined
      let output = CommandOutput.make(() => undefined)
      let partial: Buffer = Buffer.alloc(0)
      /** A look never falls inside a character. */
      const push = (chunk: Buffer) => {
        const bytes = Buffer.concat([partial, chunk])
        const whole = CommandOutput.wholeEnd(bytes)
        partial = Buffer.from(bytes.subarray(whole.length))
        output.push(whole)
      }
      const halted = Effect.map(
        untilRefused({ tool: { name: "shell" }, network, texts: [command] }),
        ({ reason }) => `was stopped: ${reason}`
      )
      const work = Effect.scoped(Effect.gen(function*() {
        const run = yield* Effect.onExit(prepare, (exit) => Deferred.done(ready, Exit.asVoid(exit)))
        return words(yield* run(push))
      })).pipe(
        Effect.raceFirst(halted),
        Effect.catch(({ message }) => Effect.succeed(message)),
        Effect.onExit((exit) =>
          Effect.suspend(() => {
            output.push(partial)
            ending = stopped.get(id) ?? (Exit.isSuccess(exit) ? exit.value : "was stopped")
            stopped.delete(id)
            return Deferred.succeed(over, undefined)
          })
        )
      )
      const job: Job = {
        id,
        command,
        startedAt: yield* Clock.currentTimeMillis,
        needs: { capabilities, network },
        ending: () => ending,
        over: Deferred.await(over),
        take: () => {
          const text = output.text()
          output = CommandOutput.make(() => undefined)
          if (ending !== undefined) return text
          const end = unfinishedAt(text)
          output.push(Buffer.from(text.slice(end)))
          return text.slice(0, end)
        }
      }
      makeRoom()
      jobs.set(id, job)
      yield* FiberMap.run(fibers, id, work)
      yield* Effect.tapError(Deferred.await(ready), () => Effect.sync(() => jobs.delete(id)))
      return job
    })

  const stop: Jobs["stop"] = (job, why) =>
    Effect.suspend(() => {
      if (!isRunning(job)) return Effect.void
      stopped.set(job.id, why)
      return Effect.andThen(FiberMap.remove(fibers, job.id), job.over)
    })

  return {
    start,
    all: () => [...jobs.values()],
    get: (id) => jobs.get(id),
    stop,
    policyChanged: ({ values }) =>
      Effect.forEach(jobs.values(), (job) => {
        const { capabilities, network } = job.needs
        const isGranted = capabilities.every((capability) => grants(values.work_mode, capability)) &&
          (!network || values.network === "on")
        return isGranted
          ? Effect.void
          : stop(job, "was stopped: the policy of the session does not let it run any more")
      }, { discard: true })
  }
})
