import type { ActionContext, RiskFinding } from "../decision/CallAction.ts"
import type { ShellAnalysis } from "../decision/ShellAnalysis.ts"
import type { Command } from "./Command.ts"
import { isInside, resolve } from "./Paths.ts"
import { environmentNames } from "./programs/Environment.ts"
import { readsItself } from "./programs/ReadingWrappers.ts"
import { isReadOnly } from "./programs/ReadOnly.ts"
import { isTest, runsTest } from "./programs/Tests.ts"
import type { Walk } from "./Walk.ts"

/** Which capability a command line needs (policy §4). In doubt it is `shell_rw`. */
export const capabilityOf = (
  walk: Walk,
  shapes: ReadonlyArray<RiskFinding>,
  opaque: boolean,
  place: ActionContext
): ShellAnalysis["capability"] => {
  if (walk.empty) return "none"
  if (opaque || shapes.length > 0 || walk.background || walk.functions.size > 0) return "shell_rw"
  let tests = false
  for (const command of walk.commands) {
    if (!isPlain(command, place) || leaves(command, place)) return "shell_rw"
    if (isHarmless(command, walk, place)) continue
    if (!countsAsTest(command, place) && !runsTest(command, walk.commands)) return "shell_rw"
    tests = true
  }
  return tests ? "shell_test" : "shell_ro"
}

/** Known to build or test, or said so by the user. */
const countsAsTest = (command: Command, place: ActionContext): boolean => {
  const { args, name } = command.fields
  return isTest(command) || place.isTest?.([name?.value ?? null, ...args.map(({ value }) => value)]) === true
}

const discards = new Set(["/dev/null", "/dev/stdout", "/dev/stderr"])

const harmlessVariables =
  /^(NODE_ENV|CI|FORCE_COLOR|NO_COLOR|DEBUG|TZ|LANG|LC_\w+|RUST_LOG|RUST_BACKTRACE|IFS|[a-z_][a-z0-9_]*)$/
const loaderVariables = /^(LD|DYLD|GIT|BASH|NODE|PYTHON|PERL|RUBY|JAVA|RIPGREP|npm)_/

/** It writes no file, sets nothing that later programs act on, and runs here. */
const isPlain = (command: Command, place: ActionContext): boolean => {
  const { assignments, name, where, writes } = command.fields
  if (where !== "here" || !writes.every((arg) => arg.value !== null && discards.has(arg.value))) return false
  return assignments.every(
    (each) =>
      harmlessVariables.test(each.name) ||
      (!environmentNames.has(each.name) && !loaderVariables.test(each.name) &&
        (name === undefined || countsAsTest(command, place)))
  )
}

const leaves = (command: Command, place: ActionContext): boolean => {
  if (!/^(cd|pushd|popd|chdir)$/.test(command.program)) return false
  const target = command.line.operands[0]
  if (command.program === "popd" || target === undefined || target.value === null || target.guess === "-") return true
  return !isInside(resolve(target.guess, command.fields.cwd), place)
}

const isHarmless = (command: Command, walk: Walk, place: ActionContext): boolean => {
  if (command.fields.name === undefined) return true
  if (isPathQualified(command)) return false
  // A wrapper is as harmless as what it runs, which stands behind it in the list.
  return isReadOnly(command, place) || readsItself(command, walk.commands)
}

/** A path may name anything, also a file that only looks like a well-known program. */
const isPathQualified = (command: Command): boolean => command.fields.name?.guess.includes("/") === true
