import type { Capability } from "../../domain/Capability.ts"
import type { ActionContext, CallAction, RiskFinding } from "./CallAction.ts"

/** What a shell command would do, as far as its text says (policy §2.3, §3, §4). Pure: it looks at no file. */
export interface ShellAnalysis {
  readonly parts: ReadonlyArray<CallAction>
  /**
   * What only deny and ask rules and limits look at: commands that a part starts, as `npx` does, and parts written out as they will
   * most probably run. Who allows the part allows these too.
   */
  readonly inner: ReadonlyArray<CallAction>
  /** `none` for nothing to run, `shell_ro` for what provably only reads, `shell_test` for a scratch run, else `shell_rw`. */
  readonly capability: Extract<Capability, "none" | "shell_ro" | "shell_test" | "shell_rw">
  /** Some program or code in it is not literal, or it could not be read at all. */
  readonly opaque: boolean
  readonly parseError: boolean
  readonly shapes: ReadonlyArray<RiskFinding>
  /** Programs that are of no use without a network, as `curl` or `git push`. */
  readonly networkPrograms: ReadonlyArray<string>
}

export type Analyse = (command: string, place: ActionContext) => ShellAnalysis
