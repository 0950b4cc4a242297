import { Clock, Effect } from "effect"
import type { Writable } from "node:stream"

/** What is at the bottom of the screen and may still change; it is asked for whenever the screen is drawn. */
export interface LiveArea {
  /** Text that can be written for good now, in whole lines. */
  readonly settled: () => string
  /** Lines that may still change, each narrower than the screen. */
  readonly open: () => ReadonlyArray<string>
}

export interface Screen {
  /** To stdout, in order. Held back while a question is open. */
  readonly write: (text: string) => void
  /** An empty line, if anything was written before. */
  readonly separate: () => void
  /** One line to stderr, which is the same terminal as stdout or none at all. */
  readonly note: (line: string) => void
  /** Holds all output back while the effect runs. */
  readonly holding: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /**
   * Shows lines at the bottom, which change with time, while `effect` runs: `status` gets a character that turns and the milliseconds
   * since the begin.
   */
  readonly busy: (
    status: (frame: string, elapsed: number) => ReadonlyArray<string>
  ) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Shows lines at the bottom, over everything that is held back, until the effect ends; `undefined` leaves them away. */
  readonly showing: <A, E, R>(
    lines: () => ReadonlyArray<string>,
    effect: (redraw: () => void) => Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E, R>
  /** Writes what waits to be written. */
  readonly flush: () => void
  /** Forgets what was drawn: something else has written to the terminal. */
  readonly lost: () => void
}

interface ScreenOptions {
  readonly stdout: Writable
  readonly stderr: Writable
  /** Whether lines at the bottom can be drawn on stdout. */
  readonly animate: boolean
  readonly columns: () => number
  readonly rows: () => number
  /** Cuts a line, and tells how wide one is. */
  readonly clip: (line: string, columns: number) => string
  readonly width: (line: string) => number
  readonly area?: LiveArea
}

const frames = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"

/** Milliseconds between two drawings. */
const tick = 60

export const make = ({ animate, area, clip, columns, rows, stderr, stdout, width }: ScreenOptions): Screen => {
  const held: Array<() => void> = []
  let holders = 0
  let written = false
  let waiting = ""
  let isBusy = false
  let status: () => ReadonlyArray<string> = () => []
  let over: (() => ReadonlyArray<string>) | undefined
  let drawn: ReadonlyArray<number> = []

  const erased = (): string => {
    if (drawn.length === 0) return ""
    // A terminal that has become narrower has broken the lines.
    const up = drawn.reduce((sum, one) => sum + Math.max(1, Math.ceil(one / columns())), 0) - 1
    drawn = []
    // Line by line: terminals keep what "erase below" takes away from the whole screen.
    return `\r\u001b[2K${"\u001b[1A\u001b[2K".repeat(up)}`
  }

  const draw = () => {
    if (!animate) return
    if (area !== undefined && over === undefined) waiting += area.settled()
    const bottom = over?.() ?? (isBusy ? [...area?.open() ?? [], ...status()] : [])
    const lines = bottom.slice(-Math.max(1, rows() - 1)).map((line) =>
      clip(line.replaceAll("\t", "    "), columns() - 1)
    )
    const text = erased() + waiting + lines.join("\n")
    waiting = ""
    drawn = lines.map(width)
    if (text !== "") stdout.write(text)
  }

  const whenFree = (put: () => void) => {
    if (holders > 0) held.push(put)
    else put()
  }

  const write = (text: string) => {
    if (text === "") return
    written = true
    whenFree(() => {
      if (!animate) return void stdout.write(text)
      waiting += text
      if (!isBusy) draw()
    })
  }

  return {
    write,
    separate: () => write(written ? "\n" : ""),
    note: (line) =>
      whenFree(() => {
        if (animate) stdout.write(erased() + waiting)
        waiting = ""
        stderr.write(`${line}\n`)
        draw()
      }),
    holding: (effect) =>
      Effect.suspend(() => {
        if (animate && holders === 0) stdout.write(erased() + waiting)
        if (holders === 0) waiting = ""
        holders++
        return effect
      }).pipe(Effect.ensuring(Effect.sync(() => {
        holders--
        if (holders === 0) { for (const put of held.splice(0)) put() }
      }))),
    busy: (lines) => (effect) => {
      if (!animate) return effect
      const drawing = Effect.gen(function*() {
        const start = yield* Clock.currentTimeMillis
        isBusy = true
        for (let at = 0;; at++) {
          const elapsed = (yield* Clock.currentTimeMillis) - start
          status = () => lines(frames.charAt(Math.floor(at / 2) % frames.length), elapsed)
          if (holders === 0) draw()
          yield* Effect.sleep(tick)
        }
      })
      return Effect.raceFirst(effect, drawing).pipe(Effect.ensuring(Effect.sync(() => {
        isBusy = false
        draw()
      })))
    },
    showing: (lines, effect) =>
      Effect.suspend(() => {
        over = lines
        draw()
        return effect(draw)
      }).pipe(Effect.ensuring(Effect.sync(() => {
        over = undefined
        if (animate) stdout.write(erased())
      }))),
    flush: draw,
    lost: () => void (drawn = [])
  }
}
