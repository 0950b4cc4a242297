import { homedir } from "node:os"
import { Effect, Latch, Schema } from "effect"
import * as Needs from "../policy/Needs.ts"
import { analyse } from "../policy/shell/ShellAnalyser.ts"
import { textContent } from "./Content.ts"
import { Environment, Passthrough, scrub } from "./Environment.ts"
import * as Executable from "./Executable.ts"
import * as Output from "./Output.ts"
import { type Ended, Processes } from "./Processes.ts"
import * as Spills from "./Spills.ts"
import * as Target from "./Target.ts"
import * as Tool from "./Tool.ts"

const defaultSeconds = 120
const maxSeconds = 600
const titleCharacters = 80

/** People see a running command at most this often. */
const progressInterval = "250 millis"

const Parameters = Schema.Struct({
  command: Schema.String.annotate({ description: "Shell command, run in the workspace" }),
  timeout_secs: Target.optional(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: maxSeconds })),
    `Seconds after which the command is stopped; ${defaultSeconds} when absent`
  )
})

export const make = Effect.gen(function*() {
  const processes = yield* Processes
  const variables = yield* Environment
  const passthrough = yield* Passthrough
  const spillPath = yield* Spills.make

  return Tool.make<typeof Parameters.Type>({
    name: "shell",
    description:
      "Run a shell command in the workspace and read what it prints. Standard input is empty, there is no terminal. " +
      "Processes left in the background end with the command. Long output is cut in the middle.",
    parameters: Parameters,
    kind: "execute",
    capabilities: ["shell_ro", "shell_test", "shell_rw"],
    origin: "local",
    needs: ({ command }) => Needs.shell(command),
    preview: (parameters) => {
      const title = Target.firstLine(parameters.command, titleCharacters)
      return Effect.succeed({
        title: `Run \`${title}\``,
        rawInput: parameters,
        ...(title === parameters.command.trim() ? {} : { content: [textContent(parameters.command)] })
      })
    },
    run: Effect.fnUntraced(function*({ command, timeout_secs }, context) {
      if (command.trim() === "") return yield* Target.fail("The command is empty.")
      if (command.split("\n").every((line) => /^\s*(#|$)/.test(line))) return { text: "Nothing was run: the command has only comments." }
      if (command.includes("\0")) return yield* Target.fail("A command cannot contain a NUL character.")
      const { cwd, roots } = context.workspace
      const seconds = timeout_secs ?? defaultSeconds
      const output = yield* Effect.acquireRelease(
        Effect.sync(() => Output.make(() => spillPath([...roots, ...context.workspace.readable]))),
        (output) => Effect.sync(output.close)
      )
      const changed = Latch.makeUnsafe()
      const report = Effect.forever(Effect.gen(function*() {
        yield* changed.await
        changed.closeUnsafe()
        yield* context.progress([textContent(output.text())])
        yield* Effect.sleep(progressInterval)
      }))
      const run = processes.run({
        argv: [...shellOf(variables["PATH"], roots), "-c", command],
        cwd,
        env: scrub(variables, { passthrough, network: true, reads: onlyReads(command, cwd, roots) }),
        timeout: `${seconds} seconds`,
        onOutput: (chunk) => {
          output.push(chunk)
          changed.openUnsafe()
        }
      })
      const ended = yield* Effect.raceFirst(run, report).pipe(
        Effect.mapError((failed) => Target.fail(`The shell could not be started in ${cwd} (${failed.message}).`))
      )
      return yield* result(ended, output.text(), seconds)
    })
  })
})

/** What any repository could make of it is left out: where the policy saw a read, there is one here too. */
const onlyReads = (command: string, cwd: string, roots: ReadonlyArray<string>): boolean =>
  analyse(command, { cwd, roots, home: homedir(), isPlainRepository: () => true }).capability === "shell_ro"

/** Commands are analysed as bash; the system's own shell is the fallback. */
const shellOf = (path: string | undefined, roots: ReadonlyArray<string>): [string, ...Array<string>] => {
  const bash = Executable.find("bash", path, roots)
  return bash === undefined ? ["/bin/sh"] : [bash, "--noprofile", "--norc"]
}

const result = (ended: Ended, printed: string, seconds: number): Effect.Effect<Tool.ToolOutput, Tool.ToolFailed> => {
  const output = printed.trimEnd()
  const failure = ended.timedOut
    ? `timed out after ${seconds} ${seconds === 1 ? "second" : "seconds"} and was stopped`
    : ended.code === null
    ? `ended by signal ${ended.signal}`
    : ended.code !== 0
    ? `exit code ${ended.code}`
    : undefined
  if (failure === undefined) {
    return Effect.succeed({ text: output === "" ? "(no output)" : output, rawOutput: { exitCode: 0 } })
  }
  const message = output === "" ? failure : `${failure}\n${output}`
  return new Tool.ToolFailed({ message, content: [textContent(message)] })
}
