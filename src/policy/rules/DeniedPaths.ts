import { type Dirent } from "node:fs"
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { Effect } from "effect"
import type { Place } from "../Part.ts"
import type { PathPattern } from "./Paths.ts"
import type { Entry } from "./RuleSet.ts"
import type { Atom } from "./Wildcard.ts"

/** What deny rules about paths mean on this disk now: the words of a command cannot tell what it opens (policy §2.5). */
export interface DeniedPaths {
  /** Not to be read, nor written to. */
  readonly hidden: ReadonlyArray<string>
  /** Not to be written to. */
  readonly kept: ReadonlyArray<string>
  /** False where there was more to look at than a call can wait for. */
  readonly complete: boolean
}

/** Folder entries looked at for one call. */
const maxVisited = 50_000

const basesOf = ({ base }: PathPattern, { cwd, home, roots }: Place): ReadonlyArray<string> =>
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

const entriesOf = (folder: string): Promise<ReadonlyArray<Dirent>> => readdir(folder, { withFileTypes: true }).catch(() => [])

/** Breadth first, so that what lies near the top is found also where there is too much. Links are not followed. */
const find = (looks: Array<Look>) =>
  Effect.promise(async (abort) => {
    let visited = 0
    for (let next = looks.shift(); next !== undefined; next = looks.shift()) {
      const { folder, into, left } = next
      if (left.some(isWhole)) {
        into.add(folder)
        continue
      }
      for (const entry of await entriesOf(folder)) {
        if (abort.aborted || ++visited > maxVisited) return false
        const path = join(folder, entry.name)
        const below = left.flatMap((atoms) => after(atoms, entry.name))
        if (below.some(isWhole)) into.add(path)
        else if (entry.isDirectory() && below.some(([first]) => first !== "many" || entry.name !== ".git")) looks.push({ folder: path, left: below, into })
      }
    }
    return true
  })

const none: DeniedPaths = { hidden: [], kept: [], complete: true }

/** Costs nothing without such rules. */
export const of = Effect.fnUntraced(function*(entries: ReadonlyArray<Entry>, place: Place) {
  const hidden = new Set<string>()
  const kept = new Set<string>()
  const looks = entries.flatMap(({ list, rule: { specifier, tool } }): ReadonlyArray<Look> => {
    if (list !== "deny" || specifier?._tag !== "Path" || tool._tag !== "Family") return []
    const into = tool.name === "read" ? hidden : kept
    return basesOf(specifier.pattern, place).map((folder) => ({ folder, left: specifier.pattern.alternatives, into }))
  })
  if (looks.length === 0) return none
  const complete = yield* find(looks)
  return { hidden: [...hidden], kept: [...kept], complete } satisfies DeniedPaths
})
