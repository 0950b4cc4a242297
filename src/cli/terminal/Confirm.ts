import { Effect } from "effect"
import * as Interrupts from "./Interrupts.ts"
import * as Keyboard from "./Keyboard.ts"
import * as LineEditor from "./LineEditor.ts"

/** Whether there is a terminal to ask on. */
export const canAsk = (): boolean => process.stdin.isTTY === true && process.stderr.isTTY === true

/** Shows a text and asks; anything but a yes is a no. */
export const confirmed = Effect.fnUntraced(function*(text: string, label: string) {
  const interrupts = yield* Interrupts.make
  const keyboard = yield* Keyboard.make(process.stdin, process.stderr)
  const editor = LineEditor.make(keyboard, process.stderr, interrupts)
  const answer = yield* interrupts.orInterrupt(editor.ask(text, label))
  return /^y(es)?$/i.test(answer?.trim() ?? "")
}, Effect.scoped)
