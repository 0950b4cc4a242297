import { Effect, Predicate } from "effect"
import {
  type AlwaysScope,
  dismissed,
  NoAnswer,
  type PermissionAnswer,
  type PermissionRequest
} from "../../session/lifecycle/Attachment.ts"
import type { ToolCallState } from "../../domain/SessionEvent.ts"
import { textContent } from "../../domain/Content.ts"
import type { AcpConnectionState } from "../AcpConnection.ts"
import {
  PermissionOutcome,
  RequestPermission,
  type Selected,
  ZeroClawRequestPermission
} from "../protocol/ClientMethods.ts"
import { shownItem } from "../updates/ShownItem.ts"
import { beginning } from "../../domain/Cut.ts"

/**
 * Asks the user through `session/request_permission`. `cancelled` is the user's stop and ends the turn; whatever else is
 * not a clear yes counts as no. See
 * docs/agent-client-protocol.md#permission-requests.
 */

/** Characters of a label; buttons are no longer in most clients. The content of the question has all rules. */
const longestLabel = 59

/**
 * The scopes in which an answer may be kept, with their names. The outcome picks one in `_meta.postern.scope`; the
 * default is `session`.
 */
const lasting = (verb: string, rules: ReadonlyArray<string>, scopes: ReadonlyArray<AlwaysScope>) => {
  const named = scopes.map((scope) => {
    const name = `Always ${verb} in this ${scope}`
    const whole = `${name}: ${rules.join(", ")}`
    return { scope, name: whole.length <= longestLabel ? whole : name }
  })
  return { name: named[0]!.name, _meta: { postern: { scopes: named } } }
}

/** One option of each kind; those that last only where there is a rule to keep, which is in their names where it fits. */
const options = ({ allow, deny, scopes }: PermissionRequest) => [
  { optionId: "allow-once", name: "Allow once", kind: "allow_once" as const },
  ...(allow.length === 0
    ? []
    : [{ optionId: "allow-always", ...lasting("allow", allow, scopes.allow), kind: "allow_always" as const }]),
  { optionId: "reject-once", name: "Reject", kind: "reject_once" as const },
  ...(deny.length === 0
    ? []
    : [{ optionId: "reject-always", ...lasting("reject", deny, scopes.deny), kind: "reject_always" as const }])
]

/** Only ZeroClaw's clients know this kind. */
const rejectWithEdit = { optionId: "reject-with-edit", name: "Reject with edit", kind: "reject_with_edit" }

const noResponder = (why: string) => Effect.fail(new NoAnswer({ code: "APPROVAL_NO_RESPONDER", why }))

/** The scope an outcome picks, if that was offered. */
const scopeIn = (
  meta: Readonly<Record<string, unknown>> | undefined,
  offered: ReadonlyArray<AlwaysScope>
): AlwaysScope | undefined => {
  const postern = meta?.["postern"]
  const picked = Predicate.hasProperty(postern, "scope") ? postern.scope : "session"
  return offered.find((scope) => scope === picked)
}

const answerTo = (
  { _meta, optionId }: typeof Selected.Type,
  { allow, deny, scopes }: PermissionRequest
): PermissionAnswer | undefined => {
  const lasts = (
    _tag: "AllowAlways" | "RejectAlways",
    rules: ReadonlyArray<string>,
    offered: ReadonlyArray<AlwaysScope>
  ) => {
    const scope = rules.length === 0 ? undefined : scopeIn(_meta, offered)
    return scope === undefined ? undefined : { _tag, scope }
  }
  switch (optionId) {
    case "allow-once":
      return { _tag: "AllowOnce" }
    case "allow-always":
      return lasts("AllowAlways", allow, scopes.allow)
    case "reject-once":
      return { _tag: "RejectOnce" }
    case "reject-always":
      return lasts("RejectAlways", deny, scopes.deny)
    default:
      return undefined
  }
}

const maxReplacement = 64 * 1024

const offersEdit = (state: AcpConnectionState, { call }: PermissionRequest) =>
  state.dialect === "zeroclaw" && call.kind === "edit"

const answerOf = (
  state: AcpConnectionState,
  outcome: typeof PermissionOutcome.Type,
  question: PermissionRequest
): Effect.Effect<PermissionAnswer, NoAnswer> => {
  if (outcome.outcome === "cancelled") return Effect.succeed(dismissed)
  const text = outcome.replacementContent
  if (offersEdit(state, question) && outcome.optionId === rejectWithEdit.optionId && text !== undefined) {
    return Effect.succeed({ _tag: "Replace", text: beginning(text, maxReplacement) })
  }
  const answer = answerTo(outcome, question)
  return answer ? Effect.succeed(answer) : noResponder("the client chose an option it was not offered")
}

const toolCallOf = ({ content, kind, locations, rawInput, title, toolCallId }: ToolCallState) => ({
  toolCallId,
  title,
  kind,
  status: "pending" as const,
  ...(content.length === 0 ? {} : { content: content.map(shownItem) }),
  ...(locations.length === 0 ? {} : { locations }),
  ...(rawInput === undefined ? {} : { rawInput })
})

/** The whole command, which a title may cut. */
const commandOf = ({ rawInput }: ToolCallState): string | undefined =>
  Predicate.hasProperty(rawInput, "command") && typeof rawInput.command === "string" ? rawInput.command : undefined

const request = (state: AcpConnectionState, sessionId: string, question: PermissionRequest) => {
  const { call, details, reason } = question
  const list = details.map((line) => `- ${line}`).join("\n")
  const shown = { ...call, content: [...call.content, textContent(reason), textContent(list)] }
  const payload = { sessionId, toolCall: toolCallOf(shown), options: options(question) }
  if (state.dialect === "acp") return state.peer.request(RequestPermission, payload)
  const edits = offersEdit(state, question) ? [rejectWithEdit] : []
  const summary = commandOf(call) ?? call.title
  const rawInput = call.kind === "edit" ? call.rawInput : { tool: call.name, summary }
  const before = call.kind === "execute" ? [textContent(summary)] : []
  return state.peer.request(ZeroClawRequestPermission, {
    ...payload,
    toolCall: { ...payload.toolCall, content: [...before, ...payload.toolCall.content ?? []], rawInput },
    options: [...payload.options, ...edits]
  })
}

export const ask =
  (state: AcpConnectionState, sessionId: string, timeoutSecs: number) => (question: PermissionRequest) =>
    request(state, sessionId, question).pipe(
      Effect.flatMap(({ outcome }) => answerOf(state, outcome, question)),
      Effect.catchTags({
        RpcFault: ({ message }) => noResponder(`the client answered with an error (${message})`),
        ConnectionClosed: () => Effect.fail(new NoAnswer({ code: "APPROVAL_CANCELLED", why: "the client is gone" }))
      }),
      Effect.timeoutOrElse({
        duration: `${timeoutSecs} seconds`,
        orElse: () =>
          Effect.fail(new NoAnswer({ code: "APPROVAL_TIMEOUT", why: `nobody answered within ${timeoutSecs} s` }))
      })
    )
