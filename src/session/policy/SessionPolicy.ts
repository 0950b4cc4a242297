import { existsSync } from "node:fs"
import { Effect, Schema } from "effect"
import { LiveSettings } from "../../config/LiveSettings.ts"
import { Settings } from "../../config/Settings.ts"
import {
  type AutonomyLevel,
  isOffered,
  isPolicySetting,
  isValueOf,
  lowerLevel,
  type PolicySetting,
  type PolicySettings,
  policySettings as names,
  resolve,
  type ResolvedSettings,
  type SandboxMode,
  settingValues
} from "../../domain/PolicySettings.ts"
import type { Decision } from "../../policy/decision/Decision.ts"
import { limitsOf, type OperatorLimits, ownFolders, unlimited } from "../../policy/decision/Limits.ts"
import { type PolicyFlags, policyFlagsOf } from "../../policy/decision/PolicyFlags.ts"
import { ForeignFolders, type Permitted, ToolGrants } from "../../policy/decision/ToolGrants.ts"
import { projectFile, type RuleSource } from "../../policy/rules/source/RuleSource.ts"
import * as EmergencyStop from "../../security/EmergencyStop.ts"
import {
  type AuditEvent,
  type RuleRecord,
  type SessionRecord,
  SessionStore,
  type StoreFailed
} from "../../store/SessionStore.ts"
import type { Workspace } from "../../workspace/Workspace.ts"
import type { Configured } from "../lifecycle/Agents.ts"
import * as Budget from "./Budget.ts"
import * as CodeApprovals from "./CodeApprovals.ts"
import * as SessionRestrictions from "./SessionRestrictions.ts"
import * as Chunk from "../../platform/Chunk.ts"

const loadRulesText = Chunk.make(() => import("../../policy/rules/source/RulesText.ts"))

/** A value that a setting cannot take, here or at all. */
export class SettingRefused extends Schema.TaggedError<SettingRefused>()("SettingRefused", {
  setting: Schema.String,
  message: Schema.String,
  reason: Schema.Literals(["unknown_option", "unknown_value", "above_level"])
}) {}

const checked = (level: AutonomyLevel, id: string, value: unknown): Effect.Effect<PolicySetting, SettingRefused> => {
  const refused = (reason: SettingRefused["reason"], message: string) =>
    Effect.fail(new SettingRefused({ setting: id, reason, message }))
  if (!isPolicySetting(id)) {
    return refused("unknown_option", `there is no option "${id}"; the options are ${names.join(", ")}`)
  }
  if (!isValueOf(id, value)) {
    return refused(
      "unknown_value",
      `${JSON.stringify(value)} is no value of ${id}; it must be one of ${settingValues[id].join(", ")}`
    )
  }
  if (!isOffered(level, id, value)) {
    return refused("above_level", "the autonomy level is readonly: no Work mode above ro")
  }
  return Effect.succeed(id)
}

/** Names and values that no longer exist count as not set. */
const known = (stored: Iterable<readonly [string, string | undefined]>): Partial<PolicySettings> =>
  Object.fromEntries(Array.from(stored).filter(([name, value]) => isPolicySetting(name) && isValueOf(name, value)))

/** What the project's file sets when the session begins; later it is read again together with the rules. */
export const projectSettings = Effect.fnUntraced(function*({ cwd }: Workspace) {
  const file = projectFile(cwd)
  if (!existsSync(file)) return {}
  const { settingsIn } = yield* loadRulesText
  return settingsIn(file)
})

/** What the configuration says, as a session's policy needs it. */
export const basisOf = (configured: Configured, atMost?: AutonomyLevel) => {
  const { policy, risk, runtime } = configured
  const most = [risk, runtime].flatMap((one) => one?.maxActionsPerHour ?? [])
  const level = lowerLevel(risk?.level ?? "supervised", atMost)
  return {
    configured,
    level,
    /** The operator's limits, at the level that holds. */
    risk: level === risk?.level || atMost === undefined ? risk : { ...risk, level },
    user: known(Object.entries(policy) as ReadonlyArray<[string, string | undefined]>),
    flags: policyFlagsOf(policy),
    mostActions: most.length === 0 ? undefined : Math.min(...most)
  }
}

/** Commands run without a network while an emergency stop has cut it off. */
const cutOff = (settings: ResolvedSettings): ResolvedSettings => ({
  ...settings,
  values: { ...settings.values, network: "off" }
})

