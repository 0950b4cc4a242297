import { Schema } from "effect"
import { type PolicySetting, settingValues } from "../../domain/PolicySettings.ts"
import { flag, optional, text, texts, word } from "./Atoms.ts"

/** A rule as text, or with its reason and its own examples (policy §2.1). */
const rules = optional(
  Schema.Array(Schema.Union([
    text,
    Schema.Struct({ rule: text, reason: optional(text), match: optional(texts), notMatch: optional(texts) })
  ])).annotate({ description: "a list of rules" })
)

export const knob = <K extends PolicySetting>(name: K) => optional(word(...settingValues[name]))

/** The user's own policy: values of the six knobs, rules, and a few switches (spec §5, policy §1). */
export const Policy = Schema.Struct({
  work_mode: knob("work_mode"),
  network: knob("network"),
  user_rules: knob("user_rules"),
  tool_approval: knob("tool_approval"),
  approval_response: knob("approval_response"),
  sandbox: knob("sandbox"),
  guard_allow: optional(flag),
  ask_network_reads: optional(flag),
  shell_test_commands: optional(texts),
  shell_test_network: optional(flag),
  allow_partial_sandbox: optional(flag),
  rules: optional(Schema.Struct({ deny: rules, ask: rules, allow: rules }))
})
