import { Schema } from "effect"
import { ToolCallContent } from "../domain/Content.ts"

/** A refusal or failure the model can act on. It becomes the text of the tool's result; never a stack trace. */
export class ToolFailed extends Schema.TaggedError<ToolFailed>()("ToolFailed", {
  message: Schema.String,
  /** What people see instead of the message. */
  content: Schema.optionalKey(Schema.Array(ToolCallContent)),
  rawOutput: Schema.optionalKey(Schema.Unknown)
}) {}

export const fail = (message: string) => new ToolFailed({ message })
