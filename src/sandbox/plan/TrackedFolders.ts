import { closeSync, constants, fstatSync, openSync, readlinkSync } from "node:fs"
import { decode, forSystem } from "../../platform/PathBytes.ts"

/**
 * Folders that were found once, wherever they are now: a command can move one to where nothing is looked for. They are
 * held open as places, and the kernel knows where an open place is. Linux only; elsewhere nothing is tracked.
 */
export interface TrackedFolders {
  /**
   * Takes in what a search has found now, and gives every folder where it is now with all the marks that it ever had, the
   * ones known longest first. Those that were deleted are gone.
   */
  readonly update: (marked: ReadonlyMap<string, ReadonlySet<string>>) => ReadonlyMap<string, ReadonlySet<string>>
  readonly close: () => void
}

interface Tracked {
  readonly descriptor: number
  names: ReadonlySet<string>
}

/** Of `open`: nothing but a place. Node does not name it. */
const pathOnly = 0o10000000

const whereIs = (descriptor: number): string | undefined => {
  try {
    return decode(readlinkSync(`/proc/self/fd/${descriptor}`, "buffer"))
  } catch {
    return undefined
  }
}

const hold = (path: string): number | undefined => {
  try {
    const descriptor = openSync(forSystem(path), pathOnly | constants.O_DIRECTORY | constants.O_NOFOLLOW)
    if (whereIs(descriptor) === path) return descriptor
    closeSync(descriptor)
    return undefined
  } catch {
    return undefined
  }
}

/** The kernel writes that behind the path of something that is gone; a folder may be called so as well. */
const isGone = (path: string, descriptor: number): boolean =>
  path.endsWith(" (deleted)") && fstatSync(descriptor).nlink === 0

/** `limit`: of open places. What is found beyond it is not tracked. */
export const make = (limit: number): TrackedFolders => {
  const folders = new Set<Tracked>()

  const current = () => {
    const found = new Map<string, Tracked>()
    for (const one of folders) {
      const path = whereIs(one.descriptor)
      if (path !== undefined && !isGone(path, one.descriptor)) found.set(path, one)
      else {
        closeSync(one.descriptor)
        folders.delete(one)
      }
    }
    return found
  }

  return {
    update: (marked) => {
      if (process.platform !== "linux") return marked
      const known = current()
      for (const [path, names] of marked) {
        const before = known.get(path)
        if (before !== undefined) {
          if (Array.from(names).some((name) => !before.names.has(name))) {
            before.names = new Set([...before.names, ...names])
          }
          continue
        }
        const descriptor = folders.size < limit ? hold(path) : undefined
        if (descriptor !== undefined) folders.add({ descriptor, names })
      }
      return new Map([...Array.from(known, ([path, { names }]) => [path, names] as const), ...without(marked, known)])
    },
    close: () => {
      for (const { descriptor } of folders) closeSync(descriptor)
      folders.clear()
    }
  }
}

const without = <A>(all: ReadonlyMap<string, A>, known: ReadonlyMap<string, unknown>) =>
  Array.from(all).filter(([path]) => !known.has(path))
