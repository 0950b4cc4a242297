import { realpathSync } from "node:fs"
import type { GateRefusal } from "./GateTrace.ts"
import type { RiskProfile } from "../../config/Profiles.ts"
import { type BackendChoice, unconfined } from "../../domain/SandboxBackend.ts"
import type { AutonomyLevel, ResolvedSettings } from "../../domain/PolicySettings.ts"

/** Actions an hour and cost a day of an agent, with what is used up. */
interface Allowance {
  /**
   * Calls of the agent in the last hour, infinite where they cannot be counted, and their limit; `undefined` is no
   * limit.
   */
  readonly actions: { readonly done: number; readonly limit: number | undefined }
  /**
   * Cost of the agent's models today in US cents, infinite where it is unknown, and its limit; `undefined` is no limit.
   */
  readonly cost: { readonly spent: number; readonly limit: number | undefined }
}

export const unlimited: Allowance = { actions: { done: 0, limit: undefined }, cost: { spent: 0, limit: undefined } }

/** Refuses every call once a limit is reached. */
export const allowanceRefusal = (
  { actions: { done, limit: most }, cost: { limit, spent } }: Allowance
): GateRefusal | undefined => {
  if (most !== undefined && done >= most) {
    return {
      code: "ACTION_LIMIT",
      reason: Number.isFinite(done)
        ? `the limit of ${most} actions an hour is reached`
        : "the actions of the last hour cannot be counted"
    }
  }
  if (limit !== undefined && spent >= limit) {
    return {
      code: "COST_LIMIT",
      reason: Number.isFinite(spent)
        ? `the limit of ${limit} US cents a day is reached`
        : "what models have cost today cannot be known"
    }
  }
  return undefined
}

/** What commands get beside their sandbox. */
export interface CommandLimits {
  /** How long a command runs that asks for no time of its own, in seconds. */
  readonly seconds: number
  /** How long any command in the foreground may run, in seconds. */
  readonly maxSeconds: number
  /** Names of variables that commands have beside the usual ones. */
  readonly environment: ReadonlyArray<string>
}

const usualSeconds = 120
const longestSeconds = 600

/** The shorter of the profiles' times; that of the risk profile holds for commands that ask for more as well. */
export const commandLimitsOf = (
  risk: Pick<RiskProfile, "shellTimeoutSecs" | "shellEnvPassthrough"> | undefined,
  runtimeSeconds?: number
): CommandLimits => {
  const maxSeconds = Math.min(risk?.shellTimeoutSecs ?? longestSeconds, longestSeconds)
  return {
    seconds: Math.min(runtimeSeconds ?? risk?.shellTimeoutSecs ?? usualSeconds, maxSeconds),
    maxSeconds,
    environment: risk?.shellEnvPassthrough ?? []
  }
}

/** The operator's hard limits, as a risk profile sets them. They only deny. See docs/policy.md#operator-limits. */
export interface OperatorLimits extends Allowance {
  readonly level: AutonomyLevel
  /** Postern's own folders, which no tool may read or write; a session's folder may lie in one. */
  readonly own: ReadonlyArray<string>
  /** Workspaces of agents that the owner of the session may not use; no tool may read or write them either. */
  readonly foreign: ReadonlyArray<string>
  readonly workspaceOnly: boolean
  readonly allowedRoots: ReadonlyArray<string>
  readonly forbiddenPaths: ReadonlyArray<string>
  /** Shown to calls although the sandbox would hide them. */
  readonly visiblePaths: ReadonlyArray<string>
  /** Forbidden to file tools and to writes of commands where the operator names no `forbidden_paths`. */
  readonly usualForbidden: ReadonlyArray<string>
  readonly allowedCommands: ReadonlyArray<string>
  readonly forbiddenCommands: ReadonlyArray<string>
  readonly blockHighRiskCommands: boolean
  /** Whether commands of medium risk are asked about at level `supervised`. */
  readonly askMediumRisk: boolean
  readonly commands: CommandLimits
  /** The backend that confines commands; `none` where Postern itself runs in a sandbox. */
  readonly backend: BackendChoice
}

/** The folder with links followed; unchanged where it does not exist. */
export const canonicalFolder = (folder: string): string => {
  try {
    return realpathSync.native(folder)
  } catch {
    return folder
  }
}

/** Postern's folders for configuration, rules and sessions: as named, and with links followed. */
export const ownFolders = (
  { configDir, dataDir }: { readonly configDir: string; readonly dataDir: string }
): ReadonlyArray<string> => {
  const named = [configDir, dataDir, "/etc/postern"]
  return [...new Set([...named, ...named.map(canonicalFolder)])]
}

/** See docs/policy.md#operator-paths */
const usualForbidden: ReadonlyArray<string> = [
  "/etc",
  "/sys",
  "/boot",
  "/proc",
  "/dev",
  "~/.ssh",
  "~/.gnupg",
  "~/.aws",
  "~/.config/gcloud",
  "~/.kube"
]

/** The sandbox backend that a risk profile chooses. */
export const backendChoiceOf = (profile: RiskProfile | undefined): BackendChoice => ({
  name: profile?.sandboxEnabled === false ? "none" : profile?.sandboxBackend ?? "auto",
  dockerImage: profile?.sandboxDockerImage,
  firejailArgs: profile?.firejailArgs
})

/**
 * The limits of a risk profile; without one, those of level `supervised`. The `own` folders are protected at every
 * level.
 */
export const limitsOf = (
  profile: RiskProfile | undefined,
  own: ReadonlyArray<string> = [],
  allowance: Allowance = unlimited,
  runtimeSeconds?: number,
  foreign: ReadonlyArray<string> = []
): OperatorLimits => {
  const level = profile?.level ?? "supervised"
  return {
    level,
    own,
    foreign,
    workspaceOnly: profile?.workspaceOnly ?? level !== "full",
    allowedRoots: profile?.allowedRoots ?? [],
    forbiddenPaths: profile?.forbiddenPaths ?? [],
    visiblePaths: profile?.visiblePaths ?? [],
    usualForbidden: profile?.forbiddenPaths === undefined ? usualForbidden : [],
    allowedCommands: profile?.allowedCommands ?? [],
    forbiddenCommands: profile?.forbiddenCommands ?? [],
    blockHighRiskCommands: profile?.blockHighRiskCommands ?? true,
    askMediumRisk: profile?.requireApprovalForMediumRisk ?? true,
    commands: commandLimitsOf(profile, runtimeSeconds),
    ...allowance,
    backend: backendChoiceOf(profile)
  }
}

/** Without a sandbox around commands (`none`), full access with network runs reads unconfined too. */
export const backendOf = (configured: BackendChoice, { values }: ResolvedSettings): BackendChoice =>
  configured.name === "none" && values.sandbox === "danger-full-access" && values.network === "on"
    ? { name: unconfined }
    : configured
