import { statSync } from "node:fs"
import { homedir } from "node:os"
import { dirname, isAbsolute, join, resolve } from "node:path"
import type { EnvironmentVariables } from "../../platform/Environment.ts"
import { forSystem } from "../../platform/PathBytes.ts"
import * as Disk from "../Disk.ts"
import * as DiskLook from "./DiskLook.ts"

/**
 * What git's configuration can make of one repository, whatever is checked out in it: what stands under a condition
 * counts as if it held, and of several values each one. Git itself is not asked: it knows no repository where `HEAD` is
 * missing, and a command can move that away.
 */
export interface GitConfig {
  /** What `core.hooksPath` may be, with links as they are. */
  readonly hooks: ReadonlyArray<string>
  /** `core.worktree`, as the repository itself has it. */
  readonly worktree?: string
  /** Every file that is or may be part of the configuration. They need not exist. */
  readonly files: ReadonlyArray<string>
}

/** A repository folder, and the folder that relative paths for its hooks start from. */
export interface GitFolders {
  readonly folder: string
  readonly worktree: string
}

type Files = ReadonlyMap<string, ReadonlyArray<Setting>>

/** The user's and the machine's configuration, which counts for every repository. */
export interface CommonConfig {
  /** Another one as soon as something in it is. */
  readonly stamp: string
  readonly files: Files
}

export interface GitConfigReader {
  readonly common: () => CommonConfig
  readonly of: (folders: GitFolders, common: CommonConfig, look?: DiskLook.DiskLook) => GitConfig
}

export const noGit: GitConfigReader = {
  common: () => ({ stamp: "", files: new Map() }),
  of: () => ({ hooks: [], files: [] })
}

interface Setting {
  /** `section.key` in small letters; a subsection is left out. */
  readonly key: string
  readonly value: string
}

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", b: "\b", "\\": "\\", "\"": "\"" }

/** Of a file in git's syntax (https://git-scm.com/docs/git-config#_syntax). A line that git would not take is passed over. */
export const parse = (text: string): ReadonlyArray<Setting> => {
  const source = text.replace(/^\ufeff/, "").replaceAll("\r\n", "\n")
  const settings: Array<Setting> = []
  let section = ""
  let at = 0

  /** From the first character after `=` on, to the end of the line where that is not escaped. */
  const readValue = (): string => {
    let value = ""
    let blanks = ""
    let isQuoted = false
    for (; at < source.length; at++) {
      const character = source[at]!
      if (character === "\n") break
      if (!isQuoted && (character === " " || character === "\t")) {
        if (value !== "") blanks += character
      } else if (!isQuoted && (character === "#" || character === ";")) {
        at = source.indexOf("\n", at)
        if (at === -1) at = source.length
        break
      } else if (character === "\"") {
        isQuoted = !isQuoted
        value += blanks
        blanks = ""
      } else {
        value += blanks
        blanks = ""
        if (character !== "\\") value += character
        else if (source[++at] !== "\n") value += escapes[source[at] ?? ""] ?? ""
      }
    }
    return value
  }

  while (at < source.length) {
    const rest = /[^\s]/g
    rest.lastIndex = at
    const next = rest.exec(source)
    if (next === null) break
    at = next.index
    if (source[at] === "[") {
      const header = /\[([\w.-]+)(?:[ \t]+"(?:[^"\\\n]|\\.)*")?[ \t]*\]/y
      header.lastIndex = at
      const found = header.exec(source)
      if (found !== null) {
        // An old spelling has the subsection after a dot.
        section = found[1]!.split(".")[0]!.toLowerCase()
        at = header.lastIndex
        continue
      }
    } else {
      const name = /([A-Za-z][\w-]*)[ \t]*(=?)/y
      name.lastIndex = at
      const found = name.exec(source)
      if (found !== null) {
        at = name.lastIndex
        const value = found[2] === "=" ? readValue() : ""
        settings.push({ key: `${section}.${found[1]!.toLowerCase()}`, value })
        continue
      }
    }
    const end = source.indexOf("\n", at)
    at = end === -1 ? source.length : end
  }
  return settings
}

