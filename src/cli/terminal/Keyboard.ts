import { Effect, type Scope } from "effect"
import { emitKeypressEvents } from "node:readline"
import { PassThrough, type Readable, type Writable } from "node:stream"
import type { RawTerminal } from "./Suspension.ts"
import { suspend } from "./Suspension.ts"

/** A key, or a whole paste. */
export interface Key {
  /** What the terminal sent, or the text of the paste. */
  readonly sequence: string
  /** As readline names keys: `return`, `escape`, `tab`, `up`, `c` …; `paste` for a paste. */
  readonly name: string
  readonly ctrl: boolean
  readonly meta: boolean
}

/** The keys of a terminal in raw mode, for one reader at a time. */
export interface Keyboard {
  /** While the effect runs, `onKey` gets the keys, and an earlier reader gets none. */
  readonly reading: <A, E, R>(onKey: (key: Key) => void, effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Lets go of the terminal, so that another program can read from it while the effect runs. */
  readonly released: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Stops the process until the shell continues it (Ctrl-Z, `fg`). */
  readonly suspend: Effect.Effect<void>
  /** Runs `redraw` whenever the process was stopped from outside and goes on. */
  readonly onContinue: (redraw: () => void) => Effect.Effect<void, never, Scope.Scope>
  /** Waits until nobody is in the middle of typing: keys before that were not meant as an answer to what is asked next. */
  readonly quiet: Effect.Effect<void>
  readonly ended: () => boolean
}

interface ReadlineKey {
  readonly sequence?: string
  readonly name?: string
  readonly ctrl?: boolean
  readonly meta?: boolean
}

/** Milliseconds: a lone Escape and the beginning of a longer sequence look alike for so long. */
const escapeTimeout = 50

/** Milliseconds without a key before a question counts as seen, and when keys came in the second before it. */
const calm = { idle: 150, typing: 600 }

const pasteMode = (on: boolean) => `\u001b[?2004${on ? "h" : "l"}`

/** Holds the terminal for as long as the scope is open. Keys that nobody reads are dropped. */
export const make = (
  stdin: Readable & RawTerminal,
  output: Writable
): Effect.Effect<Keyboard, never, Scope.Scope> =>
  Effect.gen(function*() {
    const keys = new PassThrough()
    const readers: Array<(key: Key) => void> = []
    let pasted: string | undefined
    let lastKeyAt = -Infinity
    let ended = false
    let isBurst = false

    const deliver = (key: Key) => {
      lastKeyAt = performance.now()
      readers.at(-1)?.(key)
    }
    const onKeypress = (text: string | undefined, { ctrl = false, meta = false, name = "", sequence }: ReadlineKey) => {
      const sent = sequence ?? text ?? ""
      if (name === "paste-start") pasted = ""
      else if (name === "paste-end") {
        deliver({ sequence: (pasted ?? "").replace(/\r\n?/g, "\n"), name: "paste", ctrl: false, meta: false })
        pasted = undefined
      } else if (pasted !== undefined) pasted += sent
      else if (name === "tab" && isBurst) deliver({ sequence: "\t", name: "paste", ctrl, meta })
      else deliver({ sequence: sent, name, ctrl, meta })
    }
    const onData = (chunk: Buffer | string) => {
      // A tab in the midst of other text was pasted, in terminals that do not say so.
      isBurst = /[^\t]\t+[^\t]/.test(chunk.toString())
      keys.write(chunk)
    }
    const onEnd = () => {
      ended = true
      deliver({ sequence: "", name: "end", ctrl: false, meta: false })
    }
    const take = () => {
      stdin.setRawMode?.(true)
      output.write(pasteMode(true))
      stdin.on("data", onData)
      stdin.resume()
    }
    const leave = () => {
      stdin.off("data", onData)
      stdin.pause()
      output.write(pasteMode(false))
      stdin.setRawMode?.(false)
    }

    emitKeypressEvents(keys, { escapeCodeTimeout: escapeTimeout } as never)
    keys.on("keypress", onKeypress)
    yield* Effect.acquireRelease(
      Effect.sync(() => {
        take()
        stdin.on("end", onEnd)
      }),
      () =>
        Effect.sync(() => {
          leave()
          stdin.off("end", onEnd)
        })
    )

    let isSuspended = false
    return {
      reading: (onKey, effect) =>
        Effect.suspend(() => {
          readers.push(onKey)
          return effect
        }).pipe(Effect.ensuring(Effect.sync(() => void readers.splice(readers.indexOf(onKey), 1)))),
      released: (effect) => Effect.suspend(() => (leave(), effect)).pipe(Effect.ensuring(Effect.sync(take))),
      suspend: Effect.suspend(() => {
        isSuspended = true
        output.write(pasteMode(false))
        return suspend(stdin)
      }).pipe(Effect.ensuring(Effect.sync(() => {
        isSuspended = false
        output.write(pasteMode(true))
      }))),
      onContinue: (redraw) => {
        const goOn = () => {
          if (isSuspended) return
          // A shell may have changed the mode; libuv sets only what it believes to be another one.
          stdin.setRawMode?.(false)
          stdin.setRawMode?.(true)
          output.write(pasteMode(true))
          redraw()
        }
        return Effect.asVoid(Effect.acquireRelease(
          Effect.sync(() => process.on("SIGCONT", goOn)),
          () => Effect.sync(() => process.off("SIGCONT", goOn))
        ))
      },
      quiet: Effect.gen(function*() {
        const start = performance.now()
        const needed = start - lastKeyAt < 1000 ? calm.typing : calm.idle
        while (true) {
          const left = needed - (performance.now() - Math.max(start, lastKeyAt))
          if (left <= 0) return
          yield* Effect.sleep(left)
        }
      }),
      ended: () => ended
    } satisfies Keyboard
  })
