import { type Effect, Schema } from "effect"
import type { ClientSide } from "../../tool/ClientSide.ts"
import type { SessionEvent, ToolCallState } from "../../domain/SessionEvent.ts"

/** How far the rules of an "always" answer reach: this session, or every session of its folder. */
export type AlwaysScope = "session" | "workspace"

export interface PermissionRequest {
  readonly call: ToolCallState
  /** Why a person is asked, in one sentence. */
  readonly reason: string
  /** What the call consists of, what it would run in, what an answer adds: Markdown, one a line. */
  readonly details: ReadonlyArray<string>
  /** Rules that "always allow" and "always reject" would add; an empty list is not offered. */
  readonly allow: ReadonlyArray<string>
  readonly deny: ReadonlyArray<string>
  /** Where they may be kept. */
  readonly scopes: { readonly allow: ReadonlyArray<AlwaysScope>; readonly deny: ReadonlyArray<AlwaysScope> }
}

/** The user closed the question to stop the agent: the turn ends. */
interface Dismissed {
  readonly _tag: "Dismissed"
}

export type PermissionAnswer =
  | { readonly _tag: "AllowOnce" }
  | { readonly _tag: "AllowAlways"; readonly scope: AlwaysScope }
  | { readonly _tag: "RejectOnce" }
  | { readonly _tag: "RejectAlways"; readonly scope: AlwaysScope }
  /** The user's own text takes the place of the tool's result. */
  | { readonly _tag: "Replace"; readonly text: string }
  | Dismissed

/** No client could answer; it counts as a refusal by the host. `code` is one of docs/policy.md#refusals. */
export class NoAnswer extends Schema.TaggedError<NoAnswer>()("NoAnswer", {
  code: Schema.Literals(["APPROVAL_NO_RESPONDER", "APPROVAL_CANCELLED", "APPROVAL_TIMEOUT"]),
  why: Schema.String
}) {}

/**
 * A question of the agent to its user; without choices the answer is free text, with a form what was filled in, as
 * JSON.
 */
export interface Question {
  readonly toolCallId: string
  readonly question: string
  readonly choices: ReadonlyArray<string>
  /** A JSON schema as MCP's elicitation has it; only for clients with forms. */
  readonly form?: Readonly<Record<string, unknown>>
  /** A client that cannot ask for free text asks for no more than that the user has seen it. */
  readonly acknowledges?: true
}

export type QuestionAnswer = { readonly _tag: "Answered"; readonly text: string } | Dismissed

export const dismissed: Dismissed = { _tag: "Dismissed" }

/** One connection that watches a session and can be asked on its behalf. */
export interface Attachment {
  /** Suspends while the connection is slower than the session. */
  readonly publish: (event: SessionEvent) => Effect.Effect<void>
  /** Interruption withdraws the question. */
  readonly ask: (request: PermissionRequest) => Effect.Effect<PermissionAnswer, NoAnswer>
  readonly choose: (question: Question) => Effect.Effect<QuestionAnswer, NoAnswer>
  /** Whether its client can show the form of a question. */
  readonly takesForms?: boolean | undefined
  readonly client?: ClientSide | undefined
  /** False while its client is away; without it there is one. */
  readonly isPresent?: boolean
}
