import type { ToolCallContent } from "../../domain/Content.ts"
import type { ToolCallState } from "../../domain/SessionEvent.ts"

/** A tool call, as its updates have it. */
export interface CallFields {
  readonly title: string
  readonly name: string
  readonly kind: ToolCallState["kind"]
  readonly status: ToolCallState["status"]
  readonly content: ReadonlyArray<ToolCallContent>
  readonly locations: ToolCallState["locations"]
  readonly rawInput?: unknown
  readonly rawOutput?: unknown
}

/** Open calls as a client knows them. */
export type KnownCalls = Map<string, Partial<CallFields>>
