import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Queue } from "effect"
import { PassThrough } from "node:stream"
import { Interrupted } from "../../src/cli/Failure.ts"
import * as LineEditor from "../../src/cli/terminal/LineEditor.ts"
import * as History from "../../src/cli/terminal/History.ts"
import * as Keyboard from "../../src/cli/terminal/Keyboard.ts"
import type { Interrupts } from "../../src/cli/terminal/Interrupts.ts"

const make = Effect.fnUntraced(function*(options: LineEditor.LineEditorOptions = {}) {
  const stdin = new PassThrough()
  const output = new PassThrough()
  let shown = ""
  output.on("data", (chunk) => shown += chunk)
  const queue = yield* Queue.unbounded<void>()
  const interrupts: Interrupts = {
    next: Queue.take(queue),
    signal: () => void Queue.offerUnsafe(queue, undefined),
    clear: Effect.asVoid(Queue.clear(queue)),
    orInterrupt: (effect) => effect
  }
  const keyboard = yield* Keyboard.make(stdin, output)
  const input = LineEditor.make(keyboard, output, interrupts, options)
  const until = (text: string) =>
    Effect.promise(async () => {
      while (!shown.includes(text)) await new Promise((resolve) => output.once("data", resolve))
      shown = shown.slice(shown.indexOf(text) + text.length)
    })
  const forget = Effect.sync(() => void (shown = ""))
  return { input, stdin, until, forget }
})

