import { basename } from "node:path"
import type { Refusal } from "./GateTrace.ts"
import type { Limits } from "./Limits.ts"
import type { CallAction, CommandAction } from "./CallAction.ts"

const namesOf = (part: CommandAction): ReadonlyArray<string> =>
  part.program === null ? [] : [part.program, basename(part.program)]

const isListed = (list: ReadonlyArray<string>, part: CommandAction): boolean =>
  namesOf(part).some((name) => list.includes(name))

/** The first command of a call that the operator's lists keep from running. */
export const commandRefusal = (
  limits: Limits,
  parts: ReadonlyArray<CallAction>,
  inner: ReadonlyArray<CallAction>
): Refusal | undefined => {
  for (const part of [...parts, ...inner]) {
    if (part.kind !== "command") continue
    if (isListed(limits.forbiddenCommands, part)) {
      return { code: "COMMAND_FORBIDDEN", reason: `the operator forbids the command ${part.program}` }
    }
    if (inner.includes(part)) continue
    if (
      limits.allowedCommands.length > 0 && !limits.allowedCommands.includes("*") &&
      !isListed(limits.allowedCommands, part)
    ) {
      return {
        code: "COMMAND_NOT_ALLOWED",
        reason: `the operator's list of commands does not have ${part.program ?? "a command that is not literal"}`
      }
    }
  }
  return undefined
}
