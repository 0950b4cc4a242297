import { type FSWatcher, lstatSync, readdirSync, type Stats, watch } from "node:fs"
import { join } from "node:path"
import { decode, forSystem, isLossy } from "../../platform/PathBytes.ts"
import * as Disk from "../Disk.ts"

/**
 * Where below a folder something has one of a few names (docs/sandbox.md#protected-paths). The whole tree is read once;
 * after that only folders whose entries changed. The kernel says which ones: on Linux through inotify, for those that
 * are not watched through the time of their last change, which no program can set back.
 */
export interface FolderIndex {
  /** Makes it what is on the disk now. The first time takes about 20 µs for each folder. */
  readonly refresh: () => Promise<void>
  /** Every folder that holds a mark, and which. */
  readonly marked: () => ReadonlyMap<string, ReadonlySet<string>>
  /** Whether all folders were looked at. */
  readonly complete: () => boolean
  readonly close: () => void
}

/** The most folders of one tree. Nearer ones come first. */
export const maxFolders = 20_000

/** Installed packages: what is in them runs when the project runs, and no editor and no git is started there. */
export const skippedFolders: ReadonlySet<string> = new Set(["node_modules", "site-packages", "__pycache__"])

interface Folder {
  readonly path: string
  /** Of the folder when its entries were read. */
  stats: Stats
  readAt: number
  /** Of the marks. */
  names: ReadonlySet<string>
  /** Names of the folders in it that are in the index. */
  children: ReadonlySet<string>
  watcher: FSWatcher | undefined
}

/** Times of changes are as coarse as the kernel's clock: what was read this soon after a change may have changed again. */
const clockTick = 50

/** Time for other work of the process, in milliseconds, while a large tree is read. */
const slice = 10

const turn = () => new Promise<void>((resolve) => void setImmediate(resolve))

const numberIn = (file: string, otherwise: number): number => Number(Disk.text(file)?.trim() ?? otherwise)

/** The user's other programs need watches as well, and a kernel may allow 8,192 of them. */
let watchesLeft: number | undefined
const takeWatch = (): boolean => {
  watchesLeft ??= process.platform === "linux"
    ? Math.floor(numberIn("/proc/sys/fs/inotify/max_user_watches", 8192) / 8)
    : 0
  if (watchesLeft <= 0) return false
  watchesLeft--
  return true
}
const giveWatch = (watcher: FSWatcher | undefined) => {
  if (watcher === undefined) return
  watcher.close()
  watchesLeft!++
}

/** Of the whole process: a queue that overflows drops events without a word, and is known by its length alone. */
let events = 0
let maxEvents: number | undefined
const mayHaveOverflowed = (since: number): boolean =>
  events - since >= (maxEvents ??= numberIn("/proc/sys/fs/inotify/max_queued_events", 16_384)) / 2

const look = (path: string): Stats | undefined => {
  try {
    const found = lstatSync(forSystem(path), { throwIfNoEntry: false })
    return found?.isDirectory() === true ? found : undefined
  } catch {
    return undefined
  }
}

interface Entry {
  readonly name: string
  readonly isFolder: boolean
  readonly isFile: boolean
}

const entriesOf = (path: string): ReadonlyArray<Entry> => {
  try {
    const found = readdirSync(forSystem(path), { withFileTypes: true })
    if (!found.some(({ name }) => isLossy(name))) {
      return found.map((entry) => ({ name: entry.name, isFolder: entry.isDirectory(), isFile: entry.isFile() }))
    }
    return readdirSync(forSystem(path), { withFileTypes: true, encoding: "buffer" }).map((entry) => ({
      name: decode(entry.name),
      isFolder: entry.isDirectory(),
      isFile: entry.isFile()
    }))
  } catch {
    return []
  }
}

const isSame = (a: Stats, b: Stats): boolean => a.ino === b.ino && a.dev === b.dev

const none: ReadonlySet<string> = new Set()

interface IndexOptions {
  /** Whether an entry is one to find. */
  readonly isMark: (name: string, isFile: boolean) => boolean
  /** Names of folders that are not looked into, in one that holds these of the marks. */
  readonly closedIn: (names: ReadonlySet<string>) => ReadonlySet<string>
  readonly closed: ReadonlySet<string>
  readonly limit?: number
}

