import { Duration, Effect, Latch, Option, Schema } from "effect"
import { stripVTControlCharacters } from "node:util"
import { settingValues } from "../../domain/PolicySettings.ts"
import * as ToolRequirements from "../../policy/decision/ToolRequirements.ts"
import type { EnforcementReport } from "../../sandbox/Confinement.ts"
import { isScratch } from "../../sandbox/SandboxModes.ts"
import * as CallConfinement from "../CallConfinement.ts"
import { outputItem, textContent, textsOf, type ToolCallItem } from "../../domain/Content.ts"
import { beginning } from "../../domain/Cut.ts"
import { Environment, scrub } from "../../platform/Environment.ts"
import * as Executable from "../../platform/Executable.ts"
import * as CommandOutput from "./CommandOutput.ts"
import { Processes, type ProcessExit } from "../../sandbox/process/Processes.ts"
import * as Tool from "../Tool.ts"
import type { ClientSide } from "../ClientSide.ts"

const maxSeconds = 600
/** A title is the whole command, line breaks included. */
const titleCharacters = 4096

/** People see a running command at most this often; one that is quicker they see when it has ended. */
const progressInterval = "250 millis"

const Parameters = Schema.Struct({
  command: Schema.String.annotate({ description: "Shell command, run in the workspace" }),
  timeout_secs: Tool.optional(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: maxSeconds })),
    "Seconds after which the command is stopped; 120 when absent, unless the agent has another limit"
  ),
  background: Tool.optional(
    Schema.Boolean,
    "Start the command and go on: for servers and long builds. It ends with the session; see job_output and job_kill"
  ),
  scratch: Tool.optional(
    Schema.Boolean,
    "Let the command write what it likes and forget all of it when it ends: for trying something out"
  ),
  sandbox: Tool.optional(
    Schema.Literals(settingValues.sandbox),
    "A wider sandbox than the session's, for this one command. The user is asked each time and needs the justification"
  ),
  justification: Tool.optional(Schema.String, "With sandbox: why the command cannot do with less, in one sentence")
})

