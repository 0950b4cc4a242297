import { Deferred, Effect, Queue } from "effect"
import * as Chunk from "../../platform/Chunk.ts"
import { TerminalCapabilities } from "effect/cli"
import { RpcFault } from "../../rpc/Wire.ts"
import type { EntryHistory } from "../terminal/History.ts"
import type { Interrupts } from "../terminal/Interrupts.ts"
import * as Keyboard from "../terminal/Keyboard.ts"
import * as LineEditor from "../terminal/LineEditor.ts"
import { type TextStyles, textStyles } from "../terminal/Output.ts"
import * as Renderer from "../terminal/Renderer.ts"
import * as Screen from "../terminal/Screen.ts"
import { json, oneLine } from "../terminal/Text.ts"
import type { AgentHandlers } from "./AgentConnection.ts"
import * as PermissionPrompt from "./PermissionPrompt.ts"
import * as SessionSettings from "./SessionSettings.ts"

/** Passes on what belongs to the session that this client shows; some agents send every client the updates of all sessions. */
interface SessionFilter {
  readonly select: (sessionId: string | undefined) => void
  /** Runs `act` if it is about the selected session; until one is selected, `act` waits. */
  readonly pass: (sessionId: unknown, act: () => void) => void
}

/** Updates that follow the answer to `session/new` closely are seen before it. */
const maxEarly = 1000

export const makeSessionFilter = (): SessionFilter => {
  const early: Array<{ readonly sessionId: unknown; readonly act: () => void }> = []
  let own: string | undefined
  return {
    select: (selected) => {
      own = selected
      for (const { act, sessionId } of early.splice(0)) if (sessionId === own) act()
    },
    pass: (sessionId, act) => {
      if (sessionId === own) act()
      else if (own === undefined && early.length < maxEarly) early.push({ sessionId, act })
    }
  }
}

export interface AgentCommand {
  readonly name: string
  readonly description: string
  readonly hint: string | undefined
}

/** Tokens and money of a session, as its agent last said. */
export interface SessionUsage {
  readonly used: number
  readonly size: number
  readonly cost: { readonly amount: number; readonly currency: string } | undefined
}

