import { type ThoughtLevel, thoughtLevels } from "../model/ThoughtLevel.ts"
import type { Session } from "../session/lifecycle/Session.ts"
import type { SessionModel } from "../session/policy/SessionModel.ts"
import * as PolicyOptions from "./PolicyOptions.ts"
import type { SessionConfigOption } from "./SessionSetup.ts"

type Option = typeof SessionConfigOption.Type

const levels: Record<ThoughtLevel, readonly [string, string]> = {
  default: ["Default", "As the provider has it"],
  off: ["Off", "No thinking, where the model can do without"],
  low: ["Low", "Short thoughts"],
  medium: ["Medium", "Longer thoughts"],
  high: ["High", "As thorough as it gets, slower and more expensive"]
}

const thoughts = thoughtLevels.map((value) => {
  const [name, description] = levels[value]
  return { value, name, description }
})

const modelOptions = ({ choices, model, thinks, thoughtLevel }: SessionModel): ReadonlyArray<Option> => [
  {
    type: "select",
    id: "model",
    name: "Model",
    description: "Which model answers",
    category: "model",
    currentValue: model(),
    options: choices().map((reference) => ({ value: reference, name: reference }))
  },
  ...(!thinks() ? [] : [{
    type: "select" as const,
    id: "thought_level",
    name: "Thinking",
    description: "How much the model thinks before it answers",
    category: "thought_level",
    currentValue: thoughtLevel(),
    options: thoughts
  }])
]

/** Everything a session lets its client choose. */
export const sessionOptions = (
  { model, policy }: Session
): ReadonlyArray<Option> => [...PolicyOptions.configOptions(policy.knobs()), ...modelOptions(model)]
