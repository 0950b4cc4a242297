import { Effect } from "effect"
import { RuleBooks } from "../../policy/rules/RuleBooks.ts"
import { oneLine } from "../terminal/Text.ts"

/** What is worth knowing about the rules that were read: no part of the answer, and said once. */
export const sayNotes = Effect.gen(function*() {
  const notes = yield* (yield* RuleBooks).takeNotes
  yield* Effect.sync(() => process.stderr.write(notes.map((note) => `note: ${oneLine(note)}\n`).join("")))
})
