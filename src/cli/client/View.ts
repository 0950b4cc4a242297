import { Deferred, Effect } from "effect"
import { TerminalCapabilities } from "effect/cli"
import { RpcFault } from "../../rpc/Wire.ts"
import type { Interrupts } from "../terminal/Interrupts.ts"
import * as LineEditor from "../terminal/LineEditor.ts"
import { type TextStyles, textStyles } from "../terminal/Output.ts"
import * as Renderer from "../terminal/Renderer.ts"
import * as Screen from "../terminal/Screen.ts"
import { json, oneLine } from "../terminal/Text.ts"
import type { AgentHandlers } from "./AgentConnection.ts"
import * as PermissionPrompt from "./PermissionPrompt.ts"

/** Passes on what belongs to the session that this client shows; some agents send every client the updates of all sessions. */
interface SessionFilter {
  readonly select: (sessionId: string) => void
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

export interface ClientView {
  readonly styles: TextStyles
  readonly screen: Screen.Screen
  /** Absent without a terminal. */
  readonly editor: LineEditor.LineEditor | undefined
  readonly handlers: AgentHandlers
  /** Names of the agent's own commands, as it last sent them. */
  readonly commands: () => ReadonlyArray<string>
  /** Selects the session whose updates are shown. */
  readonly select: (sessionId: string) => void
  /** While off, updates are read and not shown. */
  readonly show: (on: boolean) => void
  /** Permission requests from now on belong to this turn: its cancellation withdraws them. */
  readonly beginTurn: (cancelled: Deferred.Deferred<void>) => void
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
}

const noTerminal = (json: boolean): string => {
  if (process.stdin.isTTY !== true) return "standard input is not a terminal"
  return json ? "standard error is not a terminal" : "neither standard output nor standard error is a terminal"
}

const sessionOf = (params: unknown): unknown =>
  typeof params === "object" && params !== null && "sessionId" in params ? params.sessionId : undefined

/** Output and questions for people; with `json`, output for programs. */
export const make = Effect.fnUntraced(function*(options: ViewOptions) {
  const { canAnimate, canColor } = yield* TerminalCapabilities.TerminalCapabilities
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
  const screen = Screen.make({ stdout, stderr, animate: canAnimate && !options.json, columns })
  const renderer = Renderer.make({
    styles,
    width: stdout.isTTY ? Math.max(20, columns() - 4) : 400,
    show: options.json ? "nothing" : options.quiet ? "answer" : "everything",
    starts: !canAnimate
  })
  const editor = terminal === undefined ? undefined : LineEditor.make(stdin, terminal, options.interrupts)
  const ask = editor === undefined ? undefined : PermissionPrompt.make(editor, styles)
  const filter = makeSessionFilter()
  let refusedUnasked = 0
  let shown = true
  let commands: ReadonlyArray<string> = []
  let cancelled: Deferred.Deferred<void> | undefined

  const close = () => screen.write(renderer.close())

  const onUpdate: AgentHandlers["onUpdate"] = ({ update }) => {
    if (update.sessionUpdate === "available_commands_update") {
      commands = update.availableCommands.map(({ name }) => name)
    }
    if (shown) screen.write(renderer.update(update))
  }

  const onRawUpdate: AgentHandlers["onRawUpdate"] = (params) => {
    if (shown && options.json) screen.write(`${json(params)}\n`)
  }

  const onPermission: AgentHandlers["onPermission"] = (toolCall, offers) =>
    Effect.suspend(() => {
      const dismissed = cancelled === undefined
        ? Effect.never
        : Effect.as(Deferred.await(cancelled), PermissionPrompt.cancelled)
      close()
      if (ask === undefined) {
        refusedUnasked++
        screen.note(
          `postern: not allowed, ${noTerminal(options.json)}: ${oneLine(toolCall.title ?? toolCall.toolCallId)}`
        )
        return Effect.succeed(PermissionPrompt.rejection(offers))
      }
      return screen.holding(Effect.raceFirst(ask(renderer.question(toolCall), offers), dismissed))
    })

  return {
    styles,
    screen,
    editor,
    handlers: {
      onUpdate: (notification) => filter.pass(notification.sessionId, () => onUpdate(notification)),
      onRawUpdate: (params) => filter.pass(sessionOf(params), () => onRawUpdate(params)),
      onPermission
    },
    commands: () => commands,
    select: filter.select,
    show: (on) => void (shown = on),
    beginTurn: (turn) => void (cancelled = turn),
    refusedUnasked: () => refusedUnasked,
    running: () => oneLine(renderer.running() ?? "working"),
    finish: (answer, sessionId) => {
      close()
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
