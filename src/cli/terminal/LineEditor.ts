import { Deferred, Effect, Option, Queue, type Scope } from "effect"
import { createInterface, type Interface } from "node:readline"
import type { Readable, Writable } from "node:stream"
import { Interrupted } from "../Failure.ts"
import type { Interrupts } from "./Interrupts.ts"

export interface LineEditor {
  /**
   * The next entry. A paste of several lines is one entry, and so are lines that end in a backslash together with the line after
   * them. `undefined` at the end of input (Ctrl-D).
   */
  readonly prompt: (label: string) => Effect.Effect<string | undefined, Interrupted>
  /** Shows `text` and reads one line. What was typed before it was shown does not count as an answer. */
  readonly ask: (text: string, label: string) => Effect.Effect<string | undefined>
}

type EditorEvent = { readonly line: string } | "closed"

/** Milliseconds: lines of one paste arrive closer together, typed ones do not. */
const pasteGap = 30
/** Milliseconds in which input from before a question arrives. */
const typeAheadTime = 60

const continuation = "… "

/** Whether a typed line continues on the next one. Inside a paste, where the next line comes at once, the backslash is text. */
const continues = (lines: ReadonlyArray<string>): boolean => lines.at(-1)?.endsWith("\\") === true

const erase = (rl: Interface) => {
  if (rl.line === "") return
  rl.write(null, { ctrl: true, name: "e" })
  rl.write(null, { ctrl: true, name: "u" })
}

/** Holds the terminal only while it reads, so that Ctrl-C is a signal at any other time. */
export const make = (stdin: Readable, output: Writable, interrupts: Interrupts): LineEditor => {
  let history: ReadonlyArray<string> = []

  const open = Effect.fnUntraced(function*(label: string, keepsHistory: boolean) {
    const events = yield* Queue.unbounded<EditorEvent>()
    const rl = yield* Effect.acquireRelease(
      Effect.sync(() =>
        createInterface({
          input: stdin,
          output,
          prompt: label,
          terminal: true,
          history: keepsHistory ? [...history] : [],
          historySize: keepsHistory ? 500 : 0,
          removeHistoryDuplicates: true
        })
          .on("line", (line) => Queue.offerUnsafe(events, { line }))
          .on("close", () => Queue.offerUnsafe(events, "closed"))
          .on("SIGINT", interrupts.signal)
          .on("history", (lines) => history = keepsHistory ? [...lines] : history)
      ),
      (rl) => Effect.sync(() => rl.close())
    )
    return { rl, events }
  })

  /** Ctrl-C clears what was typed; on an empty line the second one in a row quits. */
  const watch = Effect.fnUntraced(
    function*(rl: Interface, lines: Array<string>, quit: Deferred.Deferred<never, Interrupted>) {
      const label = rl.getPrompt()
      let armed = false
      while (true) {
        yield* interrupts.next
        if (rl.line !== "" || lines.length > 0) {
          lines.length = 0
          armed = false
          erase(rl)
          if (rl.getPrompt() !== label) output.write("\n")
          rl.setPrompt(label)
          rl.prompt()
          continue
        }
        if (armed) return yield* Deferred.fail(quit, new Interrupted())
        armed = true
        output.write("\n(Ctrl-C again to quit)\n")
        rl.prompt()
      }
    }
  )

  const entry = Effect.fnUntraced(function*(rl: Interface, events: Queue.Queue<EditorEvent>, lines: Array<string>) {
    let open = false
    while (true) {
      const whole = !open && lines.length > 0 && rl.line === ""
      const event = whole
        ? yield* Queue.take(events).pipe(Effect.timeoutOption(pasteGap))
        : Option.some(yield* Queue.take(events))
      if (Option.isNone(event)) {
        // The end of a paste without its last newline stays in the editor until it is entered.
        if (rl.line !== "" || lines.length === 0) continue
        if (!continues(lines)) return lines.join("\n")
        lines.push((lines.pop() ?? "").slice(0, -1))
        open = true
        rl.setPrompt(continuation)
        rl.prompt()
      } else if (event.value === "closed") return lines.length > 0 ? lines.join("\n") : undefined
      else {
        open = false
        lines.push(event.value.line)
      }
    }
  })

  const prompt = (label: string): Effect.Effect<string | undefined, Interrupted, Scope.Scope> =>
    Effect.gen(function*() {
      yield* interrupts.clear
      const { events, rl } = yield* open(label, true)
      const lines: Array<string> = []
      const quit = yield* Deferred.make<never, Interrupted>()
      yield* Effect.forkScoped(watch(rl, lines, quit))
      rl.prompt()
      const text = yield* Effect.raceFirst(entry(rl, events, lines), Deferred.await(quit)).pipe(
        Effect.tapError(() => Effect.sync(() => output.write("\n")))
      )
      if (text === undefined) output.write("\n")
      return text
    })

  const ask = (text: string, label: string): Effect.Effect<string | undefined, never, Scope.Scope> =>
    Effect.gen(function*() {
      const { events, rl } = yield* open("", false)
      yield* Effect.sleep(typeAheadTime)
      yield* Queue.clear(events)
      erase(rl)
      output.write(text)
      rl.setPrompt(label)
      rl.prompt()
      const event = yield* Effect.onInterrupt(Queue.take(events), () => Effect.sync(() => output.write("\n")))
      return event === "closed" ? undefined : event.line
    })

  return { prompt: (label) => Effect.scoped(prompt(label)), ask: (text, label) => Effect.scoped(ask(text, label)) }
}
