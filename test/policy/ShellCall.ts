import type { DecisionInput } from "../../src/policy/decision/DecisionInput.ts"
import { type PolicySettings, resolve } from "../../src/domain/PolicySettings.ts"
import { limitsOf } from "../../src/policy/decision/Limits.ts"
import { policyFlagsOf } from "../../src/policy/decision/PolicyFlags.ts"

export const place = { cwd: "/w", roots: ["/w"], home: "/home/me" }

/** A shell call that may write, and that a sandbox holds. */
export const shellCall = (session: Partial<PolicySettings>, more: Partial<DecisionInput> = {}): DecisionInput => ({
  capabilities: ["shell_rw"],
  network: "optional",
  parts: [],
  shapes: [],
  opaque: false,
  networkPrograms: [],
  place,
  facts: { opaque: false, parseError: false, place, canonical: (path) => path },
  readable: [],
  shell: true,
  canonical: (path) => path,
  settings: resolve("supervised", { session, project: {}, user: {} }),
  limits: limitsOf(undefined),
  rule: undefined,
  flags: policyFlagsOf({}),
  mediumRisk: () => false,
  enforce: () => ({ usable: true, note: "bwrap" }),
  ...more
})
