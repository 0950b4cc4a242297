import { Predicate, Result } from "effect"
import type { Capability } from "./Capability.ts"

/**
 * The six settings of a session's policy (docs/policy.md#settings), under the ids they have as configuration options.
 */
export const settingValues = {
  work_mode: ["chat", "ro", "pl", "sw", "aw"],
  network: ["on", "off"],
  user_rules: ["none", "user", "user+project", "session"],
  tool_approval: ["manual", "whitelist_accept", "blacklist_reject", "universal_accept", "universal_reject"],
  approval_response: ["ask", "never"],
  sandbox: ["workspace-read", "read-only", "workspace-write", "danger-full-access"]
} as const

export type PolicySetting = keyof typeof settingValues
export type PolicySettings = { readonly [K in PolicySetting]: typeof settingValues[K][number] }
export type WorkMode = PolicySettings["work_mode"]
export type SandboxMode = PolicySettings["sandbox"]
export type AutonomyLevel = "readonly" | "supervised" | "full"

/** From the one that permits least. */
export const autonomyLevels = ["readonly", "supervised", "full"] as const satisfies ReadonlyArray<AutonomyLevel>

/** The one that permits less. */
export const lowerLevel = (a: AutonomyLevel, b: AutonomyLevel | undefined): AutonomyLevel =>
  b !== undefined && autonomyLevels.indexOf(b) < autonomyLevels.indexOf(a) ? b : a

export const policySettings = Object.keys(settingValues) as ReadonlyArray<PolicySetting>

/** Everything that a client can be offered to choose in a session. */
export const sessionOptionIds = [...policySettings, "model", "thought_level"] as const

export const isPolicySetting = (id: string): id is PolicySetting => Object.hasOwn(settingValues, id)

export const isValueOf = <K extends PolicySetting>(setting: K, value: unknown): value is PolicySettings[K] =>
  (settingValues[setting] as ReadonlyArray<unknown>).includes(value)

/** The settings in a table of a file, or what is wrong with the first key that is none. */
export const read = (table: unknown): Result.Result<Partial<PolicySettings>, string> => {
  if (!Predicate.isObject(table)) return Result.fail(`must be a table of knobs: ${policySettings.join(", ")}`)
  for (const [key, value] of Object.entries(table)) {
    if (!isPolicySetting(key)) return Result.fail(`"${key}" is no knob; the knobs are ${policySettings.join(", ")}`)
    if (!isValueOf(key, value)) {
      return Result.fail(`${key} must be one of ${settingValues[key].join(", ")}, not ${JSON.stringify(value)}`)
    }
  }
  return Result.succeed({ ...table })
}

export const defaults: PolicySettings = {
  work_mode: "aw",
  network: "on",
  user_rules: "user+project",
  tool_approval: "whitelist_accept",
  approval_response: "ask",
  sandbox: "workspace-write"
}

const granted: { readonly [M in WorkMode]: ReadonlySet<Capability> } = {
  chat: new Set(["none"]),
  ro: new Set(["none", "ro", "shell_ro"]),
  pl: new Set(["none", "ro", "rw_plan", "shell_ro"]),
  sw: new Set(["none", "ro", "rw", "shell_ro", "shell_test"]),
  aw: new Set(["none", "ro", "rw", "rw_plan", "shell_ro", "shell_test", "shell_rw"])
}

export const grants = (mode: WorkMode, capability: Capability): boolean => granted[mode].has(capability)

/**
 * How far a mode lets one see (1 the workspace, 2 everything) and change (0 nothing, 1 what is forgotten, 2 the
 * workspace, 3 everything).
 */
const scopes: { readonly [M in EffectiveSandbox]: { readonly read: number; readonly write: number } } = {
  "workspace-read": { read: 1, write: 0 },
  "workspace-scratch": { read: 1, write: 1 },
  "read-only": { read: 2, write: 0 },
  scratch: { read: 2, write: 1 },
  "workspace-write": { read: 2, write: 2 },
  "danger-full-access": { read: 2, write: 3 }
}

