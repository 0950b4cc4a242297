import { Effect } from "effect"
import * as DaemonClient from "./DaemonClient.ts"
import { json, oneLine } from "../terminal/Text.ts"
import { print, table } from "../terminal/Output.ts"

const duration = (seconds: number): string => {
  const [days, hours, minutes] = [
    Math.floor(seconds / 86_400),
    Math.floor(seconds / 3600) % 24,
    Math.floor(seconds / 60) % 60
  ]
  return [...(days > 0 ? [`${days} d`] : []), ...(days + hours > 0 ? [`${hours} h`] : []), `${minutes} min`].join(" ")
}

/** What the running daemon says of itself. */
export const status = Effect.fnUntraced(function*(options: { readonly json: boolean }) {
  const daemon = yield* DaemonClient.needed
  const [state, health] = [yield* daemon.call("status", {}), yield* daemon.call("health", {})]
  if (options.json) return yield* print(`${json({ ...state, health })}\n`)
  const troubles = Object.entries(health.components)
    .flatMap(([name, { last_error }]) => last_error === null ? [] : [[name.replaceAll("_", " "), oneLine(last_error)]])
  yield* print(table(["POSTERN", state.server_version], [
    ["process", String(health.pid)],
    ["running for", duration(health.uptime_seconds)],
    ["socket", oneLine(state.local_ipc_endpoint)],
    ["configuration", oneLine(state.config_file)],
    ["active sessions", String(state.active_sessions)],
    ...(state.estop.engaged ? [["emergency stop", "engaged; postern estop status shows it"]] : []),
    ["memory", `${Math.round(health.process.rss_bytes / 1024 / 1024)} MiB`],
    ...troubles
  ]))
}, Effect.scoped)
