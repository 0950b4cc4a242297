import { Context, type Effect } from "effect"

/** How much a model thinks before it answers, weakest first; `default` leaves it to the provider. */
export const thoughtLevels = ["default", "off", "low", "medium", "high"] as const
export type ThoughtLevel = typeof thoughtLevels[number]

export const isThoughtLevel = (value: unknown): value is ThoughtLevel => thoughtLevels.some((level) => level === value)

export interface Wishes {
  readonly thoughtLevel: ThoughtLevel
  readonly temperature?: number
  /** Tells the people that an answer takes longer, and why. */
  readonly onDelay?: (message: string) => Effect.Effect<void>
}

/** What the requests of a stream ask for; provided by whoever runs it. */
export const Wishes = Context.Reference<Wishes>("postern/model/Wishes", {
  defaultValue: () => ({ thoughtLevel: "default" })
})
