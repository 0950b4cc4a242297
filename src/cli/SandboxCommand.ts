import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { lazily, on, shared, whileRead } from "./Flags.ts"

const check = Command.make("check", {
  backend: Flag.Literals("backend", ["auto", "bubblewrap", "landlock", "seatbelt", "firejail", "docker"]).pipe(
    Flag.withDescription("What to ask (default: what this system would choose)"),
    Flag.withDefault("auto")
  ),
  json: on("json", "One JSON object a line")
}, (given) =>
  whileRead(Effect.flatMap(shared, (flags) =>
    lazily(
      () => Promise.all([import("./Sandbox.ts"), import("../app/App.ts")]),
      ([{ check }, { layerBase }]) => Effect.provide(check(given), layerBase(flags))
    )))).pipe(
      Command.withDescription(
        "Try out what this machine can hold a command to, for every Sandbox mode with and without a network. " +
          "This version does not run the agent's commands in a sandbox yet."
      ),
      Command.withShortDescription("What this machine can enforce")
    )

export const sandbox = Command.make("sandbox").pipe(
  Command.withDescription("The operating system's means to confine commands"),
  Command.withSubcommands([check])
)
