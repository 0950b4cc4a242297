import { Runtime, Schema } from "effect"

/** Ends a command: `message` is one line for stderr, `detail` more lines after it, `exitCode` 1, or 2 for wrong usage. */
export class Failure extends Schema.TaggedError<Failure>()("CliFailure", {
  message: Schema.String,
  detail: Schema.optionalKey(Schema.String),
  exitCode: Schema.Int
}) {}

export const failure = (message: string, detail?: string) =>
  new Failure({ message, exitCode: 1, ...(detail === undefined || detail === "" ? {} : { detail }) })

export const wrongUsage = (message: string) => new Failure({ message, exitCode: 2 })

/** The user pressed Ctrl-C. */
export class Interrupted extends Schema.TaggedError<Interrupted>()("CliInterrupted", {}) {}

export const interruptedCode = 130

/** What a shell reports for a process that SIGPIPE ended. */
export const unreadCode = 141

/** Ends a command whose error has been written; `NodeRuntime.runMain` exits with the code. */
export class Exit extends Schema.TaggedError<Exit>()("CliExit", { code: Schema.Int }) {
  override readonly [Runtime.errorExitCode] = this.code
  override readonly [Runtime.errorReported] = false
}
