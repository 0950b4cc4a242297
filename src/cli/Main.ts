import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Console, Effect, Layer, Runtime } from "effect"
import {
  CliConfig,
  type CliError,
  CliOutput,
  Command,
  Completions,
  Flag,
  GlobalFlag,
  type HelpDoc,
  TerminalCapabilities
} from "effect/cli"
import * as Signals from "../platform/Signals.ts"
import { guard } from "../platform/Stdout.ts"
import { logLevelWords } from "../config/LogLevels.ts"
import { version } from "../domain/Version.ts"
import { client } from "./client/ClientCommand.ts"
import { config } from "./config/ConfigCommand.ts"
import { bridge } from "./daemon/BridgeCommand.ts"
import { daemon, status } from "./daemon/DaemonCommand.ts"
import { doctor } from "./doctor/DoctorCommand.ts"
import { estop } from "./estop/EstopCommand.ts"
import { Exit, Failure, Interrupted, interruptedCode } from "./Failure.ts"
import { ConfigDir, lazily, settingsFlags, toggle } from "./Flags.ts"
import { oneLine, plain } from "./terminal/Text.ts"
import { otp } from "./otp/OtpCommand.ts"
import { pair } from "./pair/PairCommand.ts"
import { policy } from "./policy/PolicyCommand.ts"
import { sandbox } from "./sandbox/SandboxCommand.ts"
import { sessions } from "./sessions/SessionsCommand.ts"
import { setup, setupDialogue } from "./setup/SetupCommand.ts"

const acp = Command.make(
  "acp",
  {
    setup: toggle("setup", "Set up a model in this terminal instead, as postern setup does")
  },
  Effect.fnUntraced(function*({ setup }) {
    if (setup) return yield* setupDialogue
    const given = yield* settingsFlags
    guard()
    yield* lazily(() => import("../app/Acp.ts"), ({ run }) => run(given))
    // The process must not wait for a client that has stopped reading.
    return yield* Effect.sync(() => process.exit(0))
  })
).pipe(
  Command.withDescription(
    "Serve the Agent Client Protocol on stdin and stdout, as an editor starts it. Ends at the end of input; logs go to stderr."
  ),
  Command.withShortDescription("ACP agent on stdio, for editors and scripts")
)

/** The error of a command line and the suggestions for it, on one line. */
const usageError = (error: CliError.NonShowHelpErrors): string => {
  const names = "suggestions" in error ? error.suggestions : []
  const [what = ""] = names.length === 0 ? [error.message] : error.message.split("\n")
  return oneLine(what + (names.length === 0 ? "" : `; did you mean ${names.join(" or ")}?`))
}

/** Without it, the library answers a wrong command line with the whole help on stdout and the error below that. */
const presenter: CliOutput.Presenter = {
  present: Effect.fnUntraced(function*(event) {
    const { canColor } = yield* TerminalCapabilities.TerminalCapabilities
    const formatter = CliOutput.defaultFormatter({ colors: canColor })
    switch (event._tag) {
      case "Help":
        return yield* Console.log(formatter.formatHelpDoc(event.helpDoc))
      case "Version":
        return yield* Console.log(formatter.formatVersion(event.name, event.version))
      case "InvalidInvocation":
        for (const error of event.errors) yield* Console.error(`postern: ${usageError(error)}`)
        return yield* Console.error(`see ${event.commandPath.join(" ")} --help`)
    }
  })
}

const man = Command.make("man", {}, (): Effect.Effect<void> => writeManPage).pipe(
  Command.withDescription("Print the manual page, for man -l - or a folder of manual pages"),
  Command.withExamples([{ command: "postern man > ~/.local/share/man/man1/postern.1", description: "Install it" }])
)

const root = Command.make("postern").pipe(
  Command.withDescription(
    "A host for coding-agent sessions: Agent Client Protocol in front, every tool call behind a policy gate."
  ),
  Command.withSubcommands([
    acp,
    bridge,
    client,
    config,
    daemon,
    doctor,
    estop,
    man,
    otp,
    pair,
    policy,
    sandbox,
    sessions,
    setup,
    status
  ]),
  Command.withGlobalFlags([ConfigDir])
)

/** The built-in flag with the alias `-V`. */
const Version = GlobalFlag.Action({ ...GlobalFlag.Version, flag: Flag.withAlias(GlobalFlag.Version.flag, "V") })

const layer = Layer.mergeAll(
  Layer.provideMerge(TerminalCapabilities.layer, NodeServices.layer),
  CliConfig.layer({ builtIns: [GlobalFlag.Help, Version, GlobalFlag.Completions, GlobalFlag.LogLevel] }),
  CliOutput.layerPresenter(presenter)
)

/** Writes one line about a failure to stderr and fails with the exit code (docs/cli.md#exit-codes). */
const report = (cause: Cause.Cause<unknown>): Effect.Effect<never, Exit> => {
  const error = Cause.squash(cause)
  const exit = (code: number, line: string, detail?: string) =>
    Effect.andThen(
      Effect.sync(() => {
        process.stderr.write(`postern: ${oneLine(line)}\n`)
        if (detail) process.stderr.write(plain(detail).replace(/^/gm, "  ") + "\n")
      }),
      Effect.fail(new Exit({ code }))
    )
  if (error instanceof Failure) return exit(error.exitCode, error.message, error.detail)
  if (error instanceof Interrupted) return Effect.fail(new Exit({ code: interruptedCode }))
  if (Cause.hasInterruptsOnly(cause)) return Effect.fail(new Exit({ code: interruptedCode }))
  return exit(1, error instanceof Error && error.message !== "" ? error.message : String(error))
}

