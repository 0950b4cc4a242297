import { Cause, Deferred, Effect, Exit, Logger, LogLevel, Result } from "effect"
import { CommandLine } from "effect/process"
import { join } from "node:path"
import { pathsOf } from "../../config/Paths.ts"
import * as Chunk from "../../platform/Chunk.ts"
import { Environment } from "../../platform/Environment.ts"
import { Exit as Ending, failure, Interrupted } from "../Failure.ts"
import * as History from "../terminal/History.ts"
import * as Interrupts from "../terminal/Interrupts.ts"
import { oneLine, truncate } from "../terminal/Text.ts"
import { type Agent, connect, maxFrame } from "./AgentConnection.ts"
import * as AgentProcess from "./AgentProcess.ts"
import { type ClientOptions, programWords, readOptions } from "./ClientOptions.ts"
import { complete } from "./Completion.ts"
import { choose, converse, localCommands, open } from "./Conversation.ts"
import { type Participants, runTurn, troubleOf } from "./PromptTurn.ts"
import * as Resume from "./Resume.ts"
import * as View from "./View.ts"
import type { ClientView } from "./View.ts"

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
          loadStored,
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

const once = Effect.fnUntraced(
  function*(participants: Participants, sessionId: string, prompt: string, resume: string | undefined) {
    const { view } = participants
    let ended = yield* runTurn(participants, { sessionId, blocks: [{ type: "text", text: prompt }] })
    for (let next = view.takeInstead(); next !== undefined; next = view.takeInstead()) {
      ended = yield* runTurn(participants, { sessionId, blocks: [{ type: "text", text: next }] })
    }
    if (ended.interrupted) return new Interrupted()
    if (view.refusedUnasked() === 0) return troubleOf(ended)
    const there = resume === undefined ? "" : `, or go on there with: ${resume}`
    view.screen.note(`postern: to be asked for permission, run it in a terminal${there}`)
    return troubleOf(ended) ?? new Ending({ code: 1 })
  }
)

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

const loadStopSwitch = Chunk.make(() => import("../../security/StopSwitch.ts"))
const loadStored = Chunk.make(() => import("../sessions/StoredSessions.ts"))

/** Other agents' files are not known. */
const unlistedOf = (options: ClientOptions) => (id: string) =>
  options.server === undefined
    ? Effect.flatMap(
      loadStored,
      ({ unlisted }) => unlisted(options, id)
    )
    : Effect.undefined

const resumeHint = (view: ClientView, resume: string | undefined) =>
  Effect.sync(() => {
    if (process.stderr.isTTY === true && resume !== undefined && view.refusedUnasked() === 0) {
      view.screen.note(`resume with: ${resume}`)
    }
  })

/** `postern client`: fails with the message and the exit code, also when the turn failed. */
export const run = Effect.fnUntraced(function*(options: ClientOptions) {
  const interrupts = yield* Interrupts.make
  const { command, cwd, prompt, resume } = yield* interrupts.orInterrupt(readOptions(options))
  const environment = yield* Environment
  const isConversation = prompt === undefined
  /** The session that is shown now. */
  let now = { sessionId: "", where: cwd.given ?? cwd.here }

  const valuesOf = (name: string) =>
    name === "model" || name === "mode" ? view.settings[name]()?.values.map(({ value }) => value) ?? [] : []
  const view: ClientView = yield* View.make({
    ...options,
    interrupts,
    history: isConversation
      ? History.make(join(pathsOf(options.configDir, environment).dataDir, "client-history"))
      : undefined,
    complete: (line) =>
      complete({
        commands: () => [...localCommands, ...view.commands()].map(({ name }) => name),
        valuesOf,
        cwd: () => now.where
      }, line)
  })

  const enter = Effect.gen(function*() {
    const agent = yield* connected(command, view, options)
    const participants = { agent, view, interrupts }
    const place = cwd.given ?? cwd.here
    if (resume === undefined) {
      return { participants, where: place, sessionId: yield* open(participants, place, options.agent) }
    }
    const target = yield* Resume.resolve(agent, resume, cwd, unlistedOf(options))
    view.select(target.sessionId)
    view.show(isConversation)
    view.settings.adopt(yield* Resume.enter(agent, target, isConversation))
    view.show(true)
    return { participants, where: target.cwd, sessionId: target.sessionId }
  })
  const set = Effect.fnUntraced(function*(participants: Participants, sessionId: string) {
    for (const what of ["model", "mode"] as const) {
      const word = options[what]
      if (word !== undefined) yield* choose(participants, sessionId, what, word)
    }
  })
  const talk = Effect.gen(function*() {
    const { participants, sessionId, where } = yield* interrupts.orInterrupt(
      view.working(
        () => "Starting the agent",
        Effect.tap(enter, ({ participants, sessionId }) => set(participants, sessionId))
      )
    )
    view.close()
    yield* Effect.forkChild(Chunk.keepAll)
    now = { sessionId, where }
    const resumeNow = () => resumeCommand(participants.agent, now.sessionId, options, environment["PATH"])
    const work = prompt !== undefined
      ? once(participants, sessionId, prompt, resumeNow())
      : Effect.as(
        converse({
          ...participants,
          sessionId,
          where,
          alias: options.agent,
          engageStop: Effect.flatMap(
            loadStopSwitch,
            ({ make }) => make(pathsOf(options.configDir, environment).configDir).engage({ level: "kill-all" })
          ),
          moved: (to) => void (now = to)
        }),
        undefined
      )
    return yield* Effect.ensuring(work, Effect.suspend(() => resumeHint(view, resumeNow())))
  })
  const trouble = yield* options.json ? Effect.tapErrorTag(talk, "CliFailure", view.fail) : talk
  if (trouble) return yield* trouble
}, Effect.scoped)
