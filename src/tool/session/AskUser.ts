import { Effect, Schema } from "effect"
import * as Needs from "../../policy/decision/ToolRequirements.ts"
import { textContent } from "../../domain/Content.ts"
import * as Target from "../file/ToolPath.ts"
import * as Tool from "../Tool.ts"

const defaultSeconds = 300
const maxSeconds = 3600

const Parameters = Schema.Struct({
  question: Schema.String.annotate({ description: "One clear question" }),
  choices: Target.optional(Schema.Array(Schema.String), "Answers to choose from; free text when absent"),
  timeout_secs: Target.optional(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: maxSeconds })),
    `Seconds to wait for the answer; ${defaultSeconds} when absent`
  )
})

export const AskUser = Tool.make<typeof Parameters.Type>({
  name: "ask_user",
  description:
    "Ask the user a question and wait for the answer. Offer choices where you can; only some clients can take free text.",
  parameters: Parameters,
  kind: "other",
  capabilities: ["none"],
  needs: () => Needs.nothing,
  preview: ({ question }) =>
    Effect.succeed({ title: Target.firstLine(question, 80) || "Question", content: [textContent(question)] }),
  run: Effect.fnUntraced(function*({ choices, question, timeout_secs }, context) {
    const offered = (choices ?? []).map((choice) => choice.trim()).filter((choice) => choice !== "")
    if (question.trim() === "") return yield* Target.fail("The question is empty.")
    const answer = yield* Target.answered(context.askUser(question, offered), timeout_secs ?? defaultSeconds)
    return { text: answer, content: [textContent(question), textContent(`Answer: ${answer}`)] }
  })
})
