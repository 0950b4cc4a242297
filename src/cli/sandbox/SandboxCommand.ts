import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { lazily, settingsFlags, toggle, whileRead } from "../Flags.ts"

const check = Command.make("check", {
  backend: Flag.Literals("backend", ["auto", "bubblewrap", "landlock", "seatbelt", "firejail", "docker"]).pipe(
    Flag.withDescription(
      "The backend to test (default: sandbox_backend of the default risk profile, else what this system would choose)"
    ),
    Flag.optional
  ),
  json: toggle("json", "One JSON object a line")
}, (given) =>
  whileRead(Effect.flatMap(settingsFlags, (flags) =>
    lazily(
      () => Promise.all([import("./SandboxCheck.ts"), import("../../app/App.ts")]),
      ([{ check }, { layerBase }]) =>
        Effect.provide(check({ ...given, backend: Option.getOrUndefined(given.backend) }), layerBase(flags))
    )))).pipe(
    Command.withDescription(
      "Test what this machine can enforce, for every sandbox mode with and without a network."
    ),
    Command.withShortDescription("What this machine can enforce")
  )

export const sandbox = Command.make("sandbox").pipe(
  Command.withDescription("The sandbox for commands"),
  Command.withSubcommands([check])
)
