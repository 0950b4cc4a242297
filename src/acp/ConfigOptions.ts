import {
  type AutonomyLevel,
  isOffered as isValueOffered,
  type PolicySetting,
  type PolicySettings,
  policySettings,
  type ResolvedSettings,
  sessionOptionIds,
  settingValues
} from "../domain/PolicySettings.ts"
import type { SessionConfigOption, SessionModelState, SessionModeState } from "./protocol/SessionSetup.ts"
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
      chat: ["Mode: chat", "No tools that touch anything"],
      ro: ["Mode: read only", "Reading tools and reading shell commands"],
      pl: ["Mode: plan", "Reading, and writing the plan file"],
      sw: ["Mode: scratch", "Reading and writing files, and shell commands that only read"],
      aw: ["Mode: all work", "Everything the other policies let through"]
    }
  },
  network: {
    name: "Network access",
    description: "Whether tools and shell commands may use the network",
    values: {
      on: ["Network: on", "Commands that may write can use the network"],
      off: ["Network: off", "Commands and tools that need the network are denied, the others run without one"]
    }
  },
  user_rules: {
    name: "User rules",
    description: "Which deny, ask and allow rules count",
    values: {
      none: ["Rules: the operator's", "Only the operator's rules"],
      user: ["Rules: yours", "Your own rules"],
      "user+project": ["Rules: yours and the project's", "Your own rules and the project's"],
      session: ["Rules: this session's", "Only rules of this session"]
    }
  },
  tool_approval: {
    name: "Tool approval",
    description: "What happens to calls that no rule names",
    values: {
      manual: ["Approve: ask about every call", "Every call is asked about"],
      whitelist_accept: ["Approve: reads run, writes ask", "Calls that only read run, others are asked about"],
      blacklist_reject: [
        "Approve: reads run, writes refused",
        "Calls that write or execute are denied, dangerous ones asked about"
      ],
      universal_accept: ["Approve: all run, dangerous ask", "Everything runs, dangerous calls are asked about"],
      universal_reject: ["Approve: only what rules allow", "Only what a rule allows runs"]
    }
  },
  approval_response: {
    name: "Approval response",
    description: "Who answers where a call is asked about",
    values: {
      ask: ["Questions: ask", "You are asked"],
      never: ["Questions: never, refuse", "Nobody is asked: the call is denied"]
    }
  },
  sandbox: {
    name: "Sandbox",
    description: "What an approved call can reach",
    values: {
      "workspace-read": ["Sandbox: see the workspace only", "Nothing but the workspace can be seen, nothing changed"],
      "read-only": ["Sandbox: read all, change nothing", "Everything can be read, nothing changed"],
      "workspace-write": ["Sandbox: write the workspace", "Everything can be read, the workspace changed"],
      "danger-full-access": ["Sandbox: none", "Commands that may write run without a sandbox"]
    }
  }
}

/** Menus of modes hold nothing else, so a mode needs no `Mode: ` there. */
const modeName = (option: string): string => {
  const name = option.replace(/^Mode: /, "")
  return name.charAt(0).toUpperCase() + name.slice(1)
}

/**
 * Everything but the value is the same in every session of a level; values that the level rules out are not offered.
 */
const offered = (level: AutonomyLevel) => ({
  selects: policySettings.map((setting) => {
    const { description, name, values: labels } = texts[setting]
    const options = Object.entries(labels)
      .filter(([value]) => isValueOffered(level, setting, value as PolicySettings[PolicySetting]))
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
  availableModes: settingValues.work_mode.filter((id) => isValueOffered(level, "work_mode", id)).map((id) => {
    const [name, description] = texts.work_mode.values[id]
    return { id, name: modeName(name), description }
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
  default: ["Thinking: default", "As the provider has it"],
  off: ["Thinking: off", "No thinking, where the model can do without"],
  low: ["Thinking: low", "Short thoughts"],
  medium: ["Thinking: medium", "Longer thoughts"],
  high: ["Thinking: high", "As thorough as it gets, slower and more expensive"]
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

/** By `acp.options`; without it every option is offered. */
export const isOffered = ({ configured }: Session, id: string): boolean =>
  (configured().options ?? sessionOptionIds as ReadonlyArray<string>).includes(id)

/** The configuration options of a session, as far as `acp.options` offers them. */
export const sessionOptions = (session: Session): ReadonlyArray<Option> =>
  [...configOptions(session.policy.settings()), ...modelOptions(session.model)].filter(({ id }) =>
    isOffered(session, id)
  )

/** The models as older clients read them. See docs/agent-client-protocol.md#modes-and-options */
export const modelState = (session: Session): typeof SessionModelState.Type | undefined =>
  isOffered(session, "model")
    ? {
      currentModelId: session.model.model(),
      availableModels: session.model.choices().map((modelId) => ({ modelId, name: modelId }))
    }
    : undefined
