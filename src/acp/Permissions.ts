import { Effect } from "effect"
import { type PermissionAnswer, type PermissionRequest, NoAnswer } from "../session/Attachment.ts"
import type { ToolCallState } from "../session/Event.ts"
import type { AcpConnectionState } from "./AcpConnection.ts"
import { PermissionOutcome, RequestPermission, ZeroClawRequestPermission } from "./Client.ts"

/** Asking the user through `session/request_permission` (spec §3). Whatever is not a clear yes is no. */

const options = (covers: string) => [
  { optionId: "allow-once", name: "Allow once", kind: "allow_once" as const },
  { optionId: "allow-always", name: `Always allow ${covers} in this session`, kind: "allow_always" as const },
  { optionId: "reject-once", name: "Reject", kind: "reject_once" as const },
  { optionId: "reject-always", name: `Always reject ${covers} in this session`, kind: "reject_always" as const }
]

/** Only ZeroClaw's own clients know this kind (acp.md §6 row 14). */
const rejectWithEdit = { optionId: "reject-with-edit", name: "Reject with edit", kind: "reject_with_edit" }

const answers: ReadonlyMap<string, PermissionAnswer> = new Map([
  ["allow-once", { _tag: "AllowOnce" }],
  ["allow-always", { _tag: "AllowAlways" }],
  ["reject-once", { _tag: "RejectOnce" }],
  ["reject-always", { _tag: "RejectAlways" }]
])

const maxReplacement = 64 * 1024

const answerOf = (outcome: typeof PermissionOutcome.Type): Effect.Effect<PermissionAnswer, NoAnswer> => {
  if (outcome.outcome === "cancelled") return Effect.succeed({ _tag: "Dismissed" })
  const text = outcome.replacementContent
  if (outcome.optionId === rejectWithEdit.optionId && text !== undefined) {
    return Effect.succeed({ _tag: "Replace", text: text.slice(0, maxReplacement) })
  }
  const answer = answers.get(outcome.optionId)
  return answer ? Effect.succeed(answer) : Effect.fail(new NoAnswer({ why: "the client chose an option it was not offered" }))
}

const toolCallOf = ({ content, kind, locations, rawInput, title, toolCallId }: ToolCallState) => ({
  toolCallId,
  title,
  kind,
  status: "pending" as const,
  ...(content.length === 0 ? {} : { content }),
  ...(locations.length === 0 ? {} : { locations }),
  ...(rawInput === undefined ? {} : { rawInput })
})

const request = (state: AcpConnectionState, sessionId: string, { call, covers }: PermissionRequest) => {
  const payload = { sessionId, toolCall: toolCallOf(call), options: options(covers) }
  if (state.dialect === "acp") return state.peer.request(RequestPermission, payload)
  const edits = call.kind === "edit" ? [rejectWithEdit] : []
  const rawInput = call.kind === "edit" ? call.rawInput : { tool: call.name, summary: call.title }
  return state.peer.request(ZeroClawRequestPermission, {
    ...payload,
    toolCall: { ...payload.toolCall, rawInput },
    options: [...payload.options, ...edits]
  })
}

export const ask = (state: AcpConnectionState, sessionId: string, timeoutSecs: number) => (question: PermissionRequest) =>
  request(state, sessionId, question).pipe(
    Effect.flatMap(({ outcome }) => answerOf(outcome)),
    Effect.catchTags({
      RpcFault: ({ message }) => Effect.fail(new NoAnswer({ why: `the client answered with an error (${message})` })),
      ConnectionClosed: () => Effect.fail(new NoAnswer({ why: "the client is gone" }))
    }),
    Effect.timeoutOrElse({
      duration: `${timeoutSecs} seconds`,
      orElse: () => Effect.fail(new NoAnswer({ why: `nobody answered within ${timeoutSecs} s` }))
    })
  )
