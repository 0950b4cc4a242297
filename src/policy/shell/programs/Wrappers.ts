import { unfolded } from "./Rows.ts"
import { transparent, visible } from "./WrapperRows.ts"

/**
 * Programs that run another program. `visible` ones are wrappers to the rule language (policy §2.2); the rest are
 * looked through for dangerous shapes only, because a rule such as `shell(npx vitest *)` names them on purpose.
 */
export interface Wrapper {
  readonly program: string
  /** Subcommands that have to come first; `*` is any word. */
  readonly verbs: ReadonlyArray<string>
  /** Operands before the inner command, as the duration of `timeout`. */
  readonly skip: number
  /** Options that take a value. */
  readonly valued: ReadonlySet<string>
  /** Options that take two. */
  readonly pairs: ReadonlySet<string>
  /** The inner words form a shell script instead of a command. */
  readonly script: boolean
  /** The inner command starts only after `--`. */
  readonly dashes: boolean
  readonly where: "here" | "remote" | "contained"
  readonly visible: boolean
}

const toWrapper = (row: string, isVisible: boolean): Wrapper => {
  const words = row.split(/\s+/)
  const names: Array<string> = []
  const valued = new Set<string>()
  const pairs = new Set<string>()
  let skip = 0
  const marks = new Set<string>()
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!
    if (word === "skip") skip = Number(words[++at])
    else if (
      word === "script" || word === "dashes" || word === "remote" || word === "contained" || word === "valued" ||
      word === "pairs" ||
      word === "debugger"
    ) {
      marks.add(word)
    } else if (marks.has("pairs")) pairs.add(word)
    else if (marks.has("valued")) valued.add(word)
    else names.push(word)
  }
  return {
    program: names[0]!,
    verbs: names.slice(1),
    skip,
    valued,
    pairs,
    script: marks.has("script"),
    dashes: marks.has("dashes") || marks.has("debugger"),
    where: marks.has("remote") ? "remote" : marks.has("contained") ? "contained" : "here",
    visible: isVisible
  }
}

const all = [
  ...unfolded(visible).map((row) => toWrapper(row, true)),
  ...unfolded(transparent).map((row) => toWrapper(row, false))
]

const byProgram = new Map<string, Array<Wrapper>>()
for (const wrapper of all) byProgram.set(wrapper.program, [...(byProgram.get(wrapper.program) ?? []), wrapper])

const sameAs: Readonly<Record<string, string>> = { nerdctl: "docker", oc: "kubectl", k: "kubectl", micromamba: "mamba" }

export const wrappersOf = (program: string): ReadonlyArray<Wrapper> => byProgram.get(sameAs[program] ?? program) ?? []

/** Wrappers that an allow rule looks through (policy §2.2): they change nothing about what is run. */
export const harmlessWrappers: ReadonlySet<string> = new Set(["time", "timeout", "nice", "nohup", "command"])
