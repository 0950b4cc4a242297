import { Clock, DateTime, Effect, Schema } from "effect"
import * as Fs from "node:fs"
import { join } from "node:path"
import { normalDomain, type StopState } from "../domain/EmergencyStop.ts"
import * as FileLock from "../platform/FileLock.ts"
import { makeFolder } from "../platform/MakeFolder.ts"
import { putFile } from "../platform/ReplaceFile.ts"
import * as EmergencyStop from "./EmergencyStop.ts"

/** Engaging and lifting an emergency stop: what people do, and agents cannot. See docs/emergency-stop.md. */

/** The stop could not be engaged or lifted. */
export class StopNotChanged
  extends Schema.TaggedError<StopNotChanged>()("StopNotChanged", { message: Schema.String })
{}

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

export interface StopSwitch {
  /** Adds to what is engaged. */
  readonly engage: (change: StopChange) => Effect.Effect<StopState, StopNotChanged>
  readonly lift: (change: StopChange) => Effect.Effect<StopState, StopNotChanged>
}

/** That of a configuration folder. */
export const make = (configDir: string): StopSwitch => {
  const { file, state } = EmergencyStop.make(configDir)

  const change = (next: (before: StopState) => StopState | string) =>
    Effect.gen(function*() {
      const found = next(state())
      if (typeof found === "string") return yield* new StopNotChanged({ message: found })
      const { problem: _, ...kept } = found
      const written = { ...kept, updatedAt: DateTime.formatIso(DateTime.makeUnsafe(yield* Clock.currentTimeMillis)) }
      const text = `${JSON.stringify(EmergencyStop.stored(written), undefined, 2)}
`
      // A file of others would count as engaged.
      yield* Effect.mapError(putFile(file, text, 0o600), ({ message }) => new StopNotChanged({ message }))
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
    engage: (what) => {
      const engaging = alone(change((before) => added(before, what)), false)
      return what.level === "kill-all" ? Effect.catch(engaging, emptied) : engaging
    },
    lift: (what) => alone(change((before) => lifted(before, what)), true)
  }
}
