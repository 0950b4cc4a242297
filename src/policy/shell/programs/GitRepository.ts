import { lstatSync, readdirSync, realpathSync, statSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import * as RegularFile from "../../../platform/RegularFile.ts"

/**
 * Sections that bring in drivers or further files, and settings whose value is a program that no other setting can
 * switch off.
 */
const programs = /\[\s*(filter|include|includeif)\b|(^|[\s\]])(textconv|command|external|driver)\s*=/im

/** The mode of an entry that is a repository of its own, as the index has it. */
const gitlink = Buffer.from([0, 0, 0xe0, 0])

const textOf = (file: string): string => RegularFile.read(file).toString("utf8")

/** Also a link that leads nowhere is there. */
const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined

/** Where a `.git` that is a file points to. */
const linked = (file: string): string => {
  const found = /^gitdir: (.+)\n$/.exec(textOf(file))
  if (found === null) throw new Error(`${file} cannot be read`)
  return resolve(dirname(file), found[1]!)
}

const isPlain = (data: string): boolean => {
  const common = join(data, "commondir")
  const shared = isThere(common) ? resolve(data, textOf(common).replace(/[\r\n]+$/, "")) : data
  // A worktree has a common folder, and that one has none.
  if (shared !== data && isThere(join(shared, "commondir"))) return false
  const settings = [join(shared, "config"), join(data, "config.worktree"), join(shared, "config.worktree")]
  if (settings.some((file) => isThere(file) && programs.test(textOf(file)))) return false
  const indexes = readdirSync(data).filter((name) => /^(shared)?index/.test(name))
  return !indexes.some((name) => RegularFile.read(join(data, name)).includes(gitlink))
}

/** It is shaped like what lies in `.git`, or would be once a file or two appear. */
const looksBare = (folder: string): boolean =>
  isThere(join(folder, "HEAD")) || isThere(join(folder, "commondir")) ||
  (isThere(join(folder, "objects")) && isThere(join(folder, "refs")))

/** Git skips what it takes for no repository, so all of them up to the top count. Bare ones are not looked into. */
const isPlainFrom = (folder: string): boolean => {
  const inner = join(folder, ".git")
  if (isThere(inner) && !isPlain(statSync(inner).isDirectory() ? inner : linked(inner))) return false
  if (looksBare(folder)) return false
  return dirname(folder) === folder || isPlainFrom(dirname(folder))
}

/**
 * Whether reading the repository around `folder` runs none of its own programs, given the environment of commands that
 * only read. Filters, text conversions and diff drivers have names of their own, so nothing from outside can override
 * them all; repositories inside it would bring theirs.
 */
export const isPlainRepository = (folder: string): boolean => {
  try {
    return isPlainFrom(realpathSync(folder))
  } catch {
    return false
  }
}
