import { Effect } from "effect"
import { Command } from "effect/cli"
import { lazily, on, shared, whileRead } from "../Flags.ts"

export const daemon = Command.make("daemon", {
  ephemeral: on("ephemeral", "End by itself one second after the last client has left"),
  foreground: on("foreground", "Log everything from info on, also at a terminal")
}, ({ ephemeral, foreground }) =>
  Effect.flatMap(shared, (flags) =>
    lazily(
      () => import("../../app/Daemon.ts"),
      ({ run }) => run({ ...flags, logLevel: flags.logLevel ?? (foreground ? "info" : undefined) }, { ephemeral })
    )).pipe(
      // A daemon that was told to stop, and did, has not failed: supervisors look at the exit code.
      Effect.onInterrupt(() => Effect.sync(() => process.exit(0)))
    )).pipe(
    Command.withDescription(
      "Serve the native protocol on a local socket, for many clients and many sessions, until SIGINT or SIGTERM. Turns that are running " +
        "then have five seconds to end. SIGHUP makes it begin anew with the configuration as it is then."
    ),
    Command.withShortDescription("Long-running host on a local socket")
  )

export const status = Command.make(
  "status",
  { json: on("json", "As JSON") },
  (given) =>
    whileRead(Effect.flatMap(shared, (flags) =>
      lazily(
        () => Promise.all([import("./Status.ts"), import("../../app/App.ts")]),
        ([{ status }, { layerBase }]) => Effect.provide(status(given), layerBase(flags))
      )))
).pipe(Command.withDescription("Say how the running daemon is"))
