import { Context } from "effect"

/** How much a model thinks before it answers, weakest first; `default` leaves it to the provider. */
export const thoughtLevels = ["default", "off", "low", "medium", "high"] as const
export type ThoughtLevel = typeof thoughtLevels[number]

export const isThoughtLevel = (value: unknown): value is ThoughtLevel => thoughtLevels.some((level) => level === value)

export interface Wishes {
  readonly thoughtLevel: ThoughtLevel
  readonly temperature?: number
}

/** What the requests of a stream ask for; provided by whoever runs it. */
export const Wishes = Context.Reference<Wishes>("postern/model/Wishes", { defaultValue: () => ({ thoughtLevel: "default" }) })
