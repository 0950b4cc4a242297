import type { Dirent } from "node:fs"
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { Context, Effect } from "effect"
import type { ActionContext } from "../decision/CallAction.ts"
import type { PathPattern } from "./pattern/PathPattern.ts"
import type { RuleEntry } from "./RuleSet.ts"
import type { PatternAtom } from "./pattern/Glob.ts"

/** The files that deny rules about paths match on this disk now: a command's words do not tell what it opens. */
export interface DeniedPaths {
  /** Neither read nor written. */
  readonly hidden: ReadonlyArray<string>
  /** Not written. */
  readonly kept: ReadonlyArray<string>
  /** The rule that names each of them. */
  readonly rules: ReadonlyMap<string, string>
  /** False where the search was cut off at its limit, or a folder could not be read. */
  readonly complete: boolean
}

/** The most folder entries to look at for one call: about two seconds. */
export const Limit: Context.Reference<number> = Context.Reference("postern/policy/rules/DeniedPaths/Limit", {
  defaultValue: () => 200_000
})

/** File systems of the kernel: new in each sandbox, and endless to walk. */
const kernels: ReadonlySet<string> = new Set(["/proc", "/sys", "/dev"])

const basesOf = ({ base }: PathPattern, { cwd, home, roots }: ActionContext): ReadonlyArray<string> =>
  ({ root: ["/"], home: [home], workspace: roots.includes(cwd) ? roots : [cwd, ...roots] })[base]

type Atoms = ReadonlyArray<PatternAtom<string>>

/** The pattern matches the folder itself and everything below. */
const isWhole = (atoms: Atoms) => atoms.every((atom) => atom === "many")

/** The rest of a pattern below an entry of this name; `undefined` where the entry does not match. */
const after = (atoms: Atoms, name: string): ReadonlyArray<Atoms> => {
  const [first, ...rest] = atoms
  if (first === undefined) return []
  if (first === "many") return [atoms, ...after(rest, name)]
  return first(name) ? [rest] : []
}

interface Look {
  readonly folder: string
  readonly left: ReadonlyArray<Atoms>
  readonly into: Map<string, string>
  readonly rule: string
}

/** Fails where the folder cannot be read: a command of the same user may be able to make it readable. */
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

/** Links are followed only where the pattern names them, which shortens it: they cannot form a loop. */
const intoEntry = (entry: Dirent, left: ReadonlyArray<Atoms>, below: ReadonlyArray<Atoms>): ReadonlyArray<Atoms> => {
  if (entry.isDirectory()) return below.some(([first]) => first !== "many" || entry.name !== ".git") ? below : []
  return entry.isSymbolicLink() ? below.filter((atoms) => !left.includes(atoms)) : []
}

/** Searches breadth first, so that entries near the top are found first. */
const find = (looks: Array<Look>, limit: number) =>
  Effect.promise(async (abort) => {
    let visited = 0
    for (const { folder, into, left, rule } of looks) {
      const entries = left.some(isWhole) ? "closed" : await entriesOf(folder)
      if (entries === "closed") {
        into.set(folder, rule)
        continue
      }
      for (const entry of entries) {
        if (abort.aborted || ++visited > limit) return false
        const path = join(folder, entry.name)
        const below = left.flatMap((atoms) => after(atoms, entry.name))
        if (below.some(isWhole)) into.set(path, rule)
        else if (!kernels.has(path)) {
          const inner = intoEntry(entry, left, below)
          if (inner.length > 0) looks.push({ folder: path, left: inner, into, rule })
        }
      }
    }
    return true
  }).pipe(Effect.catchDefect(() => Effect.succeed(false)))

const none: DeniedPaths = { hidden: [], kept: [], rules: new Map(), complete: true }

/** Free of cost without such rules. */
export const of = Effect.fnUntraced(function*(entries: ReadonlyArray<RuleEntry>, place: ActionContext) {
  const hidden = new Map<string, string>()
  const kept = new Map<string, string>()
  const looks = entries.flatMap(({ list, rule: { specifier, text, tool } }): ReadonlyArray<Look> => {
    if (list !== "deny" || specifier?._tag !== "Path" || tool._tag !== "Family") return []
    const into = tool.name === "read" ? hidden : kept
    return basesOf(specifier.pattern, place).map((folder) => ({
      folder,
      left: specifier.pattern.alternatives,
      into,
      rule: text
    }))
  })
  if (looks.length === 0) return none
  const complete = yield* find(looks, yield* Limit)
  const rules = new Map([...kept, ...hidden])
  return { hidden: [...hidden.keys()], kept: [...kept.keys()], rules, complete } satisfies DeniedPaths
})
