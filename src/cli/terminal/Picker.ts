import { Effect, Queue } from "effect"
import type { Key, Keyboard } from "./Keyboard.ts"
import type { LineEditor } from "./LineEditor.ts"
import type { TextStyles } from "./Output.ts"
import type { Screen } from "./Screen.ts"
import { oneLine } from "./Text.ts"

export interface PickerItem<A> {
  /** On one line. */
  readonly label: string
  readonly value: A
}

export interface PickerTerminal {
  readonly keyboard: Keyboard
  readonly editor: LineEditor
  readonly screen: Screen
  readonly styles: TextStyles
  readonly animate: boolean
}

/** Items that are shown at once. */
const window = 9

const matching = <A>(items: ReadonlyArray<PickerItem<A>>, filter: string): ReadonlyArray<PickerItem<A>> => {
  const words = filter.toLowerCase().split(/\s+/)
  return items.filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)))
}

/** Without a screen that can be drawn again: a list, and a number or a part of the text. */
const asked = Effect.fnUntraced(
  function*<A>(title: string, items: ReadonlyArray<PickerItem<A>>, { editor, styles }: PickerTerminal) {
    const list = items.map(({ label }, at) => `  ${styles.bold(String(at + 1))}  ${label}\n`).join("")
    const typed = (yield* editor.ask(`${title}\n${list}`, "number or text: "))?.trim() ?? ""
    if (typed === "") return undefined
    const found = matching(items, typed)
    return (/^\d+$/.test(typed) ? items[Number(typed) - 1] : found.length === 1 ? found[0] : undefined)?.value
  }
)

/** Lets the user choose with the arrow keys, a digit, or a part of the text; `undefined` when nothing was chosen. */
export const pick = <A>(
  title: string,
  items: ReadonlyArray<PickerItem<A>>,
  terminal: PickerTerminal
): Effect.Effect<A | undefined> =>
  Effect.suspend(() => {
    const { animate, keyboard, screen, styles } = terminal
    if (!animate) return asked(title, items, terminal)
    let filter = ""
    let at = 0
    const done = Effect.runSync(Queue.unbounded<A | undefined>())
    const found = () => matching(items, filter)
    const lines = () => {
      const all = found()
      const from = Math.max(0, Math.min(at - Math.floor(window / 2), all.length - window))
      const rest = all.length - window
      return [
        styles.bold(title) + (filter === "" ? "" : ` ${oneLine(filter)}`),
        ...all.slice(from, from + window).map(({ label }, row) => {
          const number = filter === "" && from + row < 9 ? String(from + row + 1) : " "
          return from + row === at ? styles.cyan(`❯ ${number} ${label}`) : `  ${styles.dim(number)} ${label}`
        }),
        styles.dim(
          `${
            all.length === 0 ? "nothing found · " : rest > 0 ? `${all.length} in all · ` : ""
          }↑↓ Enter · type to search · Esc`
        )
      ]
    }
    const move = (by: number) => void (at = Math.max(0, Math.min(found().length - 1, at + by)))
    const onKey = ({ ctrl, meta, name, sequence }: Key) => {
      if (name === "escape" || (ctrl && (name === "c" || name === "d")) || (name === "end" && sequence === "")) {
        Queue.offerUnsafe(done, undefined)
      } else if (name === "return" || name === "enter") Queue.offerUnsafe(done, found()[at]?.value)
      else if (name === "up" || (ctrl && name === "p")) move(-1)
      else if (name === "down" || (ctrl && name === "n")) move(1)
      else if (name === "pageup") move(-window)
      else if (name === "pagedown") move(window)
      else if (filter === "" && /^[1-9]$/.test(sequence) && items[Number(sequence) - 1] !== undefined) {
        Queue.offerUnsafe(done, items[Number(sequence) - 1]?.value)
      } else if (name === "backspace") filter = Array.from(filter).slice(0, -1).join("")
      else if (!ctrl && !meta && !/[\u0000-\u001f\u007f]/.test(sequence)) {
        filter += sequence
        at = 0
      }
      move(0)
      screen.flush()
    }
    return screen.showing(lines, () => keyboard.reading(onKey, Queue.take(done)))
  })
