import { Result } from "effect"
import type { CallAction } from "./CallAction.ts"
import type { Facts } from "../rules/Call.ts"
import { type KnownTools, parse } from "../rules/Rule.ts"
import { entry, make } from "../rules/RuleSet.ts"

/**
 * Commands that change the workspace in a way one can take back, or fetch what the project names
 * (docs/policy.md#risk-of-a-command).
 */
const commands = [
  "git {commit,push,reset,clean,rebase,merge,cherry-pick,revert,branch,checkout,switch,tag} *",
  "{npm,pnpm,yarn} {install,add,remove,uninstall,update,publish} *",
  "cargo {add,remove,install,clean,publish} *",
  "{touch,mkdir,mv,cp,ln} *"
]

const tools: KnownTools = new Map([["shell", "shell"]])

const rules = make(
  commands.map((command) =>
    entry("managed", "allow", Result.getOrThrow(parse(`shell(${command})`, { list: "allow", tools })))
  ),
  tools
)

const isLiteral = (part: CallAction): boolean => part.kind !== "command" || part.argv.every((word) => word !== null)

/**
 * Whether a command line consists of nothing else, all of it literal. Dangerous shapes are for the caller to look at.
 */
export const isMedium = (parts: ReadonlyArray<CallAction>, facts: Facts): boolean =>
  parts.every(isLiteral) && rules.decide("shell", parts, facts)?.list === "allow"
