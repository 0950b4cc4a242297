import { existsSync, lstatSync, realpathSync } from "node:fs"
import { homedir } from "node:os"
import { dirname, join, relative, resolve } from "node:path"
import { Effect } from "effect"
import { isInside } from "../../platform/FilePath.ts"
import * as RegularFile from "../../platform/RegularFile.ts"
import { fold } from "./LineEnds.ts"
import * as Chunk from "../../platform/Chunk.ts"

const loadIgnore = Chunk.make(() => import("ignore"))

/** Whether git ignores a path, relative to the searched folder; one of a folder ends in `/`. */
export type IsIgnored = (path: string) => boolean

const maxSize = 1024 * 1024

/** A file that is missing, too large or none to read has no rules. */
const textOf = (path: string, read: (path: string) => Buffer = RegularFile.read): string | undefined => {
  try {
    return lstatSync(path).size > maxSize ? undefined : read(path).toString("utf8").replace(/^\uFEFF/, "")
  } catch {
    return undefined
  }
}

/** Of a project: as for git a link has none, and where a link leads would show in what is found. */
const projectText = (path: string): string | undefined => textOf(path, RegularFile.readInPlace)

/** Where `info/exclude` lies: linked worktrees share that of their repository. */
const commonFolder = (top: string): string => {
  const named = join(top, ".git")
  const link = /^gitdir: (.+)$/m.exec(textOf(named) ?? "")?.[1]
  const folder = link === undefined ? named : resolve(top, link.trim())
  const common = textOf(join(folder, "commondir"))?.trim()
  const found = common === undefined ? folder : resolve(folder, common)
  return existsSync(found) ? realpathSync.native(found) : found
}

/** The user's own rules for all repositories (https://git-scm.com/docs/gitignore). */
const globalRules = (variables: Readonly<Record<string, string | undefined>>): string => {
  const home = variables["HOME"] || homedir()
  const folder = join(variables["XDG_CONFIG_HOME"] || join(home, ".config"), "git")
  const named =
    [join(home, ".gitconfig"), join(folder, "config")].flatMap((file) =>
      /^\s*excludesfile\s*=\s*"?([^"\n]+?)"?\s*$/im.exec(textOf(file) ?? "")?.[1] ?? []
    )[0]
  const path = named === undefined ? join(folder, "ignore") : named.replace(/^~(?=\/)/, home)
  return textOf(resolve(home, path)) ?? ""
}

/** As a pattern, a folder's name means itself. */
const literal = (folder: string): string => folder.replace(/[\\*?[\]]/g, "\\$&")

/** The rules of a folder's file as rules of the top: `folder` is relative to it and ends in `/`, or is empty. */
const prefixed = (text: string, folder: string): ReadonlyArray<string> =>
  fold(text).text.split("\n").flatMap((line) => {
    if (line.trim() === "" || line.startsWith("#")) return []
    if (folder === "") return [line]
    const negative = line.startsWith("!")
    // The first character is not special where it is no longer the first.
    const pattern = (negative ? line.slice(1) : line).replace(/^\\([!#])/, "$1")
    const anchored = /\/(?!\s*$)/.test(pattern)
    return [`${negative ? "!" : ""}/${literal(folder)}${anchored ? pattern.replace(/^\//, "") : `**/${pattern}`}`]
  })

/** The folder whose rules are the outermost: that of the repository, or else the session's. */
const topOf = (folder: string, roots: ReadonlyArray<string>): string => {
  for (let current = folder;; current = dirname(current)) {
    if (existsSync(join(current, ".git"))) return current
    if (current === dirname(current)) break
  }
  return [...roots].filter((root) => isInside(root, folder)).sort((a, b) => a.length - b.length)[0] ?? folder
}

/**
 * What git ignores below a folder: `.gitignore` of each folder from the top of the repository down, `info/exclude`, and
 * the user's own file. Files that git tracks all the same are not known here. `undefined` where the folder is ignored
 * itself: whoever names it means what is in it.
 */
export const load = (
  folder: string,
  roots: ReadonlyArray<string>,
  variables: Readonly<Record<string, string | undefined>>
): Effect.Effect<IsIgnored | undefined> =>
  Effect.map(loadIgnore, ({ default: ignore }) => {
    const top = topOf(folder, roots)
    const rules = ignore({ ignorecase: process.platform === "darwin" || process.platform === "win32" })
    const add = (patterns: ReadonlyArray<string>) => {
      for (const pattern of patterns) {
        try {
          rules.add({ pattern })
        } catch {
          // A rule that cannot be read matches nothing, as in git.
        }
      }
    }
    add(prefixed(globalRules(variables), ""))
    add(prefixed(projectText(join(commonFolder(top), "info/exclude")) ?? "", ""))
    const entered = new Set<string>()
    const enter = (inner: string) => {
      if (entered.has(inner)) return
      entered.add(inner)
      const text = projectText(join(top, inner, ".gitignore"))
      if (text !== undefined) add(prefixed(text, inner))
    }
    /** Upper folders first: later rules win. Nothing in an ignored folder is looked at, not even its rules. */
    const isIgnored = (path: string): boolean => {
      for (let end = 0; end !== -1 && end < path.length; end = path.indexOf("/", end) + 1 || -1) {
        const inner = path.slice(0, end)
        if (inner !== "" && rules.ignores(inner)) return true
        enter(inner)
      }
      return rules.ignores(path)
    }
    const own = relative(top, folder)
    if (own !== "" && isIgnored(`${own}/`)) return undefined
    const start = own === "" ? "" : `${own}/`
    return (path: string) => isIgnored(start + path)
  })
