import { Schema } from "effect"

/** An invalid rule: `at` is the 0-based position in `text`, `problem` says what to write instead. */
export class RuleUnreadable extends Schema.TaggedError<RuleUnreadable>()("RuleUnreadable", {
  text: Schema.String,
  at: Schema.Int,
  problem: Schema.String,
  /** The rule is well formed, but its tool does not exist. */
  unknownTool: Schema.optionalKey(Schema.Literal(true))
}) {
  override get message() {
    return this.at > 0 ? `at character ${this.at + 1}: ${this.problem}` : this.problem
  }
}

/** Why a specifier is invalid; `at` counts from its first character. */
export interface PatternFault {
  readonly at: number
  readonly problem: string
  readonly unknownTool?: true
}
