import { homedir } from "node:os"
import { Effect } from "effect"
import type { Decision } from "../policy/decision/Decision.ts"
import { backendOf, type OperatorLimits } from "../policy/decision/Limits.ts"
import type { ResolvedSettings } from "../domain/PolicySettings.ts"
import { absolutePath } from "../policy/decision/Boundary.ts"
import type { ActionContext } from "../policy/decision/CallAction.ts"
import * as DeniedPaths from "../policy/rules/DeniedPaths.ts"
import type { RuleSet } from "../policy/rules/RuleSet.ts"
import * as Disk from "../sandbox/Disk.ts"
import type { PrivateTmp } from "../sandbox/Confinement.ts"
import type { Sandbox } from "../sandbox/Sandbox.ts"
import type { PathScope } from "../sandbox/plan/PathScope.ts"
import { PathRefused, type Workspace } from "../workspace/Workspace.ts"
import { isInside } from "../platform/FilePath.ts"
import { type Confinement, ToolFailed } from "./Tool.ts"

/** From what the gates said to what a call can reach (docs/sandbox.md#effective-mode). */

/** Never retried with less: only a person may open more (docs/sandbox.md#failing-closed). */
export const sandboxUnavailable = (what: string) =>
  new ToolFailed({ message: `SANDBOX_UNAVAILABLE: the command did not run: ${what}` })

export interface ConfinementInput {
  readonly decision: Pick<Decision, "capabilities" | "sandbox">
  readonly settings: ResolvedSettings
  readonly limits: OperatorLimits
  readonly rules: RuleSet
  readonly workspace: Workspace
  /** The session's, for its commands; a server has its own. */
  readonly temporary?: PrivateTmp
}

/** The operator's further folders need not exist, and those of the session's first moment may have been taken back. */
export const foldersOf = (
  { allowed, roots }: Workspace,
  isAllowed: (path: string) => boolean = () => true
) => [...roots, ...allowed.filter((path) => isAllowed(path) && Disk.kind(path) === "folder")]

const allowing = ({ allowedRoots }: OperatorLimits, place: ActionContext) => {
  const named = allowedRoots.map((path) => absolutePath(path, place))
  const folders = [...named, ...named.flatMap((path) => Disk.real(path) ?? [])]
  return (path: string) => folders.some((folder) => isInside(folder, path))
}

export const make = (
  sandbox: Sandbox["Service"],
  { decision, settings, limits, rules, temporary, workspace }: ConfinementInput
): Confinement => {
  const { mode, network } = decision.sandbox ?? { mode: "workspace-read", network: false }
  const reads = decision.capabilities.every((capability) => capability === "shell_ro")
  return {
    mode,
    network,
    capabilities: decision.capabilities,
    reads,
    confine: Effect.fnUntraced(function*(argv, { cwd, env }) {
      const place: ActionContext = { cwd: workspace.cwd, roots: workspace.roots, home: homedir() }
      const denied = yield* DeniedPaths.of(rules.entries, place)
      if (!denied.complete && mode !== "danger-full-access") {
        return yield* sandboxUnavailable(
          "there are more files than can be searched for those that a deny rule hides. Name their folder in the rule, or open the session in a smaller folder."
        )
      }
      return yield* sandbox.confine(argv, {
        mode,
        network,
        cwd,
        env,
        roots: foldersOf(workspace, allowing(limits, place)),
        readable: workspace.readable,
        masks: [...denied.hidden, ...limits.forbiddenPaths.map((path) => absolutePath(path, place))],
        visible: limits.visiblePaths.map((path) => absolutePath(path, place)),
        readOnly: denied.kept,
        ...(temporary === undefined ? {} : { temporary }),
        backend: backendOf(limits.backend, settings)
      }).pipe(
        Effect.catchTag(
          "SandboxUnavailable",
          ({ missing, remedy }) =>
            Effect.andThen(Effect.logError(`a command did not run: ${missing} ${remedy}`), sandboxUnavailable(missing))
        )
      )
    })
  }
}

/** The session's folders as far as the mode reaches. */
export const narrowed = (workspace: Workspace, reach: PathScope): Workspace => ({
  ...workspace,
  resolve: (path, intent) =>
    Effect.flatMap(workspace.resolve(path, intent), (canonical) => {
      const reason = reach.refusal(canonical, intent)
      return reason === undefined ? Effect.succeed(canonical) : new PathRefused({ path, reason })
    })
})
