import { Effect } from "effect"
import { LiveSettings } from "../../config/LiveSettings.ts"
import { Settings } from "../../config/Settings.ts"
import { isDomain, normalDomain, type StopLevel } from "../../domain/EmergencyStop.ts"
import * as EmergencyStop from "../../security/EmergencyStop.ts"
import * as StopSwitch from "../../security/StopSwitch.ts"
import * as OneTimeCodes from "../../security/OneTimeCodes.ts"
import { PolicyService } from "../../session/policy/PolicyService.ts"
import { EmergencyStopMethods } from "../protocol/DaemonContracts.ts"
import * as Errors from "../protocol/Errors.ts"
import { operatorOnly } from "./Access.ts"
import { codeFault } from "./OneTimeCodeHandlers.ts"

/** The methods `estop/*`; see docs/native-rpc.md#emergency-stop. */

interface Named {
  readonly domain?: string | null
  readonly tool?: string | null
}

const unavailable = ({ message }: StopSwitch.StopNotChanged) => Errors.unavailable(message)

/** The level of a name is the one that takes it; without a name and a level it is everything. */
const changeOf = Effect.fnUntraced(function*({ domain, tool }: Named, asked: StopLevel | null | undefined) {
  const level = asked ??
    (typeof domain === "string" ? "domain-block" : typeof tool === "string" ? "tool-freeze" : "kill-all")
  if (typeof domain === "string" && level !== "domain-block") {
    return yield* Errors.invalid(`domain: belongs to the level domain-block, not to ${level}`, "domain")
  }
  if (typeof tool === "string" && level !== "tool-freeze") {
    return yield* Errors.invalid(`tool: belongs to the level tool-freeze, not to ${level}`, "tool")
  }
  switch (level) {
    case "domain-block":
      return isDomain(normalDomain(domain ?? ""))
        ? { level, names: [domain ?? ""] }
        : yield* Errors.invalid("domain: the name of a domain, such as example.com", "domain")
    case "tool-freeze":
      return (tool ?? "").trim() !== ""
        ? { level, names: [tool ?? ""] }
        : yield* Errors.invalid("tool: the name of a tool, such as shell", "tool")
    default:
      return { level }
  }
})

export const layer = EmergencyStopMethods.toLayer(Effect.gen(function*() {
  const settings = yield* Settings
  const { state } = EmergencyStop.make(settings.configDir)
  const { engage, lift } = StopSwitch.make(settings.configDir)
  const codes = OneTimeCodes.make(settings)
  const { unknownTools } = yield* PolicyService
  const { current } = yield* LiveSettings

  return EmergencyStopMethods.of({
    "estop/status": () => Effect.sync(() => EmergencyStop.written(state())),

    "estop/engage": Effect.fnUntraced(function*({ level, ...named }) {
      const change = yield* changeOf(named, level)
      if (change.level === "tool-freeze") {
        // A misspelled name would freeze nothing.
        const [unknown] = yield* unknownTools(change.names, (yield* current).mcp.servers)
        if (unknown !== undefined) return yield* Errors.invalid(`tool: there is no tool ${unknown}`, "tool", "unknown")
      }
      return EmergencyStop.written(yield* Effect.mapError(engage(change), unavailable))
    }),

    "estop/resume": Effect.fnUntraced(function*({ network, otp: code, ...named }) {
      yield* operatorOnly("lift an emergency stop")
      const change = yield* changeOf(named, network === true ? "network-kill" : undefined)
      const { otp, resumeTakesCode } = yield* current
      if (resumeTakesCode) yield* Effect.mapError(codes.verify(code ?? "", otp), codeFault("otp"))
      return EmergencyStop.written(
        yield* Effect.mapError(lift(change), ({ message }) => Errors.invalid(message, "level", "not_engaged"))
      )
    })
  })
}))
