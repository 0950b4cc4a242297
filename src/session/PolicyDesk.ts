import { Context, type Effect, Schema } from "effect"
import type { Decision } from "../policy/Decision.ts"
import type { Session } from "./Session.ts"

/** A rule that cannot be read or changed, or rules that cannot be loaded: the message names the place. */
export class RuleRefused extends Schema.TaggedError<RuleRefused>()("RuleRefused", {
  message: Schema.String,
  /** Of the request. */
  field: Schema.Literals(["rule", "layer", "id"])
}) {}

export type RuleList = "deny" | "ask" | "allow"

export interface RuleView {
  readonly id: string
  readonly list: RuleList
  readonly rule: string
  readonly layer: string
  readonly reason?: string
  /** Absent where it has a say. */
  readonly counts?: false
}

export interface NewRule {
  readonly list: RuleList
  readonly rule: string
  readonly layer: "managed" | "user" | "project" | "session"
  readonly reason?: string | undefined
}

/** What people and clients may ask about the policy of a live session (policy §1.10). */
export class PolicyDesk extends Context.Service<PolicyDesk, {
  readonly rules: (session: Session) => Effect.Effect<ReadonlyArray<RuleView>, RuleRefused>
  /** Adds a rule to the session's own layer, or to the user's or the project's file, and gives its id. */
  readonly add: (session: Session, rule: NewRule) => Effect.Effect<string, RuleRefused>
  /** Whether it was there; the operator's rules stay. */
  readonly remove: (session: Session, id: string) => Effect.Effect<boolean, RuleRefused>
  /** Tells the session which Sandbox modes this machine cannot enforce; in most cases none. */
  readonly look: (session: Session) => Effect.Effect<void>
  /** What the gates would say of a call, without asking anybody. */
  readonly test: (session: Session, tool: string, parameters: unknown) => Effect.Effect<Decision, RuleRefused>
}>()("postern/session/PolicyDesk") {}
