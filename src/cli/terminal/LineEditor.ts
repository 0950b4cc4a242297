import { Deferred, Effect, Option, Queue, type Scope } from "effect"
import { type Completer, createInterface, type Interface } from "node:readline"
import { PassThrough, type Writable } from "node:stream"
import { Interrupted } from "../Failure.ts"
import type { EntryHistory } from "./History.ts"
import type { Interrupts } from "./Interrupts.ts"
import type { Key, Keyboard } from "./Keyboard.ts"
import { plain } from "./Text.ts"

export interface LineEditor {
  /**
   * The next entry. A paste of several lines is one entry, and so are lines that end in a backslash together with the line after
   * them. Begins with the text `typed` in it. `undefined` at the end of input (Ctrl-D).
   */
  readonly prompt: (label: string, typed?: string) => Effect.Effect<string | undefined, Interrupted>
  /** Shows `text` and reads one line. What was typed before it was shown does not count as an answer. */
  readonly ask: (text: string, label: string) => Effect.Effect<string | undefined>
}

export interface LineEditorOptions {
  readonly history?: EntryHistory
  /** What the end of a line may become, and that end. */
  readonly complete?: (line: string) => readonly [hits: ReadonlyArray<string>, end: string]
}

type EditorEvent = { readonly line: string } | "suspend" | "closed"

/** Milliseconds: lines of one paste arrive closer together, typed ones do not. */
const pasteGap = 30

const continuation = "… "

/** Stands for a line break inside the line that is edited. */
const lineBreak = "␤"

const shown = (text: string): string => text.replaceAll("\n", lineBreak)
const meant = (line: string): string => line.replaceAll(lineBreak, "\n")

/** Whether a typed line continues on the next one. Inside a paste, where the next line comes at once, the backslash is text. */
const continues = (lines: ReadonlyArray<string>): boolean => lines.at(-1)?.endsWith("\\") === true

const erase = (rl: Interface) => {
  if (rl.line === "") return
  rl.write(null, { ctrl: true, name: "e" })
  rl.write(null, { ctrl: true, name: "u" })
}

const setLine = (rl: Interface, text: string) => {
  erase(rl)
  if (text !== "") rl.write(text)
}

/** Draws the line anew where the cursor is now. */
const redraw = (rl: Interface) => {
  // Readline goes up by the rows it drew before; what is there now is not its own.
  Object.assign(rl, { prevRows: 0 })
  rl.prompt(true)
}

/** A longer paste is shown as its size. */
const longPaste = { lines: 8, characters: 800 }

/** Pastes that are shown as their size, and what they stand for. */
const makePastes = () => {
  const texts = new Map<string, string>()
  return {
    shown: (text: string): string => {
      const body = text.replace(/\n+$/, "")
      const count = body.split("\n").length
      if (count <= longPaste.lines && body.length <= longPaste.characters) return shown(plain(body))
      const name = `[paste ${texts.size + 1}: ${count === 1 ? `${body.length} characters` : `${count} lines`}]`
      texts.set(name, body)
      return name
    },
    meant: (line: string): string => {
      let text = meant(line)
      for (const [name, body] of texts) text = text.replaceAll(name, () => body)
      return text
    }
  }
}

/** Ctrl-R: the newest entry with what is typed. Gives the keys that it takes no part in to `pass`. */
const makeSearch = (rl: Interface, entries: ReadonlyArray<string>, pass: (key: Key) => void) => {
  let search:
    | { readonly query: string; readonly nth: number; readonly label: string; readonly before: string }
    | undefined

  const found = (query: string) => query === "" ? [] : entries.filter((entry) => entry.includes(query))
  const show = (next: NonNullable<typeof search>) => {
    const hits = found(next.query)
    search = { ...next, nth: Math.min(next.nth, Math.max(0, hits.length - 1)) }
    rl.setPrompt(`(${hits.length === 0 && next.query !== "" ? "not found" : "history"}) ${next.query}: `)
    setLine(rl, shown(hits[search.nth] ?? ""))
    rl.prompt(true)
  }
  const end = (keeps: boolean) => {
    if (search === undefined) return
    const { before, label } = search
    search = undefined
    rl.setPrompt(label)
    if (!keeps) setLine(rl, before)
    rl.prompt(true)
  }

  return (key: Key): void => {
    if (search === undefined) {
      if (!key.ctrl || key.name !== "r") return pass(key)
      return show({ query: "", nth: 0, label: rl.getPrompt(), before: rl.line })
    }
    const { query } = search
    if (key.ctrl && key.name === "r") return show({ ...search, nth: search.nth + 1 })
    if (key.name === "backspace") return show({ ...search, query: query.slice(0, -1), nth: 0 })
    if (key.name === "escape" || (key.ctrl && (key.name === "g" || key.name === "c"))) return end(false)
    const isText = !key.ctrl && !key.meta && key.sequence !== "" && !/[\u0000-\u001f\u007f]/.test(key.sequence)
    if (isText) return show({ ...search, query: query + key.sequence, nth: 0 })
    end(true)
    pass(key)
  }
}

