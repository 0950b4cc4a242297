import type { Refusal } from "./GateTrace.ts"

/** What an agent may do in an hour and cost in a day, and how much of it is used (docs/policy.md#allowance). */
export interface Allowance {
  /** Calls of the agent in the last hour, infinite where they cannot be counted, and how many may run; `undefined` is no limit. */
  readonly actions: { readonly done: number; readonly limit: number | undefined }
  /** What models have cost the agent today, in US cents, infinite where that cannot be known, and how much they may. */
  readonly cost: { readonly spent: number; readonly limit: number | undefined }
}

export const unlimited: Allowance = { actions: { done: 0, limit: undefined }, cost: { spent: 0, limit: undefined } }

/** Whatever the agent wants to do now. */
export const refusal = ({ actions: { done, limit: most }, cost: { limit, spent } }: Allowance): Refusal | undefined => {
  if (most !== undefined && done >= most) {
    return {
      code: "ACTION_LIMIT",
      reason: Number.isFinite(done)
        ? `the limit of ${most} actions an hour is reached`
        : "the actions of the last hour cannot be counted"
    }
  }
  if (limit !== undefined && spent >= limit) {
    return {
      code: "COST_LIMIT",
      reason: Number.isFinite(spent)
        ? `the limit of ${limit} US cents a day is reached`
        : "what models have cost today cannot be known"
    }
  }
  return undefined
}
