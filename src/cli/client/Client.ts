import { Cause, Deferred, Effect, Exit, Logger, LogLevel, Result } from "effect"
import { CommandLine } from "effect/process"
import { Environment } from "../../platform/Environment.ts"
import { type Agent, connect } from "./Agent.ts"
import { maxFrame } from "./AgentLink.ts"
import * as AgentProcess from "./AgentProcess.ts"
import { type ClientOptions, read } from "./ClientOptions.ts"
import * as Commands from "./Commands.ts"
import { Exit as Ending, failure, Interrupted } from "../Failure.ts"
import * as Interrupts from "../terminal/Interrupts.ts"
import * as Invocation from "./Invocation.ts"
import { cut, oneLine } from "../terminal/Text.ts"
import * as Resume from "./Resume.ts"
import * as Turn from "./Turn.ts"
import * as View from "./View.ts"

interface Visit {
  readonly agent: Agent
  readonly sessionId: string
  readonly view: View.View
  readonly interrupts: Interrupts.Interrupts
  /** The command line that goes on with this session; none where the agent cannot. */
  readonly resume: string | undefined
}

const shown = (command: ReadonlyArray<string>) =>
  oneLine(Result.getOrElse(CommandLine.join(command), () => command.join(" ")))

const loud = new Set(["all", "trace", "debug"])

/** What the connection itself complains about; whole causes are for developers. */
const oneLiner = (note: (text: string) => void, isLoud: boolean) =>
  Logger.make(({ cause, logLevel, message }) => {
    if (!isLoud && LogLevel.isLessThan(logLevel, "Error")) return
    const parts = [
      ...Array.isArray(message) ? message : [message],
      ...cause.reasons.length > 0 ? [Cause.squash(cause)] : []
    ]
    note(`postern: ${cut(oneLine(parts.join(": ")), 400)}`)
  })

const connected = Effect.fnUntraced(function*(command: ReadonlyArray<string>, view: View.View, options: ClientOptions) {
  const junk = Deferred.makeUnsafe<string>()
  const note = (text: string) => {
    view.close()
    view.screen.note(text)
  }
  const isLoud = loud.has(options.logLevel ?? "")
  const agentProcess = yield* AgentProcess.start({
    command,
    maxFrame,
    onJunk: (line) => {
      // Before the first answer it is the reason to give up; later a stray line costs nothing but this note.
      if (Deferred.isDoneUnsafe(junk)) {
        note(`postern: the agent wrote something that is not ACP: ${cut(oneLine(line), 200)}`)
      } else Deferred.doneUnsafe(junk, Exit.succeed(line))
    },
    onStderr: (line) => {
      if (isLoud) note(`agent: ${line}`)
    }
  })
  const own = options.server === undefined
  const onSlow = () => note("postern: waiting for the agent to answer initialize…")
  const missing = own
    ? (id: string) =>
      Effect.flatMap(Effect.promise(() => import("../sessions/Missing.ts")), ({ why }) => why(options)(id))
    : (id: string) => Effect.succeed(failure(`no session ${oneLine(id)}`))
  const far = { process: agentProcess, command: shown(command), own, junk, missing, onSlow }
  const agent = yield* connect(far, view.handlers)
    .pipe(
      Effect.provideService(Logger.CurrentLoggers, new Set([oneLiner(note, isLoud)]))
    )
  Deferred.doneUnsafe(junk, Exit.succeed(""))
  if (own && !agent.can.load) {
    note(
      "postern: sessions are not stored; `postern acp --log-level debug` says why, POSTERN_DATA_DIR names another folder"
    )
  }
  return agent
})

const turn = Effect.fnUntraced(function*({ agent, interrupts, sessionId, view }: Visit, text: string) {
  const made = Turn.make(agent, interrupts, { sessionId, text }, () => {
    view.close()
    view.screen.note("postern: cancelling; Ctrl-C again gives up on the agent")
  })
  view.attend(made.cancelled)
  const ended = yield* view.screen.busy(view.running)(made.run).pipe(Effect.ensuring(Effect.sync(view.close)))
  view.finish(ended, sessionId)
  return ended
})

