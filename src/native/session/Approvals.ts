import { Context, Deferred, Effect, Layer, Schema } from "effect"
import { Rpc } from "effect/rpc"
import { RpcFault } from "../../rpc/Wire.ts"
import {
  dismissed,
  NoAnswer,
  type PermissionAnswer,
  type PermissionRequest,
  type Question,
  type QuestionAnswer
} from "../../session/lifecycle/Attachment.ts"
import { newId } from "../../domain/Id.ts"
import { answerIn, schemaOf } from "../../session/policy/Approvals.ts"
import { DaemonInfo, type NativeState } from "../protocol/NativeConnection.ts"
import { isRecord, type Params } from "../protocol/Contract.ts"
import type { Updates } from "./SessionUpdates.ts"
import { beginning } from "../../domain/Cut.ts"

/**
 * Questions to the people behind a session: approvals are answered by a call, forms by a response . See
 * docs/native-rpc.md#turns.
 */

const ElicitationCreate = Rpc.make("elicitation/create", {
  payload: {
    sessionId: Schema.String,
    mode: Schema.Literal("form"),
    message: Schema.String,
    requestedSchema: Schema.Record(Schema.String, Schema.Unknown)
  },
  success: Schema.Struct({
    action: Schema.String,
    content: Schema.optionalKey(Schema.NullOr(Schema.Record(Schema.String, Schema.Unknown)))
  }),
  error: RpcFault
})

export const decisions = [
  "allow_once",
  "allow_always",
  "reject",
  "reject_once",
  "reject_with_edit",
  "cancelled"
] as const
export type ApprovalDecision = typeof decisions[number]

const maxReplacement = 64 * 1024

const answerOf = (decision: ApprovalDecision, replacement: string | undefined): PermissionAnswer => {
  switch (decision) {
    case "allow_once":
      return { _tag: "AllowOnce" }
    case "allow_always":
      return { _tag: "AllowAlways", scope: "session" }
    case "reject":
    case "reject_once":
      return { _tag: "RejectOnce" }
    case "reject_with_edit":
      return replacement === undefined
        ? { _tag: "RejectOnce" }
        : { _tag: "Replace", text: beginning(replacement, maxReplacement) }
    case "cancelled":
      return dismissed
  }
}

const secret = /(api_?key|token|secret|password|authorization|credential)/i

/** `path` first, then the other arguments, each cut at 80 characters, secrets redacted. */
const summaryOf = (input: unknown): string | undefined => {
  if (!isRecord(input) || Object.keys(input).length === 0) return undefined
  const shown = (key: string, value: unknown) => {
    const text = secret.test(key) ? "<redacted>" : typeof value === "string" ? value : JSON.stringify(value) ?? ""
    return `${key}: ${text.length > 80 ? `${beginning(text, 79)}…` : text}`
  }
  return Object.entries(input).sort(([a], [b]) => Number(b === "path") - Number(a === "path")).map(([key, value]) =>
    shown(key, value)
  ).join(", ")
}

const timedOut = (seconds: number) =>
  Effect.fail(new NoAnswer({ code: "APPROVAL_TIMEOUT", why: `nobody answered within ${seconds} s` }))
const noAnswer = (why: string) => Effect.fail(new NoAnswer({ code: "APPROVAL_NO_RESPONDER", why }))

/** Fails as soon as the principal has no connection left. */
const deserted = (connections: ReadonlySet<NativeState>, principal: string): Effect.Effect<never, NoAnswer> =>
  Effect.suspend(() => {
    const present = Array.from(connections).find((one) => one.initialized && one.principal === principal)
    return present === undefined
      ? noAnswer("the client is gone, and no other one of its principal is connected")
      : Effect.andThen(Deferred.await(present.gone), deserted(connections, principal))
  })

/** A question that waits for its answer. */
interface Asked {
  readonly sessionId: string
  readonly connection: NativeState
  readonly update: Params
  readonly answer: Deferred.Deferred<PermissionAnswer, NoAnswer>
}

