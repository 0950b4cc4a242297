import { Schema } from "effect"
import { amount, flag, map, optional, text, texts, whole, word } from "./Atoms.ts"

/** Who is asked for models, and with what (spec §2). */
export const Provider = Schema.Struct({
  kind: optional(word("anthropic", "openai-compatible", "offline")),
  api_key: optional(text),
  api_key_env: optional(text),
  base_url: optional(
    Schema.String.check(Schema.isPattern(/^https?:\/\/\S+$/)).annotate({
      description: "an http or https address"
    })
  ),
  timeout_secs: optional(whole(1)),
  max_tokens: optional(whole(1)),
  context_window: optional(whole(1)),
  vision: optional(flag),
  headers: map(Schema.String.annotate({ description: "a text" })),
  fallback: optional(texts),
  models: optional(texts),
  prices: optional(Schema.Struct({
    input: optional(amount),
    output: optional(amount),
    cache_read: optional(amount),
    cache_write: optional(amount)
  }))
})
