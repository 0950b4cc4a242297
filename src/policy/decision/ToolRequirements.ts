import type { Capability, NetworkNeed } from "../../domain/Capability.ts"
import type { EscalationRequest } from "./Escalation.ts"

/** What one call needs, as its tool declares it: the input of the gates. Paths are as the model wrote them. */
export interface ToolRequirements {
  readonly capabilities: ReadonlyArray<Capability>
  readonly network: NetworkNeed
  readonly reads: ReadonlyArray<string>
  readonly writes: ReadonlyArray<string>
  readonly urls: ReadonlyArray<string>
  /** A shell command; its analysis adds the capabilities. */
  readonly command?: string
  /** The command's changes are meant to be forgotten: it may be anything, and counts as a test (policy §4.2). */
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
/** The one plan file. */
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
/** Of what Postern itself keeps, where no path is named. */
export const kept = (capability: Capability): ToolRequirements => ({ ...none, capabilities: [capability] })
export const shell = (command: string, scratch = false, wish?: EscalationRequest): ToolRequirements => ({
  ...none,
  capabilities: [],
  network: "optional",
  command,
  scratch,
  ...(wish === undefined ? {} : { wish })
})
