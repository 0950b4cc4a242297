import type { ActionContext, CallAction } from "./CallAction.ts"

export interface RuleHit {
  readonly list: "deny" | "ask" | "allow"
  readonly id: string
  readonly rule: string
  /** Why, in the words of whoever wrote the rule. */
  readonly reason?: string | undefined
}

/** What rules may know of a call besides its parts. */
export interface RuleFacts {
  readonly opaque: boolean
  readonly parseError: boolean
  readonly place: ActionContext
  readonly canonical: (path: string) => string | undefined
  /** Further parts that can only forbid the call, or have it asked about. */
  readonly inner?: ReadonlyArray<CallAction>
}

/** Deny, ask and allow rules of all layers, united (policy §2.4): deny before ask before allow. */
export interface Rules {
  readonly decide: (tool: string, parts: ReadonlyArray<CallAction>, facts: RuleFacts) => RuleHit | undefined
  /**
   * A deny or ask rule that names what the call may come to without naming it, as `grep -r x .` comes to `./secret`: with `hidden`, a
   * sandbox keeps what deny rules name from it.
   */
  readonly mayHit: (
    tool: string,
    parts: ReadonlyArray<CallAction>,
    facts: RuleFacts,
    hidden: boolean
  ) => RuleHit | undefined
  /** Tools that a bare deny rule takes out of the model's sight. */
  readonly hidden: (tools: Iterable<string>) => ReadonlySet<string>
}

export const noRules: Rules = { decide: () => undefined, mayHit: () => undefined, hidden: () => new Set() }
