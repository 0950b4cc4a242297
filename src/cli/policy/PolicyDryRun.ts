import { existsSync } from "node:fs"
import { resolve as absolute } from "node:path"
import { Context, Effect, Layer, Result, Schema } from "effect"
import type { Decision } from "../../policy/decision/Decision.ts"
import { Gate, GateInput, invalid } from "../../session/policy/Gate.ts"
import {
  type AutonomyLevel,
  type PolicySettings,
  policySettings as names,
  resolve
} from "../../domain/PolicySettings.ts"
import { knownTools, Toolbox } from "../../tool/Toolbox.ts"
import { limitsOf, ownFolders } from "../../policy/decision/Limits.ts"
import { RuleBooks } from "../../policy/rules/RuleBooks.ts"
import { add, type Entry, entry, type RuleSet } from "../../policy/rules/RuleSet.ts"
import { policyFlagsOf } from "../../policy/decision/PolicyFlags.ts"
import { foreseen } from "../../mcp/McpToolDeclaration.ts"
import { decodeCall } from "../../tool/Tool.ts"
import * as Workspace from "../../workspace/Workspace.ts"
import { type DryCall, type DryKnobs, lists, merge, sessionKnobs } from "./DryCall.ts"
import { LiveSettings } from "../../config/LiveSettings.ts"
import type { RiskProfile } from "../../config/Profiles.ts"
import { Settings } from "../../config/Settings.ts"
import type { AgentSettings } from "../../config/Snapshot.ts"

/** A dry run that cannot be made: no such folder or agent, rules that cannot be read. */
export class DryRunRefused extends Schema.TaggedError<DryRunRefused>()("DryRunRefused", { message: Schema.String }) {}

const refused = (message: string) => new DryRunRefused({ message })

const mostExtras = 256

/** What the gates say of a tool call in a new session (spec §5): nothing runs, nobody is asked, nothing is stored. */
export class PolicyDryRun extends Context.Service<PolicyDryRun, {
  readonly workspace: (cwd?: string) => Effect.Effect<Workspace.Workspace, DryRunRefused>
  readonly decide: (call: DryCall) => Effect.Effect<Decision, DryRunRefused>
  /** Of arguments that can be read in several ways, the first that fits the tool; the first of all where none does. */
  readonly fitting: (tool: string, readings: ReadonlyArray<unknown>) => Effect.Effect<unknown>
  /** The name of the risk profile whose limits and lists count. */
  readonly riskProfile: string
  readonly profile: RiskProfile | undefined
  readonly userRules: PolicySettings["user_rules"]
}>()("postern/app/PolicyDryRun") {
  static readonly layer = (options: Options) =>
    Layer.effect(PolicyDryRun, make(options)).pipe(Layer.provide(GateInput.layer))
}

export interface Options {
  /** Absolute: where a call happens that names no folder, and what relative ones count from. */
  readonly cwd: string
  readonly agent?: string | undefined
  /** Under those of every call. */
  readonly knobs?: DryKnobs
}

const agentOf = Effect.fnUntraced(function*(
  alias: string | undefined
): Effect.fn.Return<AgentSettings | undefined, DryRunRefused, LiveSettings> {
  const { acp, agents } = (yield* LiveSettings).last()
  const enabled = Array.from(agents.values()).filter((agent) => agent.enabled)
  const asked = alias ?? acp.defaultAgent
  const agent = asked === undefined ? (enabled.length === 1 ? enabled[0] : undefined) : agents.get(asked)
  if (alias !== undefined && agent === undefined) {
    const names = Array.from(agents.keys()).join(", ")
    return yield* refused(`there is no agent ${JSON.stringify(alias)}; the agents are ${names}`)
  }
  return agent
})

/** The gates look at names: a dry run can be about a folder of another machine. */
const imagined = (cwd: string, readable: ReadonlyArray<string>): Workspace.Workspace => ({
  cwd,
  roots: [cwd],
  readable,
  allowed: [],
  skills: [],
  aliases: { roots: [], readable: [] },
  resolve: (path) => Effect.fail(new Workspace.PathRefused({ path, reason: "there is no such folder here." }))
})

