import { Effect } from "effect"
import { type PermissionAnswer, type PermissionRequest, NoAnswer } from "../session/Attachment.ts"
import type { ToolCallState } from "../session/Event.ts"
import { textContent } from "../tool/Content.ts"
import type { AcpConnectionState } from "./AcpConnection.ts"
import { PermissionOutcome, RequestPermission, ZeroClawRequestPermission } from "./Client.ts"

/** Asking the user through `session/request_permission` (spec §3). Whatever is not a clear yes is no. */

/** One option of each kind; the lasting ones only where there is a rule to keep (policy §1.10), and they say which. */
const options = ({ allow, deny }: PermissionRequest) => [
  { optionId: "allow-once", name: "Allow once", kind: "allow_once" as const },
  ...(allow.length === 0 ? [] : [{ optionId: "allow-always", name: `Always allow in this session: ${allow.join(", ")}`, kind: "allow_always" as const }]),
  { optionId: "reject-once", name: "Reject", kind: "reject_once" as const },
  ...(deny.length === 0 ? [] : [{ optionId: "reject-always", name: `Always reject in this session: ${deny.join(", ")}`, kind: "reject_always" as const }])
]

/** Only ZeroClaw's own clients know this kind (acp.md §6 row 14). */
const rejectWithEdit = { optionId: "reject-with-edit", name: "Reject with edit", kind: "reject_with_edit" }

const noResponder = (why: string) => Effect.fail(new NoAnswer({ code: "APPROVAL_NO_RESPONDER", why }))

const answers: ReadonlyMap<string, PermissionAnswer> = new Map([
  ["allow-once", { _tag: "AllowOnce" }],
  ["allow-always", { _tag: "AllowAlways" }],
  ["reject-once", { _tag: "RejectOnce" }],
  ["reject-always", { _tag: "RejectAlways" }]
])

const maxReplacement = 64 * 1024

const offersEdit = (state: AcpConnectionState, { call }: PermissionRequest) => state.dialect === "zeroclaw" && call.kind === "edit"

const answerOf = (state: AcpConnectionState, outcome: typeof PermissionOutcome.Type, question: PermissionRequest): Effect.Effect<PermissionAnswer, NoAnswer> => {
  if (outcome.outcome === "cancelled") return Effect.succeed({ _tag: "Dismissed" })
  const { allow, deny } = question
  const text = outcome.replacementContent
  if (offersEdit(state, question) && outcome.optionId === rejectWithEdit.optionId && text !== undefined) {
    return Effect.succeed({ _tag: "Replace", text: text.slice(0, maxReplacement) })
  }
  const answer = answers.get(outcome.optionId)
  const offered = answer !== undefined && (answer._tag !== "AllowAlways" || allow.length > 0) && (answer._tag !== "RejectAlways" || deny.length > 0)
  return offered ? Effect.succeed(answer) : noResponder("the client chose an option it was not offered")
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

const request = (state: AcpConnectionState, sessionId: string, question: PermissionRequest) => {
  const { call, explanation } = question
  const shown = { ...call, content: [...call.content, textContent(explanation)] }
  const payload = { sessionId, toolCall: toolCallOf(shown), options: options(question) }
  if (state.dialect === "acp") return state.peer.request(RequestPermission, payload)
  const edits = offersEdit(state, question) ? [rejectWithEdit] : []
  const rawInput = call.kind === "edit" ? call.rawInput : { tool: call.name, summary: call.title }
  return state.peer.request(ZeroClawRequestPermission, {
    ...payload,
    toolCall: { ...payload.toolCall, rawInput },
    options: [...payload.options, ...edits]
  })
}

export const ask = (state: AcpConnectionState, sessionId: string, timeoutSecs: number) => (question: PermissionRequest) =>
  request(state, sessionId, question).pipe(
    Effect.flatMap(({ outcome }) => answerOf(state, outcome, question)),
    Effect.catchTags({
      RpcFault: ({ message }) => noResponder(`the client answered with an error (${message})`),
      ConnectionClosed: () => Effect.fail(new NoAnswer({ code: "APPROVAL_CANCELLED", why: "the client is gone" }))
    }),
    Effect.timeoutOrElse({
      duration: `${timeoutSecs} seconds`,
      orElse: () => Effect.fail(new NoAnswer({ code: "APPROVAL_TIMEOUT", why: `nobody answered within ${timeoutSecs} s` }))
    })
  )