const once = Effect.fnUntraced(function*(visit: Visit, prompt: string) {
  const ended = yield* turn(visit, prompt)
  if (ended.interrupted) return new Interrupted()
  if (visit.view.unasked() === 0) return Turn.trouble(ended)
  const there = visit.resume === undefined ? "" : `, or go on there with: ${visit.resume}`
  visit.view.screen.note(`postern: to be asked for permission, run it in a terminal${there}`)
  return Turn.trouble(ended) ?? new Ending({ code: 1 })
})

const conversation = Effect.fnUntraced(function*(visit: Visit, where: string) {
  const { input, paint, screen } = visit.view
  if (input === undefined) return undefined
  screen.apart()
  screen.write(
    paint.dim(`${visit.agent.name} · ${oneLine(where)} · session ${oneLine(visit.sessionId)} · /help for help`) + "\n"
  )
  while (true) {
    screen.write("\n")
    const entry = yield* input.prompt(paint.bold("> "))
    const text = entry?.trim()
    if (entry === undefined || text === undefined || text === "/exit" || text === "/quit") return undefined
    if (text === "/help") screen.write(Commands.help(visit.view.commands()))
    if (text === "" || text === "/help") continue
    if (Commands.isUnknown(entry, visit.view.commands())) {
      screen.write("no such command; /help\n")
      continue
    }
    screen.write("\n")
    const ended = yield* turn(visit, text)
    const trouble = Turn.trouble(ended)
    if (ended.interrupted) screen.write(paint.yellow("(cancelled)\n"))
    else if (trouble !== undefined) screen.write(paint.red(`${trouble.message}\n`))
  }
})

const resumption = (
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
  const program = Invocation.words({ script: process.argv[1], path, cwd: process.cwd() })
  return shown([...program, "client", ...flags, "--resume", sessionId])
}

const hint = ({ resume, view }: Visit) =>
  Effect.sync(() => {
    if (process.stderr.isTTY === true && resume !== undefined && view.unasked() === 0) {
      view.screen.note(`resume with: ${resume}`)
    }
  })

/** `postern client`: fails with what to say and to exit with, also when the turn itself was what failed. */
export const run = Effect.fnUntraced(function*(options: ClientOptions) {
  const interrupts = yield* Interrupts.make
  const { command, cwd, prompt, wanted } = yield* interrupts.orQuit(read(options))
  const view = yield* View.make({ ...options, interrupts })
  const conversing = prompt === undefined
  const { PATH: path } = yield* Environment

  const enter = Effect.gen(function*() {
    const agent = yield* connected(command, view, options)
    const place = cwd.given ?? cwd.here
    if (wanted === undefined) {
      const sessionId = yield* agent.open({ cwd: place, alias: options.agent })
      view.focus(sessionId)
      return { agent, where: place, sessionId }
    }
    const target = yield* Resume.resolve(agent, wanted, cwd)
    view.focus(target.sessionId)
    view.show(conversing)
    yield* Resume.enter(agent, target, conversing)
    view.show(true)
    return { agent, where: target.cwd, sessionId: target.sessionId }
  })
  const talk = Effect.gen(function*() {
    const { agent, sessionId, where } = yield* interrupts.orQuit(view.screen.busy(() => "starting the agent")(enter))
    view.close()
    const visit = { agent, sessionId, view, interrupts, resume: resumption(agent, sessionId, options, path) }
    const work = prompt !== undefined ? once(visit, prompt) : conversation(visit, where)
    return yield* Effect.ensuring(work, hint(visit))
  })
  const trouble = yield* options.json ? Effect.tapErrorTag(talk, "CliFailure", view.fail) : talk
  if (trouble) return yield* trouble
}, Effect.scoped)
