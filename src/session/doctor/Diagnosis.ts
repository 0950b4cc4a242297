import { existsSync } from "node:fs"
import { Effect, Layer, Result } from "effect"
import { resolveModel } from "../../model/ModelReference.ts"
import { type EffectiveSandbox } from "../../domain/PolicySettings.ts"
import { backendChoiceOf } from "../../policy/decision/Limits.ts"
import { Sandbox } from "../../sandbox/Sandbox.ts"
import { Agents } from "../lifecycle/Agents.ts"
import { isEngaged } from "../../domain/EmergencyStop.ts"
import * as EmergencyStop from "../../security/EmergencyStop.ts"
import { SessionStore } from "../../store/SessionStore.ts"
import { Environment } from "../../platform/Environment.ts"
import * as Executable from "../../platform/Executable.ts"
import { Doctor, type Finding } from "./Doctor.ts"
import * as McpDiagnosis from "./McpDiagnosis.ts"
import { LiveSettings } from "../../config/LiveSettings.ts"
import { Settings } from "../../config/Settings.ts"
import { version } from "../../domain/Version.ts"

const ok = (name: string, detail: string): Finding => ({ name, status: "ok", detail })

/** The mode of a default session and the common alternatives. */
const usual: ReadonlyArray<readonly [EffectiveSandbox, boolean]> = [
  ["read-only", false],
  ["workspace-write", true],
  ["workspace-write", false],
  ["workspace-read", false],
  ["scratch", false]
]

const sandboxFinding = Effect.gen(function*() {
  const { policy, riskProfiles } = (yield* LiveSettings).last()
  const { enforce } = yield* Sandbox
  const wish = backendChoiceOf(riskProfiles.get("default"))
  if (wish.name === "none" && policy.sandbox === "danger-full-access" && policy.network !== "off") {
    return {
      name: "sandbox",
      status: "warn",
      detail: "none, as the configuration wants it: commands run as they are"
    } satisfies Finding
  }
  // Each check waits for a child process synchronously; yield to other fibers in between.
  const asked = yield* Effect.forEach(
    usual,
    ([mode, network]) => Effect.map(Effect.yieldNow, () => ({ mode, network, ...enforce(mode, network, wish) }))
  )
  const lacking = asked.filter(({ usable }) => !usable)
  const [first] = lacking
  if (first === undefined) return ok("sandbox", `${asked[0]?.report?.backend}, for every mode`)
  const which = lacking.length === asked.length
    ? "no mode can be enforced, so no shell command runs"
    : `not enforced: ${lacking.map(({ mode, network }) => `${mode} with network ${network ? "on" : "off"}`).join(", ")}`
  return {
    name: "sandbox",
    status: "warn",
    detail: `${which}: ${first.note}`,
    ...(first.remedy === undefined ? {} : { remedy: first.remedy })
  } satisfies Finding
})

const stopFinding = (configDir: string): Finding => {
  const { file, state } = EmergencyStop.make(configDir)
  const now = state()
  if (!isEngaged(now)) return ok("emergency stop", "not engaged")
  return {
    name: "emergency stop",
    status: "warn",
    detail: now.problem ?? `engaged: ${file}`,
    remedy: "postern estop status shows what is stopped, and postern estop resume lifts it."
  }
}

const agentFinding = Effect.gen(function*() {
  const { providers } = (yield* LiveSettings).last()
  const agents = yield* Agents
  return yield* Effect.match(agents.resolve(), {
    onFailure: ({ message }): Finding => ({
      name: "agent",
      status: "warn",
      detail: message,
      remedy: "See [agents] and acp.default_agent in config.toml."
    }),
    onSuccess: ({ alias, model }): Finding =>
      Result.match(resolveModel(providers, model), {
        onFailure: ({ message }): Finding => ({
          name: "agent",
          status: "fail",
          detail: `${alias} uses ${model}: ${message}`,
          remedy: "Run postern setup, or see [providers] in config.toml."
        }),
        onSuccess: ({ provider }): Finding =>
          provider.kind === "offline"
            ? {
              name: "agent",
              status: "warn",
              detail: `${alias} uses ${model}: no real model is set, and the built-in one only follows scripts`,
              remedy: "Run postern setup."
            }
            : ok("agent", `${alias} uses ${model}`)
      })
  })
})

const make = <E extends { readonly message: string }>(store: Layer.Layer<SessionStore, E, Settings>) =>
  Effect.gen(function*() {
    const settings = yield* Settings
    const live = yield* LiveSettings
    const services = yield* Effect.context<Agents | LiveSettings | Sandbox | Settings>()
    const variables = yield* Environment

    const sessions = SessionStore.useSync(() => ok("sessions", `${settings.dataDir} can be read and written`)).pipe(
      Effect.provide(store),
      Effect.catch(({ message }): Effect.Effect<Finding> =>
        Effect.succeed({
          name: "sessions",
          status: "fail",
          detail: message,
          remedy: "Make the folder writable, or set POSTERN_DATA_DIR."
        })
      )
    )

    const programs = ["bash", "git", "rg"].map((name): Finding => {
      const found = Executable.find(name, variables["PATH"], [])
      return found === undefined
        ? {
          name,
          status: "warn",
          detail: "not found in PATH",
          remedy: `Install ${name === "rg" ? "ripgrep, for faster searches" : name}.`
        }
        : ok(name, found)
    })

    return Doctor.of({
      run: Effect.gen(function*() {
        const { mcp, notes } = yield* live.current
        return [
          ok("postern", `${version}, Node.js ${process.versions.node}, ${process.platform} ${process.arch}`),
          ...(notes.length === 0
            ? [
              ok(
                "configuration",
                existsSync(settings.configFile) ? settings.configFile : `defaults: there is no ${settings.configFile}`
              )
            ]
            : notes.map((detail): Finding => ({ name: "configuration", status: "warn", detail }))),
          stopFinding(settings.configDir),
          yield* agentFinding,
          yield* sessions,
          yield* sandboxFinding,
          ...programs,
          ...McpDiagnosis.look(mcp.servers, variables)
        ]
      }).pipe(Effect.provideContext(services))
    })
  })

/** `store` opens the stored sessions; that it cannot is a finding. */
export const layer = <E extends { readonly message: string }>(
  store: Layer.Layer<SessionStore, E, Settings>
): Layer.Layer<Doctor, never, Agents | LiveSettings | Sandbox | Settings> => Layer.effect(Doctor, make(store))
