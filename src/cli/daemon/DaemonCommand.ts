import { Effect } from "effect"
import { Command } from "effect/cli"
import { lazily, settingsFlags, toggle, whileRead } from "../Flags.ts"

export const daemon = Command.make("daemon", {
  ephemeral: toggle("ephemeral", "Exit one second after the last client has disconnected"),
  foreground: toggle("foreground", "Use log level info, also at a terminal")
}, ({ ephemeral, foreground }) =>
  Effect.flatMap(settingsFlags, (flags) =>
    lazily(
      () => import("../../app/Daemon.ts"),
      ({ run }) => run({ ...flags, logLevel: flags.logLevel ?? (foreground ? "info" : undefined) }, { ephemeral })
    )).pipe(
      // A daemon that was stopped has not failed: supervisors look at the exit code.
      Effect.onInterrupt(() => Effect.sync(() => process.exit(0)))
    )).pipe(
    Command.withDescription(
      "Serve the native protocol on a local socket, for many clients and many sessions, until SIGINT or SIGTERM. Turns that are running " +
        "then have five seconds to end. SIGHUP restarts it with the current configuration."
    ),
    Command.withShortDescription("Long-running host on a local socket")
  )

export const status = Command.make(
  "status",
  { json: toggle("json", "As JSON") },
  (given) =>
    whileRead(Effect.flatMap(settingsFlags, (flags) =>
      lazily(
        () => Promise.all([import("./Status.ts"), import("../../app/App.ts")]),
        ([{ status }, { layerBase }]) => Effect.provide(status(given), layerBase(flags))
      )))
).pipe(Command.withDescription("Show the state of the running daemon"))
