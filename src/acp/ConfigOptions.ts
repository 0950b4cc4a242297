import {
  type AutonomyLevel,
  isOffered,
  type PolicySetting,
  type PolicySettings,
  policySettings,
  type ResolvedSettings,
  settingValues
} from "../domain/PolicySettings.ts"
import type { SessionConfigOption, SessionModeState } from "./protocol/SessionSetup.ts"
import { type ThoughtLevel, thoughtLevels } from "../model/RequestOptions.ts"
import type { Session } from "../session/lifecycle/Session.ts"
import type { SessionModel } from "../session/policy/SessionModel.ts"

/**
 * A session's choices as ACP shows them: Work mode as session modes; the six policy settings, the model and its
 * thinking as configuration options. See docs/agent-client-protocol.md#modes-and-options.
 */

type Texts = {
  readonly [K in PolicySetting]: {
    readonly name: string
    readonly description: string
    readonly values: { readonly [V in PolicySettings[K]]: readonly [string, string] }
  }
}

const texts: Texts = {
  work_mode: {
    name: "Work mode",
    description: "What the agent may do at all",
    values: {
      chat: ["Chat", "No tools that touch anything"],
      ro: ["Read only", "Reading tools and reading shell commands"],
      pl: ["Plan", "Reading, and writing the plan file"],
      sw: ["Scratch", "Reading and writing files, and shell commands that only read"],
      aw: ["All work", "Everything the other policies let through"]
    }
  },
  network: {
    name: "Network access",
    description: "Whether tools and shell commands may use the network",
    values: {
      on: ["On", "Commands that may write can use the network"],
      off: ["Off", "Commands and tools that need the network are denied, the others run without one"]
    }
  },
  user_rules: {
    name: "User rules",
    description: "Which deny, ask and allow rules count",
    values: {
      none: ["None", "Only the operator's rules"],
      user: ["User", "Your own rules"],
      "user+project": ["User and project", "Your own rules and the project's"],
      session: ["Session", "Only rules of this session"]
    }
  },
  tool_approval: {
    name: "Tool approval",
    description: "What happens to calls that no rule names",
    values: {
      manual: ["Manual", "Every call is asked about"],
      whitelist_accept: ["Accept reads", "Calls that only read run, others are asked about"],
      blacklist_reject: ["Reject writes", "Calls that write or execute are denied, dangerous ones asked about"],
      universal_accept: ["Accept all", "Everything runs, dangerous calls are asked about"],
      universal_reject: ["Reject all", "Only what a rule allows runs"]
    }
  },
  approval_response: {
    name: "Approval response",
    description: "Who answers where a call is asked about",
    values: { ask: ["Ask", "You are asked"], never: ["Never", "Nobody is asked: the call is denied"] }
  },
  sandbox: {
    name: "Sandbox",
    description: "What an approved call can reach",
    values: {
      "workspace-read": ["Read the workspace", "Nothing but the workspace can be seen, nothing changed"],
      "read-only": ["Read only", "Everything can be read, nothing changed"],
      "workspace-write": ["Write the workspace", "Everything can be read, the workspace changed"],
      "danger-full-access": ["Full access", "Commands that may write run without a sandbox"]
    }
  }
}

/**
 * Everything but the value is the same in every session of a level; values that the level rules out are not offered.
 */
const offered = (level: AutonomyLevel) => ({
  selects: policySettings.map((setting) => {
    const { description, name, values: labels } = texts[setting]
    const options = Object.entries(labels)
      .filter(([value]) => isOffered(level, setting, value as PolicySettings[PolicySetting]))
      .map(([value, [name, description]]) => ({ value, name, description }))
    return {
      type: "select" as const,
      id: setting,
      name,
      description,
      category: setting === "work_mode" ? "mode" : "_policy",
      options
    }
  }),
  availableModes: settingValues.work_mode.filter((id) => isOffered(level, "work_mode", id)).map((id) => {
    const [name, description] = texts.work_mode.values[id]
    return { id, name, description }
  })
})

const byLevel = { readonly: offered("readonly"), supervised: offered("supervised"), full: offered("full") }

type Select = typeof byLevel.full.selects[number]

/**
 * Leaves out sandbox modes that this machine cannot enforce; the current one stays, with the remark that commands are
 * refused.
 */
const enforceable = (select: Select, unenforceable: ReadonlyArray<string>, current: string): Select => ({
  ...select,
  options: select.options.filter(({ value }) => value === current || !unenforceable.includes(value)).map((option) =>
    unenforceable.includes(option.value)
      ? { ...option, description: `${option.description}; this machine cannot enforce it, so commands are refused` }
      : option
  )
})

export const configOptions = (
  { unenforceable, level, values }: ResolvedSettings
): ReadonlyArray<typeof SessionConfigOption.Type> =>
  byLevel[level].selects.map((select) => ({
    ...unenforceable !== undefined && select.id === "sandbox"
      ? enforceable(select, unenforceable, values.sandbox)
      : select,
    currentValue: values[select.id]
  }))

export const modes = ({ level, values }: ResolvedSettings): typeof SessionModeState.Type => ({
  currentModeId: values.work_mode,
  availableModes: byLevel[level].availableModes
})

type Option = typeof SessionConfigOption.Type

const levels: Record<ThoughtLevel, readonly [string, string]> = {
  default: ["Default", "As the provider has it"],
  off: ["Off", "No thinking, where the model can do without"],
  low: ["Low", "Short thoughts"],
  medium: ["Medium", "Longer thoughts"],
  high: ["High", "As thorough as it gets, slower and more expensive"]
}

const thoughts = thoughtLevels.map((value) => {
  const [name, description] = levels[value]
  return { value, name, description }
})

const modelOptions = ({ choices, model, thinks, thoughtLevel }: SessionModel): ReadonlyArray<Option> => [
  {
    type: "select",
    id: "model",
    name: "Model",
    description: "Which model answers",
    category: "model",
    currentValue: model(),
    options: choices().map((reference) => ({ value: reference, name: reference }))
  },
  ...(!thinks() ? [] : [{
    type: "select" as const,
    id: "thought_level",
    name: "Thinking",
    description: "How much the model thinks before it answers",
    category: "thought_level",
    currentValue: thoughtLevel(),
    options: thoughts
  }])
]

/** Every configuration option of a session. */
export const sessionOptions = (
  { model, policy }: Session
): ReadonlyArray<Option> => [...configOptions(policy.settings()), ...modelOptions(model)]
