import { Effect, Schema } from "effect"
import * as Needs from "../../policy/decision/ToolRequirements.ts"
import { textContent } from "../../domain/Content.ts"
import * as Target from "../file/ToolPath.ts"
import * as Tool from "../Tool.ts"

const defaultSeconds = 600
const maxSeconds = 3600

const Parameters = Schema.Struct({
  summary: Schema.String.annotate({ description: "What the user has to know or decide, in one sentence" }),
  context: Target.optional(Schema.String, "What led to it and what was tried"),
  urgency: Target.optional(Schema.Literals(["low", "medium", "high", "critical"]), "medium when absent"),
  wait_for_response: Target.optional(Schema.Boolean, "Wait for an answer in words; false when absent"),
  timeout_secs: Target.optional(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: maxSeconds })),
    `Seconds to wait; ${defaultSeconds} when absent`
  )
})

const severities = { low: "info", medium: "info", high: "warning", critical: "error" } as const

export const EscalateToHuman = Tool.make<typeof Parameters.Type>({
  name: "escalate_to_human",
  description:
    "Tell the user about something that needs a person: a blocker, a risk, a decision that is not yours. For a question with " +
    "choices use ask_user.",
  parameters: Parameters,
  kind: "other",
  capabilities: ["none"],
  needs: () => Needs.nothing,
  preview: ({ context, summary }) =>
    Effect.succeed({
      title: Target.firstLine(summary, 80) || "Escalation",
      content: [textContent(context ? `${summary}\n\n${context}` : summary)]
    }),
  run: Effect.fnUntraced(function*({ context: details, summary, timeout_secs, urgency, wait_for_response }, context) {
    if (summary.trim() === "") return yield* Target.fail("The summary is empty.")
    const description = details?.trim() ?? ""
    const title = summary.trim()
    if (wait_for_response !== true) {
      yield* context.notify({
        severity: severities[urgency ?? "medium"],
        title,
        ...(description === "" ? {} : { description })
      })
      return { text: "The user was told. No answer is expected; go on with what does not depend on it." }
    }
    const question = description === "" ? title : `${title}\n\n${description}`
    const answer = yield* Target.answered(context.askUser(question, []), timeout_secs ?? defaultSeconds)
    return { text: answer, content: [textContent(question), textContent(`Answer: ${answer}`)] }
  })
})
