import { Cause, Deferred, Effect, Exit, Logger, LogLevel, Result } from "effect"
import { CommandLine } from "effect/process"
import { existsSync } from "node:fs"
import { Environment } from "../../platform/Environment.ts"
import { RpcFault } from "../../rpc/Wire.ts"
import { Exit as Ending, type Failure, failure, Interrupted } from "../Failure.ts"
import * as Interrupts from "../terminal/Interrupts.ts"
import { oneLine, truncate } from "../terminal/Text.ts"
import { type Agent, connect, explain, maxFrame } from "./AgentConnection.ts"
import * as AgentProcess from "./AgentProcess.ts"
import { type ClientOptions, programWords, readOptions } from "./ClientOptions.ts"
import * as Resume from "./Resume.ts"
import * as View from "./View.ts"
import type { ClientView } from "./View.ts"

/** The answer to `/help`. */
export const help = (commands: ReadonlyArray<string>): string =>
  [
    "/help   this list",
    "/exit   leave; so does Ctrl-D",
    "Ctrl-C  while the agent works: stop it; here: clear the line, twice to leave",
    "\\       at the end of a line: the message goes on in the next one; a paste of several lines is one message",
    "a blank before the / sends the line to the agent as it is",
    ...(commands.length === 0 ? [] : [`the agent's own: ${commands.map((name) => `/${oneLine(name)}`).join(" ")}`])
  ].map((line) => `  ${line}\n`).join("")

