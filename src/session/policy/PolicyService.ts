import { Context, type Effect, Schema } from "effect"
import type { ToolDeclaration } from "../../model/ToolSchemas.ts"
import type { Decision } from "../../policy/decision/Decision.ts"
import type { PathRefused } from "../../workspace/Workspace.ts"
import type { SessionTools } from "../../tool/SessionTools.ts"
import type { Session } from "../lifecycle/Session.ts"
import type { SessionPolicy } from "./SessionPolicy.ts"

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

/** A session, as far as its policy is concerned. */
export type Subject = Pick<Session, "policy" | "tools" | "workspace">

/** What decides which tools a model is offered, of a session or of one that could be opened. */
export interface Prospect {
  readonly policy: Pick<SessionPolicy, "knobs" | "permitted" | "source">
  readonly tools: SessionTools
}

/** What people and clients may ask about the policy of a live session (policy §1.10). */
export class PolicyService extends Context.Service<PolicyService, {
  readonly rules: (session: Subject) => Effect.Effect<ReadonlyArray<RuleView>, RuleRefused>
  /** Adds a rule to the session's own layer, or to the user's or the project's file, and gives its id. */
  readonly add: (session: Subject, rule: NewRule) => Effect.Effect<string, RuleRefused>
  /** Whether it was there; the operator's rules stay. */
  readonly remove: (session: Subject, id: string) => Effect.Effect<boolean, RuleRefused>
  /** Tells the session which Sandbox modes this machine cannot enforce; in most cases none. */
  readonly look: (session: Subject) => Effect.Effect<void>
  /** What the gates would say of a call, without asking anybody. */
  readonly test: (session: Subject, tool: string, parameters: unknown) => Effect.Effect<Decision, RuleRefused>
  /** The canonical path of a file that `file_read` would read in the session now, unasked; anything else is refused. */
  readonly readable: (session: Subject, path: string) => Effect.Effect<string, PathRefused | RuleRefused>
  /** The tools that a model is offered, as it hears of them and in that order. */
  readonly offered: (session: Prospect) => Effect.Effect<ReadonlyArray<ToolDeclaration>, RuleRefused>
}>()("postern/session/PolicyDesk") {}
