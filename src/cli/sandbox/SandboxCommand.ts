import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { wrongUsage } from "../Failure.ts"
import { lazily, optionalFlag, settingsFlags, toggle, whileRead } from "../Flags.ts"
import { onPolicy } from "../policy/PolicyCommand.ts"

const check = Command.make("check", {
  backend: Flag.Literals("backend", ["auto", "bubblewrap", "landlock", "seatbelt", "firejail", "docker"]).pipe(
    Flag.withDescription(
      "The backend to test (default: sandbox_backend of the default risk profile, else what this system would choose)"
    ),
    Flag.optional
  ),
  json: toggle("json", "One JSON object a line"),
  paths: toggle(
    "paths",
    "Print instead what is hidden from a command of a new session in this folder and what it may not write, with the reasons"
  ),
  cwd: optionalFlag("cwd", "DIR", "With --paths: folder of the session (default: the current one)")
}, (given) => {
  if (given.paths) {
    return Option.isSome(given.backend)
      ? Effect.fail(wrongUsage("--paths says what every backend hides: leave --backend out"))
      : onPolicy({ cwd: given.cwd }, () => import("./SandboxPaths.ts"), ({ paths }) => paths(given))
  }
  if (Option.isSome(given.cwd)) return Effect.fail(wrongUsage("--cwd goes with --paths"))
  return whileRead(Effect.flatMap(settingsFlags, (flags) =>
    lazily(
      () => Promise.all([import("./SandboxCheck.ts"), import("../../app/App.ts")]),
      ([{ check }, { layerBase }]) =>
        Effect.provide(check({ ...given, backend: Option.getOrUndefined(given.backend) }), layerBase(flags))
    )))
}).pipe(
  Command.withDescription(
    "Test what this machine can enforce, for every sandbox mode with and without a network. With --paths: which files " +
      "and folders are hidden and protected in a folder."
  ),
  Command.withShortDescription("What this machine can enforce, and what is hidden")
)

export const sandbox = Command.make("sandbox").pipe(
  Command.withDescription("The sandbox for commands"),
  Command.withSubcommands([check])
)
