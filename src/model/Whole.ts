import { Effect, Stream } from "effect"
import type { AiError, IdGenerator, LanguageModel, Response } from "effect/ai"
import type { Part } from "./Parts.ts"

/** A streamed answer in whole parts, for callers that do not stream. */
export const whole = (parts: Iterable<Part>): Array<Response.PartEncoded> => {
  const found: Array<Response.PartEncoded> = []
  const open = new Map<string, { type: "text" | "reasoning"; text: string; metadata?: Response.ProviderMetadata }>()
  for (const part of parts) {
    switch (part.type) {
      case "text-start":
      case "reasoning-start": {
        const block = { type: part.type === "text-start" ? "text" as const : "reasoning" as const, text: "" }
        open.set(part.id, block)
        found.push(block)
        break
      }
      case "text-delta":
      case "reasoning-delta": {
        const block = open.get(part.id)
        if (block !== undefined) block.text += part.delta
        break
      }
      case "text-end":
      case "reasoning-end": {
        const block = open.get(part.id)
        if (block !== undefined && part.metadata !== undefined) block.metadata = part.metadata
        break
      }
      case "tool-call":
      case "finish":
        found.push(part)
    }
  }
  return found
}

type StreamText = (
  request: LanguageModel.ProviderOptions
) => Stream.Stream<Part, AiError.AiError, IdGenerator.IdGenerator>

export const generateWith = (streamText: StreamText) => (request: LanguageModel.ProviderOptions) =>
  Effect.map(Stream.runCollect(streamText(request)), whole)
