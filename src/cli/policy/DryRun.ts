import { existsSync } from "node:fs"
import { resolve as absolute } from "node:path"
import { Context, Effect, Layer, Result, Schema } from "effect"
import { LiveSettings } from "../../config/LiveSettings.ts"
import type { RiskProfile } from "../../config/Profiles.ts"
import { Settings } from "../../config/Settings.ts"
import type { AgentSettings } from "../../config/Snapshot.ts"
import {
  type AutonomyLevel,
  type PolicySettings,
  policySettings,
  resolve,
  settingValues
} from "../../domain/PolicySettings.ts"
import { foreseen } from "../../mcp/McpToolDeclaration.ts"
import type { Decision } from "../../policy/decision/Decision.ts"
import { limitsOf, ownFolders } from "../../policy/decision/Limits.ts"
import { policyFlagsOf } from "../../policy/decision/PolicyFlags.ts"
import { RuleBooks } from "../../policy/rules/source/RuleBooks.ts"
import { add, type RuleEntry, ruleEntry, type RuleSet } from "../../policy/rules/RuleSet.ts"
import * as CodeApprovals from "../../session/policy/CodeApprovals.ts"
import { Gate, GateInput, invalid } from "../../session/policy/Gate.ts"
import * as EmergencyStop from "../../security/EmergencyStop.ts"
import { knownTools, Toolbox } from "../../tool/Toolbox.ts"
import { decodeCall } from "../../tool/Tool.ts"
import * as Workspace from "../../workspace/Workspace.ts"
import { oneLine } from "../terminal/Text.ts"

const maybe = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))
const texts = maybe(Schema.Array(Schema.String))

/** Settings of a dry run; each one counts as the session's own choice. */
const DryRunSettings = Schema.Struct({
  mode: maybe(Schema.Literals(settingValues.work_mode)),
  network: maybe(Schema.Literals(settingValues.network)),
  approval: maybe(Schema.Literals(settingValues.tool_approval)),
  response: maybe(Schema.Literals(settingValues.approval_response)),
  sandbox: maybe(Schema.Literals(settingValues.sandbox)),
  level: maybe(Schema.Literals(["readonly", "supervised", "full"])),
  rules: maybe(Schema.Struct({ deny: texts, ask: texts, allow: texts }))
})
export type DryRunSettings = typeof DryRunSettings.Type

/** A line of `policy explain --batch`. Its settings are called `knobs`. */
const WrittenCall = Schema.Struct({
  tool: Schema.String,
  arguments: Schema.optionalKey(Schema.Unknown),
  cwd: maybe(Schema.String),
  knobs: Schema.optionalKey(Schema.Unknown)
})

export interface DryRunCall {
  readonly tool: string
  readonly arguments?: unknown
  readonly cwd?: string | null
  readonly knobs?: DryRunSettings | null
}

const readWritten = Schema.decodeUnknownResult(WrittenCall)
const readSettings = Schema.decodeUnknownResult(Schema.NullOr(DryRunSettings), { onExcessProperty: "error" })

const messageLine = ({ message }: { readonly message: string }) => message.replace(/\s+/g, " ")

/** Other keys of a call may be the caller's own; a setting that does not exist would lead to a wrong answer. */
export const readCall = (value: unknown): Result.Result<DryRunCall, string> => {
  const written = readWritten(value)
  if (Result.isFailure(written)) return Result.fail(messageLine(written.failure))
  const { knobs = null, ...call } = written.success
  return Result.mapBoth(readSettings(knobs), {
    onSuccess: (knobs) => ({ ...call, knobs }),
    onFailure: (failure) => `knobs: ${messageLine(failure)}`
  })
}

const lists = ["deny", "ask", "allow"] as const

const sessionSettings = ({ approval, mode, network, response, sandbox }: DryRunSettings): Partial<PolicySettings> => ({
  ...(mode && { work_mode: mode }),
  ...(network && { network }),
  ...(approval && { tool_approval: approval }),
  ...(response && { approval_response: response }),
  ...(sandbox && { sandbox })
})

/** `more` over `base`, setting by setting; rules of both count. */
const mergeSettings = (base: DryRunSettings, more: DryRunSettings | null | undefined): DryRunSettings => {
  if (!more) return base
  const chosen = Object.fromEntries(Object.entries(more).filter(([, value]) => value !== null && value !== undefined))
  if (!base.rules || !more.rules) return { ...base, ...chosen }
  const both = lists.map((list) => [list, [...base.rules?.[list] ?? [], ...more.rules?.[list] ?? []]])
  return { ...base, ...chosen, rules: Object.fromEntries(both) }
}

/** A dry run that cannot be made: no such folder or agent, rules that cannot be read. */
export class DryRunRefused extends Schema.TaggedError<DryRunRefused>()("DryRunRefused", { message: Schema.String }) {}

const refused = (message: string) => new DryRunRefused({ message })

/** How many sets of extra rules are cached. */
const maxRuleSets = 256

/** The decision of the gates about a tool call in a new session (docs/policy.md#gates): nothing runs, is asked or stored. */
export class DryRun extends Context.Service<DryRun, {
  readonly workspace: (cwd?: string) => Effect.Effect<Workspace.Workspace, DryRunRefused>
  readonly decide: (call: DryRunCall) => Effect.Effect<Decision, DryRunRefused>
  /** The first of several readings of the arguments that fits the tool; the first of all where none does. */
  readonly fitting: (tool: string, readings: ReadonlyArray<unknown>) => Effect.Effect<unknown>
  /** The name of the risk profile whose limits and lists count. */
  readonly riskProfile: string
  readonly profile: RiskProfile | undefined
  readonly userRules: PolicySettings["user_rules"]
}>()("postern/cli/DryRun") {
  static readonly layer = (options: DryRunOptions) =>
    Layer.effect(DryRun, make(options)).pipe(Layer.provide(GateInput.layer))
}

