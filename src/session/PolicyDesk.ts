import { Context, type Effect, Schema } from "effect"
import type { Decision } from "../policy/Decision.ts"
import type { Session } from "./Session.ts"

/** A rule that cannot be read, or rules that cannot be loaded: the message names the place. */
export class RuleRefused extends Schema.TaggedError<RuleRefused>()("RuleRefused", { message: Schema.String }) {}

export type RuleList = "deny" | "ask" | "allow"

export interface RuleView {
  readonly id: string
  readonly list: RuleList
  readonly rule: string
  readonly layer: string
  readonly reason?: string
}

/** What people and clients may ask about the policy of a live session (policy §1.10). */
export class PolicyDesk extends Context.Service<PolicyDesk, {
  readonly rules: (session: Session) => Effect.Effect<ReadonlyArray<RuleView>, RuleRefused>
  /** Adds a rule to the session's own layer and gives its id. */
  readonly add: (session: Session, list: RuleList, rule: string) => Effect.Effect<string, RuleRefused>
  /** Only rules of the session's own layer can go this way. */
  readonly remove: (session: Session, id: string) => Effect.Effect<boolean, RuleRefused>
  /** What the gates would say of a call, without asking anybody. */
  readonly test: (session: Session, tool: string, parameters: unknown) => Effect.Effect<Decision, RuleRefused>
}>()("postern/session/PolicyDesk") {}
