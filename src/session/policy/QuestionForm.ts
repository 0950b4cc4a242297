import type { Question } from "../lifecycle/Attachment.ts"

/** A question of the agent as the form of `elicitation/create`: a choice where there are choices, a text otherwise. */

export const schemaOf = ({ choices, form }: Question): Record<string, unknown> => {
  if (form !== undefined) return form
  const [name, property] = choices.length === 0
    ? ["answer", { type: "string", title: "Answer" }] as const
    : ["choice", {
      type: "string",
      title: "Choice",
      oneOf: choices.map((title, index) => ({ const: `choice-${index}`, title }))
    }] as const
  return { type: "object", properties: { [name]: property }, required: [name] }
}

/** The answer in the form that came back; `undefined` when nothing that was offered is in it. */
export const answerIn = (
  { choices, form }: Question,
  content: Readonly<Record<string, unknown>> | undefined
): string | undefined => {
  if (form !== undefined) return JSON.stringify(content ?? {})
  const value = content?.[choices.length === 0 ? "answer" : "choice"]
  if (typeof value !== "string") return undefined
  return choices.length === 0 ? value : choices[choices.findIndex((_, index) => value === `choice-${index}`)]
}
