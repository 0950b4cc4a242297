import type { ConfigTable } from "../../config/schema/Schema.ts"

/** Switches of `[policy]` besides the six settings. See docs/configuration.md#policy. */
export interface PolicyFlags {
  /** Risk findings are asked about even where a rule allows the call. */
  readonly guardAllow: boolean
  /** Reads from the network are asked about unless a rule allows them: an address can carry data out. */
  readonly askNetworkReads: boolean
  /** Tests get the network too, where Network access is on. */
  readonly testNetwork: boolean
  /** Patterns of the user's own build and test commands. */
  readonly testCommands: ReadonlyArray<string>
}

export const policyFlagsOf = (policy: NonNullable<ConfigTable["policy"]>): PolicyFlags => ({
  guardAllow: policy.guard_allow ?? false,
  testNetwork: policy.shell_test_network ?? false,
  askNetworkReads: policy.ask_network_reads ?? false,
  testCommands: policy.shell_test_commands ?? none
})

const none: ReadonlyArray<string> = []
