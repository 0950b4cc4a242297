import type { ActionContext } from "../../decision/CallAction.ts"
import type { Command } from "../Command.ts"

/** Says which shapes a command has; a check sees only the programs it is registered for. */
export type Check = (command: Command, place: ActionContext) => string | ReadonlyArray<string> | undefined

export const checks = (table: Readonly<Record<string, Check>>): ReadonlyArray<readonly [string, Check]> =>
  Object.entries(table).flatMap(([programs, check]) => programs.split(" ").map((program) => [program, check] as const))
