import { type Effect, Schema } from "effect"
import type { SessionEvent, ToolCallState } from "./Event.ts"

export interface PermissionRequest {
  readonly call: ToolCallState
  /** What an "always" answer would cover, in words. */
  readonly covers: string
}

export type PermissionAnswer =
  | { readonly _tag: "AllowOnce" }
  | { readonly _tag: "AllowAlways" }
  | { readonly _tag: "RejectOnce" }
  | { readonly _tag: "RejectAlways" }
  /** The user's own text takes the place of the tool's result. */
  | { readonly _tag: "Replace"; readonly text: string }
  /** The question was closed without an answer. */
  | { readonly _tag: "Dismissed" }

/** Nobody could answer: no client, the time is up, or what came back was no answer. It counts as a refusal by the host. */
export class NoAnswer extends Schema.TaggedError<NoAnswer>()("NoAnswer", { why: Schema.String }) {}

/** One connection that watches a session and can be asked on its behalf. */
export interface Attachment {
  /** Suspends while the connection is slower than the session. */
  readonly publish: (event: SessionEvent) => Effect.Effect<void>
  /** Interruption withdraws the question. */
  readonly ask: (request: PermissionRequest) => Effect.Effect<PermissionAnswer, NoAnswer>
}
