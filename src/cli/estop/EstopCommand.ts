import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { levels } from "../../domain/EmergencyStop.ts"
import { lazily, optionalFlag, settingsFlags, toggle, whileRead } from "../Flags.ts"
import type * as Estop from "./Estop.ts"

const onStop = <A, E>(
  use: (estop: typeof Estop, place: { readonly configDir: string | undefined }) => Effect.Effect<A, E>
) =>
  whileRead(
    Effect.flatMap(settingsFlags, ({ configDir }) =>
      lazily(() => import("./Estop.ts"), (estop) => use(estop, { configDir })))
  )

const several = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(description), Flag.between(0, 1000))

const status = Command.make(
  "status",
  { json: toggle("json", "As JSON") },
  (given) => onStop((estop, place) => estop.status({ ...given, ...place }))
).pipe(Command.withDescription("Show what is stopped"))

const resume = Command.make(
  "resume",
  {
    network: toggle("network", "Lift network-kill, and nothing else"),
    domains: several("domain", "DOMAIN", "Unblock this domain, and lift nothing else"),
    tools: several("tool", "NAME", "Unfreeze this tool, and lift nothing else"),
    otp: optionalFlag("otp", "CODE", "A one-time code, where [security.estop] wants one")
  },
  ({ otp, ...given }) => onStop((estop, place) => estop.resume({ ...given, ...place, otp: Option.getOrUndefined(otp) }))
).pipe(
  Command.withDescription(
    "Lift kill-all, or with a flag one of the other levels. What was stopped does not begin again."
  )
)

export const estop = Command.make(
  "estop",
  {
    level: Flag.Literals("level", levels).pipe(
      Flag.withDescription(
        "kill-all: nothing runs. network-kill: nothing that uses a network. domain-block, tool-freeze: nothing that " +
          "reaches the domain, no call of the tool (default: kill-all, or what the other flags say)"
      ),
      Flag.optional
    ),
    domains: several("domain", "DOMAIN", "A domain to block, with its subdomains"),
    tools: several("tool", "NAME", "A tool to freeze")
  },
  ({ level, ...given }) =>
    onStop((estop, place) => estop.engage({ ...given, ...place, level: Option.getOrUndefined(level) }))
).pipe(
  Command.withSubcommands([status, resume]),
  Command.withDescription(
    "Stop the agents of this configuration, in all processes, at once. Running turns, commands and servers end; the " +
      "stop holds, over restarts too, until postern estop resume lifts it."
  ),
  Command.withShortDescription("Emergency stop")
)
