import { Effect } from "effect"
import { dismissed, NoAnswer, type Question, type QuestionAnswer } from "../../session/lifecycle/Attachment.ts"
import { seen } from "../../tool/ClientSide.ts"
import { answerIn, schemaOf } from "../../session/policy/Approvals.ts"
import type { AcpConnectionState } from "../AcpConnection.ts"
import { ElicitationCreate, RequestPermission } from "../protocol/ClientMethods.ts"

/**
 * Asks the user a question of the agent: by elicitation where the client has forms, else as a choice among permission
 * options. See docs/agent-client-protocol.md#questions.
 */

const noAnswer = (why: string) => Effect.fail(new NoAnswer({ code: "APPROVAL_NO_RESPONDER", why }))

const byForm = ({ peer }: AcpConnectionState, sessionId: string, asked: Question) =>
  peer.request(ElicitationCreate, {
    mode: "form",
    message: asked.question,
    sessionId,
    toolCallId: asked.toolCallId,
    requestedSchema: schemaOf(asked)
  }).pipe(
    Effect.flatMap(({ action, content }): Effect.Effect<QuestionAnswer, NoAnswer> => {
      if (action === "cancel") return Effect.succeed(dismissed)
      if (action !== "accept") return noAnswer(`the user did not answer (${action})`)
      const answer = answerIn(asked, content)
      return answer === undefined ? noAnswer("the client sent an answer that was not offered") : Effect.succeed(answer)
    })
  )

const byOptions = ({ peer }: AcpConnectionState, sessionId: string, { choices, question, toolCallId }: Question) => {
  const options = choices.map((name, index) => ({
    optionId: `choice-${index}`,
    name,
    kind: choices.length > 1 && index === choices.length - 1 ? "reject_once" as const : "allow_once" as const
  }))
  const toolCall = { toolCallId, title: question, kind: "other" as const, status: "pending" as const }
  return peer.request(RequestPermission, { sessionId, toolCall, options }).pipe(
    Effect.flatMap(({ outcome }): Effect.Effect<QuestionAnswer, NoAnswer> => {
      if (outcome.outcome === "cancelled") return Effect.succeed(dismissed)
      const text = choices[options.findIndex(({ optionId }) => optionId === outcome.optionId)]
      return text === undefined
        ? noAnswer("the client chose an option it was not offered")
        : Effect.succeed({ _tag: "Answered", text })
    })
  )
}

export const choose =
  (state: AcpConnectionState, sessionId: string, timeoutSecs: number) =>
  (question: Question): Effect.Effect<QuestionAnswer, NoAnswer> => {
    const forms = state.capabilities.elicitation?.form !== undefined
    if (!forms && question.acknowledges === true && question.choices.length === 0) {
      return choose(state, sessionId, timeoutSecs)({ ...question, choices: [seen] })
    }
    if (!forms && question.form !== undefined) return noAnswer("this client has no forms")
    if (!forms && question.choices.length === 0) {
      return noAnswer("this client cannot ask for free text; ask again with choices")
    }
    return (forms ? byForm(state, sessionId, question) : byOptions(state, sessionId, question)).pipe(
      Effect.catchTags({
        RpcFault: ({ message }) => noAnswer(`the client answered with an error (${message})`),
        ConnectionClosed: () => noAnswer("the client is gone")
      }),
      Effect.timeoutOrElse({
        duration: `${timeoutSecs} seconds`,
        orElse: () =>
          Effect.fail(new NoAnswer({ code: "APPROVAL_TIMEOUT", why: `nobody answered within ${timeoutSecs} s` }))
      })
    )
  }
