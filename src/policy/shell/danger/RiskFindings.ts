import type { ActionContext, RiskFinding } from "../../decision/CallAction.ts"
import type { Command } from "../programs/Command.ts"
import { tellsFiles } from "../programs/FileOperands.ts"
import { isDownloader } from "../programs/Network.ts"
import { matches } from "../programs/Rules.ts"
import { codeChecks, interpreted } from "./Code.ts"
import { codeOrigin } from "./CodeOrigin.ts"
import { damageChecks } from "./Damage.ts"
import { aliases, files, secretChecks, variables } from "./Secrets.ts"
import { settingChecks } from "./Settings.ts"
import { stated } from "./Statements.ts"
import { deviceNetwork, transferChecks } from "./Transfers.ts"

type Check = (command: Command, place: ActionContext) => string | undefined

/** By the names that rows have for them. */
export const checks: Readonly<Record<string, Check>> = {
  ...damageChecks,
  ...transferChecks,
  ...settingChecks,
  ...secretChecks,
  ...codeChecks
}

/** All that is only about what the database or the network sees holds in a container too. */
const everywhere = new Set(["database", "publish-deploy", "exfil", "reverse-shell", "credentials"])

/**
 * What a person should be asked about in one command (docs/policy.md#categories). A heuristic for prompts: the boundary
 * is the sandbox.
 */
export const findingsOf = (command: Command, place: ActionContext): ReadonlyArray<RiskFinding> => {
  const { fields, row } = command
  const found = new Set<string | undefined>([variables(command)])
  const add = (categories: ReadonlyArray<string | undefined>): void => categories.forEach((each) => found.add(each))
  if (!asksForHelp(command)) {
    for (const category of row.dangers) {
      if (row.rules(category).some((rule) => matches(rule, command))) found.add(category)
    }
    for (const name of row.words("check")) found.add(checks[name]!(command, place))
    add(codeOrigin(command, place))
    add(interpreted(command, place))
    add([stated(command), destroysByName(command), aliases(command)])
    add(files(command, place))
  } else if (fields.writes.length > 0) add(files(command, place))
  found.add(deviceNetwork(command))
  return Array.from(found)
    .filter((category) => category !== undefined && (fields.where !== "contained" || everywhere.has(category)))
    .map((category) => ({ category: category!, part: fields.text }))
}

/** `--help` and `--version` make any program print a text, unless it runs other code first. */
const asksForHelp = ({ args, program, row, words }: Command): boolean => {
  const [first] = args
  if (first === undefined || program === "") return false
  const { value } = first
  if (args.length === 1 && /^(--help|--version|-V|-h|version|help)$/.test(value ?? "")) {
    return value !== "-h" || !row.is("no-short-help")
  }
  if (row.is("shell") || row.language !== undefined || row.wrappers.length > 0) return false
  return value === "--help" || value === "--version" || (args.at(-1)!.value === "--help" && !words.includes("--"))
}

const acts = "delete|destroy|purge|wipe|terminate|decommission|deprovision|nuke|obliterate|unpublish|drop"
const destroying = new RegExp(`^((${acts})([-:]\\w[\\w-]*)?|[\\w-]+[-:](delete|destroy|purge|drop)|rdelete)$`, "i")
/** What comes after a verb that only looks is a name. */
const looking =
  /^(list|ls|get|show|describe|status|view|search|help|info|explain|check|run|test|logs?|add|create|set|new|start)$/i

/** The subcommands of command-line clients that no row knows say what they do. */
const destroysByName = (command: Command): string | undefined => {
  const { fields: { name }, line, program, row } = command
  if (program === "" || name?.guess.includes("/") === true || row.is("names-words")) return undefined
  const isKnown = row.is("shell") || row.language !== undefined || row.statements !== undefined || tellsFiles(row)
  if (isKnown || isDownloader(command)) return undefined
  if (line.has("--dry-run", "--dryrun", "--what-if", "--help")) return undefined
  const words = line.operands.slice(0, 3).map((arg) => arg.guess)
  const end = words.findIndex((word) => looking.test(word))
  return (end < 0 ? words : words.slice(0, end)).some((word) => destroying.test(word)) ? "publish-deploy" : undefined
}
