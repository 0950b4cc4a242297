import { Effect, type Scope } from "effect"
import type { FindProgram } from "../backends/BackendProbe.ts"
import type { HostEnvironment } from "./DiskView.ts"
import * as FolderIndex from "./FolderIndex.ts"
import { type GitConfigReader, makeReader } from "./GitConfig.ts"
import { closedFolders, isRepository, marks, type ProtectionSources } from "./ProtectedPaths.ts"

/** What this process knows of where protected places lie, for all its sessions. */
export interface ProtectionIndex {
  readonly configOf: GitConfigReader
  /** As of now. The first time below a root takes about 20 µs for each folder, later only what has changed counts. */
  readonly sources: (roots: ReadonlyArray<string>) => Effect.Effect<ProtectionSources>
}

/** After this long without a call the watches of a root are given back. In milliseconds. */
const idle = 10 * 60_000

export const make = (
  find: FindProgram,
  { homes, variables }: HostEnvironment
): Effect.Effect<ProtectionIndex, never, Scope.Scope> =>
  Effect.gen(function*() {
    const configOf = makeReader(() => find("git"), homes[0] ?? "/", variables["XDG_CONFIG_HOME"])
    const indexes = new Map<string, { readonly index: FolderIndex.FolderIndex; timer: NodeJS.Timeout }>()
    const release = (root: string) => {
      const held = indexes.get(root)
      if (held === undefined) return
      clearTimeout(held.timer)
      held.index.close()
      indexes.delete(root)
    }
    yield* Effect.addFinalizer(() => Effect.sync(() => Array.from(indexes.keys()).forEach(release)))

    const indexOf = (root: string) => {
      const index = indexes.get(root)?.index ?? FolderIndex.make(root, {
        marks,
        closed: closedFolders,
        isEntered: (names) => !isRepository(names)
      })
      clearTimeout(indexes.get(root)?.timer)
      indexes.set(root, { index, timer: setTimeout(() => release(root), idle).unref() })
      return index
    }

    return {
      configOf,
      sources: (roots) =>
        Effect.promise(async () => {
          const all = roots.map(indexOf)
          await Promise.all(all.map((index) => index.refresh()))
          return { configOf, marked: new Map(all.flatMap((index) => [...index.marked()])) }
        })
    }
  })