const hashOf = (settings: PolicySettings) =>
  process.getBuiltinModule("node:crypto").createHash("sha256").update(JSON.stringify(settings)).digest("hex")
    .slice(0, 16)

/** A decision as the audit trail keeps it, with the settings that were in force. */
const auditEntry = (
  callId: string,
  tool: string,
  { code, gate, outcome, reason, rule, shapes }: Decision,
  settings: PolicySettings
): AuditEvent => ({
  _tag: "Decided",
  decision: { callId, tool, outcome, gate, code, reason, rule: rule?.rule ?? null, shapes, knobs: hashOf(settings) }
})

/**
 * The policy of one session: six settings, each stored, changed and restored alone, its rules, the operator's limits and the audit
 * trail. See docs/policy.md#independence-and-storage
 */
export interface SessionPolicy {
  readonly settings: () => ResolvedSettings
  /** In force from the next call on, also in the middle of a turn. */
  readonly set: (
    setting: string,
    value: unknown,
    source: "client" | "user"
  ) => Effect.Effect<void, SettingRefused | StoreFailed>
  /** These Sandbox modes cannot be enforced on this machine: they are not offered. */
  readonly lack: (modes: ReadonlyArray<SandboxMode>) => Effect.Effect<void>
  /** The operator's limits as they stand now, with what is used up of the allowance. */
  readonly limits: Effect.Effect<OperatorLimits>
  /** The same without the allowance. */
  readonly standingLimits: () => OperatorLimits
  /** The tools its owner may use as that stands now and its client permits; `undefined` is all of them. */
  readonly permitted: Effect.Effect<Permitted | undefined>
  readonly restrictions: () => SessionRestrictions.SessionRestrictions
  /** Narrows the session further, from the next request on; nothing widens it again. */
  readonly restrict: (further: SessionRestrictions.SessionRestrictions) => Effect.Effect<void, StoreFailed>
  /** The emergency stop of this configuration. */
  readonly stop: EmergencyStop.EmergencyStop
  /** How one-time codes are asked for now, and what was approved with one. */
  readonly codes: CodeApprovals.CodeApprovals
  readonly budget: Budget.Budget
  readonly flags: () => PolicyFlags
  /** Where the rules that count for this session come from. Reads a changed configuration first, on which everything else here depends. */
  readonly source: Effect.Effect<RuleSource>
  /** Whether the configuration has changed values since the last call, or since `set` told clients. */
  readonly renewed: () => boolean
  /** Runs a turn at this autonomy level, where the configured one is not lower. */
  readonly lowered: (
    level: AutonomyLevel | undefined
  ) => <A, E, R>(turn: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Adds a rule to the session's own layer, where it is listed and can be removed. One that cannot be stored counts until the session ends. */
  readonly addRule: (rule: RuleRecord) => Effect.Effect<void>
  readonly removeRule: (id: string) => Effect.Effect<boolean>
  /** Counts a call that is about to run against the `max_actions_per_hour` of both profiles; `false` where other calls used up the rest. */
  readonly acted: Effect.Effect<boolean>
  /** A decision for the audit trail, with the settings in force. */
  readonly decided: (callId: string, tool: string, decision: Decision) => AuditEvent
}

/** `changed` runs after every change of a value. */
export const make = Effect.fnUntraced(
  function*(
    { owner, sessionId }: Pick<SessionRecord, "owner" | "sessionId">,
    configured: () => Configured,
    workspace: Workspace,
    changed: Effect.Effect<void>
  ) {
    const grants = yield* ToolGrants
    const foreign = yield* ForeignFolders
    const { policy: store } = yield* SessionStore
    const live = yield* LiveSettings
    const settings = yield* Settings
    const own = ownFolders(settings)
    const stop = EmergencyStop.make(settings.configDir)
    const codes = yield* CodeApprovals.make(settings, () => live.last().otp, stop)
    const { alias } = configured().agent
    const stored = yield* store.settings(sessionId)
    let session = known(stored)
    let restrictions = SessionRestrictions.read(stored.get(SessionRestrictions.storedAs))
    let project = yield* projectSettings(workspace)
    let atMost: AutonomyLevel | undefined
    let basis = basisOf(configured())
    const resolved = () => resolve(basis.level, { session, project, user: basis.user })
    let current = resolved()
    let told = current.values
    let rules = yield* store.rules(sessionId)
    const budget = yield* Budget.make(configured, owner)

    /** Follows the configuration; every method begins with this. */
    const renew = () => {
      if (basis.configured === configured()) return
      basis = basisOf(configured(), atMost)
      current = resolved()
    }
    const setLevel = (level: AutonomyLevel | undefined) =>
      Effect.sync(() => {
        atMost = level
        basis = basisOf(configured(), atMost)
        current = resolved()
      })
    const differsFrom = (before: PolicySettings) => names.some((name) => current.values[name] !== before[name])
    const tell = Effect.suspend(() => {
      told = current.values
      return changed
    })

    const recorded = <A>(write: Effect.Effect<A, StoreFailed>) =>
      Effect.catch(
        Effect.asVoid(write),
        ({ message }) => Effect.logWarning(`the policy could not be recorded: ${message}`)
      )

    /** Actions that cannot be counted may not run. */
    const counted = <A>(count: Effect.Effect<A, StoreFailed>, otherwise: A) =>
      Effect.catch(
        count,
        ({ message }) => Effect.as(Effect.logWarning(`actions cannot be counted: ${message}`), otherwise)
      )
    const done = Effect.suspend(() =>
      basis.mostActions === undefined ? Effect.succeed(0) : counted(store.actions(alias), Infinity)
    )

    const onProject = (settings: Partial<PolicySettings>) =>
      Effect.suspend(() => {
        if (settings === project) return Effect.void
        const before = current.values
        project = settings
        current = resolved()
        return differsFrom(before) ? tell : Effect.void
      })

    let lacking: ReadonlyArray<SandboxMode> = []
    return {
      settings: () => {
        renew()
        const now = stop.state().networkKill ? cutOff(current) : current
        return lacking.length === 0 ? now : { ...now, unenforceable: lacking }
      },
      renewed: () => {
        renew()
        const before = told
        told = current.values
        return differsFrom(before)
      },
      lack: (modes) =>
        Effect.suspend(() => {
          lacking = modes
          return changed
        }),
      set: (id, value, source) =>
        Effect.gen(function*() {
          renew()
          const setting = yield* checked(basis.level, id, value)
          yield* store.setSetting(sessionId, setting, value as string, source)
          session = { ...session, [setting]: value }
          current = resolved()
          yield* tell
        }),
      stop,
      codes,
      budget,
      permitted: Effect.map(grants(owner, alias), (granted) => SessionRestrictions.narrowed(granted, restrictions)),
      restrictions: () => restrictions,
      restrict: (further) =>
        Effect.suspend(() => {
          restrictions = SessionRestrictions.merged(restrictions, further)
          return store.setSetting(
            sessionId,
            SessionRestrictions.storedAs,
            JSON.stringify(restrictions),
            "client"
          )
        }),
      limits: Effect.suspend(() => {
        renew()
        return Effect.zipWith(
          done,
          budget.cost,
          (count, cost) =>
            limitsOf(
              basis.risk,
              own,
              { actions: { done: count, limit: basis.mostActions }, cost },
              basis.configured.runtime.shellTimeoutSecs,
              foreign(owner)
            )
        )
      }),
      standingLimits: () => {
        renew()
        return limitsOf(
          basis.risk,
          own,
          unlimited,
          basis.configured.runtime.shellTimeoutSecs,
          foreign(owner)
        )
      },
      lowered: (level) => (turn) =>
        level === undefined ? turn : Effect.acquireUseRelease(setLevel(level), () => turn, () => setLevel(undefined)),
      flags: () => {
        renew()
        return basis.flags
      },
      source: Effect.map(live.current, () => {
        renew()
        const { configured: { agent }, risk } = basis
        return {
          workspace,
          riskProfile: agent.riskProfile,
          profile: risk,
          userRules: current.values.user_rules,
          session: rules,
          onProject
        }
      }),
      addRule: (rule) =>
        Effect.suspend(() => {
          if (rules.some(({ id }) => id === rule.id)) return Effect.void
          rules = [...rules, rule]
          return recorded(store.addRule(sessionId, rule))
        }),
      removeRule: (id) =>
        Effect.suspend(() => {
          const there = rules.some((rule) => rule.id === id)
          rules = rules.filter((rule) => rule.id !== id)
          return Effect.as(there ? recorded(store.removeRule(sessionId, id)) : Effect.void, there)
        }),
      acted: Effect.suspend(() => {
        renew()
        return basis.mostActions === undefined
          ? Effect.succeed(true)
          : counted(store.countAction(alias, basis.mostActions), false)
      }),
      decided: (callId, tool, decision) => auditEntry(callId, tool, decision, current.values)
    } satisfies SessionPolicy
  }
)
