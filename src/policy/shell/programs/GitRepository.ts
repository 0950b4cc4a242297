import { existsSync, readdirSync, realpathSync, statSync } from "node:fs"
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

/** Where a `.git` that is a file points to. */
const linked = (file: string): string => {
  const found = /^gitdir: (.+)\n$/.exec(textOf(file))
  if (found === null) throw new Error(`${file} cannot be read`)
  return resolve(dirname(file), found[1]!)
}

const isPlain = (data: string): boolean => {
  const common = join(data, "commondir")
  const shared = existsSync(common) ? resolve(data, textOf(common).trim()) : data
  const settings = [join(shared, "config"), join(data, "config.worktree")].filter((file) => existsSync(file))
  if (settings.some((file) => programs.test(textOf(file)))) return false
  const indexes = readdirSync(data).filter((name) => /^(shared)?index/.test(name))
  return !indexes.some((name) => RegularFile.read(join(data, name)).includes(gitlink))
}

/** Git skips what it takes for no repository, so all of them up to the top count. Bare ones are not looked into. */
const isPlainFrom = (folder: string): boolean => {
  const inner = join(folder, ".git")
  if (existsSync(inner) && !isPlain(statSync(inner).isDirectory() ? inner : linked(inner))) return false
  if (existsSync(join(folder, "objects")) && existsSync(join(folder, "refs"))) return false
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