/** Whether an entry is an unknown command. Text that begins with an existing path is no command, nor is an indented line. */
export const isUnknownCommand = (
  entry: string,
  commands: ReadonlyArray<string>,
  exists: (path: string) => boolean = existsSync
): boolean => {
  const name = /^\/([a-z_-]+)(?=\s|$)/i.exec(entry)?.[1]
  return name !== undefined && !commands.some((known) => known.replace(/^\//, "") === name) && !exists(`/${name}`)
}

interface EndedTurn {
  /** The agent's answer, or the error it gave instead. */
  readonly answer: Readonly<Record<string, unknown>> | RpcFault
  /** The user pressed Ctrl-C before the answer. */
  readonly interrupted: boolean
}

interface PromptTurn {
  /** Done when the user has cancelled the turn. */
  readonly cancelled: Deferred.Deferred<void>
  readonly run: Effect.Effect<EndedTurn, Failure | Interrupted>
}

/** One prompt. The first Ctrl-C asks the agent to stop and waits for it; the second one gives up on it. */
const makeTurn = (
  agent: Agent,
  interrupts: Interrupts.Interrupts,
  prompt: { readonly sessionId: string; readonly text: string },
  onCancel: () => void
): PromptTurn => {
  const cancelled = Deferred.makeUnsafe<void>()
  const watch = Effect.gen(function*() {
    yield* interrupts.next
    yield* agent.cancel(prompt.sessionId)
    yield* Deferred.succeed(cancelled, undefined)
    onCancel()
    yield* interrupts.next
    return yield* new Interrupted()
  })
  const run = Effect.gen(function*() {
    yield* interrupts.clear
    const answer = yield* agent.prompt(prompt.sessionId, prompt.text).pipe(
      Effect.catchTag("RpcFault", (fault) => Effect.succeed(fault)),
      Effect.raceFirst(watch)
    )
    return { answer, interrupted: yield* Deferred.isDone(cancelled) }
  })
  return { cancelled, run }
}

const sentences: Readonly<Record<string, string>> = {
  max_tokens: "the model reached its output limit",
  max_turn_requests: "the turn reached its limit of model requests",
  refusal: "the agent refused",
  cancelled: "the agent cancelled the turn"
}

/** Why the turn did not reach its end, as one line; `undefined` when it did. */
const troubleOf = ({ answer }: EndedTurn): Failure | undefined => {
  if (answer instanceof RpcFault) return failure(explain(answer))
  const reason = answer["stopReason"]
  if (reason === "end_turn") return undefined
  if (typeof reason !== "string") return failure("the agent gave no stop reason")
  return failure(sentences[reason] ?? `the turn ended with ${JSON.stringify(reason)}`)
}

interface Conversation {
  readonly agent: Agent
  readonly sessionId: string
  readonly view: ClientView
  readonly interrupts: Interrupts.Interrupts
  /** The command line that resumes this session; absent where the agent cannot. */
  readonly resume: string | undefined
}

const shown = (command: ReadonlyArray<string>) =>
  oneLine(Result.getOrElse(CommandLine.join(command), () => command.join(" ")))

const verboseLevels = new Set(["all", "trace", "debug"])

/** Log lines of the connection, each on one line, without stack traces. */
const connectionLogger = (note: (text: string) => void, isVerbose: boolean) =>
  Logger.make(({ cause, logLevel, message }) => {
    if (!isVerbose && LogLevel.isLessThan(logLevel, "Error")) return
    const parts = [
      ...Array.isArray(message) ? message : [message],
      ...cause.reasons.length > 0 ? [Cause.squash(cause)] : []
    ]
    note(`postern: ${truncate(oneLine(parts.join(": ")), 400)}`)
  })

const connected = Effect.fnUntraced(
  function*(command: ReadonlyArray<string>, view: ClientView, options: ClientOptions) {
    const junk = Deferred.makeUnsafe<string>()
    const note = (text: string) => {
      view.close()
      view.screen.note(text)
    }
    const isVerbose = verboseLevels.has(options.logLevel ?? "")
    const agentProcess = yield* AgentProcess.start({
      command,
      maxFrame,
      onJunk: (line) => {
        // Before the first answer such a line means that this is no agent; later it only causes this note.
        if (Deferred.isDoneUnsafe(junk)) {
          note(`postern: the agent wrote something that is not ACP: ${truncate(oneLine(line), 200)}`)
        } else Deferred.doneUnsafe(junk, Exit.succeed(line))
      },
      onStderr: (line) => {
        if (isVerbose) note(`agent: ${line}`)
      }
    })
    const own = options.server === undefined
    const onSlow = () => note("postern: waiting for the agent to answer initialize…")
    const missing = (id: string) =>
      own
        ? Effect.flatMap(
          Effect.promise(() => import("../sessions/StoredSessions.ts")),
          ({ whyMissing }) => whyMissing(options, id)
        )
        : Effect.succeed(failure(`no session ${oneLine(id)}`))
    const started = { process: agentProcess, command: shown(command), own, junk, missing, onSlow }
    const agent = yield* connect(started, view.handlers)
      .pipe(
        Effect.provideService(Logger.CurrentLoggers, new Set([connectionLogger(note, isVerbose)]))
      )
    Deferred.doneUnsafe(junk, Exit.succeed(""))
    if (own && !agent.can.load) {
      note(
        "postern: sessions are not stored; `postern acp --log-level debug` says why, POSTERN_DATA_DIR names another folder"
      )
    }
    return agent
  }
)

const runTurn = Effect.fnUntraced(function*({ agent, interrupts, sessionId, view }: Conversation, text: string) {
  const turn = makeTurn(agent, interrupts, { sessionId, text }, () => {
    view.close()
    view.screen.note("postern: cancelling; Ctrl-C again gives up on the agent")
  })
  view.beginTurn(turn.cancelled)
  const ended = yield* view.screen.busy(view.running)(turn.run).pipe(Effect.ensuring(Effect.sync(view.close)))
  view.finish(ended.answer, sessionId)
  return ended
})

const once = Effect.fnUntraced(function*(conversation: Conversation, prompt: string) {
  const ended = yield* runTurn(conversation, prompt)
  if (ended.interrupted) return new Interrupted()
  if (conversation.view.refusedUnasked() === 0) return troubleOf(ended)
  const there = conversation.resume === undefined ? "" : `, or go on there with: ${conversation.resume}`
  conversation.view.screen.note(`postern: to be asked for permission, run it in a terminal${there}`)
  return troubleOf(ended) ?? new Ending({ code: 1 })
})

const converse = Effect.fnUntraced(function*(conversation: Conversation, where: string) {
  const { editor, screen, styles } = conversation.view
  if (editor === undefined) return undefined
  screen.separate()
  screen.write(
    styles.dim(
      `${conversation.agent.name} · ${oneLine(where)} · session ${oneLine(conversation.sessionId)} · /help for help`
    ) + "\n"
  )
  while (true) {
    screen.write("\n")
    const entry = yield* editor.prompt(styles.bold("> "))
    const text = entry?.trim()
    if (entry === undefined || text === undefined || text === "/exit" || text === "/quit") return undefined
    if (text === "/help") screen.write(help(conversation.view.commands()))
    if (text === "" || text === "/help") continue
    if (isUnknownCommand(entry, conversation.view.commands())) {
      screen.write("no such command; /help\n")
      continue
    }
    screen.write("\n")
    const ended = yield* runTurn(conversation, text)
    const trouble = troubleOf(ended)
    if (ended.interrupted) screen.write(styles.yellow("(cancelled)\n"))
    else if (trouble !== undefined) screen.write(styles.red(`${trouble.message}\n`))
  }
})

const resumeCommand = (
  agent: Agent,
  sessionId: string,
  { configDir, server }: ClientOptions,
  path: string | undefined
) => {
  if (!agent.can.load && !agent.can.resume) return undefined
  const flags = [
    ...(configDir === undefined ? [] : ["--config-dir", configDir]),
    ...(server === undefined ? [] : ["--server", server])
  ]
  const program = programWords({ script: process.argv[1], path, cwd: process.cwd() })
  return shown([...program, "client", ...flags, "--resume", sessionId])
}

const resumeHint = ({ resume, view }: Conversation) =>
  Effect.sync(() => {
    if (process.stderr.isTTY === true && resume !== undefined && view.refusedUnasked() === 0) {
      view.screen.note(`resume with: ${resume}`)
    }
  })

/** Other agents' files are not known. */
const unlistedOf = (options: ClientOptions) => (id: string) =>
  options.server === undefined
    ? Effect.flatMap(
      Effect.promise(() => import("../sessions/StoredSessions.ts")),
      ({ unlisted }) => unlisted(options, id)
    )
    : Effect.undefined

/** `postern client`: fails with the message and the exit code, also when the turn failed. */
export const run = Effect.fnUntraced(function*(options: ClientOptions) {
  const interrupts = yield* Interrupts.make
  const { command, cwd, prompt, resume } = yield* interrupts.orInterrupt(readOptions(options))
  const view = yield* View.make({ ...options, interrupts })
  const isConversation = prompt === undefined
  const { PATH: path } = yield* Environment

  const enter = Effect.gen(function*() {
    const agent = yield* connected(command, view, options)
    const place = cwd.given ?? cwd.here
    if (resume === undefined) {
      const sessionId = yield* agent.open({ cwd: place, alias: options.agent })
      view.select(sessionId)
      return { agent, where: place, sessionId }
    }
    const target = yield* Resume.resolve(agent, resume, cwd, unlistedOf(options))
    view.select(target.sessionId)
    view.show(isConversation)
    yield* Resume.enter(agent, target, isConversation)
    view.show(true)
    return { agent, where: target.cwd, sessionId: target.sessionId }
  })
  const talk = Effect.gen(function*() {
    const { agent, sessionId, where } = yield* interrupts.orInterrupt(
      view.screen.busy(() => "starting the agent")(enter)
    )
    view.close()
    const conversation = { agent, sessionId, view, interrupts, resume: resumeCommand(agent, sessionId, options, path) }
    const work = prompt !== undefined ? once(conversation, prompt) : converse(conversation, where)
    return yield* Effect.ensuring(work, resumeHint(conversation))
  })
  const trouble = yield* options.json ? Effect.tapErrorTag(talk, "CliFailure", view.fail) : talk
  if (trouble) return yield* trouble
}, Effect.scoped)
