import { Schema } from "effect"

/** A rule that cannot be read: `at` is the 0-based place in `text`, `problem` says what to write instead. */
export class RuleUnreadable extends Schema.TaggedError<RuleUnreadable>()("RuleUnreadable", {
  text: Schema.String,
  at: Schema.Int,
  problem: Schema.String,
  /** Well written, but about a tool that does not exist. */
  unknownTool: Schema.optionalKey(Schema.Literal(true))
}) {
  override get message() {
    return this.at > 0 ? `at character ${this.at + 1}: ${this.problem}` : this.problem
  }
}

/** What the readers of specifiers fail with; `at` counts from the specifier's first character. */
export interface Fault {
  readonly at: number
  readonly problem: string
  readonly unknownTool?: true
}
