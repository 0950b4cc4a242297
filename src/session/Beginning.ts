import { existsSync } from "node:fs"
import { Effect } from "effect"
import { type Agent, Settings } from "../app/Settings.ts"
import { isKnob, isValueOf, type Knobs, type Level, resolve } from "../policy/Knobs.ts"
import { projectFile } from "../policy/RuleSource.ts"
import type { Permitted } from "../policy/ToolGrants.ts"
import { none } from "../tool/SessionTools.ts"
import type { AnyTool } from "../tool/Tool.ts"
import type { Workspace } from "../workspace/Workspace.ts"
import * as Folders from "./Folders.ts"
import type { Prospect } from "./PolicyDesk.ts"

/** Values that no longer exist are as if they had never been set. */
export const known = (stored: Iterable<readonly [string, string | undefined]>): Partial<Knobs> =>
  Object.fromEntries(Array.from(stored).filter(([knob, value]) => isKnob(knob) && isValueOf(knob, value)))

/** What the project's file sets as the session begins; later it follows the file with every look at the rules. */
const projectKnobs = Effect.fnUntraced(function*({ cwd }: Workspace) {
  const file = projectFile(cwd)
  if (!existsSync(file)) return {}
  const { inFile } = yield* Effect.promise(() => import("../policy/rules/ProjectKnobs.ts"))
  return inFile(file)
})

/** What knobs are before anybody has set one in the session. */
export const knobs = Effect.fnUntraced(function*({ riskProfile }: Agent, workspace: Workspace) {
  const { policy, riskProfiles } = yield* Settings
  const level: Level = riskProfiles.get(riskProfile)?.level ?? "supervised"
  const user = known(Object.entries(policy) as ReadonlyArray<[string, string | undefined]>)
  return { level, user, project: yield* projectKnobs(workspace) }
})

/** A session that the agent would have in its own folder, with `own` besides the built-in tools; nothing of it is opened. */
export const prospect = Effect.fnUntraced(
  function*(agent: Agent, permitted: Permitted | undefined, own: ReadonlyMap<string, AnyTool>) {
    const { configDir, riskProfiles } = yield* Settings
    const profile = riskProfiles.get(agent.riskProfile)
    const workspace = yield* Folders.open(agent, { cwd: undefined, additional: [], configDir, profile })
    const { level, project, user } = yield* knobs(agent, workspace)
    const resolved = resolve(level, { session: {}, project, user })
    const source = {
      workspace,
      riskProfile: agent.riskProfile,
      userRules: resolved.values.user_rules,
      session: []
    }
    return {
      policy: { knobs: () => resolved, permitted: Effect.succeed(permitted), source: () => source },
      tools: { ...none, current: () => own }
    } satisfies Prospect
  }
)
