import { type PolicySetting, type ResolvedSettings } from "../../domain/PolicySettings.ts"
import { resumeCommands } from "../../domain/EmergencyStop.ts"
import type { Decision } from "./Decision.ts"

/** Who decided that a call does not run, and where that is set: for people, not for models. See docs/policy.md#refusals. */

export type Refusal = Pick<Decision, "gate" | "code" | "reason" | "rule" | "settings">

const ofSetting = (setting: PolicySetting, settings: ResolvedSettings | undefined): string => {
  const name = `the setting ${setting}`
  switch (settings?.sources[setting]) {
    case "session":
      return `${name} of this session, set in the session's options or with /policy`
    case "project":
      return `${name} of this project, set in .postern/rules.toml`
    case "user":
      return `${name}, set under [policy] in config.toml; the session's options and /policy change it for this session`
    default:
      return `${name}, which nobody has changed; the session's options, /policy, and [policy] in config.toml set it`
  }
}

/** The keys of a risk profile behind the codes of the operator's limits. */
const limitKeys: Readonly<Record<string, string>> = {
  READ_ONLY: "level",
  PATH_FORBIDDEN: "forbidden_paths",
  OUTSIDE_WORKSPACE: "workspace_only and allowed_roots",
  COMMAND_FORBIDDEN: "forbidden_commands",
  COMMAND_NOT_ALLOWED: "allowed_commands",
  HIGH_RISK: "block_high_risk_commands",
  ACTION_LIMIT: "max_actions_per_hour",
  COST_LIMIT: "max_cost_per_day_cents"
}

const ofLayer = {
  managed: "a rule of the operator, set in [policy.rules] of a managed file or in the tool lists of a risk profile",
  user: "a rule of yours, set under [policy.rules] in config.toml",
  project: "a rule of the project, set in .postern/rules.toml",
  session: "a rule of this session, which /rules lists and removes"
} as const

const who = ({ code, gate, rule, settings }: Refusal, profile: string): string | undefined => {
  switch (gate) {
    case "capability":
      if (code === "TOOL_NOT_ALLOWED") {
        return "the operator, with the permissions of this session's owner in config.toml"
      }
      return settings?.level === "readonly"
        ? `the operator, with level = "readonly" in [risk_profiles.${profile}] of config.toml`
        : ofSetting("work_mode", settings)
    case "network":
      return ofSetting("network", settings)
    case "boundary": {
      const lifted = resumeCommands[code]
      if (lifted !== undefined) return `an emergency stop, which \`${lifted}\` lifts`
      const key = limitKeys[code]
      return key === undefined
        ? "Postern itself; nothing sets this"
        : `the operator, with ${key} in [risk_profiles.${profile}] of config.toml` + (code === "HIGH_RISK"
          ? "; an allow or ask rule that names the command, or a Tool approval that this session chooses, decides instead"
          : "")
    }
    case "rule":
      return rule && ofLayer[rule.layer]
    case "policy":
      return ofSetting("tool_approval", settings)
    case "response":
      switch (code) {
        case "APPROVAL_NEVER":
          return ofSetting("approval_response", settings)
        // The reason names the user.
        case "APPROVAL_REJECTED":
          return undefined
        case "OTP_REQUIRED":
        case "OTP_WRONG":
        case "OTP_NOT_ENROLLED":
          return "the operator, under [security.otp] in config.toml"
        case "APPROVAL_TIMEOUT":
          return "nobody: the time for an answer is session_timeout_secs under [acp] in config.toml, or " +
            `approval_route.timeout_secs in [risk_profiles.${profile}]`
        default:
          return "nobody: without an answer a call does not run"
      }
    case "sandbox":
      return `${ofSetting("sandbox", settings)}; \`postern sandbox check\` shows what this machine can enforce`
    default:
      return undefined
  }
}

export const originOf = (refusal: Refusal, profile: string): string | undefined => {
  const found = who(refusal, profile)
  return found && `Decided by ${found}.`
}
