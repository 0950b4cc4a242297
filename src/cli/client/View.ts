import { Deferred, Effect } from "effect"
import { TerminalCapabilities } from "effect/cli"
import { RpcFault } from "../../rpc/Wire.ts"
import type { Handlers } from "./AgentLink.ts"
import * as Ask from "./PermissionPrompt.ts"
import * as Focus from "./Focus.ts"
import * as Input from "../terminal/LineEditor.ts"
import type { Interrupts } from "../terminal/Interrupts.ts"
import { type Paint, paint as painter } from "../terminal/Style.ts"
import { json, oneLine } from "../terminal/Text.ts"
import * as Render from "./Renderer.ts"
import * as Screen from "../terminal/Screen.ts"
import type { Ended } from "./Turn.ts"

export interface View {
  readonly paint: Paint
  readonly screen: Screen.Screen
  readonly input: Input.Input | undefined
  readonly handlers: Handlers
  /** Names of the agent's own commands, newest list. */
  readonly commands: () => ReadonlyArray<string>
  /** Updates of other sessions are not shown. */
  readonly focus: (sessionId: string) => void
  /** While off, updates are taken and not shown. */
  readonly show: (on: boolean) => void
  /** Permission requests from now on belong to this turn: a cancel withdraws them. */
  readonly attend: (cancelled: Deferred.Deferred<void>) => void
  readonly running: () => string
  /** How many permissions were refused because nobody could be asked. */
  readonly unasked: () => number
  /** Ends what the turn left open. */
  readonly finish: (ended: Ended, sessionId: string) => void
  /** With `json`: the last line of a run whose agent gave no answer. */
  readonly fail: (failure: { readonly message: string; readonly detail?: string }) => Effect.Effect<void>
  readonly close: () => void
}

export interface Options {
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

/** What a person sees and is asked; with `json`, what a program reads on stdout instead. */
export const make = Effect.fnUntraced(function*(options: Options) {
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
  const paint = painter(canColor && !options.json)
  const screen = Screen.make({ stdout, stderr, animate: canAnimate && !options.json, columns })
  const renderer = Render.make({
    paint,
    width: stdout.isTTY ? Math.max(20, columns() - 4) : 400,
    show: options.json ? "nothing" : options.quiet ? "answer" : "everything",
    starts: !canAnimate
  })
  const input = terminal === undefined ? undefined : Input.make(stdin, terminal, options.interrupts)
  const ask = input === undefined ? undefined : Ask.make(input, paint)
  const focus = Focus.make()
  let unasked = 0
  let shown = true
  let commands: ReadonlyArray<string> = []
  let cancelled: Deferred.Deferred<void> | undefined

  const close = () => screen.write(renderer.close())

  const onUpdate: Handlers["onUpdate"] = ({ update }) => {
    if (update.sessionUpdate === "available_commands_update") {
      commands = update.availableCommands.map(({ name }) => name)
    }
    if (shown) screen.write(renderer.update(update))
  }

  const onRawUpdate: Handlers["onRawUpdate"] = (params) => {
    if (shown && options.json) screen.write(`${json(params)}\n`)
  }

  const onPermission: Handlers["onPermission"] = (toolCall, offers) =>
    Effect.suspend(() => {
      const dismissed = cancelled === undefined ? Effect.never : Effect.as(Deferred.await(cancelled), Ask.cancelled)
      close()
      if (ask === undefined) {
        unasked++
        screen.note(
          `postern: not allowed, ${noTerminal(options.json)}: ${oneLine(toolCall.title ?? toolCall.toolCallId)}`
        )
        return Effect.succeed(Ask.rejection(offers))
      }
      return screen.quiet(Effect.raceFirst(ask(renderer.question(toolCall), offers), dismissed))
    })

  return {
    paint,
    screen,
    input,
    handlers: {
      onUpdate: (notification) => focus.about(notification.sessionId, () => onUpdate(notification)),
      onRawUpdate: (params) => focus.about(sessionOf(params), () => onRawUpdate(params)),
      onPermission
    },
    commands: () => commands,
    focus: focus.on,
    show: (on) => void (shown = on),
    attend: (turn) => void (cancelled = turn),
    unasked: () => unasked,
    running: () => oneLine(renderer.running() ?? "working"),
    finish: ({ answer }, sessionId) => {
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
  } satisfies View
})
