import type { Dirent } from "node:fs"
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { Context, Effect } from "effect"
import type { ActionContext } from "../decision/CallAction.ts"
import type { PathPattern } from "./Paths.ts"
import type { Entry } from "./RuleSet.ts"
import type { Atom } from "./Wildcard.ts"

/**
 * What deny rules about paths mean on this disk now: the words of a command do not tell what it opens
 * (docs/policy.md#paths-in-rules).
 */
export interface DeniedPaths {
  /** Not to be read, nor written to. */
  readonly hidden: ReadonlyArray<string>
  /** Not to be written to. */
  readonly kept: ReadonlyArray<string>
  /** False where there was more to look at than a call can wait for, or it could not be looked at. */
  readonly complete: boolean
}

/** Folder entries looked at for one call: about two seconds. */
export const Limit: Context.Reference<number> = Context.Reference("postern/policy/rules/DeniedPaths/Limit", {
  defaultValue: () => 200_000
})

/** The kernel's own, new in each sandbox; without end where it is walked. */
const kernels: ReadonlySet<string> = new Set(["/proc", "/sys", "/dev"])

const basesOf = ({ base }: PathPattern, { cwd, home, roots }: ActionContext): ReadonlyArray<string> =>
  ({ root: ["/"], home: [home], workspace: roots.includes(cwd) ? roots : [cwd, ...roots] })[base]

type Atoms = ReadonlyArray<Atom<string>>

/** Everything below matches, and the place itself. */
const isWhole = (atoms: Atoms) => atoms.every((atom) => atom === "many")

/** What is left of a pattern below an entry of this name: nothing where it does not match. */
const after = (atoms: Atoms, name: string): ReadonlyArray<Atoms> => {
  const [first, ...rest] = atoms
  if (first === undefined) return []
  if (first === "many") return [atoms, ...after(rest, name)]
  return first(name) ? [rest] : []
}

interface Look {
  readonly folder: string
  readonly left: ReadonlyArray<Atoms>
  readonly into: Set<string>
}

/** Fails where there is no answer. A folder that is closed now can be opened again by a command of the same user. */
const entriesOf = async (folder: string): Promise<ReadonlyArray<Dirent> | "closed"> => {
  try {
    return await readdir(folder, { withFileTypes: true })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === "EACCES" || code === "EPERM") return "closed"
    if (code === "ENOENT" || code === "ENOTDIR") return []
    throw error
  }
}

/** Links are followed only where the pattern names them, which makes it shorter: they cannot lead in circles. */
const intoEntry = (entry: Dirent, left: ReadonlyArray<Atoms>, below: ReadonlyArray<Atoms>): ReadonlyArray<Atoms> => {
  if (entry.isDirectory()) return below.some(([first]) => first !== "many" || entry.name !== ".git") ? below : []
  return entry.isSymbolicLink() ? below.filter((atoms) => !left.includes(atoms)) : []
}

/** Breadth first, so that what lies near the top is found soon. */
const find = (looks: Array<Look>, limit: number) =>
  Effect.promise(async (abort) => {
    let visited = 0
    for (const { folder, into, left } of looks) {
      const entries = left.some(isWhole) ? "closed" : await entriesOf(folder)
      if (entries === "closed") {
        into.add(folder)
        continue
      }
      for (const entry of entries) {
        if (abort.aborted || ++visited > limit) return false
        const path = join(folder, entry.name)
        const below = left.flatMap((atoms) => after(atoms, entry.name))
        if (below.some(isWhole)) into.add(path)
        else if (!kernels.has(path)) {
          const inner = intoEntry(entry, left, below)
          if (inner.length > 0) looks.push({ folder: path, left: inner, into })
        }
      }
    }
    return true
  }).pipe(Effect.catchDefect(() => Effect.succeed(false)))

const none: DeniedPaths = { hidden: [], kept: [], complete: true }

/** Costs nothing without such rules. */
export const of = Effect.fnUntraced(function*(entries: ReadonlyArray<Entry>, place: ActionContext) {
  const hidden = new Set<string>()
  const kept = new Set<string>()
  const looks = entries.flatMap(({ list, rule: { specifier, tool } }): ReadonlyArray<Look> => {
    if (list !== "deny" || specifier?._tag !== "Path" || tool._tag !== "Family") return []
    const into = tool.name === "read" ? hidden : kept
    return basesOf(specifier.pattern, place).map((folder) => ({ folder, left: specifier.pattern.alternatives, into }))
  })
  if (looks.length === 0) return none
  const complete = yield* find(looks, yield* Limit)
  return { hidden: [...hidden], kept: [...kept], complete } satisfies DeniedPaths
})
