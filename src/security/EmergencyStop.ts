import { Effect, Schema } from "effect"
import * as Fs from "node:fs"
import { join } from "node:path"
import {
  disengaged,
  isEngaged,
  normalDomain,
  refusalOf,
  type StoppableCall,
  type StopRefusal,
  type StopState
} from "../domain/EmergencyStop.ts"

const texts = Schema.Array(Schema.String)
/** A key that is not known here stands for something that would not be enforced. */
const Written = Schema.fromJsonString(Schema.Struct({
  kill_all: Schema.optionalKey(Schema.Boolean),
  network_kill: Schema.optionalKey(Schema.Boolean),
  blocked_domains: Schema.optionalKey(texts),
  frozen_tools: Schema.optionalKey(texts),
  updated_at: Schema.optionalKey(Schema.NullOr(Schema.String))
}))
const decode = Schema.decodeUnknownSync(Written, { onExcessProperty: "error" })

const unreadable = (file: string, problem: string): StopState => ({
  ...disengaged,
  killAll: true,
  problem: `${file} ${problem}`
})

/** Who may write the file decides what runs. */
const stranger = ({ mode, uid }: Fs.Stats): string | undefined => {
  const me = process.geteuid?.()
  if (me === undefined) return undefined
  if (uid !== me) return `belongs to another user (uid ${uid})`
  return (mode & 0o022) === 0 ? undefined : "can be written by other users"
}

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException | undefined)?.code

/** Missing is not engaged; whatever else cannot be read as a state counts as `kill-all`. */
const read = (file: string): StopState => {
  let handle: number
  try {
    handle = Fs.openSync(file, Fs.constants.O_RDONLY | Fs.constants.O_NONBLOCK | Fs.constants.O_NOFOLLOW)
  } catch (error) {
    // ENOTDIR: the folder of the configuration is no folder, so that nothing was ever written there.
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return disengaged
    return unreadable(file, `cannot be opened (${codeOf(error) ?? String(error)})`)
  }
  try {
    const stats = Fs.fstatSync(handle)
    if (!stats.isFile()) return unreadable(file, "is no regular file")
    const others = stranger(stats)
    if (others !== undefined) return unreadable(file, others)
    const written = decode(Fs.readFileSync(handle, "utf8"))
    return {
      killAll: written.kill_all ?? false,
      networkKill: written.network_kill ?? false,
      blockedDomains: (written.blocked_domains ?? []).map(normalDomain),
      frozenTools: written.frozen_tools ?? [],
      updatedAt: written.updated_at ?? undefined
    }
  } catch (error) {
    return unreadable(
      file,
      Schema.isSchemaError(error) ? "is no state of an emergency stop" : `cannot be read: ${error}`
    )
  } finally {
    Fs.closeSync(handle)
  }
}

export const stored = ({ blockedDomains, frozenTools, killAll, networkKill, updatedAt }: StopState) => ({
  kill_all: killAll,
  network_kill: networkKill,
  blocked_domains: blockedDomains,
  frozen_tools: frozenTools,
  updated_at: updatedAt
})

export interface EmergencyStop {
  readonly file: string
  /** As the file has it now. */
  readonly state: () => StopState
  /** Why the call is forbidden now. */
  readonly refusal: (call: StoppableCall) => StopRefusal | undefined
  /** Waits until the call is forbidden. */
  readonly untilRefused: (call: StoppableCall) => Effect.Effect<StopRefusal>
  /** Runs after every change; one that comes meanwhile is not missed. */
  readonly follow: (run: Effect.Effect<void>) => Effect.Effect<never>
}

/** Milliseconds that what runs goes on after another process has engaged the stop, at most. */
const period = 100

export const fileOf = (configDir: string): string => join(configDir, "estop-state.json")

/**
 * The emergency stop of a configuration folder, which all processes share through one file. Nothing is kept that could
 * be wrong: each look asks the system whether the file is the one that was read, which takes microseconds.
 */
export const make = (configDir: string): EmergencyStop => {
  const file = fileOf(configDir)
  let stamp = ""
  let last = disengaged

  const stampNow = (): string => {
    try {
      const found = Fs.lstatSync(file, { bigint: true, throwIfNoEntry: false })
      return found === undefined
        ? "none"
        : `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs} ${found.mode} ${found.uid}`
    } catch (error) {
      return codeOf(error) === "ENOTDIR" ? "none" : `unreadable ${codeOf(error)}`
    }
  }

  const state = (): StopState => {
    const now = stampNow()
    if (now === stamp) return last
    last = now === "none" ? disengaged : read(file)
    stamp = now
    return last
  }

  const refusal = (call: StoppableCall) => refusalOf(state(), call)

  /** All that wait share one look at the file, by the system's clock: files know no other. */
  const waiting = new Set<() => void>()
  let timer: NodeJS.Timeout | undefined
  const wait = (look: () => void) => {
    waiting.add(look)
    timer ??= setInterval(() => waiting.forEach((one) => one()), period)
    return Effect.sync(() => {
      waiting.delete(look)
      if (waiting.size > 0) return
      clearInterval(timer)
      timer = undefined
    })
  }

  const poll = <A>(look: () => A | undefined): Effect.Effect<A> =>
    Effect.suspend(() => {
      const found = look()
      return found !== undefined ? Effect.succeed(found) : Effect.callback<A>((resume) => {
        const withdraw = wait(() => {
          const found = look()
          if (found !== undefined) resume(Effect.as(withdraw, found))
        })
        return withdraw
      })
    })

  return {
    file,
    state,
    refusal,
    untilRefused: (call) => poll(() => refusal(call)),
    follow: (run) => {
      const after = (seen: StopState): Effect.Effect<never> =>
        Effect.flatMap(
          poll(() => {
            const now = state()
            return now === seen ? undefined : now
          }),
          (now) => Effect.andThen(run, after(now))
        )
      return Effect.suspend(() => after(state()))
    }
  }
}

/** For scripts and clients, as the file spells it. */
export const written = (state: StopState) => ({
  engaged: isEngaged(state),
  ...stored(state),
  updated_at: state.updatedAt ?? null,
  problem: state.problem ?? null
})
