import { homedir } from "node:os"
import { Effect } from "effect"
import type { Decision } from "../policy/decision/Decision.ts"
import { backendOf, type OperatorLimits } from "../policy/decision/Limits.ts"
import { ceiling, type EffectiveSandbox, type ResolvedSettings } from "../domain/PolicySettings.ts"
import { absolutePath } from "../policy/decision/Boundary.ts"
import type { ActionContext } from "../policy/decision/CallAction.ts"
import * as DeniedPaths from "../policy/rules/DeniedPaths.ts"
import type { RuleSet } from "../policy/rules/RuleSet.ts"
import * as Disk from "../sandbox/Disk.ts"
import type { PrivateTmp } from "../sandbox/Confinement.ts"
import type { SandboxRequest } from "../sandbox/Confinement.ts"
import type { Sandbox } from "../sandbox/Sandbox.ts"
import type { PathScope } from "../sandbox/plan/PathScope.ts"
import type { Protection } from "../sandbox/plan/Protection.ts"
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
  /** See the same of a `SandboxRequest`. */
  readonly named?: ReadonlyArray<string>
  /** See the same of a `SandboxRequest`. */
  readonly cache?: string | undefined
  /** What is protected in the session's folders, for those who have looked already. */
  readonly protection?: Effect.Effect<Protection>
  /** What {@link deniedPaths} finds, for those who have looked already. */
  readonly denied?: Effect.Effect<DeniedPaths.DeniedPaths>
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

/** The Sandbox mode that a call is held to; Postern's own tools hold themselves to it. */
export const modeOf = ({ decision, settings }: Pick<ConfinementInput, "decision" | "settings">): EffectiveSandbox =>
  decision.sandbox?.mode ?? ceiling(decision.capabilities, settings.values.sandbox)

const placeOf = ({ cwd, roots }: Workspace): ActionContext => ({ cwd, roots, home: homedir() })

/** The paths that deny rules name, as they are on the disk now. */
export const deniedPaths = ({ rules, workspace }: ConfinementInput) => DeniedPaths.of(rules.entries, placeOf(workspace))

/** What of a plan's request the operator's limits and the rules decide. */
export const placesOf = (
  { limits, workspace }: Pick<ConfinementInput, "limits" | "workspace">,
  denied: Pick<DeniedPaths.DeniedPaths, "hidden" | "kept">
): Pick<SandboxRequest, "masks" | "visible" | "readOnly"> => {
  const place = placeOf(workspace)
  const absolute = (paths: ReadonlyArray<string>) => paths.map((path) => absolutePath(path, place))
  return {
    masks: [...denied.hidden, ...limits.foreign, ...absolute(limits.forbiddenPaths)],
    visible: absolute(limits.visiblePaths),
    readOnly: denied.kept
  }
}

export const make = (
  sandbox: Sandbox["Service"],
  input: ConfinementInput
): Confinement => {
  const { decision, limits, settings, temporary, workspace } = input
  const { mode, network } = decision.sandbox ?? { mode: "workspace-read", network: false }
  const reads = decision.capabilities.every((capability) => capability === "shell_ro")
  return {
    mode,
    network,
    capabilities: decision.capabilities,
    reads,
    commands: limits.commands,
    confine: Effect.fnUntraced(function*(argv, { cwd, env, only }) {
      const place = placeOf(workspace)
      const denied = yield* input.denied ?? deniedPaths(input)
      if (!denied.complete && mode !== "danger-full-access") {
        return yield* sandboxUnavailable(
          "there are more files than can be searched for those that a deny rule hides. Name their folder in the rule, or open the session in a smaller folder."
        )
      }
      return yield* sandbox.confine(argv, {
        ...(only === undefined ? { mode, network } : { mode: "workspace-read", network: false }),
        cwd,
        env,
        roots: foldersOf(workspace, allowing(limits, place)),
        readable: only === undefined ? workspace.readable : [...workspace.readable, only],
        ...placesOf(input, denied),
        ...(temporary === undefined ? {} : { temporary }),
        ...(input.cache === undefined ? {} : { cache: input.cache }),
        ...(input.named === undefined ? {} : { named: input.named }),
        ...(mode === "workspace-write" && only === undefined && input.protection !== undefined
          ? { protection: yield* input.protection }
          : {}),
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
    Effect.gen(function*() {
      const canonical = yield* workspace.resolve(path, intent)
      const reason = reach.refusal(canonical, intent) ??
        (intent === "write" ? yield* reach.protection(canonical) : undefined)
      return reason === undefined ? canonical : yield* new PathRefused({ path, reason })
    })
})
