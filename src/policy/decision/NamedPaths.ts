import { isAbsolute, resolve as absolute } from "node:path"
import type { BoundaryCall } from "./BoundaryCall.ts"
import { type ActionContext, type CallAction, isNamed } from "./CallAction.ts"
import { untilde } from "../rules/Paths.ts"

/** The paths that a call names, as it spells them and as they are on the disk. */

/** A path as an absolute one, without a slash at its end. */
export const expand = (path: string, { cwd, home }: ActionContext): string => absolute(cwd, untilde(path, cwd, home))

/** The path behind a written one: links are followed before a `..` after them is, as the system does it. */
export const behind = (
  path: string,
  { canonical, place: { cwd, home } }: Pick<BoundaryCall, "canonical" | "place">
): string | undefined => {
  const expanded = untilde(path, cwd, home)
  return canonical(isAbsolute(expanded) ? expanded : `${cwd}/${expanded}`)
}

export interface Touched {
  readonly text: string
  readonly path: string
  readonly writes: boolean
}

/** A word that looks like a path has a slash and is no address (docs/policy.md#operator-paths). */
const looksLikePath = /^(?!.*:\/\/)(.*\/|~[\w+-]*$)/s

/** Paths a call names: redirects and file arguments, and a command's words that look like paths. */
export const touched = (parts: ReadonlyArray<CallAction>): ReadonlyArray<Touched> =>
  parts.flatMap((part): ReadonlyArray<Touched> => {
    if (part.kind === "command" && part.contained === true) return []
    if (part.kind === "read" || part.kind === "write") {
      return part.path === null ? [] : [{ text: part.text, path: part.path, writes: part.kind === "write" }]
    }
    if (part.kind !== "command") return []
    const known = part.touches.filter(isNamed).map(({ kind, path }) => ({ text: path, path, writes: kind === "write" }))
    return known.concat(
      part.argv.slice(1).flatMap((word) => {
        const value = word === null ? undefined : word.startsWith("-") ? /^--?[^=]+=(.+)$/.exec(word)?.[1] : word
        if (value === undefined || !looksLikePath.test(value)) return []
        return [{
          text: value,
          path: part.cwd === null || /^[/~]/.test(value) ? value : `${part.cwd}/${value}`,
          writes: false
        }]
      })
    )
  })