interface DryRunOptions {
  /** Absolute: the folder of calls that name none, and the base of relative folders. */
  readonly cwd: string
  readonly agent?: string | undefined
  /** Those of a call override them. */
  readonly settings?: DryRunSettings
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

/** A folder that need not exist here: the gates look at names only. */
const imagined = (cwd: string, readable: ReadonlyArray<string>): Workspace.Workspace => ({
  cwd,
  roots: [cwd],
  readable,
  allowed: [],
  skills: [],
  aliases: { roots: [], readable: [] },
  resolve: (path) => Effect.fail(new Workspace.PathRefused({ path, reason: "there is no such folder here." }))
})

const make = Effect.fnUntraced(function*({ agent: alias, cwd: base, settings: common = {} }: DryRunOptions) {
  const settings = yield* Settings
  const { mcp, otp, policy: own, riskProfiles } = (yield* LiveSettings).last()
  const books = yield* RuleBooks
  const stop = EmergencyStop.make(settings.configDir)
  const codes = yield* CodeApprovals.make(settings, () => otp, stop)
  const gate = yield* Gate
  const gateInput = yield* GateInput
  const { tools } = yield* Toolbox
  const known = knownTools(tools)
  const agent = yield* agentOf(alias)
  const riskProfile = agent?.riskProfile ?? "default"
  const profile = riskProfiles.get(riskProfile)
  const flags = policyFlagsOf(own)
  const user: Partial<PolicySettings> = Object.fromEntries(
    policySettings.flatMap((name) => own[name] === undefined ? [] : [[name, own[name]]])
  )
  const userRules = resolve("supervised", { session: {}, project: {}, user }).values.user_rules
  const workspaces = new Map<string, Workspace.Workspace>()
  /** Rules together with the extra rules of a call: many calls have the same. */
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

  const entriesOf = Effect.fnUntraced(function*(rules: NonNullable<DryRunSettings["rules"]>) {
    const entries: Array<RuleEntry> = []
    for (const list of lists) {
      for (const text of rules[list] ?? []) {
        const rule = books.read(list, text)
        if (Result.isFailure(rule)) {
          return yield* refused(`${list} rule ${JSON.stringify(text)}: ${rule.failure.message}`)
        }
        entries.push(ruleEntry("session", list, rule.success))
      }
    }
    return entries
  })

  const withExtraRules = Effect.fnUntraced(function*(rules: RuleSet, extra: DryRunSettings["rules"]) {
    if (!extra || lists.every((list) => !extra[list]?.length)) return rules
    const made = extended.get(rules) ?? new Map<string, RuleSet>()
    extended.set(rules, made)
    const key = JSON.stringify(lists.map((list) => extra[list]))
    const all = made.get(key) ?? add(rules, yield* entriesOf(extra), known)
    if (made.size >= maxRuleSets) made.clear()
    made.set(key, all)
    return all
  })

  /** Servers are not started for this: the configuration of one is enough to decide. */
  const callOf = (name: string, parameters: unknown, cwd: string) => {
    if (tools.has(name) || !name.includes("__", 1)) return decodeCall(tools, name, parameters, cwd)
    return Result.match(foreseen(mcp.servers, name), {
      onSuccess: (tool) => decodeCall(new Map([[name, tool]]), name, parameters, cwd),
      onFailure: (why) =>
        Effect.succeed(Result.fail({ code: "UNKNOWN_TOOL", message: `there is no tool ${name}: ${why}` } as const))
    })
  }

  const decide = Effect.fnUntraced(
    function*({ arguments: parameters = {}, cwd, knobs: ofCall, tool: name }: DryRunCall) {
      const chosen = mergeSettings(common, ofCall)
      const place = yield* workspace(cwd ?? base)
      const level: AutonomyLevel = chosen.level ?? profile?.level ?? "supervised"
      const { book, policy } = yield* gateInput.load({
        source: Effect.succeed({ workspace: place, riskProfile, profile, userRules, session: [] }),
        settings: (project) => resolve(level, { session: sessionSettings(chosen), project, user }),
        limits: Effect.sync(() => limitsOf({ ...profile, level }, ownFolders(settings))),
        flags: () => flags,
        permitted: Effect.undefined,
        stop,
        codes
      }).pipe(Effect.mapError(({ message }) => refused(message)))
      const rules = yield* withExtraRules(book.rules, chosen.rules)
      const call = yield* callOf(name, parameters, place.cwd)
      if (Result.isFailure(call)) return invalid(call.failure.code, call.failure.message)
      return gate.explain(call.success.tool, call.success.parameters, place, { ...policy, rules })
    }
  )

  const fitting = Effect.fnUntraced(function*(name: string, readings: ReadonlyArray<unknown>) {
    for (const reading of readings) {
      if (Result.isSuccess(yield* callOf(name, reading, base))) return reading
    }
    return readings[0]
  })

  return DryRun.of({ workspace, decide, fitting, profile, riskProfile, userRules })
})

/** Writes notes about the rules that were read to stderr, each once; they are no part of the answer. */
export const reportNotes = Effect.gen(function*() {
  const notes = yield* (yield* RuleBooks).takeNotes
  yield* Effect.sync(() => process.stderr.write(notes.map((note) => `note: ${oneLine(note)}\n`).join("")))
})
