import type { ActionContext, RiskFinding } from "../../decision/CallAction.ts"
import type { Command } from "../Command.ts"
import { languages, shells } from "../programs/Languages.ts"
import { wrappersOf } from "../programs/Wrappers.ts"
import type { Check } from "./Check.ts"
import { destroysByName } from "./Generic.ts"
import { interpreted } from "./Code.ts"
import { codeOrigin } from "./CodeOrigin.ts"
import { deletes } from "./Deletes.ts"
import { machine } from "./Machine.ts"
import { deviceNetwork, networkChecks } from "./Network.ts"
import { optionExec, optionRules } from "./OptionExec.ts"
import { indexed, matches, type Rule } from "./Rules.ts"
import { aliases, files, variables } from "./Named.ts"
import { own } from "./Own.ts"
import { specific } from "./Specific.ts"
import { stated } from "./Statements.ts"
import { container } from "./tables/Container.ts"
import { deploy } from "./tables/Deploy.ts"
import { versionControl } from "./tables/Git.ts"
import { privilege } from "./tables/Privilege.ts"
import { system } from "./tables/System.ts"
import { textTools } from "./TextTools.ts"

const rules: ReadonlyMap<string, ReadonlyArray<Rule>> = indexed([
  ...system,
  ...privilege,
  ...versionControl,
  ...deploy,
  ...container,
  ...optionRules
])

const byProgram = new Map<string, Array<Check>>()
for (
  const [program, check] of [...deletes, ...machine, ...networkChecks, ...optionExec, ...own, ...specific, ...textTools]
) {
  byProgram.set(program, [...(byProgram.get(program) ?? []), check])
}

/** All that is only about what the database or the network sees holds in a container too. */
const everywhere = new Set(["database", "publish-deploy", "exfil", "reverse-shell", "credentials"])

/** The shapes of one command (policy §3). A heuristic for prompts: the boundary is the sandbox. */
export const shapesOf = (command: Command, place: ActionContext): ReadonlyArray<RiskFinding> => {
  const found = new Set<string>()
  const add = (categories: string | undefined | ReadonlyArray<string | undefined>): void => {
    for (const each of typeof categories === "string" || categories === undefined ? [categories] : categories) {
      if (each !== undefined) found.add(each)
    }
  }
  add(variables(command))
  if (!asksForHelp(command)) {
    for (const rule of rules.get(command.program) ?? []) if (matches(rule, command)) add(rule.category)
    for (const check of byProgram.get(command.program) ?? []) add(check(command, place))
    add(codeOrigin(command, place))
    add(interpreted(command, place))
    add(stated(command))
    add(destroysByName(command))
    add(aliases(command))
    add(files(command, place))
  } else add(command.fields.writes.length > 0 ? files(command, place) : undefined)
  add(deviceNetwork(command, place))
  const kept = command.fields.where === "contained"
    ? [...found].filter((category) => everywhere.has(category))
    : [...found]
  return kept.map((category) => ({ category, part: command.fields.text }))
}

/** `--help` and `--version` make any program print a text, unless it runs other code first. */
const asksForHelp = (command: Command): boolean => {
  const { args } = command
  if (args.length === 0 || command.program === "") return false
  const first = args[0]!.value
  if (
    args.length === 1 &&
    (first === "--help" ||
      first === "--version" ||
      first === "-V" ||
      (first === "-h" && !/^(shutdown|halt|poweroff|reboot)$/.test(command.program)) ||
      first === "version" ||
      first === "help")
  ) {
    return true
  }
  if (shells.has(command.program) || languages.has(command.program) || wrappersOf(command.program).length > 0) {
    return false
  }
  const last = args.at(-1)!.value
  return first === "--help" || first === "--version" || (last === "--help" && !args.some((arg) => arg.guess === "--"))
}
