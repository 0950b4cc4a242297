import type { ConfigTable } from "../../config/schema/Schema.ts"

/** What a user may switch on besides the six knobs (policy §1.9 E8 and E25, §4.2). */
export interface PolicyFlags {
  /** Shapes go to the user even where a rule allows them. */
  readonly guardAllow: boolean
  /** Reading from the network is asked about, unless a rule allows it: an address can carry data out. */
  readonly askNetworkReads: boolean
  /** Tests get the network too, where there is one. */
  readonly testNetwork: boolean
  /** Patterns of the user's own commands that build or test. */
  readonly testCommands: ReadonlyArray<string>
}

export const policyFlagsOf = (policy: NonNullable<ConfigTable["policy"]>): PolicyFlags => ({
  guardAllow: policy.guard_allow ?? false,
  testNetwork: policy.shell_test_network ?? false,
  askNetworkReads: policy.ask_network_reads ?? false,
  testCommands: policy.shell_test_commands ?? none
})

const none: ReadonlyArray<string> = []
