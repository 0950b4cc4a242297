import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Queue } from "effect"
import { PassThrough } from "node:stream"
import { Interrupted } from "../../src/cli/Failure.ts"
import * as LineEditor from "../../src/cli/terminal/LineEditor.ts"
import type { Interrupts } from "../../src/cli/terminal/Interrupts.ts"

const make = Effect.gen(function*() {
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
  const input = LineEditor.make(stdin, output, interrupts)
  const until = (text: string) =>
    Effect.promise(async () => {
      while (!shown.includes(text)) await new Promise((resolve) => output.once("data", resolve))
      shown = shown.slice(shown.indexOf(text) + text.length)
    })
  return { input, stdin, until }
})

/** Real time: what is tested is how a terminal's bytes arrive. */
describe("the line editor", () => {
  it.live("reads one line, then the next", () =>
    Effect.gen(function*() {
      const { input, stdin, until } = yield* make
      for (const line of ["first", "second"]) {
        const entry = yield* Effect.forkChild(input.prompt("> "))
        yield* until("> ")
        stdin.write(`${line}\r`)
        expect(yield* Fiber.join(entry)).toBe(line)
      }
    }))

  it.live("reads a paste of several lines as one entry, when its last line is entered", () =>
    Effect.gen(function*() {
      const { input, stdin, until } = yield* make
      const entry = yield* Effect.forkChild(input.prompt("> "))
      yield* until("> ")
      stdin.write("one\rtwo\rthr")
      yield* until("thr")
      stdin.write("ee\r")
      expect(yield* Fiber.join(entry)).toBe("one\ntwo\nthree")
    }))

  it.live("continues on the next line after a backslash, except in a paste", () =>
    Effect.gen(function*() {
      const { input, stdin, until } = yield* make
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
      const { input, stdin, until } = yield* make
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
      const { input, stdin, until } = yield* make
      for (const keys of ["hello\r", "\u001b[A\r"]) {
        const entry = yield* Effect.forkChild(input.prompt("> "))
        yield* until("> ")
        stdin.write(keys)
        expect(yield* Fiber.join(entry)).toBe("hello")
      }
    }))

  it.live("ends at Ctrl-D", () =>
    Effect.gen(function*() {
      const { input, stdin, until } = yield* make
      const entry = yield* Effect.forkChild(input.prompt("> "))
      yield* until("> ")
      stdin.write("\u0004")
      expect(yield* Fiber.join(entry)).toBeUndefined()
    }))

  it.live("clears the line at Ctrl-C and quits at the second one on an empty line", () =>
    Effect.gen(function*() {
      const { input, stdin, until } = yield* make
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
      const { input, stdin, until } = yield* make
      stdin.write("y\ry")
      const answer = yield* Effect.forkChild(input.ask("Sure?\n", "[y/n] "))
      yield* until("Sure?\n")
      yield* until("[y/n] ")
      stdin.write("n\r")
      expect(yield* Fiber.join(answer)).toBe("n")
    }))
})
