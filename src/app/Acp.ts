import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Cause, Effect, Layer, Runtime } from "effect"
import { parseArgs } from "node:util"
import * as Chunk from "../platform/Chunk.ts"
import { answer } from "../platform/StartFailure.ts"
import * as Signals from "../platform/Signals.ts"
import { protocolWrite, release } from "../platform/Stdout.ts"
import { serveConnection } from "../acp/AcpServer.ts"
import { ClientTooSlow } from "../rpc/Outbox.ts"
import { fromStreams } from "../rpc/Transport.ts"
import { layerAcp, layerBase } from "./App.ts"
import { ConfigInvalid } from "../config/Errors.ts"
import { Settings, type SettingsFlags } from "../config/Settings.ts"

/** After the start the process loads nothing by itself for so long. */
const idle = "500 millis"

/** `postern acp`: one client on stdin and stdout, until the end of input (docs/cli.md#postern-acp). */
export const run = (flags: SettingsFlags) =>
  Effect.gen(function*() {
    const { notes } = (yield* Settings).started
    yield* Effect.forEach(notes, (note) => Effect.logWarning(note), { discard: true })
    yield* Effect.forkChild(Effect.delay(Chunk.keepAll, idle))
    yield* serveConnection(fromStreams(process.stdin, process.stdout, protocolWrite)).pipe(
      Effect.mapError(({ message }) => new ClientTooSlow({ message: `the connection was given up: ${message}` })),
      Effect.ensuring(Effect.sync(() => process.stdin.destroy()))
    )
  }).pipe(Effect.provide(Layer.provideMerge(layerAcp, layerBase(flags))))

/** The message of an error, which is written for people. */
const messageOf = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  return error instanceof Error && error.message !== "" ? error.message : String(error)
}

const reasonOf = (cause: Cause.Cause<unknown>): string =>
  Cause.squash(cause) instanceof ConfigInvalid ? "config_invalid" : "start_failed"

/**
 * Ends the process with the exit code of a command: 0 when it is done, 1 with one line on stderr when it failed, 128 and the number of
 * the signal that stopped it. Output that a client has not read by then is lost.
 */
const runMain = (command: Effect.Effect<void, unknown>): void => {
  const signalled = Signals.watch()
  NodeRuntime.runMain(
    Effect.tapCause(command, (cause) =>
      Effect.callback<void>((resume) => {
        if (Cause.hasInterruptsOnly(cause)) return resume(Effect.void)
        const message = messageOf(cause)
        process.stderr.write(`postern: ${message}\n`)
        // Editors show an answer, and not what stands on standard error.
        answer(message, reasonOf(cause), protocolWrite, () => resume(Effect.void))
      })),
    {
      disableErrorReporting: true,
      teardown: (exit) => Runtime.defaultTeardown(exit, (code) => process.exit(signalled() ?? code))
    }
  )
}

const flagsOf = (words: ReadonlyArray<string>) => {
  try {
    const { values } = parseArgs({
      args: [...words],
      options: { "config-dir": { type: "string" }, "log-level": { type: "string" } }
    })
    return { configDir: values["config-dir"], logLevel: values["log-level"] }
  } catch {
    return undefined
  }
}

/** Starts the agent if the words are plain flags of `acp`; help, completions and errors are left to the command line. */
export const start = (words: ReadonlyArray<string>): boolean => {
  const flags = flagsOf(words)
  if (flags === undefined) {
    release()
    return false
  }
  runMain(run(flags))
  return true
}
