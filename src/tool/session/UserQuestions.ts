import { Effect, Schema } from "effect"
import * as ToolRequirements from "../../policy/decision/ToolRequirements.ts"
import { textContent } from "../../domain/Content.ts"
import { seen } from "../ClientSide.ts"
import * as Tool from "../Tool.ts"

const questionSeconds = 300
const maxSeconds = 3600

/** Waits at most this long for a person's answer. */
const answered = (
  asking: Effect.Effect<string, Tool.ToolFailed>,
  seconds: number
): Effect.Effect<string, Tool.ToolFailed> =>
  Effect.timeoutOrElse(asking, {
    duration: `${seconds} seconds`,
    orElse: () => Effect.fail(Tool.fail(`There is no answer: nobody answered within ${seconds} s.`))
  })

const Question = Schema.Struct({
  question: Schema.String.annotate({ description: "One clear question" }),
  choices: Tool.optional(Schema.Array(Schema.String), "Answers to choose from; free text when absent"),
  timeout_secs: Tool.optional(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: maxSeconds })),
    `Seconds to wait for the answer; ${questionSeconds} when absent`
  )
})

export const AskUser = Tool.make<typeof Question.Type>({
  name: "ask_user",
  description:
    "Ask the user a question and wait for the answer. Offer choices where you can; only some clients can take free text.",
  parameters: Question,
  kind: "other",
  capabilities: ["none"],
  needs: () => ToolRequirements.nothing,
  preview: ({ question }) =>
    Effect.succeed({ title: Tool.firstLine(question, 80) || "Question", content: [textContent(question)] }),
  run: Effect.fnUntraced(function*({ choices, question, timeout_secs }, context) {
    const offered = (choices ?? []).map((choice) => choice.trim()).filter((choice) => choice !== "")
    if (question.trim() === "") return yield* Tool.fail("The question is empty.")
    const answer = yield* answered(context.askUser(question, offered), timeout_secs ?? questionSeconds)
    return { text: answer, content: [textContent(question), textContent(`Answer: ${answer}`)] }
  })
})

const escalationSeconds = 600

const Escalation = Schema.Struct({
  summary: Schema.String.annotate({ description: "What the user has to know or decide, in one sentence" }),
  context: Tool.optional(Schema.String, "What led to it and what was tried"),
  choices: Tool.optional(Schema.Array(Schema.String), "Answers to choose from; the call then waits for one"),
  urgency: Tool.optional(Schema.Literals(["low", "medium", "high", "critical"]), "medium when absent"),
  wait_for_response: Tool.optional(
    Schema.Boolean,
    "Wait for an answer in words; when false, for no more than that the user has seen it"
  ),
  timeout_secs: Tool.optional(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: maxSeconds })),
    `Seconds to wait; ${escalationSeconds} when absent`
  )
})

const severities = { low: "info", medium: "info", high: "warning", critical: "error" } as const

export const EscalateToHuman = Tool.make<typeof Escalation.Type>({
  name: "escalate_to_human",
  description:
    "Tell the user about something that needs a person: a blocker, a risk, a decision that is not yours. For a simple " +
    "question use ask_user.",
  parameters: Escalation,
  kind: "other",
  capabilities: ["none"],
  needs: () => ToolRequirements.nothing,
  preview: ({ context, summary }) =>
    Effect.succeed({
      title: Tool.firstLine(summary, 80) || "Escalation",
      content: [textContent(context ? `${summary}\n\n${context}` : summary)]
    }),
  run: Effect.fnUntraced(function*(parameters, context) {
    const { choices, context: details, summary, timeout_secs, urgency, wait_for_response } = parameters
    if (summary.trim() === "") return yield* Tool.fail("The summary is empty.")
    const description = details?.trim() ?? ""
    const title = summary.trim()
    const question = description === "" ? title : `${title}\n\n${description}`
    const offered = (choices ?? []).map((choice) => choice.trim()).filter((choice) => choice !== "")
    if (wait_for_response !== true && offered.length === 0) {
      const told = answered(context.askUser(question, [seen]), timeout_secs ?? escalationSeconds)
      return yield* Effect.as(
        told,
        Tool.said("The user was told. No answer is expected; go on with what does not depend on it.")
      ).pipe(Effect.catch(({ message }) =>
        Effect.as(
          context.notify({
            severity: severities[urgency ?? "medium"],
            title,
            ...(description === "" ? {} : { description })
          }),
          Tool.said(`Nobody confirmed to have seen it. ${message} A note of it is in the session.`)
        )
      ))
    }
    const answer = yield* answered(
      context.askUser(question, offered, { acknowledges: true }),
      timeout_secs ?? escalationSeconds
    )
    return { text: answer, content: [textContent(question), textContent(`Answer: ${answer}`)] }
  })
})
