import { Context, type Effect } from "effect"

/** How much a model thinks before it answers, weakest first; `default` is the provider's choice. */
export const thoughtLevels = ["default", "off", "low", "medium", "high"] as const
export type ThoughtLevel = typeof thoughtLevels[number]

export const isThoughtLevel = (value: unknown): value is ThoughtLevel => thoughtLevels.some((level) => level === value)

export interface RequestOptions {
  readonly thoughtLevel: ThoughtLevel
  readonly temperature?: number
  /** Tells people what is odd about an answer: a delay, or something that the model does not get. */
  readonly onNotice?: (message: string) => Effect.Effect<void>
}

/** Options of the requests of a stream; the caller provides them. */
export const RequestOptions = Context.Reference<RequestOptions>("postern/model/RequestOptions", {
  defaultValue: () => ({ thoughtLevel: "default" })
})