export const make = (
  root: string,
  { closed, closedIn, isMark, limit = maxFolders }: IndexOptions
): FolderIndex => {
  const folders = new Map<string, Folder>()
  const dirty = new Set<string>()
  let isComplete = true
  let seen = events
  let running: Promise<void> | undefined
  let again: Promise<void> | undefined

  const drop = (path: string) => {
    const found = folders.get(path)
    if (found === undefined) return
    folders.delete(path)
    dirty.delete(path)
    giveWatch(found.watcher)
    for (const name of found.children) drop(join(path, name))
  }

  const observe = (path: string): FSWatcher | undefined => {
    if (!takeWatch()) return undefined
    try {
      const watcher = watch(forSystem(path), { persistent: false }, (kind) => {
        events++
        // A changed file is no new entry.
        if (kind === "rename") dirty.add(path)
      })
      watcher.on("error", () => dirty.add(path))
      return watcher
    } catch {
      watchesLeft!++
      return undefined
    }
  }

  /** Reads one folder and gives those in it that are not in the index yet. */
  const read = (path: string): ReadonlyArray<string> => {
    const before = folders.get(path)
    // Watched before it is read, so that nothing falls in between.
    const watcher = before?.watcher ?? observe(path)
    const stats = look(path)
    if (stats === undefined || (before !== undefined && !isSame(before.stats, stats))) {
      if (before === undefined) giveWatch(watcher)
      drop(path)
      return stats === undefined ? [] : [path]
    }
    const readAt = Date.now()
    const names = new Set<string>()
    const inner: Array<string> = []
    for (const { isFile, isFolder, name } of entriesOf(path)) {
      if (isMark(name, isFile)) names.add(name)
      if (isFolder && !closed.has(name) && !skippedFolders.has(name)) inner.push(name)
    }
    const shut = closedIn(names)
    const children = inner.length > 0 ? new Set(inner.filter((name) => !shut.has(name))) : none
    for (const name of before?.children ?? []) if (!children.has(name)) drop(join(path, name))
    folders.set(path, { path, stats, readAt, names: names.size === 0 ? none : names, children, watcher })
    return Array.from(children, (name) => join(path, name)).filter((child) => {
      const known = folders.get(child)
      if (known === undefined) return true
      // Another folder under the same name.
      const now = look(child)
      if (now !== undefined && isSame(known.stats, now)) return false
      drop(child)
      return now !== undefined
    })
  }

  const readAll = async (first: ReadonlyArray<string>) => {
    let left = first
    let since = performance.now()
    isComplete = isComplete || folders.size < limit
    while (left.length > 0) {
      const next: Array<string> = []
      for (const path of left) {
        if (folders.size >= limit && !folders.has(path)) {
          isComplete = false
          continue
        }
        for (const inner of read(path)) next.push(inner)
        if (performance.now() - since < slice) continue
        await turn()
        since = performance.now()
      }
      left = next
    }
  }

  /** Compares every folder that no event speaks for. */
  const compare = (all: boolean) => {
    for (const folder of folders.values()) {
      if (folder.watcher !== undefined && !all) continue
      const now = look(folder.path)
      const isSettled = folder.readAt - folder.stats.ctimeMs > clockTick
      if (now === undefined || !isSame(now, folder.stats) || now.ctimeMs !== folder.stats.ctimeMs || !isSettled) {
        dirty.add(folder.path)
      }
    }
  }

  const refresh = async () => {
    if (folders.size === 0) return readAll([root])
    // A whole round of the event loop: after it every event that the kernel had at the beginning has arrived.
    await turn()
    await turn()
    const overflowed = mayHaveOverflowed(seen)
    seen = events
    compare(overflowed)
    if (!isComplete && folders.size < limit) {
      // There is room again for what was left out.
      for (const folder of folders.values()) dirty.add(folder.path)
    }
    if (dirty.size === 0) return
    const changed = [...dirty].sort((a, b) => a.length - b.length)
    dirty.clear()
    for (const path of changed) {
      // Those that the reading of a folder above has dropped may be reached through a link now.
      if (folders.has(path)) await readAll([path])
    }
  }

  return {
    // Whoever asks while it is being made current cannot know whether it saw what they did before.
    refresh: () => {
      if (running === undefined) {
        return running = refresh().finally(() => {
          running = undefined
        })
      }
      return again ??= running.then(() => {
        again = undefined
        return running = refresh().finally(() => {
          running = undefined
        })
      })
    },
    marked: () => {
      const found = new Map<string, ReadonlySet<string>>()
      for (const { names, path } of folders.values()) if (names.size > 0) found.set(path, names)
      return found
    },
    complete: () => isComplete,
    close: () => {
      drop(root)
      folders.clear()
    }
  }
}
