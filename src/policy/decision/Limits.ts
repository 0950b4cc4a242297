import { realpathSync } from "node:fs"
import type { RiskProfile } from "../../config/Profiles.ts"
import { type BackendChoice, unconfined } from "../../domain/SandboxBackend.ts"
import { type Allowance, unlimited } from "./Allowance.ts"
import type { AutonomyLevel, ResolvedSettings } from "../../domain/PolicySettings.ts"

/** The operator's hard limits (spec §5, gate 3), as a risk profile gives them. It only denies. */
export interface Limits extends Allowance {
  readonly level: AutonomyLevel
  /** Folders of Postern itself, which no tool may read or write; a session's own folder may lie in one. */
  readonly own: ReadonlyArray<string>
  readonly workspaceOnly: boolean
  readonly allowedRoots: ReadonlyArray<string>
  readonly forbiddenPaths: ReadonlyArray<string>
  readonly allowedCommands: ReadonlyArray<string>
  readonly forbiddenCommands: ReadonlyArray<string>
  readonly blockHighRiskCommands: boolean
  /** Whether commands of medium risk are asked about at level `supervised`. */
  readonly askMediumRisk: boolean
  /** What must confine commands; `none` where something around Postern is the sandbox. */
  readonly backend: BackendChoice
}

/** Where a folder is with all links followed; one that is not there stays as it is named. */
export const real = (folder: string): string => {
  try {
    return realpathSync.native(folder)
  } catch {
    return folder
  }
}

/** Where Postern keeps its configuration, its rules and its sessions: as named, and with links followed. */
export const ownFolders = (
  { configDir, dataDir }: { readonly configDir: string; readonly dataDir: string }
): ReadonlyArray<string> => {
  const named = [configDir, dataDir, "/etc/postern"]
  return [...new Set([...named, ...named.map(real)])]
}

/** What a risk profile wants commands to be confined by. */
export const wishOf = (profile: RiskProfile | undefined): BackendChoice => ({
  name: profile?.sandboxEnabled === false ? "none" : profile?.sandboxBackend ?? "auto",
  dockerImage: profile?.sandboxDockerImage,
  firejailArgs: profile?.firejailArgs
})

/** What a risk profile forbids; without one, what level `supervised` forbids. No tool touches the `own` folders, at any level. */
export const limitsOf = (
  profile: RiskProfile | undefined,
  own: ReadonlyArray<string> = [],
  allowance: Allowance = unlimited
): Limits => {
  const level = profile?.level ?? "supervised"
  return {
    level,
    own,
    workspaceOnly: profile?.workspaceOnly ?? level !== "full",
    allowedRoots: profile?.allowedRoots ?? [],
    forbiddenPaths: profile?.forbiddenPaths ?? [],
    allowedCommands: profile?.allowedCommands ?? [],
    forbiddenCommands: profile?.forbiddenCommands ?? [],
    blockHighRiskCommands: profile?.blockHighRiskCommands ?? true,
    askMediumRisk: profile?.requireApprovalForMediumRisk ?? true,
    ...allowance,
    backend: wishOf(profile)
  }
}

/** Where the operator says that something around Postern is the sandbox, full access to all of it includes reads. */
export const backendOf = (configured: BackendChoice, { values }: ResolvedSettings): BackendChoice =>
  configured.name === "none" && values.sandbox === "danger-full-access" && values.network === "on"
    ? { name: unconfined }
    : configured
