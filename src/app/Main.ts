import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Cause, Effect, Runtime } from "effect"
import * as Signals from "../platform/Signals.ts"

/** An error whose message is meant for the person at the keyboard. */
const sentenceOf = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  return error instanceof Error && error.message !== "" ? error.message : String(error)
}

/**
 * Runs `postern acp`: 0 when it is done, 1 with one clear line on stderr when it failed (spec §1), 128 and the
 * number of the signal that stopped it. The process ends then, whatever
 * a client that stopped reading has left in the pipe.
 */
export const runMain = (command: Effect.Effect<void, unknown>): void => {
  const signalled = Signals.watch()
  NodeRuntime.runMain(
    Effect.tapCause(command, (cause) =>
      Effect.sync(() => {
        if (!Cause.hasInterruptsOnly(cause)) process.stderr.write(`postern: ${sentenceOf(cause)}\n`)
      })),
    {
      disableErrorReporting: true,
      teardown: (exit) => Runtime.defaultTeardown(exit, (code) => process.exit(signalled() ?? code))
    }
  )
}
