import { Effect, Queue } from "effect"
import { createInterface } from "node:readline"
import { Writable } from "node:stream"
import { type Failure, failure } from "../Failure.ts"
import type { Interrupts } from "./Interrupts.ts"
import { suspend } from "./Suspension.ts"

/** Questions one after the other. What is typed before a question is asked counts as its answer. */
export interface Dialogue {
  readonly say: (text: string) => void
  /** One line without blanks around it. Fails at the end of input. */
  readonly ask: (label: string) => Effect.Effect<string, Failure>
  /** The same, and what is typed is not shown. */
  readonly askHidden: (label: string) => Effect.Effect<string, Failure>
}

/** A terminal to write to, which shows nothing while it is muted. */
class Mutable extends Writable {
  muted = false

  private readonly terminal: NodeJS.WriteStream

  constructor(terminal: NodeJS.WriteStream) {
    super()
    this.terminal = terminal
    terminal.on("resize", () => this.emit("resize"))
  }

  get columns(): number {
    return this.terminal.columns
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    if (!this.muted) this.terminal.write(chunk)
    done()
  }
}

/** Holds the terminal for as long as the scope is open. */
export const make = Effect.fnUntraced(function*(
  stdin: NodeJS.ReadStream,
  terminal: NodeJS.WriteStream,
  interrupts: Interrupts
) {
  const lines = yield* Queue.unbounded<string | undefined>()
  const stops = yield* Queue.unbounded<void>()
  const output = new Mutable(terminal)
  const rl = yield* Effect.acquireRelease(
    Effect.sync(() =>
      createInterface({ input: stdin, output, terminal: true, historySize: 0 })
        .on("line", (line) => Queue.offerUnsafe(lines, line))
        .on("close", () => Queue.offerUnsafe(lines, undefined))
        .on("SIGINT", interrupts.signal)
        .on("SIGTSTP", () => Queue.offerUnsafe(stops, undefined))
    ),
    (rl) => Effect.sync(() => rl.close())
  )
  yield* Effect.forkScoped(Effect.forever(Effect.gen(function*() {
    yield* Queue.take(stops)
    yield* suspend(stdin)
    terminal.write(output.muted ? rl.getPrompt() : "")
    rl.prompt(true)
  })))

  const answer = Effect.fnUntraced(function*(label: string, isHidden: boolean) {
    rl.setPrompt(label)
    rl.prompt()
    output.muted = isHidden
    const line = yield* Effect.ensuring(
      Queue.take(lines),
      Effect.sync(() => {
        output.muted = false
        if (isHidden) terminal.write("\n")
      })
    )
    if (line !== undefined) return line.trim()
    terminal.write("\n")
    return yield* failure("the input has ended; nothing was changed")
  })

  const dialogue: Dialogue = {
    say: (text) => void terminal.write(text),
    ask: (label) => answer(label, false),
    askHidden: (label) => answer(label, true)
  }
  return dialogue
})