const make = Effect.fnUntraced(function*({ agent: alias, cwd: base, knobs: common = {} }: Options) {
  const settings = yield* Settings
  const { mcp, policy: own, riskProfiles } = (yield* LiveSettings).last()
  const books = yield* RuleBooks
  const gate = yield* Gate
  const gateInput = yield* GateInput
  const { tools } = yield* Toolbox
  const known = knownTools(tools)
  const agent = yield* agentOf(alias)
  const riskProfile = agent?.riskProfile ?? "default"
  const profile = riskProfiles.get(riskProfile)
  const flags = policyFlagsOf(own)
  const user: Partial<PolicySettings> = Object.fromEntries(
    names.flatMap((name) => own[name] === undefined ? [] : [[name, own[name]]])
  )
  const userRules = resolve("supervised", { session: {}, project: {}, user }).values.user_rules
  const workspaces = new Map<string, Workspace.Workspace>()
  /** Rules with those of a dry run on top: many calls come with the same. */
  const extended = new WeakMap<RuleSet, Map<string, RuleSet>>()

  const workspace = Effect.fnUntraced(function*(cwd: string = base) {
    const folder = absolute(base, cwd)
    const cached = workspaces.get(folder)
    if (cached) return cached
    const readable = agent !== undefined && existsSync(agent.workspace) ? [agent.workspace] : []
    const made = existsSync(folder)
      ? yield* Effect.mapError(
        Workspace.make({ cwd: folder, readable }),
        ({ path, reason }) => refused(`cwd: ${path}: ${reason}`)
      )
      : imagined(folder, readable)
    workspaces.set(folder, made)
    return made
  })

  const entriesOf = Effect.fnUntraced(function*(rules: NonNullable<DryKnobs["rules"]>) {
    const entries: Array<Entry> = []
    for (const list of lists) {
      for (const text of rules[list] ?? []) {
        const rule = books.read(list, text)
        if (Result.isFailure(rule)) {
          return yield* refused(`${list} rule ${JSON.stringify(text)}: ${rule.failure.message}`)
        }
        entries.push(entry("session", list, rule.success))
      }
    }
    return entries
  })

  const withExtra = Effect.fnUntraced(function*(rules: RuleSet, extra: DryKnobs["rules"]) {
    if (!extra || lists.every((list) => !extra[list]?.length)) return rules
    const made = extended.get(rules) ?? new Map<string, RuleSet>()
    extended.set(rules, made)
    const key = JSON.stringify(lists.map((list) => extra[list]))
    const all = made.get(key) ?? add(rules, yield* entriesOf(extra), known)
    if (made.size >= mostExtras) made.clear()
    made.set(key, all)
    return all
  })

  /** Servers are not started for this: what the configuration says of one is enough. */
  const callOf = (name: string, parameters: unknown) => {
    if (tools.has(name) || !name.includes("__", 1)) return decodeCall(tools, name, parameters)
    return Result.match(foreseen(mcp.servers, name), {
      onSuccess: (tool) => decodeCall(new Map([[name, tool]]), name, parameters),
      onFailure: (why) =>
        Effect.succeed(Result.fail({ code: "UNKNOWN_TOOL", message: `there is no tool ${name}: ${why}` } as const))
    })
  }

  const decide = Effect.fnUntraced(function*({ arguments: parameters = {}, cwd, knobs: ofCall, tool: name }: DryCall) {
    const knobs = merge(common, ofCall)
    const place = yield* workspace(cwd ?? base)
    const level: AutonomyLevel = knobs.level ?? profile?.level ?? "supervised"
    const { book, policy } = yield* gateInput.load({
      source: Effect.succeed({ workspace: place, riskProfile, profile, userRules, session: [] }),
      settings: (project) => resolve(level, { session: sessionKnobs(knobs), project, user }),
      limits: Effect.sync(() => limitsOf({ ...profile, level }, ownFolders(settings))),
      flags: () => flags,
      permitted: Effect.undefined
    }).pipe(Effect.mapError(({ message }) => refused(message)))
    const rules = yield* withExtra(book.rules, knobs.rules)
    const call = yield* callOf(name, parameters)
    if (Result.isFailure(call)) return invalid(call.failure.code, call.failure.message)
    return gate.explain(call.success.tool, call.success.parameters, place, { ...policy, rules })
  })

  const fitting = Effect.fnUntraced(function*(name: string, readings: ReadonlyArray<unknown>) {
    for (const reading of readings) {
      if (Result.isSuccess(yield* callOf(name, reading))) return reading
    }
    return readings[0]
  })

  return PolicyDryRun.of({ workspace, decide, fitting, profile, riskProfile, userRules })
})
