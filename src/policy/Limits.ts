import type { RiskProfile } from "../app/Profiles.ts"
import type { Limits } from "./Boundary.ts"

/** What a risk profile forbids after `done` calls in the last hour; without one, what level `supervised` forbids. */
export const limitsOf = (profile: RiskProfile | undefined, done: number): Limits => {
  const level = profile?.level ?? "supervised"
  return {
    level,
    workspaceOnly: profile?.workspaceOnly ?? level !== "full",
    allowedRoots: profile?.allowedRoots ?? [],
    forbiddenPaths: profile?.forbiddenPaths ?? [],
    allowedCommands: profile?.allowedCommands ?? [],
    forbiddenCommands: profile?.forbiddenCommands ?? [],
    blockHighRiskCommands: profile?.blockHighRiskCommands ?? true,
    actions: { done, limit: profile?.maxActionsPerHour }
  }
}