export class ClientApprovals extends Context.Service<ClientApprovals, {
  /**
   * Shows the question and waits for `answer`, from whichever connection it comes, as long as the asked one or another
   * of its principal is there to give one.
   */
  readonly ask: (
    connection: NativeState,
    sessionId: string,
    updates: Updates,
    timeoutSecs: number
  ) => (request: PermissionRequest) => Effect.Effect<PermissionAnswer, NoAnswer>
  /**
   * The updates of open questions, for a client that attaches later; not those that the connection was already sent.
   */
  readonly pending: (sessionId: string, connection: NativeState) => ReadonlyArray<Params>
  /** An answer to a question that is no longer open has no effect. */
  readonly answer: (
    sessionId: string,
    requestId: string,
    decision: ApprovalDecision,
    replacement: string | undefined
  ) => Effect.Effect<void>
}>()("postern/native/ClientApprovals") {
  static readonly layer: Layer.Layer<ClientApprovals, never, DaemonInfo> = Layer.effect(
    ClientApprovals,
    Effect.map(DaemonInfo, ({ connections }) => {
      const open = new Map<string, Asked>()
      return {
        ask: (connection, sessionId, updates, timeoutSecs) => ({ allow, call, details, reason }) =>
          Effect.suspend(() => {
            const requestId = newId()
            const update = {
              type: "approval_request",
              request_id: requestId,
              tool_call_id: call.toolCallId,
              tool_name: call.name,
              arguments_summary: summaryOf(call.rawInput) ?? call.title,
              explanation: [reason, ...details].join("\n"),
              allow_always_rules: allow,
              timeout_secs: timeoutSecs
            }
            const answer = Deferred.makeUnsafe<PermissionAnswer, NoAnswer>()
            open.set(requestId, { sessionId, connection, update, answer })
            return updates.send(update).pipe(
              Effect.andThen(Effect.raceFirst(Deferred.await(answer), deserted(connections, connection.principal))),
              Effect.timeoutOrElse({ duration: `${timeoutSecs} seconds`, orElse: () => timedOut(timeoutSecs) }),
              Effect.ensuring(Effect.sync(() => open.delete(requestId)))
            )
          }),
        pending: (sessionId, connection) =>
          Array.from(open.values()).flatMap((asked) =>
            asked.sessionId === sessionId && asked.connection !== connection ? [asked.update] : []
          ),
        answer: (sessionId, requestId, decision, replacement) =>
          Effect.suspend(() => {
            const question = open.get(requestId)
            if (question?.sessionId !== sessionId) return Effect.void
            return Effect.asVoid(Deferred.succeed(question.answer, answerOf(decision, replacement)))
          })
      }
    })
  )
}

/** Only choices: this protocol's clients cannot be asked for free text, and only those that said so for anything. */
export const choose =
  ({ forms, peer }: NativeState, sessionId: string, timeoutSecs: number) =>
  (question: Question): Effect.Effect<QuestionAnswer, NoAnswer> => {
    if (!forms) return noAnswer("this client takes no questions")
    if (question.choices.length === 0 && question.form === undefined) {
      return noAnswer("this client cannot be asked for free text; ask again with choices")
    }
    return peer.request(ElicitationCreate, {
      sessionId,
      mode: "form",
      message: question.question,
      requestedSchema: schemaOf(question)
    }).pipe(
      Effect.flatMap(({ action, content }): Effect.Effect<QuestionAnswer, NoAnswer> => {
        if (action === "cancel") return Effect.succeed(dismissed)
        if (action !== "accept") return noAnswer(`the user did not answer (${action})`)
        const answer = answerIn(question, content ?? undefined)
        return answer === undefined
          ? noAnswer("the client sent an answer that was not offered")
          : Effect.succeed(answer)
      }),
      Effect.catchTags({
        RpcFault: ({ message }) => noAnswer(`the client answered with an error (${message})`),
        ConnectionClosed: () => noAnswer("the client is gone")
      }),
      Effect.timeoutOrElse({ duration: `${timeoutSecs} seconds`, orElse: () => timedOut(timeoutSecs) })
    )
  }
