import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Cause, Effect } from "effect"

/** An error whose message is meant for the person at the keyboard. */
const sentenceOf = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  return error instanceof Error && error.message !== "" ? error.message : String(error)
}

/** Runs a command: 0 when it is done, 1 with one clear line on stderr when it failed (spec §1). */
export const runMain = (command: Effect.Effect<void, unknown>): void =>
  NodeRuntime.runMain(
    Effect.tapCause(command, (cause) =>
      Effect.sync(() => {
        if (!Cause.hasInterruptsOnly(cause)) process.stderr.write(`postern: ${sentenceOf(cause)}\n`)
      })),
    { disableErrorReporting: true }
  )
