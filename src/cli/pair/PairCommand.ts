import { Effect, Option } from "effect"
import { Argument, Command } from "effect/cli"
import { lazily, optionalFlag, settingsFlags, toggle, whileRead } from "../Flags.ts"
import type * as Pair from "./Pair.ts"
import type { Settings } from "../../config/Settings.ts"

const onTokens = <A, E>(use: (pair: typeof Pair) => Effect.Effect<A, E, Settings>) =>
  whileRead(Effect.flatMap(settingsFlags, (flags) =>
    lazily(
      () => Promise.all([import("./Pair.ts"), import("../../app/App.ts")]),
      ([pair, { layerBase }]) => Effect.provide(use(pair), layerBase(flags))
    )))

const list = Command.make(
  "list",
  { json: toggle("json", "One JSON object a line") },
  (given) => onTokens((pair) => pair.list(given))
).pipe(
  Command.withAlias("ls"),
  Command.withDescription("List the clients that have paired")
)

const revoke = Command.make("revoke", {
  id: Argument.String("id").pipe(Argument.withDescription("As postern pair list shows it"))
}, (given) => onTokens((pair) => pair.revoke(given))).pipe(
  Command.withDescription("Take a client's token away; its connections end at once")
)

export const pair = Command.make(
  "pair",
  { user: optionalFlag("user", "NAME", "Give the token the rights of [users.NAME]") },
  ({ user }) => onTokens((pair) => pair.pair({ user: Option.getOrUndefined(user) }))
).pipe(
  Command.withSubcommands([list, revoke]),
  Command.withDescription(
    "Show a one-time code and the address of the running daemon's gateway, and wait until a client has used it."
  ),
  Command.withShortDescription("Let a client use the gateway")
)
