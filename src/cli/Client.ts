import { Deferred, Effect, Exit, Result } from "effect"
import { CommandLine } from "effect/process"
import { type Agent, connect, maxFrame } from "./Agent.ts"
import * as AgentProcess from "./AgentProcess.ts"
import { type ClientOptions, read } from "./ClientOptions.ts"
import { Interrupted } from "./Failure.ts"
import * as Interrupts from "./Interrupts.ts"
import { cut, oneLine } from "./Plain.ts"
import * as Resume from "./Resume.ts"
import * as Turn from "./Turn.ts"
import * as View from "./View.ts"

interface Visit {
  readonly agent: Agent
  readonly sessionId: string
  readonly view: View.View
  readonly interrupts: Interrupts.Interrupts
}

const shown = (command: ReadonlyArray<string>) => oneLine(Result.getOrElse(CommandLine.join(command), () => command.join(" ")))

const loud = new Set(["all", "trace", "debug"])

const connected = Effect.fnUntraced(function*(command: ReadonlyArray<string>, view: View.View, options: ClientOptions) {
  const junk = Deferred.makeUnsafe<string>()
  const note = (text: string) => {
    view.close()
    view.screen.note(text)
  }
  const agentProcess = yield* AgentProcess.start({
    command,
    maxFrame,
    onJunk: (line) => {
      // Before the first answer it is the reason to give up; later a stray line costs nothing but this note.
      if (Deferred.isDoneUnsafe(junk)) note(`postern: the agent wrote something that is not ACP: ${cut(oneLine(line), 200)}`)
      else Deferred.doneUnsafe(junk, Exit.succeed(line))
    },
    onStderr: (line) => {
      if (loud.has(options.logLevel ?? "")) note(`agent: ${line}`)
    }
  })
  const agent = yield* connect(agentProcess, shown(command), junk, view.handlers)
  Deferred.doneUnsafe(junk, Exit.succeed(""))
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
  return ended.interrupted ? new Interrupted() : Turn.trouble(ended)
})

const help = (commands: ReadonlyArray<string>) =>
  [
    "/help   this list",
    "/exit   leave; so does Ctrl-D",
    "Ctrl-C  while the agent works: stop it; here: clear the line, twice to leave",
    ...(commands.length === 0 ? [] : [`the agent's own: ${commands.map((name) => `/${oneLine(name)}`).join(" ")}`])
  ].map((line) => `  ${line}\n`).join("")

const conversation = Effect.fnUntraced(function*(visit: Visit, where: string) {
  const { input, paint, screen } = visit.view
  if (input === undefined) return undefined
  screen.write(paint.dim(`${visit.agent.name} · ${oneLine(where)} · session ${oneLine(visit.sessionId)} · /help for help`) + "\n")
  while (true) {
    screen.write("\n")
    const text = (yield* input.prompt(paint.bold("> ")))?.trim()
    if (text === undefined || text === "/exit" || text === "/quit") return undefined
    if (text === "/help") screen.write(help(visit.view.commands()))
    if (text === "" || text === "/help") continue
    screen.write("\n")
    const ended = yield* turn(visit, text)
    const trouble = Turn.trouble(ended)
    if (ended.interrupted) screen.write(paint.yellow("(cancelled)\n"))
    else if (trouble !== undefined) screen.write(paint.red(`${trouble.message}\n`))
  }
})

const hint = ({ agent, sessionId, view }: Visit, server: string | undefined) =>
  Effect.sync(() => {
    if (process.stderr.isTTY !== true || (!agent.can.load && !agent.can.resume)) return
    const words = ["postern", "client", ...(server === undefined ? [] : ["--server", server]), "--resume", sessionId]
    view.screen.note(`resume with: ${shown(words)}`)
  })

/** `postern client`: fails with what to say and to exit with, also when the turn itself was what failed. */
export const run = Effect.fnUntraced(function*(options: ClientOptions) {
  const interrupts = yield* Interrupts.make
  const { command, cwd, prompt, wanted } = yield* interrupts.orQuit(read(options))
  const view = yield* View.make({ ...options, interrupts })
  const conversing = prompt === undefined

  const enter = Effect.gen(function*() {
    const agent = yield* connected(command, view, options)
    const place = cwd.given ?? cwd.here
    if (wanted === undefined) return { agent, where: place, sessionId: yield* agent.open({ cwd: place, alias: options.agent }) }
    const target = yield* Resume.resolve(agent, wanted, cwd)
    view.show(conversing)
    yield* Resume.enter(agent, target, conversing)
    view.show(true)
    return { agent, where: target.cwd, sessionId: target.sessionId }
  })
  const talk = Effect.gen(function*() {
    const { agent, sessionId, where } = yield* interrupts.orQuit(view.screen.busy(() => "starting the agent")(enter))
    view.close()
    const visit = { agent, sessionId, view, interrupts }
    const work = prompt !== undefined ? once(visit, prompt) : conversation(visit, where)
    return yield* Effect.ensuring(work, hint(visit, options.server))
  })
  const trouble = yield* options.json ? Effect.tapErrorTag(talk, "CliFailure", view.fail) : talk
  if (trouble) return yield* trouble
}, Effect.scoped)
