import { Effect, type Scope } from "effect"
import { isInside } from "../../platform/FilePath.ts"
import type { FindProgram } from "../backends/BackendProbe.ts"
import * as Disk from "../Disk.ts"
import { foldersOf, type HostEnvironment } from "./DiskView.ts"
import * as FolderIndex from "./FolderIndex.ts"
import { type GitFolders, makeReader } from "./GitConfig.ts"
import * as ProtectedPaths from "./ProtectedPaths.ts"
import type { Protection } from "./Protection.ts"
import * as TrackedFolders from "./TrackedFolders.ts"

/** What this process knows of where protected places lie, for all its sessions. */
export interface ProtectionIndex {
  /** As of now. The first time below a root takes about 20 µs for each folder, later only what has changed counts. */
  readonly look: (roots: ReadonlyArray<string>) => Effect.Effect<Protection>
}

/** After this long without a call the watches of a root are given back. In milliseconds. */
const idle = 10 * 60_000

/** Roots of which is known what was found there once; of more the one used longest ago is forgotten. */
const mostRoots = 32

interface KnownRoot {
  index: FolderIndex.FolderIndex | undefined
  timer: NodeJS.Timeout | undefined
  readonly tracked: TrackedFolders.TrackedFolders
}

/** Folders with something protected in them of which the answers are kept. */
const mostKept = 2000

export const make = (
  find: FindProgram,
  { homes, own, variables }: HostEnvironment
): Effect.Effect<ProtectionIndex, never, Scope.Scope> =>
  Effect.gen(function*() {
    const git = makeReader(() => find("git"), homes[0], variables)
    const known = new Map<string, KnownRoot>()
    const kept: NonNullable<ProtectedPaths.ProtectionSources["kept"]> = new Map()

    const release = (one: KnownRoot) => {
      clearTimeout(one.timer)
      one.index?.close()
      one.index = undefined
    }
    const forget = (root: string, one: KnownRoot) => {
      release(one)
      one.tracked.close()
      known.delete(root)
    }
    yield* Effect.addFinalizer(() => Effect.sync(() => known.forEach((one, root) => forget(root, one))))

    const knownRoot = (root: string): KnownRoot => {
      const one = known.get(root) ??
        { index: undefined, timer: undefined, tracked: TrackedFolders.make(ProtectedPaths.maxNested) }
      known.delete(root)
      known.set(root, one)
      const [oldest] = known
      if (known.size > mostRoots && oldest !== undefined) forget(...oldest)
      clearTimeout(one.timer)
      one.timer = setTimeout(() => release(one), idle).unref()
      return one
    }

    const refreshed = async (root: string) => {
      const one = knownRoot(root)
      const index = one.index ??= FolderIndex.make(root, {
        isMark: ProtectedPaths.isMark,
        closed: ProtectedPaths.closedFolders,
        closedIn: ProtectedPaths.closedIn
      })
      await index.refresh()
      const marked = Array.from(index.marked()).filter(([path, names]) =>
        path !== root && ProtectedPaths.isProtecting(names)
      )
      return [...one.tracked.update(new Map(marked))]
    }

    const around = (roots: ReadonlyArray<string>): ReadonlyArray<GitFolders> =>
      ProtectedPaths.repositoriesAround(roots, homes.map((home) => Disk.real(home) ?? home), git).filter(
        ({ folder }) =>
          !roots.some((root) => isInside(root, folder) || isInside(folder, root)) &&
          ![own.dataDir, own.configDir].some((path) => isInside(path, folder) || isInside(folder, path))
      )

    return {
      look: Effect.fnUntraced(function*(given) {
        const { roots } = foldersOf({ roots: given })
        const found = yield* Effect.promise(() => Promise.all(roots.map(refreshed)))
        const beside = around(roots)
        const writable = foldersOf({ roots: [...given, ...beside.map(({ folder }) => folder)] }).roots
        // What was moved may be in another folder of the session than it was found in.
        const marked = new Map(
          found.flat().filter(([path]) => roots.some((root) => path !== root && isInside(root, path)))
        )
        if (kept.size > mostKept) kept.clear()
        const sources = { git, marked, kept }
        return { roots: given, around: beside, found: ProtectedPaths.find(given, writable, sources, beside) }
      })
    }
  })
