import { Effect } from "effect"
import { spawn } from "node:child_process"
import { trailingSurrogate } from "../../domain/Cut.ts"
import { Environment } from "../../platform/Environment.ts"

/** A command of the user, run in the user's own shell: the agent and its policy have no part in it. */

export interface ShellResult {
  /** "exit code 3", "signal SIGINT", or why the shell could not be started; `undefined`: it succeeded. */
  readonly problem: string | undefined
  /** The end of what it wrote. */
  readonly output: string
}

/** In characters. */
const longest = 16_000

/** Shows the output as it comes. The command has the terminal's input. */
export const run = Effect.fnUntraced(function*(command: string, cwd: string, write: (text: string) => void) {
  const environment = yield* Environment
  return yield* Effect.callback<ShellResult>((resume) => {
    let output = ""
    const shell = environment["SHELL"] || "/bin/sh"
    const child = spawn(shell, ["-c", command], { cwd, env: { ...environment }, stdio: ["inherit", "pipe", "pipe"] })
    const take = (text: string) => {
      write(text)
      output = (output + text).slice(-longest)
    }
    child.stdout.setEncoding("utf8").on("data", take)
    child.stderr.setEncoding("utf8").on("data", take)
    child.once("error", ({ message }) => resume(Effect.succeed({ problem: message, output })))
    child.once("close", (code, signal) => {
      const problem = code === 0 ? undefined : signal === null ? `exit code ${code}` : `signal ${signal}`
      resume(Effect.succeed({ problem, output: output.slice(0, output.length - trailingSurrogate(output).length) }))
    })
    return Effect.sync(() => void child.kill())
  })
})

const fence = (text: string): string =>
  "`".repeat(Math.max(3, ...(text.match(/`+/g) ?? []).map((run) => run.length + 1)))

/** What the agent reads of it, in front of the next message. */
export const told = (command: string, { output, problem }: ShellResult): string => {
  const marks = fence(output)
  return `I ran \`${command}\` in the terminal${
    problem === undefined ? "" : ` (${problem})`
  }:\n${marks}\n${output.trimEnd()}\n${marks}`
}
