import type { Capability } from "../../domain/Capability.ts"
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
  /** What `whitelist_accept` runs. */
  readonly whitelist: ReadonlySet<Capability>
  /** What `blacklist_reject` refuses. */
  readonly blacklist: ReadonlySet<Capability>
}

export const policyFlagsOf = (policy: NonNullable<ConfigTable["policy"]>): PolicyFlags => ({
  guardAllow: policy.guard_allow ?? false,
  testNetwork: policy.shell_test_network ?? false,
  askNetworkReads: policy.ask_network_reads ?? true,
  testCommands: policy.shell_test_commands ?? none,
  whitelist: policy.whitelist === undefined ? whitelist : new Set(policy.whitelist),
  blacklist: policy.blacklist === undefined ? blacklist : new Set(policy.blacklist)
})

const whitelist: ReadonlySet<Capability> = new Set(["none", "ro", "shell_ro", "rw_plan"])
const blacklist: ReadonlySet<Capability> = new Set(["rw", "shell_test", "shell_rw", "rw_plan"])

const none: ReadonlyArray<string> = []