/** Edits lines of the keys that come while it reads. */
export const make = (
  keyboard: Keyboard,
  output: Writable,
  interrupts: Interrupts,
  { complete, history }: LineEditorOptions = {}
): LineEditor => {
  const completer: Completer = (line) => {
    const [hits, end] = complete?.(line) ?? [[], line]
    return [[...hits], end]
  }

  const open = Effect.fnUntraced(function*(label: string, isEntry: boolean) {
    const events = yield* Queue.unbounded<EditorEvent>()
    const input = new PassThrough()
    const entries = isEntry ? history?.entries() ?? [] : []
    const pastes = makePastes()
    const rl = yield* Effect.acquireRelease(
      Effect.sync(() =>
        createInterface({
          input,
          output,
          prompt: label,
          terminal: true,
          history: entries.map(shown),
          historySize: entries.length,
          ...(isEntry && complete !== undefined ? { completer } : {})
        })
          .on("line", (line) => Queue.offerUnsafe(events, { line: pastes.meant(line) }))
          .on("close", () => Queue.offerUnsafe(events, "closed"))
      ),
      (rl) => Effect.sync(() => rl.close())
    )
    const search = makeSearch(rl, entries, (key) => {
      if (key.name === "paste") rl.write(pastes.shown(key.sequence))
      else if (key.name === "end" && key.sequence === "") Queue.offerUnsafe(events, "closed")
      else if (key.ctrl && key.name === "c") interrupts.signal()
      else if (key.ctrl && key.name === "z") Queue.offerUnsafe(events, "suspend")
      else if (key.meta && key.name === "return") rl.write(lineBreak)
      // Alone it does nothing, and readline would wait for what follows it.
      else if (key.name !== "escape") input.write(key.sequence)
    })
    yield* keyboard.onContinue(() => redraw(rl))
    return { rl, events, onKey: search }
  })

  const suspended = (rl: Interface) => Effect.andThen(keyboard.suspend, Effect.sync(() => redraw(rl)))

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
      else if (event.value === "suspend") yield* suspended(rl)
      else {
        open = false
        lines.push(event.value.line)
      }
    }
  })

  const prompt = (label: string, typed: string): Effect.Effect<string | undefined, Interrupted, Scope.Scope> =>
    Effect.gen(function*() {
      yield* interrupts.clear
      const { events, onKey, rl } = yield* open(label, true)
      const lines: Array<string> = []
      const quit = yield* Deferred.make<never, Interrupted>()
      yield* Effect.forkScoped(watch(rl, lines, quit))
      rl.prompt()
      if (typed !== "") rl.write(shown(typed))
      const text = yield* keyboard.reading(onKey, Effect.raceFirst(entry(rl, events, lines), Deferred.await(quit)))
        .pipe(
          Effect.tapError(() => Effect.sync(() => output.write("\n")))
        )
      if (text === undefined) output.write("\n")
      else if (text.trim() !== "" && history !== undefined) yield* history.add(text)
      return text
    })

  const ask = (text: string, label: string): Effect.Effect<string | undefined, never, Scope.Scope> =>
    Effect.gen(function*() {
      yield* keyboard.reading(() => {}, keyboard.quiet)
      output.write(text)
      const { events, onKey, rl } = yield* open(label, false)
      rl.prompt()
      const answer = Effect.gen(function*() {
        while (true) {
          const event = yield* Queue.take(events)
          if (event === "closed") return undefined
          if (event !== "suspend") return event.line
          yield* suspended(rl)
        }
      })
      return yield* Effect.onInterrupt(keyboard.reading(onKey, answer), () => Effect.sync(() => output.write("\n")))
    })

  return {
    prompt: (label, typed = "") => Effect.scoped(prompt(label, typed)),
    ask: (text, label) => Effect.scoped(ask(text, label))
  }
}