/** `postern help [COMMAND …]` means `postern [COMMAND …] --help`. */
const helpArguments = ([first, ...rest]: ReadonlyArray<string>): ReadonlyArray<string> | undefined =>
  first === "help" ? [...rest, "--help"] : undefined

/** The help of the commands with these paths, as `--help` shows it. */
const helpOf = (paths: ReadonlyArray<ReadonlyArray<string>>) =>
  Effect.gen(function*() {
    const found: Array<HelpDoc.HelpDoc> = []
    const keep = CliOutput.layerPresenter({
      present: (event) => Effect.sync(() => void (event._tag === "Help" && found.push(event.helpDoc)))
    })
    for (const path of paths) {
      yield* Effect.provide(
        Command.runWith(root, { version })([...path, "--help"]),
        Layer.merge(layer, keep)
      )
    }
    return found
  })

const pathsBelow = (
  { subcommands }: Completions.CommandDescriptor,
  path: ReadonlyArray<string>
): ReadonlyArray<ReadonlyArray<string>> =>
  subcommands.flatMap((sub) => [[...path, sub.name], ...pathsBelow(sub, [...path, sub.name])])

const printed = (text: string) =>
  Effect.callback<void>((resume) => void process.stdout.write(text, () => resume(Effect.void)))

const writeManPage: Effect.Effect<void> = Effect.gen(function*() {
  const { manPage } = yield* Effect.promise(() => import("./completion/ManPage.ts"))
  const [first, ...others] = yield* helpOf([[], ...pathsBelow(Completions.fromCommand(root), [])])
  if (first !== undefined) yield* printed(manPage(version, first, others))
}).pipe(Effect.orDie)

const globalFlag = (name: string, description: string, type: Completions.FlagType): Completions.FlagDescriptor => ({
  name,
  aliases: [],
  description,
  type
})

/** As far as they complete: what is a choice, and which have a value. */
const globalFlags: ReadonlyArray<Completions.FlagDescriptor> = [
  globalFlag("config-dir", "Folder of config.toml and data", { _tag: "Path", pathType: "directory" }),
  globalFlag("log-level", "How much is logged", { _tag: "Choice", values: logLevelWords }),
  globalFlag("help", "Show help", { _tag: "Boolean" }),
  globalFlag("version", "Show the version", { _tag: "Boolean" }),
  globalFlag("completions", "Print a completion script", { _tag: "Choice", values: ["bash", "zsh", "fish"] })
]

const complete = Effect.fnUntraced(function*(words: ReadonlyArray<string>) {
  const { candidates, lines } = yield* Effect.promise(() => import("./completion/Complete.ts"))
  yield* printed(lines(yield* candidates(Completions.fromCommand(root), globalFlags, words)))
})

/** Scripts that ask this program; the library's own, for other shells, know no folders, keys, sessions or agents. */
const completionScript = (argv: ReadonlyArray<string>) =>
  Effect.map(
    Effect.promise(() => import("./completion/Scripts.ts")),
    ({ scripts }) => {
      const at = argv.findIndex((word) => word === "--completions" || word.startsWith("--completions="))
      const shell = at < 0 ? undefined : argv[at]?.split("=")[1] ?? argv[at + 1]
      return shell !== undefined && Object.hasOwn(scripts, shell) ? scripts[shell] : undefined
    }
  )

/** What is answered without a command of the tree. */
const asked = (argv: ReadonlyArray<string>): Effect.Effect<boolean, unknown> =>
  Effect.gen(function*() {
    if (argv[0] === "__complete") {
      yield* complete(argv.slice(1))
      return true
    }
    if (argv.some((word) => word.startsWith("--completions"))) {
      const script = yield* completionScript(argv)
      if (script !== undefined) yield* printed(script)
      return script !== undefined
    }
    return false
  })

/** Runs one command line. Fails with the exit code when the error has been written. */
const run = (argv: ReadonlyArray<string>): Effect.Effect<void, Exit> =>
  Effect.flatMap(
    Effect.orDie(asked(argv)),
    (isDone) =>
      isDone ? Effect.void : Command.runWith(root, { version, renderErrors: true })(helpArguments(argv) ?? argv)
  ).pipe(
    Effect.catchTag("ShowHelp", ({ errors }) => errors.length > 0 ? Effect.fail(new Exit({ code: 2 })) : Effect.void),
    Effect.provide(layer),
    Effect.catchCause((cause) => {
      const error = Cause.squash(cause)
      return error instanceof Exit ? Effect.fail(error) : report(cause)
    })
  )

/** Runs the command line of this process: every command but the fast path of `postern acp`. */
export const start = (): void => {
  const signalled = Signals.watch()
  NodeRuntime.runMain(run(process.argv.slice(2)), {
    disableErrorReporting: true,
    teardown: (exit, onExit) => Runtime.defaultTeardown(exit, (code) => onExit(signalled() ?? code))
  })
}
