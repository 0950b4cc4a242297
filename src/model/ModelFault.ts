import { Schema } from "effect"

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
