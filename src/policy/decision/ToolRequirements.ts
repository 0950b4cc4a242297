import type { Capability, NetworkNeed } from "../../domain/Capability.ts"
import type { EscalationRequest } from "./Escalation.ts"

/** What one call needs, as its tool declares it. Paths are as the model wrote them. */
export interface ToolRequirements {
  readonly capabilities: ReadonlyArray<Capability>
  readonly network: NetworkNeed
  readonly reads: ReadonlyArray<string>
  readonly writes: ReadonlyArray<string>
  readonly urls: ReadonlyArray<string>
  /** The call does more than read from `urls`: a `fetch(host)` rule does not allow it. */
  readonly changes?: boolean
  /** Categories of danger that the call has, whatever it names. See docs/policy.md#categories. */
  readonly risks?: ReadonlyArray<string>
  /** A shell command; its analysis adds the capabilities. */
  readonly command?: string
  /** The command runs in a scratch copy and counts as a test, whatever it is. See docs/policy.md#capabilities. */
  readonly scratch?: boolean
  /** A wider Sandbox mode for this one call. */
  readonly wish?: EscalationRequest
}

const none: ToolRequirements = { capabilities: ["none"], network: "none", reads: [], writes: [], urls: [] }

export const nothing: ToolRequirements = none
export const read = (...paths: ReadonlyArray<string>): ToolRequirements => ({
  ...none,
  capabilities: ["ro"],
  reads: paths
})
export const write = (...paths: ReadonlyArray<string>): ToolRequirements => ({
  ...none,
  capabilities: ["rw"],
  writes: paths
})
/** Writing the plan file. */
export const plan = (path: string): ToolRequirements => ({ ...none, capabilities: ["rw_plan"], writes: [path] })
export const fetch = (...urls: ReadonlyArray<string>): ToolRequirements => ({
  ...none,
  capabilities: ["ro"],
  network: "required",
  urls
})
export const mcp = (capability: Capability, network: boolean): ToolRequirements => ({
  ...none,
  capabilities: [capability],
  network: network ? "required" : "none"
})
/** Reading or writing Postern's own data, such as memory, without a path. */
export const kept = (capability: Capability): ToolRequirements => ({ ...none, capabilities: [capability] })
export const shellRequirements = (command: string, scratch = false, wish?: EscalationRequest): ToolRequirements => ({
  ...none,
  capabilities: [],
  network: "optional",
  command,
  scratch,
  ...(wish === undefined ? {} : { wish })
})
