import {
  type ActionContext,
  type CallAction,
  type CommandAction,
  type FileOperand,
  isNamed
} from "../../decision/CallAction.ts"
import type { RuleFacts } from "../../decision/RuleFacts.ts"
import { named, type NamedPath } from "../pattern/PathPattern.ts"
import { familyOf, type KnownTools, type ToolFamily } from "../Rule.ts"
import { namedWords } from "../../shell/programs/NamedWords.ts"
import * as Views from "./Views.ts"

/** The facts that rules look at: matching touches no file. */
export interface MatchFacts extends RuleFacts {
  /** The path of a bare program name, on the PATH of commands. */
  readonly which?: (program: string) => string | undefined
}

/** A call with what several rules need, computed once. */
export interface RuleCall {
  readonly tool: string
  readonly facts: MatchFacts
  readonly place: ActionContext
  readonly family: ToolFamily | undefined
  readonly parts: ReadonlyArray<CallAction>
  /** Actions for deny and ask rules only. */
  readonly inner: ReadonlyArray<CallAction>
  readonly views: (part: CommandAction) => Views.Views
  /** Paths in a command's arguments, for deny and ask. */
  readonly touched: (part: CommandAction) => {
    readonly reads: ReadonlyArray<NamedPath>
    readonly writes: ReadonlyArray<NamedPath>
    readonly urls: ReadonlyArray<string>
  }
  /** Shell patterns and folders whose files the call reaches. */
  readonly reached: (part: CommandAction) => ReadonlyArray<ReachedPath>
  /** Resolves a written path against `cwd`. */
  readonly locate: (word: string, cwd: string) => NamedPath
}

export interface ReachedPath extends Omit<FileOperand, "path"> {
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

export const make = (
  tool: string,
  parts: ReadonlyArray<CallAction>,
  facts: MatchFacts,
  tools: KnownTools
): RuleCall => {
  const { canonical, place } = facts
  const locate: RuleCall["locate"] = (word, cwd) => named(word, cwd, place.home, canonical)
  const views = memo(Views.of)
  const touched = memo((part: CommandAction) => {
    const { reads, urls } = namedWords(part, views(part).program)
    if (part.contained === true) return { reads: [], writes: [], urls }
    const sure = (kind: "read" | "write") =>
      part.touches.filter((touch) => touch.kind === kind && isNamed(touch)).map(({ path }) => locate(path, place.cwd))
    // Where the folder is unknown, the session's folder is assumed.
    const guessed = reads.map((word) => locate(word, part.cwd ?? place.cwd))
    return { reads: [...sure("read"), ...guessed], writes: sure("write"), urls }
  })
  const reached = memo((part: CommandAction) =>
    part.touches.flatMap((touch): ReadonlyArray<ReachedPath> => {
      if (isNamed(touch)) return []
      // A pattern is not resolved through links.
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