/** In bytes. A longer file is none that a person wrote. */
const mostText = 4 * 1024 * 1024
/** How deep files may include each other, as for git. */
const mostIncludes = 10

/** What was read of a file, and what tells that it is another one now. */
interface KnownFile {
  readonly stamp: string
  readonly settings: ReadonlyArray<Setting>
}

const isSmall = (path: string): boolean => {
  try {
    return (statSync(forSystem(path), { throwIfNoEntry: false })?.size ?? 0) <= mostText
  } catch {
    return false
  }
}

/** A program's own prefix, where a git that was built for it keeps the configuration of the machine. */
const prefixOf = (git: string | undefined): string => git === undefined ? "/usr" : dirname(dirname(git))

/**
 * Reads a file once and again when it has changed. `git`: the program, if there is one. Variables of this process that
 * move git's files count besides the usual places.
 */
export const makeReader = (
  git: () => string | undefined,
  home: string = homedir(),
  variables: EnvironmentVariables = {}
): GitConfigReader => {
  const known = new Map<string, KnownFile>()
  const settingsOf = (path: string): KnownFile => {
    const stamp = DiskLook.ofFile(path)
    const before = known.get(path)
    if (before?.stamp === stamp.text) return before
    const settings = stamp.text === "missing" || !isSmall(path) ? [] : parse(Disk.text(path) ?? "")
    const found = { stamp: stamp.text, settings }
    if (DiskLook.isSettled(stamp)) known.set(path, found)
    else known.delete(path)
    return found
  }

  const expand = (path: string, from: string): string => {
    const named = path.replace(/^~(?=\/|$)/, home).replace(/^%\(prefix\)(?=\/)/, prefixOf(git()))
    return isAbsolute(named) ? named : resolve(from, named)
  }

  /** Every file from these on, and what they say. */
  const all = (first: ReadonlyArray<string>, seen: (path: string, stamp: string) => void): Files => {
    const found = new Map<string, ReadonlyArray<Setting>>()
    let left = first
    for (let depth = 0; depth <= mostIncludes && left.length > 0; depth++) {
      const included: Array<string> = []
      for (const path of left) {
        if (found.has(path)) continue
        const { settings, stamp } = settingsOf(path)
        seen(path, stamp)
        found.set(path, settings)
        for (const { key, value } of settings) {
          if ((key === "include.path" || key === "includeif.path") && value !== "") {
            included.push(expand(value, dirname(Disk.real(path) ?? path)), expand(value, dirname(path)))
          }
        }
      }
      left = [...new Set(included)]
    }
    return found
  }

  const configHome = variables["XDG_CONFIG_HOME"] ?? join(home, ".config")
  const commonFiles = () => {
    const prefix = prefixOf(git())
    return [
      "/etc/gitconfig",
      ...prefix === "/usr" ? [] : [join(prefix, "etc", "gitconfig")],
      join(home, ".gitconfig"),
      join(configHome, "git", "config"),
      ...[variables["GIT_CONFIG_GLOBAL"], variables["GIT_CONFIG_SYSTEM"]].filter((path) => path !== undefined)
    ]
  }

  return {
    common: () => {
      const stamps: Array<string> = []
      const files = all(commonFiles(), (_, stamp) => stamps.push(stamp))
      return { files, stamp: stamps.join("\n") }
    },
    of: ({ folder, worktree }, common, look = DiskLook.passing) => {
      const shared = look.text(join(folder, "commondir"))?.trim()
      const repository = shared === undefined ? folder : resolve(folder, shared)
      const own = all(
        [...new Set([join(repository, "config"), join(folder, "config"), join(folder, "config.worktree")])],
        look.file
      )
      const every = new Map([...common.files, ...own])
      const hooks = new Set<string>()
      for (const { key, value } of Array.from(every.values()).flat()) {
        if (key === "core.hookspath" && value !== "") hooks.add(expand(value, worktree))
      }
      const tree = Array.from(own.values()).flat().findLast(({ key }) => key === "core.worktree")?.value
      return {
        hooks: [...hooks],
        files: [...every.keys()],
        ...(tree === undefined || tree === "" ? {} : { worktree: expand(tree, folder) })
      }
    }
  }
}
