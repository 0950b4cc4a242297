import { Effect } from "effect"
import { serveConnection } from "../acp/AcpServer.ts"
import { fromStreams } from "../rpc/Transport.ts"
import { layerAcp, layerBase } from "./App.ts"
import { Settings, type SettingsFlags } from "../config/Settings.ts"
import { protocolWrite } from "../platform/Stdout.ts"

/** `postern acp`: one client on stdin and stdout, until the end of input (spec §1). */
export const run = (flags: SettingsFlags) =>
  Effect.gen(function*() {
    const { notes } = (yield* Settings).started
    yield* Effect.forEach(notes, (note) => Effect.logWarning(note), { discard: true })
    yield* serveConnection(fromStreams(process.stdin, process.stdout, protocolWrite))
  }).pipe(
    Effect.provide(layerAcp),
    Effect.ensuring(Effect.sync(() => process.stdin.destroy())),
    Effect.provide(layerBase(flags))
  )