export const make = Effect.gen(function*() {
  const processes = yield* Processes
  const variables = yield* Environment
  const spillPath = yield* CommandOutput.makeSpillPaths

  return Tool.make<typeof Parameters.Type>({
    name: "shell",
    description:
      "Run a shell command in the workspace and read what it prints. Standard input is empty, there is no terminal. " +
      "Processes left in the background end with the command. Long output is cut in the middle.",
    parameters: Parameters,
    kind: "execute",
    capabilities: ["shell_ro", "shell_test", "shell_rw"],
    limitedDescription: (granted) =>
      granted("shell_test")
        ? "In the current Work mode only commands that read, tests and builds run, and with scratch everything else."
        : "In the current Work mode only commands that read run.",
    origin: "local",
    needs: ({ command, justification, sandbox, scratch }) =>
      ToolRequirements.shellRequirements(
        command,
        scratch === true,
        sandbox == null ? undefined : { mode: sandbox, why: justification ?? undefined }
      ),
    preview: (parameters) => {
      const command = parameters.command.trim()
      const isWhole = command.length <= titleCharacters
      return Effect.succeed({
        title: (isWhole ? command : `${beginning(command, titleCharacters - 1)}…`) || "(empty command)",
        rawInput: parameters,
        ...(isWhole ? {} : { content: [outputItem(command)] })
      })
    },
    run: Effect.fnUntraced(function*({ background, command, timeout_secs }, context) {
      if (command.trim() === "") return yield* Tool.fail("The command is empty.")
      if (command.split("\n").every((line) => /^\s*(#|$)/.test(line))) {
        return Tool.said("Nothing was run: the command has only comments.")
      }
      if (command.includes("\0")) return yield* Tool.fail("A command cannot contain a NUL character.")
      const { confinement, workspace: { cwd, roots } } = context
      const { commands } = confinement
      const seconds = Math.min(timeout_secs ?? commands.seconds, commands.maxSeconds)
      const argv = [...shellOf(variables["PATH"], roots), "-c", command] as const
      const env = scrub({ ...variables, ...context.client.variables }, {
        passthrough: commands.environment,
        network: confinement.network,
        reads: confinement.reads,
        folders: roots
      })
      const confine = confinement.confine(argv, { cwd, env })
      const notStarted = (failed: { readonly message: string }) =>
        Tool.fail(`The shell could not be started in ${cwd} (${failed.message}).`)
      if (background === true) {
        const { capabilities, network } = confinement
        const timeout = timeout_secs == null ? Duration.infinity : `${timeout_secs} seconds` as const
        const prepare = Effect.map(
          confine,
          (confined) => (onOutput: (chunk: Buffer) => void) =>
            Effect.mapError(processes.run({ ...confined, timeout, onOutput }), notStarted)
        )
        const { id } = yield* context.jobs.start({ command, capabilities, network, prepare })
        return {
          ...Tool.said(
            `Started in the background as job ${id}. See what it does with job_output, end it with job_kill.`
          ),
          rawOutput: { job: id }
        }
      }
      const open = terminalOf(context)
      if (open !== undefined) {
        const { ended, printed, terminalId } = yield* runInTerminal(open, argv, seconds, context)
        return yield* asTerminalResult(
          terminalId,
          result(ended, printed, seconds, { mode: confinement.mode, notes: [] })
        )
      }
      const output = yield* Effect.acquireRelease(
        Effect.sync(() => CommandOutput.make(() => spillPath([...roots, ...context.workspace.readable]))),
        (output) => Effect.sync(output.close)
      )
      const changed = Latch.makeUnsafe()
      const report = Effect.forever(Effect.gen(function*() {
        yield* Effect.sleep(progressInterval)
        yield* changed.await
        changed.closeUnsafe()
        yield* context.progress([outputItem(output.text())], output.taken())
      }))
      const confined = yield* confine
      const run = processes.run({
        ...confined,
        timeout: `${longestRun * commands.maxSeconds} seconds`,
        silence: `${seconds} seconds`,
        onOutput: (chunk) => {
          output.push(chunk)
          changed.openUnsafe()
        }
      })
      const ended = yield* Effect.mapError(Effect.raceFirst(run, report), notStarted)
      return yield* withPrinted(output.taken(), result(ended, output.text(), seconds, confined.report))
    })
  })
})

/** A command that never stops printing ends after so many times the longest time that it may print nothing. */
const longestRun = 10

/** Commands are analysed as bash; the system's own shell is the fallback. */
const shellOf = (path: string | undefined, roots: ReadonlyArray<string>): [string, ...Array<string>] => {
  const bash = Executable.find("bash", path, roots)
  return bash === undefined ? ["/bin/sh"] : [bash, "--noprofile", "--norc"]
}

type OpenTerminal = NonNullable<ClientSide["openTerminal"]>

/**
 * A command runs in a terminal of the client, where people watch it, only where the policy asks for no sandbox: ours do
 * not reach there.
 */
const terminalOf = ({ client, confinement: { mode, network } }: Tool.RunContext): OpenTerminal | undefined =>
  mode === "danger-full-access" && network ? client.openTerminal : undefined

/** Variables that turn off pagers and prompts, which would wait for input. */
const terminalEnv = { PAGER: "cat", GIT_PAGER: "cat", GIT_TERMINAL_PROMPT: "0" }

interface TerminalRun {
  readonly ended: ProcessExit
  readonly printed: string
  readonly terminalId: string
}

const runInTerminal = Effect.fnUntraced(function*(
  open: OpenTerminal,
  [command, ...args]: readonly [string, ...ReadonlyArray<string>],
  seconds: number,
  context: Tool.RunContext
) {
  const terminal = yield* open({
    command,
    args,
    env: terminalEnv,
    cwd: context.workspace.cwd,
    keep: CommandOutput.headBytes + CommandOutput.tailBytes
  })
  yield* context.progress([{ type: "terminal", terminalId: terminal.terminalId }])
  /** Ends once its output stayed the same for so long. */
  const silent = (before: string): Effect.Effect<void> =>
    Effect.sleep(`${seconds} seconds`).pipe(
      Effect.andThen(Effect.option(terminal.output)),
      Effect.flatMap((now) => Option.isNone(now) || now.value.text === before ? Effect.void : silent(now.value.text))
    )
  const exit = yield* Effect.raceFirst(Effect.asSome(terminal.exited), Effect.as(silent(""), Option.none()))
  if (Option.isNone(exit)) yield* terminal.kill
  const { cut, text } = yield* terminal.output
  const ended: ProcessExit = { code: null, signal: null, ...Option.getOrUndefined(exit), timedOut: Option.isNone(exit) }
  const printed = (cut ? "[… the beginning was cut here.]\n" : "") + stripVTControlCharacters(text)
  return { ended, printed, terminalId: terminal.terminalId } satisfies TerminalRun
}) satisfies (...args: never) => Effect.Effect<TerminalRun, Tool.ToolFailed, unknown>

type ShellReport = Pick<EnforcementReport, "mode" | "notes">

/**
 * A refusal is a fact next to how the command ended, and scratch a fact about all of it
 * (docs/sandbox.md#what-a-refusal-looks-like).
 */
const remarks = (
  { attribution }: ProcessExit,
  failed: boolean,
  { mode, notes }: ShellReport
): ReadonlyArray<string> =>
  [
    ...(attribution?.kind === "denied" || attribution?.kind === "not-found" ? [attribution.note] : []),
    ...(isScratch(mode) ? notes.slice(-1) : []),
    ...(failed && mode !== "danger-full-access" ? [`the command ran in Sandbox mode ${mode}`] : [])
  ].map((remark) => `[sandbox: ${remark}]`)

const howItEnded = ({ code, exceeded, signal, timedOut }: ProcessExit, seconds: number): string | undefined => {
  if (exceeded !== undefined) return `was stopped: ${exceeded}`
  if (timedOut) {
    return `timed out after ${seconds} ${seconds === 1 ? "second" : "seconds"} without output and was stopped`
  }
  if (code === null) return `ended by signal ${signal}`
  return code === 0 ? undefined : `exit code ${code}`
}

const result = (
  ended: ProcessExit,
  printed: string,
  seconds: number,
  report: ShellReport
): Effect.Effect<Tool.ToolOutput, Tool.ToolFailed> => {
  if (ended.attribution?.kind === "runner-failed") {
    return Effect.fail(CallConfinement.sandboxUnavailable(ended.attribution.note))
  }
  const output = printed.trimEnd()
  const failure = howItEnded(ended, seconds)
  const remarked = remarks(ended, failure !== undefined, report)
  const nothing = output === "" ? { output } : {}
  const items = (before: ReadonlyArray<string>, instead: ReadonlyArray<string>): ReadonlyArray<ToolCallItem> => [
    ...before.map(textContent),
    ...(output === "" ? instead.map(textContent) : [outputItem(output)]),
    ...(remarked.length === 0 ? [] : [textContent(remarked.join("\n"))])
  ]
  if (failure === undefined) {
    const content = items([], ["(no output)"])
    return Effect.succeed({ text: textsOf(content).join("\n"), content, rawOutput: { exitCode: 0, ...nothing } })
  }
  const content = items([failure], [])
  const { code, signal, timedOut } = ended
  return new Tool.ToolFailed({
    message: textsOf(content).join("\n"),
    content,
    rawOutput: { exitCode: code, signal, timedOut, ...nothing }
  })
}

const withPrinted = (printed: string, result: Effect.Effect<Tool.ToolOutput, Tool.ToolFailed>) =>
  printed === ""
    ? result
    : Effect.mapBoth(result, {
      onSuccess: (output): Tool.ToolOutput => ({ ...output, printed }),
      onFailure: ({ content, message, rawOutput }) =>
        new Tool.ToolFailed({ message, rawOutput, printed, ...(content === undefined ? {} : { content }) })
    })

/** Adds the text for clients that do not show the terminal, such as in a replay. */
const asTerminalResult = (terminalId: string, result: Effect.Effect<Tool.ToolOutput, Tool.ToolFailed>) => {
  const terminal = { type: "terminal", terminalId } as const
  return Effect.mapBoth(result, {
    onSuccess: (output): Tool.ToolOutput => ({ ...output, content: [terminal, ...output.content ?? []] }),
    onFailure: ({ content = [], message, rawOutput }) =>
      new Tool.ToolFailed({ message, rawOutput, content: [terminal, ...content] })
  })
}
