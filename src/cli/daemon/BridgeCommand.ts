import { Effect, Option } from "effect"
import { Command, GlobalFlag } from "effect/cli"
import { ConfigDir, lazily, optionalFlag } from "../Flags.ts"

const flags = {
  url: optionalFlag("url", "URL", "Address of the gateway (default: as config.toml of this machine's daemon says)"),
  token: optionalFlag("token", "TOKEN", "Token; --token-file keeps it out of the list of processes"),
  "token-file": optionalFlag("token-file", "FILE", "File whose first line is the token"),
  "pair-code": optionalFlag("pair-code", "CODE", "Pair with the code that postern pair shows, and keep the token"),
  agent: optionalFlag("agent", "ALIAS", "Agent of sessions that name none"),
  cwd: optionalFlag("cwd", "DIR", "Folder of sessions that name none")
}

/** Where the words do not begin with `bridge`, which `main.ts` takes itself. */
export const bridge = Command.make(
  "bridge",
  flags,
  Effect.fnUntraced(function*(given) {
    const all = { ...given, "config-dir": yield* ConfigDir, "log-level": yield* GlobalFlag.LogLevel }
    const words = Object.entries(all).flatMap(([name, value]) =>
      Option.match(value, { onNone: () => [], onSome: (text) => [`--${name}`, text] })
    )
    return yield* lazily(() => import("../../gateway/bridge/Start.ts"), ({ start }) => {
      start(words)
      return Effect.never
    })
  })
).pipe(
  Command.withDescription(
    "Serve ACP on stdin and stdout for an editor, and carry it to a gateway. Connects again when the gateway is lost, and goes on with " +
      "the same sessions. The token is also read from POSTERN_BRIDGE_TOKEN, a code from POSTERN_PAIRING_CODE."
  ),
  Command.withShortDescription("ACP on stdio for editors, carried to a gateway")
)