/** Real time: what is tested is how a terminal's bytes arrive. */
describe("the line editor", () => {
  it.live("reads one line, then the next", () =>
    Effect.gen(function*() {
      const { input, stdin, until } = yield* make()
      for (const line of ["first", "second"]) {
        const entry = yield* Effect.forkChild(input.prompt("> "))
        yield* until("> ")
        stdin.write(`${line}\r`)
        expect(yield* Fiber.join(entry)).toBe(line)
      }
    }))

  it.live("reads a paste of several lines as one entry, when its last line is entered", () =>
    Effect.gen(function*() {
      const { input, stdin, until } = yield* make()
      const entry = yield* Effect.forkChild(input.prompt("> "))
      yield* until("> ")
      stdin.write("one\rtwo\rthr")
      yield* until("thr")
      stdin.write("ee\r")
      expect(yield* Fiber.join(entry)).toBe("one\ntwo\nthree")
    }))

  it.live("continues on the next line after a backslash, except in a paste", () =>
    Effect.gen(function*() {
      const { input, stdin, until } = yield* make()
      const entry = yield* Effect.forkChild(input.prompt("> "))
      yield* until("> ")
      stdin.write("one\\\r")
      yield* until("… ")
      stdin.write("run a \\\r  b\\\r")
      yield* until("… ")
      stdin.write("end\r")
      expect(yield* Fiber.join(entry)).toBe("one\nrun a \\\n  b\nend")
    }))

  it.live("drops the lines before at Ctrl-C", () =>
    Effect.gen(function*() {
      const { input, stdin, until } = yield* make()
      const entry = yield* Effect.forkChild(input.prompt("> "))
      yield* until("> ")
      stdin.write("one\\\r")
      yield* until("… ")
      stdin.write("\u0003")
      yield* until("> ")
      stdin.write("two\r")
      expect(yield* Fiber.join(entry)).toBe("two")
    }))

  it.live("keeps a history for the arrow keys", () =>
    Effect.gen(function*() {
      const { input, stdin, until } = yield* make({ history: History.make(undefined) })
      for (const keys of ["hello\r", "\u001b[A\r"]) {
        const entry = yield* Effect.forkChild(input.prompt("> "))
        yield* until("> ")
        stdin.write(keys)
        expect(yield* Fiber.join(entry)).toBe("hello")
      }
    }))

  it.live("finds an entry with Ctrl-R, goes on to older ones, and leaves the line as it was at Escape", () =>
    Effect.gen(function*() {
      const history = History.make(undefined)
      for (const entry of ["npm test", "fix the test\nof today", "npm run build"]) yield* history.add(entry)
      const { forget, input, stdin, until } = yield* make({ history })
      const entry = (keys: string) =>
        Effect.gen(function*() {
          yield* forget
          const entry = yield* Effect.forkChild(input.prompt("> "))
          yield* until("> ")
          stdin.write(keys)
          return yield* Fiber.join(entry)
        })
      expect(yield* entry("\u0012test\r")).toBe("fix the test\nof today")
      expect(yield* entry("\u0012npm\u0012\r")).toBe("npm test")
      expect(yield* entry("\u0012npm x\u007f\u007f\r")).toBe("npm test")
      expect(yield* entry("\u0012build\u001b[D\u001b[D!\r")).toBe("npm run bui!ld")
      yield* forget
      const kept = yield* Effect.forkChild(input.prompt("> "))
      yield* until("> ")
      stdin.write("mine\u0012build")
      yield* until("(history) build: ")
      stdin.write("\u001b")
      yield* until("> mine")
      stdin.write("\r")
      expect(yield* Fiber.join(kept)).toBe("mine")
    }))

  it.live("completes the end of a line at Tab", () =>
    Effect.gen(function*() {
      const complete = (line: string) => [["/help", "/hello"].filter((one) => one.startsWith(line)), line] as const
      const { input, stdin, until } = yield* make({ complete })
      const entry = yield* Effect.forkChild(input.prompt("> "))
      yield* until("> ")
      stdin.write("/h")
      yield* until("h")
      stdin.write("\t")
      yield* until("el")
      stdin.write("p\r")
      expect(yield* Fiber.join(entry)).toBe("/help")
    }))

  it.live("takes a bracketed paste as text, whatever keys are in it, and shows a long one as its size", () =>
    Effect.gen(function*() {
      const { input, stdin, until } = yield* make()
      const entry = yield* Effect.forkChild(input.prompt("> "))
      yield* until("> ")
      const long = Array.from({ length: 20 }, (_, at) => `line ${at}`).join("\n")
      stdin.write(`see \u001b[200~a\tb\rc\u001b[201~ and \u001b[200~${long}\r\u001b[201~!`)
      yield* until("[paste 1: 20 lines]!")
      stdin.write("\r")
      expect(yield* Fiber.join(entry)).toBe(`see a\tb\nc and ${long}!`)
    }))

  it.live("breaks the line at Alt-Enter", () =>
    Effect.gen(function*() {
      const { input, stdin, until } = yield* make()
      const entry = yield* Effect.forkChild(input.prompt("> "))
      yield* until("> ")
      stdin.write("one\u001b\rtwo\r")
      expect(yield* Fiber.join(entry)).toBe("one\ntwo")
    }))

  it.live("ends at Ctrl-D", () =>
    Effect.gen(function*() {
      const { input, stdin, until } = yield* make()
      const entry = yield* Effect.forkChild(input.prompt("> "))
      yield* until("> ")
      stdin.write("\u0004")
      expect(yield* Fiber.join(entry)).toBeUndefined()
    }))

  it.live("clears the line at Ctrl-C and quits at the second one on an empty line", () =>
    Effect.gen(function*() {
      const { input, stdin, until } = yield* make()
      const entry = yield* Effect.forkChild(input.prompt("> "))
      yield* until("> ")
      stdin.write("abc\u0003")
      yield* until("> ")
      stdin.write("\u0003")
      yield* until("again to quit")
      stdin.write("\u0003")
      expect(yield* Fiber.await(entry)).toEqual(Exit.fail(new Interrupted()))
    }))

  it.live("ignores an answer that was typed before the question", () =>
    Effect.gen(function*() {
      const { input, stdin, until } = yield* make()
      stdin.write("y\ry")
      const answer = yield* Effect.forkChild(input.ask("Sure?\n", "[y/n] "))
      yield* until("Sure?\n")
      yield* until("[y/n] ")
      stdin.write("n\r")
      expect(yield* Fiber.join(answer)).toBe("n")
    }))
})
