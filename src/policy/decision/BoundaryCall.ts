import type { Capability } from "../../domain/Capability.ts"
import type { ActionContext, CallAction, RiskFinding } from "./CallAction.ts"

/** What the operator's limits look at. */
export interface BoundaryCall {
  readonly capabilities: ReadonlyArray<Capability>
  readonly parts: ReadonlyArray<CallAction>
  /** What a part starts in turn: it may be forbidden, and needs no leave of its own. */
  readonly inner?: ReadonlyArray<CallAction>
  readonly shapes: ReadonlyArray<RiskFinding>
  readonly place: ActionContext
  /** The path behind a written one, links followed; `undefined` where there is none to follow. */
  readonly canonical: (path: string) => string | undefined
  /** Further names of the roots. */
  readonly aliases?: ReadonlyArray<string>
  /** Folders that may be read besides the roots. */
  readonly readable: ReadonlyArray<string>
  /** A shell command: what its words name is only a guess, so reading outside the folders is left to the sandbox. */
  readonly shell: boolean
  /** The session chose its Tool approval policy, or a rule names the call: then shapes are the policy's business. */
  readonly decidedElsewhere: boolean
}
