import { Runtime, Schema } from "effect"

/** Ends a command: `message` is the one line for stderr, `detail` what may follow it, `exitCode` 1 unless wrong usage (2). */
export class Failure extends Schema.TaggedError<Failure>()("CliFailure", {
  message: Schema.String,
  detail: Schema.optionalKey(Schema.String),
  exitCode: Schema.Int
}) {}

export const failure = (message: string, detail?: string) =>
  new Failure({ message, exitCode: 1, ...(detail === undefined || detail === "" ? {} : { detail }) })

export const wrongUsage = (message: string) => new Failure({ message, exitCode: 2 })

/** The person said stop (Ctrl-C). */
export class Interrupted extends Schema.TaggedError<Interrupted>()("CliInterrupted", {}) {}

export const interruptedCode = 130

/** As a shell reports the end by SIGPIPE. */
export const unreadCode = 141

/** What a command ends with after everything worth saying was said; `NodeRuntime.runMain` exits with the code. */
export class Exit extends Schema.TaggedError<Exit>()("CliExit", { code: Schema.Int }) {
  override readonly [Runtime.errorExitCode] = this.code
  override readonly [Runtime.errorReported] = false
}