export interface ClientView {
  readonly styles: TextStyles
  readonly screen: Screen.Screen
  /** Absent without a terminal. */
  readonly editor: LineEditor.LineEditor | undefined
  readonly keyboard: Keyboard.Keyboard | undefined
  /** Columns of the terminal. */
  readonly columns: () => number
  /** Whether lines can be drawn again. */
  readonly animate: boolean
  readonly handlers: AgentHandlers
  /** The agent's own commands, as it last sent them. */
  readonly commands: () => ReadonlyArray<AgentCommand>
  readonly settings: SessionSettings.SessionSettings
  readonly usage: () => SessionUsage | undefined
  /** Selects the session whose updates are shown; `undefined` keeps those of the session that is about to be opened. */
  readonly select: (sessionId: string | undefined) => void
  /** While off, updates are read and not shown. */
  readonly show: (on: boolean) => void
  /** Shows that the agent works while the effect runs; keys are kept for the next prompt, and Escape is Ctrl-C. */
  readonly working: <A, E, R>(label: () => string, effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** What was typed while the agent worked. */
  readonly takeTyped: () => string
  /** What the user wants done instead of what was asked for; once. */
  readonly takeInstead: () => string | undefined
  readonly hasInstead: () => boolean
  /** Permission requests from now on belong to this turn: its cancellation withdraws them. */
  readonly beginTurn: (cancelled: Deferred.Deferred<void>, prompt: string) => void
  readonly running: () => string
  /** How many permission requests were refused because there is no terminal. */
  readonly refusedUnasked: () => number
  /** Shows the end of a turn; with `json`, the answer or the error. */
  readonly finish: (answer: Readonly<Record<string, unknown>> | RpcFault, sessionId: string) => void
  /** With `json`: the last line of a run whose agent gave no answer. */
  readonly fail: (failure: { readonly message: string; readonly detail?: string }) => Effect.Effect<void>
  readonly close: () => void
}

interface ViewOptions {
  readonly json: boolean
  readonly quiet: boolean
  readonly interrupts: Interrupts
  /** Absent where nothing is remembered. */
  readonly history: EntryHistory | undefined
  /** What the end of an entry may become, and that end. */
  readonly complete: (line: string) => readonly [hits: ReadonlyArray<string>, end: string]
}

const noTerminal = (json: boolean): string => {
  if (process.stdin.isTTY !== true) return "standard input is not a terminal"
  return json ? "standard error is not a terminal" : "neither standard output nor standard error is a terminal"
}

const sessionOf = (params: unknown): unknown =>
  typeof params === "object" && params !== null && "sessionId" in params ? params.sessionId : undefined

/** Loaded where lines can be drawn again: what is needed for Markdown and widths. */
const liveParts = Effect.all([
  Chunk.make(() => import("../terminal/LiveRenderer.ts")),
  Chunk.make(() => import("../terminal/Columns.ts"))
])

const loadForm = Chunk.make(() => import("./Form.ts"))

/** In characters a token, about. */
const perToken = 4

/** Milliseconds after its last text in which a model counts as writing. */
const freshFor = 1000

const seconds = (elapsed: number): string => {
  const whole = Math.floor(elapsed / 1000)
  return whole < 60 ? `${whole}s` : `${Math.floor(whole / 60)}m ${String(whole % 60).padStart(2, "0")}s`
}

const counted = (tokens: number): string => tokens < 1000 ? String(tokens) : `${(tokens / 1000).toFixed(1)}k`

/** Collects keys that come while the agent works. */
const makeTypeAhead = (interrupt: () => void, suspend: () => void) => {
  let typed = ""
  return {
    typed: () => typed,
    take: () => {
      const text = typed
      typed = ""
      return text
    },
    onKey: ({ ctrl, meta, name, sequence }: Keyboard.Key) => {
      if (ctrl && name === "c" || name === "escape") return interrupt()
      if (ctrl && name === "z") return suspend()
      if (name === "backspace") typed = Array.from(typed).slice(0, -1).join("")
      else if (ctrl && name === "u") typed = ""
      else if (name === "paste") typed += sequence
      else if (name === "return" || name === "enter") typed += typed === "" ? "" : "\n"
      else if (!ctrl && !meta && !/[\u0000-\u001f\u007f]/.test(sequence)) typed += sequence
    }
  }
}

/** Output and questions for people; with `json`, output for programs. */
export const make = Effect.fnUntraced(function*(options: ViewOptions) {
  const { canAnimate, canColor } = yield* TerminalCapabilities.TerminalCapabilities
  const { interrupts } = options
  const { stderr, stdin, stdout } = process
  const terminal = stdin.isTTY !== true
    ? undefined
    : stdout.isTTY && !options.json
    ? stdout
    : stderr.isTTY
    ? stderr
    : undefined
  const columns = () => stdout.columns ?? 80
  const styles = textStyles(canColor && !options.json)
  const animate = canAnimate && stdout.isTTY && !options.json
  const live = animate ? yield* liveParts : undefined
  const show = options.quiet ? "answer" : "everything"
  const liveRenderer = live?.[0].make({ styles, width: columns, show })
  const renderer = liveRenderer ?? Renderer.make({
    styles,
    width: stdout.isTTY ? Math.max(20, columns() - 4) : 400,
    show: options.json ? "nothing" : show,
    starts: !canAnimate
  })
  const screen = Screen.make({
    stdout,
    stderr,
    animate,
    columns,
    rows: () => stdout.rows ?? 24,
    clip: live?.[1].clipped ?? ((line) => line),
    width: live?.[1].widthOf ?? ((line) => line.length),
    ...(liveRenderer === undefined ? {} : { area: liveRenderer })
  })
  const keyboard = terminal === undefined ? undefined : yield* Keyboard.make(stdin, terminal)
  const editor = terminal === undefined || keyboard === undefined
    ? undefined
    : LineEditor.make(keyboard, terminal, interrupts, {
      ...(options.history === undefined ? {} : { history: options.history }),
      complete: (line) => options.complete(line)
    })
  const ask = terminal === undefined || editor === undefined || keyboard === undefined
    ? undefined
    : PermissionPrompt.make({
      editor,
      keyboard,
      screen,
      styles,
      animate,
      write: (text) => void terminal.write(text),
      wrap: (line) =>
        live === undefined
          ? [line]
          : live[1].wrapped(line, columns() - 6).map((part, at) => at === 0 ? part : `     ${part}`),
      interrupt: interrupts.signal
    })
  const filter = makeSessionFilter()
  const settings = SessionSettings.make()
  let refusedUnasked = 0
  let shown = true
  let commands: ReadonlyArray<AgentCommand> = []
  let usage: SessionUsage | undefined
  let cancelled: Deferred.Deferred<void> | undefined
  let instead: string | undefined
  /** Characters of this turn's answer. */
  let received = 0
  let receivedAt = -Infinity
  /** Whether a new mode is news to the user. */
  let tellsMode = false

  const stops = yield* Queue.unbounded<void>()
  const typeAhead = makeTypeAhead(interrupts.signal, () => void Queue.offerUnsafe(stops, undefined))
  if (keyboard !== undefined) {
    yield* Effect.forkScoped(Effect.forever(Effect.gen(function*() {
      yield* Queue.take(stops)
      screen.lost()
      yield* keyboard.suspend
    })))
    yield* keyboard.onContinue(screen.lost)
  }

  const close = () => screen.write(renderer.close())

  const onUpdate: AgentHandlers["onUpdate"] = ({ update }) => {
    settings.update(update)
    switch (update.sessionUpdate) {
      case "available_commands_update":
        commands = update.availableCommands.map(({ description, input, name }) => ({
          name: name.replace(/^\//, ""),
          description,
          hint: input?.hint
        }))
        break
      case "usage_update":
        usage = { used: update.used, size: update.size, cost: update.cost ?? undefined }
        break
      case "agent_message_chunk":
      case "agent_thought_chunk":
        if (update.content.type === "text") received += update.content.text.length
        receivedAt = performance.now()
        break
      case "current_mode_update":
        // The answer to the user's own command says it.
        if (!tellsMode) return
    }
    if (shown) screen.write(renderer.update(update))
  }

  const onRawUpdate: AgentHandlers["onRawUpdate"] = (params) => {
    if (shown && options.json) screen.write(`${json(params)}\n`)
  }

  /** Runs while a question is open, unless the turn is cancelled before it is answered. */
  const asking = <A>(question: Effect.Effect<A>, dismissed: A): Effect.Effect<A> =>
    screen.holding(
      cancelled === undefined ? question : Effect.raceFirst(question, Effect.as(Deferred.await(cancelled), dismissed))
    )

  const onPermission: AgentHandlers["onPermission"] = (toolCall, offers) =>
    Effect.suspend(() => {
      if (ask === undefined) {
        close()
        refusedUnasked++
        screen.note(
          `postern: not allowed, ${noTerminal(options.json)}: ${oneLine(toolCall.title ?? toolCall.toolCallId)}`
        )
        return Effect.succeed(PermissionPrompt.rejection(offers))
      }
      const dismissed: PermissionPrompt.PermissionAnswered = {
        _tag: "Chosen",
        choice: PermissionPrompt.cancelled,
        name: ""
      }
      return Effect.map(asking(ask(renderer.question(toolCall), offers), dismissed), (answer) => {
        if (answer._tag === "Chosen") return answer.choice
        instead = answer.text
        interrupts.signal()
        return PermissionPrompt.cancelled
      })
    })

  const onForm: AgentHandlers["onForm"] = editor === undefined ? undefined : (request) =>
    Effect.suspend(() => {
      close()
      return asking(
        Effect.flatMap(loadForm, (form) => form.ask(request, editor, styles)),
        { action: "cancel" }
      )
    })

  const status = (label: () => string) => (frame: string, elapsed: number): ReadonlyArray<string> => {
    const tokens = Math.round(received / perToken)
    const parts = [
      `${frame} ${label()}`,
      seconds(elapsed),
      ...(tokens === 0 ? [] : [`~${counted(tokens)} tokens`]),
      "Esc stops"
    ]
    const typed = oneLine(typeAhead.typed())
    return [styles.dim(parts.join(" · ")), ...(typed === "" ? [] : [styles.dim(`> ${typed}`)])]
  }

  return {
    styles,
    screen,
    editor,
    keyboard,
    columns,
    animate,
    handlers: {
      onUpdate: (notification) => filter.pass(notification.sessionId, () => onUpdate(notification)),
      onRawUpdate: (params) => filter.pass(sessionOf(params), () => onRawUpdate(params)),
      onPermission,
      onForm
    },
    commands: () => commands,
    settings,
    usage: () => usage,
    select: (sessionId) => {
      if (sessionId === undefined) {
        commands = []
        usage = undefined
      }
      filter.select(sessionId)
    },
    show: (on) => void (shown = on),
    working: (label, effect) => {
      const busy = screen.busy(status(label))(effect)
      return keyboard === undefined ? busy : keyboard.reading(typeAhead.onKey, busy)
    },
    takeTyped: typeAhead.take,
    takeInstead: () => {
      const text = instead
      instead = undefined
      return text
    },
    hasInstead: () => instead !== undefined,
    beginTurn: (turn, prompt) => {
      cancelled = turn
      received = 0
      tellsMode = !prompt.startsWith("/")
    },
    refusedUnasked: () => refusedUnasked,
    running: () => oneLine(renderer.running() ?? (performance.now() - receivedAt < freshFor ? "Writing" : "Thinking")),
    finish: (answer, sessionId) => {
      close()
      tellsMode = false
      if (!options.json) return
      const last = answer instanceof RpcFault
        ? { error: { code: answer.code, message: answer.message, data: answer.data }, sessionId }
        : { ...answer, sessionId }
      screen.write(`${json(last)}\n`)
    },
    fail: ({ detail, message }) =>
      Effect.sync(() => {
        const error = { message, ...(detail === undefined ? {} : { data: { details: detail } }) }
        screen.write(`${json({ error })}\n`)
      }),
    close
  } satisfies ClientView
})
