import * as Allowance from "./Allowance.ts"
import type { BoundaryCall } from "./BoundaryCall.ts"
import type { Capability } from "../../domain/Capability.ts"
import { commandRefusal } from "./CommandLimits.ts"
import type { Refusal } from "./GateTrace.ts"
import type { Limits } from "./Limits.ts"
import { pathRefusal } from "./PathLimits.ts"
import { patternRefusal } from "./PatternLimits.ts"

/** The boundary (spec §5, gate 3): the operator's limits on one call. It only denies. */

const changing: ReadonlySet<Capability> = new Set(["rw", "rw_plan", "shell_test", "shell_rw"])

/** The first limit that forbids the call. */
export const refuse = (limits: Limits, call: BoundaryCall): Refusal | undefined => {
  const spent = Allowance.refusal(limits)
  if (spent) return spent
  if (limits.level === "readonly" && call.capabilities.some((capability) => changing.has(capability))) {
    return { code: "READ_ONLY", reason: "the autonomy level is readonly" }
  }
  const refusal = commandRefusal(limits, call.parts, call.inner ?? []) ?? pathRefusal(limits, call) ??
    patternRefusal(limits, call)
  if (refusal) return refusal
  const shape = call.shapes[0]
  return shape && limits.level === "supervised" && limits.blockHighRiskCommands && !call.decidedElsewhere
    ? { code: "HIGH_RISK", reason: `\`${shape.part}\` has a dangerous shape (${shape.category})` }
    : undefined
}
