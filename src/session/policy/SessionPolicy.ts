import { Effect } from "effect"
import { LiveSettings } from "../../config/LiveSettings.ts"
import { Settings } from "../../config/Settings.ts"
import type { Decision } from "../../policy/decision/Decision.ts"
import {
  type PolicySettings,
  policySettings as names,
  resolve,
  type ResolvedSettings,
  type SandboxMode
} from "../../domain/PolicySettings.ts"
import { limitsOf, type OperatorLimits, ownFolders } from "../../policy/decision/Limits.ts"
import type { RuleSource } from "../../policy/rules/RuleSource.ts"
import type { PolicyFlags } from "../../policy/decision/PolicyFlags.ts"
import { type Permitted, ToolGrants } from "../../policy/decision/ToolGrants.ts"
import { type RuleRecord, type SessionRecord, SessionStore, type StoreFailed } from "../../store/SessionStore.ts"
import type { Workspace } from "../../workspace/Workspace.ts"
import * as Beginning from "./Beginning.ts"
import * as Budget from "./Budget.ts"
import type { Configured } from "../lifecycle/Configured.ts"
import { check, type KnobRefused } from "./KnobCheck.ts"
import * as Trail from "./AuditTrail.ts"

/** The policy of one session: six knobs, each stored, changed and restored alone (policy §1.8), rules, limits and the trail. */
export interface SessionPolicy {
  readonly knobs: () => ResolvedSettings
  /** In force from the next call on, also in the middle of a turn. */
  readonly set: (
    knob: string,
    value: unknown,
    source: "client" | "user"
  ) => Effect.Effect<void, KnobRefused | StoreFailed>
  /** These Sandbox modes cannot be enforced here: they are not offered. */
  readonly lack: (modes: ReadonlyArray<SandboxMode>) => Effect.Effect<void>
  /** The operator's limits as they stand now. */
  readonly limits: Effect.Effect<OperatorLimits>
  /** The tools its owner may use as that stands now; `undefined` is all of them. */
  readonly permitted: Effect.Effect<Permitted | undefined>
  readonly budget: Budget.Budget
  readonly switches: () => PolicyFlags
  /** Where the rules that count for this session come from. Looks whether the configuration has changed: all else here is as new then. */
  readonly source: Effect.Effect<RuleSource>
  /** Whether the configuration has changed values that nobody was told of. */
  readonly renewed: () => boolean
  /** Adds a rule to the session's own layer, where it is listed and can be removed; unstored, it counts until the session ends. */
  readonly addRule: (rule: RuleRecord) => Effect.Effect<void>
  readonly removeRule: (id: string) => Effect.Effect<boolean>
  /** Counts a call that is about to run against the `max_actions_per_hour` of both profiles; `false` where others of the agent were faster. */
  readonly acted: Effect.Effect<boolean>
  /** Writes a decision into the trail; a trail that cannot be written is a warning in the log. */
  readonly decided: (callId: string, tool: string, decision: Decision) => Effect.Effect<void>
}

/** `changed` follows every change of a value that somebody made in the session. */
export const make = Effect.fnUntraced(
  function*(
    { owner, sessionId }: Pick<SessionRecord, "owner" | "sessionId">,
    configured: () => Configured,
    workspace: Workspace,
    changed: Effect.Effect<void>
  ) {
    const grants = yield* ToolGrants
    const { policy: store } = yield* SessionStore
    const live = yield* LiveSettings
    const own = ownFolders(yield* Settings)
    const { alias } = configured().agent
    let session = Beginning.known(yield* store.settings(sessionId))
    let project = yield* Beginning.projectKnobs(workspace)
    let basis = Beginning.basisOf(configured())
    const resolved = () => resolve(basis.level, { session, project, user: basis.user })
    let current = resolved()
    let told = current.values
    let rules = yield* store.rules(sessionId)
    const budget = yield* Budget.make(configured, owner)

    /** Everything here begins with this. */
    const renew = () => {
      if (basis.configured === configured()) return
      basis = Beginning.basisOf(configured())
      current = resolved()
    }
    const differsFrom = (before: PolicySettings) => names.some((knob) => current.values[knob] !== before[knob])
    const tell = Effect.suspend(() => {
      told = current.values
      return changed
    })

    const noted = <A>(write: Effect.Effect<A, StoreFailed>) =>
      Effect.catch(
        Effect.asVoid(write),
        ({ message }) => Effect.logWarning(`the policy could not be recorded: ${message}`)
      )

    /** What cannot be counted may not run. */
    const counted = <A>(count: Effect.Effect<A, StoreFailed>, otherwise: A) =>
      Effect.catch(
        count,
        ({ message }) => Effect.as(Effect.logWarning(`actions cannot be counted: ${message}`), otherwise)
      )
    const done = Effect.suspend(() =>
      basis.mostActions === undefined ? Effect.succeed(0) : counted(store.actions(alias), Infinity)
    )

    const onProject = (knobs: Partial<PolicySettings>) =>
      Effect.suspend(() => {
        if (knobs === project) return Effect.void
        const before = current.values
        project = knobs
        current = resolved()
        return differsFrom(before) ? tell : Effect.void
      })

    let lacking: ReadonlyArray<SandboxMode> = []
    return {
      knobs: () => {
        renew()
        return lacking.length === 0 ? current : { ...current, unenforceable: lacking }
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
          const knob = yield* check(basis.level, id, value)
          yield* store.setSetting(sessionId, knob, value as string, source)
          session = { ...session, [knob]: value }
          current = resolved()
          yield* tell
        }),
      budget,
      permitted: grants(owner, alias),
      limits: Effect.suspend(() => {
        renew()
        return Effect.zipWith(
          done,
          budget.cost,
          (count, cost) =>
            limitsOf(basis.configured.risk, own, { actions: { done: count, limit: basis.mostActions }, cost })
        )
      }),
      switches: () => {
        renew()
        return basis.switches
      },
      source: Effect.map(live.current, () => {
        renew()
        const { agent, risk } = basis.configured
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
          return noted(store.addRule(sessionId, rule))
        }),
      removeRule: (id) =>
        Effect.suspend(() => {
          const there = rules.some((rule) => rule.id === id)
          rules = rules.filter((rule) => rule.id !== id)
          return Effect.as(there ? noted(store.removeRule(sessionId, id)) : Effect.void, there)
        }),
      acted: Effect.suspend(() => {
        renew()
        return basis.mostActions === undefined
          ? Effect.succeed(true)
          : counted(store.countAction(alias, basis.mostActions), false)
      }),
      decided: (callId, tool, decision) =>
        noted(store.recordDecision(sessionId, Trail.of(callId, tool, decision, current.values)))
    } satisfies SessionPolicy
  }
)
