import type { ActionContext, CallAction } from "./CallAction.ts"

export interface RuleHit {
  readonly list: "deny" | "ask" | "allow"
  readonly id: string
  readonly layer: "managed" | "user" | "project" | "session"
  readonly rule: string
  /** The reason that the author of the rule gave. */
  readonly reason?: string | undefined
  /** The rule does not cover dangerous calls, and names none in this sense. */
  readonly guard?: true
}

/** What rules know of a call besides its actions. */
export interface RuleFacts {
  readonly opaque: boolean
  readonly parseError: boolean
  /** The call has a risk finding. */
  readonly dangerous?: boolean
  /** Actions that run without a rule, because they only read and Tool approval accepts that. */
  readonly reads?: ReadonlySet<CallAction>
  readonly place: ActionContext
  readonly canonical: (path: string) => string | undefined
  /** Further actions that only deny and ask rules look at. */
  readonly inner?: ReadonlyArray<CallAction>
}

/** Deny, ask and allow rules of all layers: deny before ask before allow. See docs/policy.md#rule-precedence. */
export interface Rules {
  readonly decide: (tool: string, parts: ReadonlyArray<CallAction>, facts: RuleFacts) => RuleHit | undefined
  /**
   * A deny or ask rule about paths that the call may reach without naming them, as `grep -r x .` reaches `./secret`.
   * With `hidden`, a sandbox hides the paths of deny rules.
   */
  readonly mayHit: (
    tool: string,
    parts: ReadonlyArray<CallAction>,
    facts: RuleFacts,
    hidden: boolean
  ) => RuleHit | undefined
  /** Tools that a bare deny rule hides from the model. */
  readonly hidden: (tools: Iterable<string>) => ReadonlySet<string>
}