const approvalStrictness = {
  universal_accept: 0,
  whitelist_accept: 1,
  blacklist_reject: 1,
  manual: 2,
  universal_reject: 3
}

/** Whether `next` opens nothing that `current` closes; incomparable values are not narrower. */
const isNarrower = <K extends PolicySetting>(
  setting: K,
  next: PolicySettings[K],
  current: PolicySettings[K]
): boolean => {
  if (next === current) return true
  switch (setting) {
    case "work_mode":
      return granted[next as WorkMode].isSubsetOf(granted[current as WorkMode])
    case "network":
      return next === "off"
    case "approval_response":
      return next === "never"
    case "tool_approval":
      return approvalStrictness[next as PolicySettings["tool_approval"]] >
        approvalStrictness[current as PolicySettings["tool_approval"]]
    case "sandbox": {
      const [a, b] = [scopes[next as SandboxMode], scopes[current as SandboxMode]]
      return a.read <= b.read && a.write <= b.write
    }
    default:
      return false
  }
}

type SettingSource = "session" | "project" | "user" | "default"

export interface ResolvedSettings {
  /** Sandbox modes that this machine cannot enforce, as far as that is known. */
  readonly unenforceable?: ReadonlyArray<SandboxMode>
  readonly level: AutonomyLevel
  readonly values: PolicySettings
  readonly sources: { readonly [K in PolicySetting]: SettingSource }
}

/**
 * The values in force: the session's, else the project's where it only narrows, else the user's, else the default of
 * the autonomy level. `readonly` also caps the Work mode, whatever its source (docs/policy.md#autonomy-levels).
 */
export const resolve = (level: AutonomyLevel, layers: {
  readonly session: Partial<PolicySettings>
  readonly project: Partial<PolicySettings>
  readonly user: Partial<PolicySettings>
}): ResolvedSettings => {
  const values: Record<string, string> = {}
  const sources: Record<string, SettingSource> = {}
  for (const setting of policySettings) {
    const base = layers.user[setting] ??
      (setting === "tool_approval" && level === "full" ? "universal_accept" : defaults[setting])
    const wanted = layers.project[setting]
    const projected = wanted !== undefined && isNarrower(setting, wanted, base) ? wanted : undefined
    values[setting] = layers.session[setting] ?? projected ?? base
    sources[setting] = layers.session[setting] !== undefined
      ? "session"
      : projected !== undefined && projected !== base
      ? "project"
      : layers.user[setting] !== undefined
      ? "user"
      : "default"
  }
  if (!isOffered(level, "work_mode", values["work_mode"] as WorkMode)) values["work_mode"] = "ro"
  return { level, values: values as unknown as PolicySettings, sources: sources as ResolvedSettings["sources"] }
}

/** Whether a session at this level may choose the value. */
export const isOffered = <K extends PolicySetting>(
  level: AutonomyLevel,
  setting: K,
  value: PolicySettings[K]
): boolean => level !== "readonly" || setting !== "work_mode" || isNarrower("work_mode", value as WorkMode, "ro")

/**
 * What a call may reach: the session's sandbox mode, narrowed to what its capabilities need
 * (docs/sandbox.md#effective-mode). In the scratch modes writes to the workspace are forgotten; `workspace-scratch`
 * shows nothing else, as `workspace-read` does.
 */
export type EffectiveSandbox = SandboxMode | "scratch" | "workspace-scratch"

/** Whether `next` reaches further than `current` somewhere and less far nowhere. */
export const isWider = (next: EffectiveSandbox, current: EffectiveSandbox): boolean => {
  const [a, b] = [scopes[next], scopes[current]]
  return a.read >= b.read && a.write >= b.write && a.read + a.write > b.read + b.write
}

export const ceiling = (needed: ReadonlyArray<Capability>, mode: SandboxMode): EffectiveSandbox => {
  if (needed.includes("shell_rw") || needed.includes("rw") || needed.includes("rw_plan")) return mode
  if (needed.includes("shell_test")) return mode === "workspace-read" ? "workspace-scratch" : "scratch"
  return mode === "workspace-read" ? "workspace-read" : "read-only"
}
