import { Duration, Schema } from "effect"
import { AiError } from "effect/ai"

/**
 * Why a model gave no answer, or only a part of one. `message` is a sentence that a person can act on, without secrets.
 * `context_overflow`: the prompt is longer than the model takes.
 */
export class ModelFault extends Schema.TaggedError<ModelFault>()("ModelFault", {
  reason: Schema.Literals([
    "context_overflow",
    "model_key_refused",
    "model_no_credit",
    "model_unknown",
    "model_rejected_request",
    "model_busy",
    "model_unreachable",
    "model_timeout",
    "model_broken_off",
    "model_failed"
  ]),
  message: Schema.String,
  /** The same request may succeed when it is retried. */
  transient: Schema.Boolean,
  /** How often the request may be made in all, where that is less than usual. */
  tries: Schema.optionalKey(Schema.Finite),
  /** The pause that the provider asks for, in milliseconds. */
  retryAfter: Schema.optionalKey(Schema.Finite)
}) {}

export type ModelFaultReason = ModelFault["reason"]

const key = "postern"

const aiReason = ({ message, reason, retryAfter }: ModelFault): AiError.AiErrorReason => {
  const metadata = { [key]: { reason, message } }
  switch (reason) {
    case "model_key_refused":
      return new AiError.AuthenticationError({ kind: "Unknown", description: message, metadata })
    case "model_no_credit":
      return new AiError.QuotaExhaustedError({ metadata })
    case "model_busy":
      return new AiError.RateLimitError({
        metadata,
        ...(retryAfter === undefined ? {} : { retryAfter: Duration.millis(retryAfter) })
      })
    case "context_overflow":
    case "model_unknown":
    case "model_rejected_request":
      return new AiError.InvalidRequestError({ description: message, metadata })
    default:
      return new AiError.InternalProviderError({ description: message, metadata })
  }
}

/** As an error of `effect/ai`; {@link ofAiError} reads reason and message back. */
export const toAiError = (fault: ModelFault): AiError.AiError =>
  AiError.make({ module: "Models", method: "streamText", reason: aiReason(fault) })

interface Told {
  readonly reason: ModelFaultReason
  readonly message: string
}

const isTold = (value: unknown): value is Told =>
  typeof value === "object" && value !== null && "reason" in value && "message" in value

export const ofAiError = ({ message, reason }: AiError.AiError): Told => {
  const told = "metadata" in reason ? (reason.metadata as Readonly<Record<string, unknown>>)[key] : undefined
  return isTold(told) ? told : { reason: "model_failed", message }
}
