import { Clock, Effect } from "effect"
import type { Writable } from "node:stream"

export interface Screen {
  /** To stdout, in order. Held back while a question is open. */
  readonly write: (text: string) => void
  /** An empty line, if anything was written before. */
  readonly separate: () => void
  /** One line to stderr, which is the same terminal as stdout or none at all. */
  readonly note: (line: string) => void
  /** Holds all output back while the effect runs. */
  readonly holding: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Shows a spinner while `effect` runs and nothing is written. */
  readonly busy: (label: () => string) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

interface ScreenOptions {
  readonly stdout: Writable
  readonly stderr: Writable
  /** Whether a spinner may be drawn on stdout. */
  readonly animate: boolean
  readonly columns: () => number
}

const frames = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
const eraseLine = "\r\u001b[2K"

/** Milliseconds without output before the spinner appears. */
const spinnerDelay = 400

export const make = ({ animate, columns, stderr, stdout }: ScreenOptions): Screen => {
  const held: Array<() => void> = []
  let holders = 0
  let lineStart = true
  let written = false
  let spinning = false
  let idle = 0

  const erase = () => {
    if (spinning) stdout.write(eraseLine)
    spinning = false
    idle = 0
  }

  const whenFree = (put: () => void) => {
    if (holders > 0) held.push(put)
    else put()
  }

  const draw = (frame: string, elapsed: number, label: string) => {
    idle += tick
    if (holders > 0 || !lineStart || idle < spinnerDelay) return
    const text = `${frame} ${label} ${Math.round(elapsed / 1000)}s`
    stdout.write(`${eraseLine}\u001b[2m${text.slice(0, Math.max(10, columns() - 1))}\u001b[22m`)
    spinning = true
  }

  const write = (text: string) => {
    if (text === "") return
    written = true
    whenFree(() => {
      erase()
      stdout.write(text)
      lineStart = text.endsWith("\n")
    })
  }

  return {
    write,
    separate: () => write(written ? "\n" : ""),
    note: (line) =>
      whenFree(() => {
        erase()
        stderr.write(`${line}\n`)
      }),
    holding: (effect) =>
      Effect.suspend(() => {
        erase()
        holders++
        return effect
      }).pipe(Effect.ensuring(Effect.sync(() => {
        holders--
        if (holders === 0) { for (const put of held.splice(0)) put() }
      }))),
    busy: (label) => (effect) => {
      if (!animate) return effect
      const spin = Effect.gen(function*() {
        const start = yield* Clock.currentTimeMillis
        idle = 0
        for (let at = 0;; at = (at + 1) % frames.length) {
          yield* Effect.sleep(tick)
          draw(frames.charAt(at), (yield* Clock.currentTimeMillis) - start, label())
        }
      })
      return Effect.raceFirst(effect, spin).pipe(Effect.ensuring(Effect.sync(erase)))
    }
  }
}

const tick = 120
