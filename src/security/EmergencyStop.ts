import { Clock, DateTime, Effect, Schema } from "effect"
import * as Fs from "node:fs"
import { dirname, join } from "node:path"
import {
  disengaged,
  isEngaged,
  normalDomain,
  refusalOf,
  type StoppableCall,
  type StopRefusal,
  type StopState
} from "../domain/EmergencyStop.ts"
import * as FileLock from "../platform/FileLock.ts"
import { makeFolder } from "../platform/MakeFolder.ts"

/** The stop could not be engaged or lifted. */
export class StopNotChanged
  extends Schema.TaggedError<StopNotChanged>()("StopNotChanged", { message: Schema.String })
{}

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

const sync = (path: string) => {
  const handle = Fs.openSync(path, "r")
  try {
    Fs.fsyncSync(handle)
  } finally {
    Fs.closeSync(handle)
  }
}

const stored = ({ blockedDomains, frozenTools, killAll, networkKill, updatedAt }: StopState) => ({
  kill_all: killAll,
  network_kill: networkKill,
  blocked_domains: blockedDomains,
  frozen_tools: frozenTools,
  updated_at: updatedAt
})

/** Always a new file of our own: one of others, a link, or a pipe in its place would make the state unreadable. */
const write = (file: string, state: StopState) => {
  const draft = join(dirname(file), `.estop-state.json.${process.pid}`)
  Fs.rmSync(draft, { force: true })
  try {
    const handle = Fs.openSync(draft, "wx", 0o600)
    try {
      Fs.writeFileSync(handle, `${JSON.stringify(stored(state), undefined, 2)}\n`)
      Fs.fsyncSync(handle)
    } finally {
      Fs.closeSync(handle)
    }
    Fs.renameSync(draft, file)
  } catch (error) {
    Fs.rmSync(draft, { force: true })
    throw error
  }
  if (process.platform !== "win32") sync(dirname(file))
}

/** What is engaged or lifted. */
export type StopChange =
  | { readonly level: "kill-all" | "network-kill" }
  | { readonly level: "domain-block" | "tool-freeze"; readonly names: ReadonlyArray<string> }

const added = (before: StopState, change: StopChange): StopState => {
  switch (change.level) {
    case "kill-all":
      return { ...before, killAll: true }
    case "network-kill":
      return { ...before, networkKill: true }
    case "domain-block":
      return { ...before, blockedDomains: [...new Set([...before.blockedDomains, ...change.names.map(normalDomain)])] }
    case "tool-freeze":
      return { ...before, frozenTools: [...new Set([...before.frozenTools, ...change.names])] }
  }
}

/** What is not engaged cannot be lifted: a misspelled name must not look like a success. */
const lifted = (before: StopState, change: StopChange): StopState | string => {
  const missing = (known: ReadonlyArray<string>, names: ReadonlyArray<string>) =>
    names.find((name) => !known.includes(name))
  if (before.problem !== undefined && change.level !== "kill-all") {
    return `${before.problem}, so that everything is stopped; postern estop resume writes it anew, with nothing engaged`
  }
  switch (change.level) {
    case "kill-all":
      return before.killAll ? { ...before, killAll: false } : "kill-all is not engaged"
    case "network-kill":
      return before.networkKill ? { ...before, networkKill: false } : "network-kill is not engaged"
    case "domain-block": {
      const names = change.names.map(normalDomain)
      const unknown = missing(before.blockedDomains, names)
      return unknown === undefined
        ? { ...before, blockedDomains: before.blockedDomains.filter((name) => !names.includes(name)) }
        : `the domain ${unknown} is not blocked`
    }
    case "tool-freeze": {
      const unknown = missing(before.frozenTools, change.names)
      return unknown === undefined
        ? { ...before, frozenTools: before.frozenTools.filter((name) => !change.names.includes(name)) }
        : `the tool ${unknown} is not frozen`
    }
  }
}

export interface EmergencyStop {
  readonly file: string
  /** As the file has it now. */
  readonly state: () => StopState
  /** Why the call is forbidden now. */
  readonly refusal: (call: StoppableCall) => StopRefusal | undefined
  /** Waits until the call is forbidden. */
  readonly untilRefused: (call: StoppableCall) => Effect.Effect<StopRefusal>
  /** Waits until the state differs from the one there was when this began. */
  readonly untilChanged: Effect.Effect<void>
  /** Adds to what is engaged. */
  readonly engage: (change: StopChange) => Effect.Effect<StopState, StopNotChanged>
  readonly lift: (change: StopChange) => Effect.Effect<StopState, StopNotChanged>
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

  const change = (next: (before: StopState) => StopState | string) =>
    Effect.gen(function*() {
      const found = next(read(file))
      if (typeof found === "string") return yield* new StopNotChanged({ message: found })
      const { problem: _, ...kept } = found
      const written = { ...kept, updatedAt: DateTime.formatIso(DateTime.makeUnsafe(yield* Clock.currentTimeMillis)) }
      yield* Effect.try({
        try: () => write(file, written),
        catch: (error) => new StopNotChanged({ message: `${file} cannot be written: ${(error as Error).message}` })
      })
      return written
    })

  /** Where a lock cannot be had, a stop is engaged all the same: two at a time both leave everything stopped. */
  const alone = <A>(work: Effect.Effect<A, StopNotChanged>, needsLock: boolean) =>
    Effect.try({
      try: () => makeFolder(configDir, 0o700),
      catch: (error) => new StopNotChanged({ message: `${configDir} cannot be made: ${(error as Error).message}` })
    }).pipe(
      Effect.andThen(FileLock.within(join(configDir, ".estop.lock"), "2 seconds")(work)),
      Effect.catchTag("FileLocked", ({ message }) => needsLock ? Effect.fail(new StopNotChanged({ message })) : work)
    )

  /** An empty file needs no room on a disk that is full, and counts as `kill-all`. */
  const emptied = (error: StopNotChanged) =>
    Effect.try({
      try: () => {
        Fs.closeSync(Fs.openSync(file, Fs.constants.O_WRONLY | Fs.constants.O_CREAT | Fs.constants.O_TRUNC, 0o600))
        return state()
      },
      catch: () => error
    })

  return {
    file,
    state,
    refusal,
    untilRefused: (call) => poll(() => refusal(call)),
    untilChanged: Effect.suspend(() => {
      const before = state()
      return poll(() => state() === before ? undefined : true)
    }),
    engage: (what) => {
      const engaging = alone(change((before) => added(before, what)), false)
      return what.level === "kill-all" ? Effect.catch(engaging, emptied) : engaging
    },
    lift: (what) => alone(change((before) => lifted(before, what)), true)
  }
}

/** For scripts and clients, as the file spells it. */
export const written = (state: StopState) => ({
  engaged: isEngaged(state),
  ...stored(state),
  updated_at: state.updatedAt ?? null,
  problem: state.problem ?? null
})
