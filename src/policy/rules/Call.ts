import {
  type ActionContext,
  type CallAction,
  type CommandAction,
  type FileOperand,
  isNamed
} from "../decision/CallAction.ts"
import type { RuleFacts } from "../decision/RuleFacts.ts"
import { named, type NamedPath } from "./Paths.ts"
import { type Family, familyOf, type KnownTools } from "./Rule.ts"
import { namedWords } from "../shell/programs/NamedWords.ts"
import * as Views from "./Views.ts"

/** Everything rules look at was looked up before: matching touches no file. */
export interface Facts extends RuleFacts {
  /** Where a bare program name leads on the path that commands run with. */
  readonly which?: (program: string) => string | undefined
}

/** One call with what several rules need of it, worked out once. */
export interface Call {
  readonly tool: string
  readonly facts: Facts
  readonly place: ActionContext
  readonly family: Family | undefined
  readonly parts: ReadonlyArray<CallAction>
  /** For deny and ask only. */
  readonly inner: ReadonlyArray<CallAction>
  readonly views: (part: CommandAction) => Views.Views
  /** What a command's arguments name, for deny and ask. */
  readonly touched: (part: CommandAction) => {
    readonly reads: ReadonlyArray<NamedPath>
    readonly writes: ReadonlyArray<NamedPath>
    readonly urls: ReadonlyArray<string>
  }
  /** What else it comes to: patterns of the shell, and what lies below folders. */
  readonly reached: (part: CommandAction) => ReadonlyArray<Reached>
  /** Where a written path is when the current folder is `cwd`. */
  readonly locate: (word: string, cwd: string) => NamedPath
}

export interface Reached extends Omit<FileOperand, "path"> {
  readonly written: string
  readonly canonical: string | undefined
}

const memo = <K extends object, V>(make: (key: K) => V): (key: K) => V => {
  const known = new Map<K, V>()
  return (key) => {
    const found = known.get(key)
    if (found !== undefined) return found
    const value = make(key)
    known.set(key, value)
    return value
  }
}

export const make = (tool: string, parts: ReadonlyArray<CallAction>, facts: Facts, tools: KnownTools): Call => {
  const { canonical, place } = facts
  const locate: Call["locate"] = (word, cwd) => named(word, cwd, place.home, canonical)
  const views = memo(Views.of)
  const touched = memo((part: CommandAction) => {
    const { reads, urls } = namedWords(part, views(part).program)
    if (part.contained === true) return { reads: [], writes: [], urls }
    const sure = (kind: "read" | "write") =>
      part.touches.filter((touch) => touch.kind === kind && isNamed(touch)).map(({ path }) => locate(path, place.cwd))
    // Where the folder is not known, the first one is the best guess there is.
    const guessed = reads.map((word) => locate(word, part.cwd ?? place.cwd))
    return { reads: [...sure("read"), ...guessed], writes: sure("write"), urls }
  })
  const reached = memo((part: CommandAction) =>
    part.touches.flatMap((touch): ReadonlyArray<Reached> => {
      if (isNamed(touch)) return []
      // A pattern has no place of its own that a link could lead to.
      return [{ ...touch, written: touch.path, canonical: touch.glob ? undefined : canonical(touch.path) }]
    })
  )
  return {
    tool,
    facts,
    place,
    family: familyOf(tool, tools),
    parts,
    inner: facts.inner ?? [],
    views,
    touched,
    reached,
    locate
  }
}
