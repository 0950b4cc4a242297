import { Schema } from "effect"
import { ToolCallItem } from "../domain/Content.ts"

/** A refusal or failure the model can act on. It becomes the text of the tool's result; never a stack trace. */
export class ToolFailed extends Schema.TaggedError<ToolFailed>()("ToolFailed", {
  message: Schema.String,
  /** What people see instead of the message. */
  content: Schema.optionalKey(Schema.Array(ToolCallItem)),
  rawOutput: Schema.optionalKey(Schema.Unknown),
  /** As in a result. */
  printed: Schema.optionalKey(Schema.String)
}) {}

export const fail = (message: string) => new ToolFailed({ message })
