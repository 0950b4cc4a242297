import type { Capability } from "../../domain/Capability.ts"
import type { ActionContext, CallAction, RiskFinding } from "./CallAction.ts"

/**
 * What a shell command would do, as far as its text tells. Pure: it looks at no file. See
 * docs/policy.md#limits-of-the-analysis.
 */
export interface ShellAnalysis {
  readonly parts: ReadonlyArray<CallAction>
  /**
   * Actions for deny rules, ask rules and limits only: commands that an action starts, as `npx` does, and actions in
   * the form in which they most probably run. Allowing the action allows these too.
   */
  readonly inner: ReadonlyArray<CallAction>
  /**
   * `none` for nothing to run, `shell_ro` for what provably only reads, `shell_test` for a scratch run, else
   * `shell_rw`.
   */
  readonly capability: Extract<Capability, "none" | "shell_ro" | "shell_test" | "shell_rw">
  /** A program or code in it is not literal, or it could not be parsed. */
  readonly opaque: boolean
  readonly parseError: boolean
  /**
   * Why not everything in it was looked at, as the end of a sentence that begins with "the command"; absent where all
   * was. Nothing but a person may let it run.
   */
  readonly unanalysed?: string
  readonly shapes: ReadonlyArray<RiskFinding>
  /** Programs that are useless without a network, such as `curl` or `git push`. */
  readonly networkPrograms: ReadonlyArray<string>
  /** The actions that would be `shell_ro` alone, and that stay in the session's folders. */
  readonly reads: ReadonlySet<CallAction>
}

export type Analyse = (command: string, place: ActionContext) => ShellAnalysis
