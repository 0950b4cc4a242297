import { existsSync } from "node:fs"
import { Effect } from "effect"
import { LiveSettings } from "../../config/LiveSettings.ts"
import { Settings } from "../../config/Settings.ts"
import { type AgentSettings } from "../../config/Snapshot.ts"
import {
  type AutonomyLevel,
  isPolicySetting,
  isValueOf,
  type PolicySettings,
  resolve
} from "../../domain/PolicySettings.ts"
import { projectFile } from "../../policy/rules/RuleSource.ts"
import { policyFlagsOf } from "../../policy/decision/PolicyFlags.ts"
import type { Permitted } from "../../policy/decision/ToolGrants.ts"
import { none } from "../../tool/SessionTools.ts"
import type { AnyTool } from "../../tool/Tool.ts"
import type { Workspace } from "../../workspace/Workspace.ts"
import * as Configured from "../lifecycle/Configured.ts"
import * as Folders from "../lifecycle/Folders.ts"
import type { Prospect } from "./PolicyService.ts"

/** Values that no longer exist are as if they had never been set. */
export const known = (stored: Iterable<readonly [string, string | undefined]>): Partial<PolicySettings> =>
  Object.fromEntries(Array.from(stored).filter(([knob, value]) => isPolicySetting(knob) && isValueOf(knob, value)))

/** What the project's file sets as the session begins; later it follows the file with every look at the rules. */
export const projectKnobs = Effect.fnUntraced(function*({ cwd }: Workspace) {
  const file = projectFile(cwd)
  if (!existsSync(file)) return {}
  const { inFile } = yield* Effect.promise(() => import("../../policy/rules/ProjectKnobs.ts"))
  return inFile(file)
})

/** What the configuration says, as a session's policy needs it. */
export const basisOf = (configured: Configured.Configured) => {
  const { policy, risk, runtime } = configured
  const most = [risk, runtime].flatMap((one) => one?.maxActionsPerHour ?? [])
  const level: AutonomyLevel = risk?.level ?? "supervised"
  return {
    configured,
    level,
    user: known(Object.entries(policy) as ReadonlyArray<[string, string | undefined]>),
    switches: policyFlagsOf(policy),
    mostActions: most.length === 0 ? undefined : Math.min(...most)
  }
}

/** A session that the agent would have in its own folder, with `own` besides the built-in tools; nothing of it is opened. */
export const prospect = Effect.fnUntraced(
  function*(agent: AgentSettings, permitted: Permitted | undefined, own: ReadonlyMap<string, AnyTool>) {
    const { configDir } = yield* Settings
    const configured = Configured.follow(yield* LiveSettings, agent)()
    const { level, user } = basisOf(configured)
    const profile = configured.risk
    const workspace = yield* Folders.open(agent, { cwd: undefined, additional: [], configDir, profile })
    const resolved = resolve(level, { session: {}, project: yield* projectKnobs(workspace), user })
    const source = {
      workspace,
      riskProfile: agent.riskProfile,
      profile,
      userRules: resolved.values.user_rules,
      session: []
    }
    return {
      policy: { knobs: () => resolved, permitted: Effect.succeed(permitted), source: Effect.succeed(source) },
      tools: { ...none, current: () => own }
    } satisfies Prospect
  }
)
