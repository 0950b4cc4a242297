import { Clock, Effect, FileSystem } from "effect"
import { TerminalCapabilities } from "effect/cli"
import { realpathSync } from "node:fs"
import { resolve } from "node:path"
import { failure, wrongUsage } from "../Failure.ts"
import { canAsk, confirmed } from "../terminal/Confirm.ts"
import { age, print, sayEmpty, table, textStyles } from "../terminal/Output.ts"
import { json, oneLine, truncate } from "../terminal/Text.ts"
import { type DecisionTrail, findSession, type ListedSession, SessionRepository } from "./SessionRepository.ts"
import { markdown, readable, titleOf } from "./Transcript.ts"

/** The sessions with these ids, each once; every id is checked before the first session changes. */
const found = Effect.fnUntraced(function*(ids: ReadonlyArray<string>) {
  const all = yield* (yield* SessionRepository).all
  const sessions = yield* Effect.forEach(ids, (id) => findSession(all, id))
  return Array.from(new Map(sessions.map((session) => [session.sessionId, session])).values())
})

const one = Effect.fnUntraced(function*(id: string) {
  const repository = yield* SessionRepository
  return { repository, session: yield* findSession(yield* repository.all, id) }
})

const canonical = (path: string): string => {
  try {
    return realpathSync(resolve(path))
  } catch {
    // A folder that does not exist any more may still have sessions.
    return resolve(path)
  }
}

/** The same fields with and without a daemon. */
const rowOf = ({ agent, createdAt, cwd, killedAt, mode, sessionId, title, updatedAt }: ListedSession) => ({
  sessionId,
  mode,
  agent,
  cwd,
  title,
  createdAt,
  updatedAt,
  killedAt
})

export const list = Effect.fnUntraced(function*(options: {
  readonly cwd: string | undefined
  readonly all: boolean
  readonly json: boolean
}) {
  const folder = options.cwd === undefined ? undefined : canonical(options.cwd)
  const sessions = (yield* (yield* SessionRepository).prompted).filter(({ cwd, killedAt }) =>
    (options.all || killedAt === null) && (folder === undefined || cwd === folder)
  )
  if (options.json) return yield* print(sessions.map((session) => `${json(rowOf(session))}\n`).join(""))
  if (sessions.length === 0) return yield* sayEmpty("no sessions")
  const now = yield* Clock.currentTimeMillis
  yield* print(table(
    ["ID", "MODE", "AGE", "FOLDER", "TITLE"],
    sessions.map((session) => [
      oneLine(session.sessionId),
      oneLine(session.mode),
      age(session.updatedAt, now),
      oneLine(session.cwd),
      truncate(titleOf(session), 60) + (session.killedAt === null ? "" : " (killed)")
    ])
  ))
})

/** Every decision with the answer to its question, as a table. */
const decisionTable = (trail: DecisionTrail): string => {
  if (trail.decisions.length === 0) return "no tool call has been decided in this session\n"
  const answers = new Map(trail.approvals.map(({ answer, callId }) => [callId, answer ?? "no answer yet"]))
  return table(
    ["AT", "TOOL", "OUTCOME", "GATE", "CODE", "RULE", "KNOBS", "ANSWER", "REASON"],
    trail.decisions.map(({ at, callId, code, gate, knobs, outcome, reason, rule, shapes, tool }) => [
      at,
      oneLine(tool),
      outcome,
      gate,
      code,
      oneLine(rule ?? ""),
      knobs,
      oneLine(answers.get(callId) ?? ""),
      oneLine([reason, ...shapes.map(({ category, part }) => `${category}: ${part}`)].join("; "))
    ])
  )
}

const document = (id: string) => Effect.flatMap(one(id), ({ session, repository }) => repository.document(session))

export const show = Effect.fnUntraced(
  function*(options: { readonly id: string; readonly json: boolean; readonly decisions: boolean }) {
    if (options.decisions) {
      const { session, repository } = yield* one(options.id)
      const trail = yield* repository.trail(session)
      return yield* print(options.json ? `${json(trail, 2)}\n` : decisionTable(trail))
    }
    const { session, transcript } = yield* document(options.id)
    if (options.json) return yield* print(`${json({ session, transcript }, 2)}\n`)
    const { canColor } = yield* TerminalCapabilities.TerminalCapabilities
    const width = process.stdout.isTTY ? Math.max(20, (process.stdout.columns ?? 80) - 4) : 400
    yield* print(readable(session, transcript, { styles: textStyles(canColor), width }))
  }
)

const writeErrors: Readonly<Record<string, string>> = {
  AlreadyExists: "it exists already; --force replaces it",
  NotFound: "there is no such folder",
  PermissionDenied: "this is not permitted"
}

/** The words in the middle of a system error such as "EROFS: read-only file system, open 'x'". */
const causeOf = ({ cause }: { readonly cause?: unknown }): string =>
  cause instanceof Error ? oneLine(cause.message.replace(/^[A-Z0-9]+: |, \w+( '.*)?$/gs, "")) : "the system refuses"

export const exportTo = Effect.fnUntraced(function*(options: {
  readonly id: string
  readonly format: "markdown" | "json"
  readonly output: string | undefined
  readonly force: boolean
}) {
  const { session, transcript } = yield* document(options.id)
  const text = options.format === "json" ? `${json({ session, transcript }, 2)}\n` : markdown(session, transcript)
  const { force, output } = options
  if (output === undefined || output === "-") return yield* print(text)
  const fs = yield* FileSystem.FileSystem
  const isFolder = Effect.map(fs.stat(output), ({ type }) => type === "Directory").pipe(
    Effect.orElseSucceed(() => false)
  )
  if (yield* isFolder) return yield* failure(`cannot write ${oneLine(output)}: it is a folder`)
  yield* fs.writeFileString(output, text, { flag: force ? "w" : "wx" }).pipe(
    Effect.mapError(({ reason }) =>
      failure(`cannot write ${oneLine(output)}: ${writeErrors[reason._tag] ?? causeOf(reason)}`)
    )
  )
})

export const remove = Effect.fnUntraced(
  function*(options: { readonly ids: ReadonlyArray<string>; readonly yes: boolean }) {
    if (!options.yes && !canAsk()) {
      return yield* wrongUsage("without a terminal to ask on, sessions are deleted only with --yes")
    }
    const sessions = yield* found(options.ids)
    const names = sessions.map((session) => `  ${oneLine(session.sessionId)}  ${titleOf(session)}\n`).join("")
    const what = sessions.length === 1 ? "this session" : `these ${sessions.length} sessions`
    if (!options.yes && !(yield* confirmed(names, `Delete ${what} for good? [y/N] `))) {
      return yield* failure("nothing was deleted")
    }
    yield* each(sessions, "remove", "deleted")
  }
)

const each = Effect.fnUntraced(
  function*(sessions: ReadonlyArray<ListedSession>, how: "close" | "kill" | "remove", done: string) {
    const repository = yield* SessionRepository
    for (const session of sessions) {
      yield* repository[how](session)
      yield* print(`${done} ${oneLine(session.sessionId)}\n`)
    }
  }
)

export const kill = ({ ids }: { readonly ids: ReadonlyArray<string> }) =>
  Effect.flatMap(found(ids), (sessions) => each(sessions, "kill", "killed"))

export const close = ({ ids }: { readonly ids: ReadonlyArray<string> }) =>
  Effect.flatMap(found(ids), (sessions) => each(sessions, "close", "closed"))
