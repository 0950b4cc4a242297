import { lstatSync, type Stats, statSync } from "node:fs"
import { dirname } from "node:path"
import { forSystem } from "../../platform/PathBytes.ts"
import * as Disk from "../Disk.ts"

/**
 * Questions about the disk whose answers can be kept: it remembers on which folders and files they depend. What an entry
 * of a folder is cannot change without the folder's own time of change, which no program can set back.
 */
export interface DiskLook {
  readonly kind: typeof Disk.kind
  readonly names: typeof Disk.names
  readonly text: typeof Disk.text
  readonly real: typeof Disk.real
  readonly target: typeof Disk.target
  /** Of a file that is read elsewhere, links followed. */
  readonly file: (path: string) => void
  /** Whether every answer would be the same now. */
  readonly isCurrent: () => boolean
}

/** Two changes within one tick of a file system's clock look like one. In milliseconds. */
const tick = 50

const stampOf = ({ ctimeMs, dev, ino, mtimeMs, size }: Stats): string => `${dev}:${ino}:${size}:${mtimeMs}:${ctimeMs}`

interface Stamp {
  readonly text: string
  readonly changedAt: number
}

const gone: Stamp = { text: "missing", changedAt: 0 }

/** A folder without its size and times of entries' content: only that entries came or went counts. */
export const ofFolder = (path: string): Stamp => {
  try {
    const found = lstatSync(forSystem(path), { throwIfNoEntry: false })
    return found === undefined ? gone : { text: stampOf(found), changedAt: found.ctimeMs }
  } catch {
    return { text: "closed", changedAt: 0 }
  }
}

export const ofFile = (path: string): Stamp => {
  try {
    const found = statSync(forSystem(path), { throwIfNoEntry: false })
    return found === undefined ? gone : { text: stampOf(found), changedAt: found.ctimeMs }
  } catch {
    return { text: "closed", changedAt: 0 }
  }
}

/** Whether a later change will show in the stamp. */
export const isSettled = ({ changedAt }: Stamp, now = Date.now()): boolean => now - changedAt > tick

export const make = (): DiskLook => {
  const folders = new Map<string, string>()
  const files = new Map<string, string>()
  let isKept = true
  const note = (into: Map<string, string>, path: string, stamp: (path: string) => Stamp) => {
    if (into.has(path)) return
    const found = stamp(path)
    into.set(path, found.text)
    isKept = isKept && isSettled(found)
  }
  const folder = (path: string) => note(folders, path, ofFolder)
  const file = (path: string) => note(files, path, ofFile)
  return {
    kind: (path) => {
      folder(dirname(path))
      const found = Disk.kind(path)
      // Rights of folders further up decide.
      if (found === "closed") isKept = false
      return found
    },
    names: (path) => {
      folder(path)
      return Disk.names(path)
    },
    text: (path) => {
      file(path)
      return Disk.text(path)
    },
    file,
    // Where links lead depends on every folder on the way.
    real: (path) => {
      isKept = false
      return Disk.real(path)
    },
    target: (path) => {
      isKept = false
      return Disk.target(path)
    },
    isCurrent: () => {
      if (!isKept) return false
      for (const [path, stamp] of folders) if (ofFolder(path).text !== stamp) return false
      for (const [path, stamp] of files) if (ofFile(path).text !== stamp) return false
      return true
    }
  }
}

/** Looks each time and keeps nothing. */
export const passing: DiskLook = {
  kind: Disk.kind,
  names: Disk.names,
  text: Disk.text,
  real: Disk.real,
  target: Disk.target,
  file: () => undefined,
  isCurrent: () => false
}
