import { Effect } from "effect"
import { Settings } from "../../config/Settings.ts"
import { builtInTools, isServerTool } from "../../domain/ToolName.ts"
import { pathsOf } from "../../config/Paths.ts"
import { Environment } from "../../platform/Environment.ts"
import { isDomain, isEngaged, normalDomain, type StopLevel, type StopState } from "../../domain/EmergencyStop.ts"
import * as OneTimeCodes from "../../security/OneTimeCodes.ts"
import * as EmergencyStop from "../../security/EmergencyStop.ts"
import * as StopSwitch from "../../security/StopSwitch.ts"
import { failure, wrongUsage } from "../Failure.ts"
import { orFail, print, table } from "../terminal/Output.ts"
import { json, oneLine } from "../terminal/Text.ts"

interface Place {
  /** `--config-dir` */
  readonly configDir: string | undefined
}

interface Names extends Place {
  readonly domains: ReadonlyArray<string>
  readonly tools: ReadonlyArray<string>
}

/** Works also while the configuration cannot be read. */
const stopOf = (flag: string | undefined) =>
  Effect.map(Environment, (environment) => {
    const { configDir } = pathsOf(flag, environment)
    return { ...EmergencyStop.make(configDir), ...StopSwitch.make(configDir) }
  })

const shown = (state: StopState): string => {
  if (!isEngaged(state)) return "Nothing is stopped.\n"
  const rows = [
    ...(state.killAll ? [["kill-all", oneLine(state.problem ?? "nothing runs")]] : []),
    ...(state.networkKill ? [["network-kill", "nothing that uses a network runs"]] : []),
    ...state.blockedDomains.map((domain) => ["domain-block", oneLine(domain)]),
    ...state.frozenTools.map((tool) => ["tool-freeze", oneLine(tool)])
  ]
  return table(["STOPPED", "WHAT"], rows)
}

export const status = Effect.fnUntraced(function*(given: Place & { readonly json: boolean }) {
  const state = (yield* stopOf(given.configDir)).state()
  yield* print(given.json ? `${json(EmergencyStop.written(state))}\n` : shown(state))
})

const checkDomains = (domains: ReadonlyArray<string>) =>
  Effect.forEach(domains, (domain) =>
    isDomain(normalDomain(domain))
      ? Effect.void
      : Effect.fail(wrongUsage(`--domain ${JSON.stringify(domain)} is no name of a domain, such as example.com`)), {
    discard: true
  })

/** A misspelled name would freeze nothing. Tools of MCP servers are known only while the servers run. */
const checkTools = (tools: ReadonlyArray<string>) => {
  const known: ReadonlyArray<string> = builtInTools
  const unknown = tools.find((tool) => !known.includes(tool) && !isServerTool(tool))
  return unknown === undefined ? Effect.void : Effect.fail(wrongUsage(
    `--tool ${JSON.stringify(unknown)} is no tool; the tools are ${known.join(", ")}, ` +
      "and SERVER__TOOL for those of MCP servers"
  ))
}

/** What the flags ask for, in levels; a flag without its level, or a level without its flag, is wrong usage. */
const changesOf = ({ domains, tools }: Omit<Names, "configDir">, level: StopLevel | undefined) => {
  if (level === "domain-block" && domains.length === 0) {
    return wrongUsage("--level domain-block needs the domain: --domain DOMAIN")
  }
  if (level === "tool-freeze" && tools.length === 0) {
    return wrongUsage("--level tool-freeze needs the tool: --tool NAME")
  }
  if (level !== undefined && level !== "domain-block" && domains.length > 0) {
    return wrongUsage(`--domain belongs to --level domain-block, not to ${level}`)
  }
  if (level !== undefined && level !== "tool-freeze" && tools.length > 0) {
    return wrongUsage(`--tool belongs to --level tool-freeze, not to ${level}`)
  }
  const named: ReadonlyArray<StopSwitch.StopChange> = [
    ...(domains.length > 0 ? [{ level: "domain-block" as const, names: domains }] : []),
    ...(tools.length > 0 ? [{ level: "tool-freeze" as const, names: tools }] : [])
  ]
  if (named.length > 0) return named
  return [{ level: level === "network-kill" ? level : "kill-all" as const }]
}

export const engage = Effect.fnUntraced(
  function*({ level, ...names }: Names & { readonly level: StopLevel | undefined }) {
    const changes = changesOf(names, level)
    if ("exitCode" in changes) return yield* changes
    yield* checkDomains(names.domains)
    yield* checkTools(names.tools)
    const { engage, state } = yield* stopOf(names.configDir)
    for (const change of changes) yield* orFail(engage(change))
    yield* print(shown(state()))
    yield* print("postern estop resume lifts kill-all; --network, --domain and --tool lift the others.\n")
  }
)

/** A configuration that cannot be read might want a code. */
const checkCode = Effect.fnUntraced(function*(configDir: string | undefined, code: string | undefined) {
  const settings = yield* orFail(Settings.load({ configDir }))
  const { otp, resumeTakesCode } = settings.started
  if (!resumeTakesCode) {
    return code === undefined
      ? undefined
      : yield* wrongUsage("--otp needs security.estop.enabled = true in config.toml")
  }
  if (code === undefined) return yield* failure("lifting the stop takes a one-time code (security.estop): --otp CODE")
  yield* orFail(OneTimeCodes.make(settings).verify(code, otp))
})

interface Lift extends Names {
  readonly network: boolean
  readonly otp: string | undefined
}

export const resume = Effect.fnUntraced(function*({ configDir, domains, network, otp, tools }: Lift) {
  const { lift, state } = yield* stopOf(configDir)
  const changes: ReadonlyArray<StopSwitch.StopChange> = [
    ...(network ? [{ level: "network-kill" as const }] : []),
    ...(domains.length > 0 ? [{ level: "domain-block" as const, names: domains }] : []),
    ...(tools.length > 0 ? [{ level: "tool-freeze" as const, names: tools }] : [])
  ]
  if (changes.length === 0 && !isEngaged(state())) return yield* print("Nothing is stopped.\n")
  yield* checkCode(configDir, otp)
  for (const change of changes.length === 0 ? [{ level: "kill-all" as const }] : changes) {
    yield* orFail(lift(change))
  }
  yield* print(shown(state()))
})
