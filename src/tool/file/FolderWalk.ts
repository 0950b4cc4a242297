import { Effect, Glob } from "effect"
import { readdir } from "node:fs/promises"
import { resolve } from "node:path"
import * as Files from "../../workspace/Files.ts"
import type { IsIgnored } from "./IgnoreRules.ts"
import type { MayRead } from "./ReadFilter.ts"

/** Folders no search looks into, but the second where what is ignored is asked for. */
export const skipped = (ignored: boolean): ReadonlyArray<string> => ignored ? [".git"] : [".git", "node_modules"]

/** Entries looked at before a walk gives up on completeness. */
const maxVisited = 300_000

interface WalkResult {
  /** Relative to the folder, with `/`; a folder ends in `/`. Sorted. */
  readonly paths: ReadonlyArray<string>
  /** False when a limit ended the walk early. */
  readonly complete: boolean
  /** How many matched and were refused. */
  readonly leftOut: number
}

/** A pattern without a slash is meant for names at any depth. */
export const anywhere = (pattern: string): string => pattern.includes("/") ? pattern : `**/${pattern}`

/** File names have brackets too: one that is spelled like the pattern matches as well. */
export const literalBrackets = (pattern: string): string | undefined =>
  /(?<!\\)\[/.test(pattern) ? pattern.replace(/(?<!\\)[[\]]/g, "\\$&") : undefined

export interface NamePattern {
  readonly matches: (path: string) => boolean
  readonly wantsFolders: boolean
}

export const compile = (pattern: string): NamePattern => {
  const globs = [pattern, literalBrackets(pattern)].flatMap((one) =>
    one === undefined ? [] : [Glob.make(one, { dot: true })]
  )
  return { matches: (path) => globs.some((glob) => Glob.match(glob, path)), wantsFolders: pattern.endsWith("/") }
}

interface WalkFilter {
  readonly mayRead?: MayRead | undefined
  readonly isIgnored?: IsIgnored | undefined
  readonly skipped: ReadonlyArray<string>
}

/** What matches below `folder`. Symbolic links are neither followed nor listed; unreadable folders are passed over. */
export const walk = (
  folder: string,
  pattern: NamePattern,
  limit: number,
  { isIgnored = () => false, mayRead = () => true, skipped }: WalkFilter
): Effect.Effect<WalkResult> =>
  Effect.promise(async (abort) => {
    const paths: Array<string> = []
    let visited = 0
    let leftOut = 0
    const enter = async (relative: string): Promise<boolean> => {
      const entries = await list(resolve(folder, relative)).catch(() => [])
      entries.sort((a, b) => a.name < b.name ? -1 : 1)
      for (const entry of entries) {
        if (abort.aborted || ++visited > maxVisited) return false
        const isFolder = entry.isDirectory()
        if (!isFolder && !entry.isFile()) continue
        const path = `${relative}${entry.name}${isFolder ? "/" : ""}`
        if (isFolder && skipped.includes(entry.name) || isIgnored(path)) continue
        if (isFolder === pattern.wantsFolders && pattern.matches(path)) {
          if (!mayRead(resolve(folder, path))) leftOut++
          else if (paths.length >= limit) return false
          else paths.push(path)
        }
        if (isFolder && !(await enter(path))) return false
      }
      return true
    }
    const complete = await enter("")
    return { paths: paths.sort(), complete, leftOut }
  })

const list = (folder: string) => Files.inside(folder, (base) => readdir(base, { withFileTypes: true }))
