import { Effect, Schema } from "effect"
import {
  type AutonomyLevel,
  isOffered,
  isPolicySetting,
  isValueOf,
  type PolicySetting,
  policySettings as names,
  settingValues
} from "../../domain/PolicySettings.ts"

/** A value a knob cannot take, here or at all. */
export class KnobRefused extends Schema.TaggedError<KnobRefused>()("KnobRefused", {
  knob: Schema.String,
  message: Schema.String,
  reason: Schema.Literals(["unknown_option", "unknown_value", "above_level"])
}) {}

/** Whether a knob of this name can take the value at this level. */
export const check = (level: AutonomyLevel, id: string, value: unknown): Effect.Effect<PolicySetting, KnobRefused> => {
  const refused = (reason: KnobRefused["reason"], message: string) =>
    Effect.fail(new KnobRefused({ knob: id, reason, message }))
  if (!isPolicySetting(id)) {
    return refused("unknown_option", `there is no option "${id}"; the options are ${names.join(", ")}`)
  }
  if (!isValueOf(id, value)) {
    return refused(
      "unknown_value",
      `${JSON.stringify(value)} is no value of ${id}; it must be one of ${settingValues[id].join(", ")}`
    )
  }
  if (!isOffered(level, id, value)) {
    return refused("above_level", "the autonomy level is readonly: no Work mode above ro")
  }
  return Effect.succeed(id)
}
