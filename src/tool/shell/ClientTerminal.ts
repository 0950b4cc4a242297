import { Effect, Option } from "effect"
import { stripVTControlCharacters } from "node:util"
import type { ClientSide } from "../ClientSide.ts"
import * as Output from "./CommandOutput.ts"
import type { ProcessExit } from "../../sandbox/process/Processes.ts"
import type { RunContext, ToolFailed } from "../Tool.ts"

/** A command in a terminal of the client, where people watch it: only where the policy asks for no sandbox at all (spec §3). */

type Open = NonNullable<ClientSide["openTerminal"]>

/** No sandbox of ours reaches into a client. */
export const opener = ({ client, confinement: { mode, network } }: RunContext): Open | undefined =>
  mode === "danger-full-access" && network ? client.openTerminal : undefined

/** Nobody is there to answer a pager or a prompt. */
const env = { PAGER: "cat", GIT_PAGER: "cat", GIT_TERMINAL_PROMPT: "0" }

export interface Ran {
  readonly ended: ProcessExit
  readonly printed: string
  readonly terminalId: string
}

export const run = Effect.fnUntraced(function*(
  open: Open,
  [command, ...args]: readonly [string, ...ReadonlyArray<string>],
  seconds: number,
  context: RunContext
) {
  const terminal = yield* open({
    command,
    args,
    env,
    cwd: context.workspace.cwd,
    keep: Output.headBytes + Output.tailBytes
  })
  yield* context.progress([{ type: "terminal", terminalId: terminal.terminalId }])
  const exit = yield* Effect.timeoutOption(terminal.exited, `${seconds} seconds`)
  if (Option.isNone(exit)) yield* terminal.kill
  const { cut, text } = yield* terminal.output
  const ended: ProcessExit = { code: null, signal: null, ...Option.getOrUndefined(exit), timedOut: Option.isNone(exit) }
  const printed = (cut ? "[… the beginning was cut here.]\n" : "") + stripVTControlCharacters(text)
  return { ended, printed, terminalId: terminal.terminalId } satisfies Ran
}) satisfies (...args: never) => Effect.Effect<Ran, ToolFailed, unknown>
