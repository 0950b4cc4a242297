import {
  isOffered,
  type Level,
  type PolicySetting,
  type PolicySettings,
  policySettings,
  type ResolvedSettings,
  settingValues
} from "../domain/PolicySettings.ts"
import type { SessionConfigOption, SessionModeState } from "./SessionSetup.ts"

/** The six policies as ACP shows them (policy §1.10): Work mode as session modes, all six as configuration options. */

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

/** All but the value is the same in every session of a level; what the level rules out is not offered. */
const offered = (level: Level) => ({
  selects: policySettings.map((knob) => {
    const { description, name, values: labels } = texts[knob]
    const options = Object.entries(labels)
      .filter(([value]) => isOffered(level, knob, value as PolicySettings[PolicySetting]))
      .map(([value, [name, description]]) => ({ value, name, description }))
    return {
      type: "select" as const,
      id: knob,
      name,
      description,
      category: knob === "work_mode" ? "mode" : "_policy",
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

/** Without the modes that this machine cannot enforce, but for the current one: there commands are refused. */
const enforceable = (select: Select, lacking: ReadonlyArray<string>, current: string): Select => ({
  ...select,
  options: select.options.filter(({ value }) => value === current || !lacking.includes(value)).map((option) =>
    lacking.includes(option.value)
      ? { ...option, description: `${option.description}; this machine cannot enforce it, so commands are refused` }
      : option
  )
})

export const configOptions = (
  { lacking, level, values }: ResolvedSettings
): ReadonlyArray<typeof SessionConfigOption.Type> =>
  byLevel[level].selects.map((select) => ({
    ...lacking !== undefined && select.id === "sandbox" ? enforceable(select, lacking, values.sandbox) : select,
    currentValue: values[select.id]
  }))

export const modes = ({ level, values }: ResolvedSettings): typeof SessionModeState.Type => ({
  currentModeId: values.work_mode,
  availableModes: byLevel[level].availableModes
})
