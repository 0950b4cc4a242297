import { Clock, Effect, FileSystem } from "effect"
import { TerminalCapabilities } from "effect/cli"
import { realpathSync } from "node:fs"
import { resolve } from "node:path"
import { decisions } from "./Decisions.ts"
import { failure, wrongUsage } from "../Failure.ts"
import * as Input from "../terminal/LineEditor.ts"
import * as Interrupts from "../terminal/Interrupts.ts"
import { paint as painter } from "../terminal/Style.ts"
import { cut, json, oneLine } from "../terminal/Text.ts"
import { find, type Listed, Shelf } from "./SessionRepository.ts"
import { age, table } from "../terminal/Table.ts"
import { markdown, readable, titleOf } from "./Transcript.ts"

const print = (text: string) => Effect.sync(() => void process.stdout.write(text))

/** The sessions that ids mean, each once; every id is checked before anything happens to the first. */
const found = Effect.fnUntraced(function*(ids: ReadonlyArray<string>) {
  const all = yield* (yield* Shelf).all
  const sessions = yield* Effect.forEach(ids, (id) => find(all, id))
  return Array.from(new Map(sessions.map((session) => [session.sessionId, session])).values())
})

const one = Effect.fnUntraced(function*(id: string) {
  const shelf = yield* Shelf
  return { shelf, session: yield* find(yield* shelf.all, id) }
})

const canonical = (path: string): string => {
  try {
    return realpathSync(resolve(path))
  } catch {
    // A folder that is gone still has its sessions.
    return resolve(path)
  }
}

/** The same whether a daemon is running or not. */
const rowOf = ({ agent, createdAt, cwd, killedAt, mode, sessionId, title, updatedAt }: Listed) => ({
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
  const sessions = (yield* (yield* Shelf).all).filter(({ cwd, killedAt }) =>
    (options.all || killedAt === null) && (folder === undefined || cwd === folder)
  )
  if (options.json) return yield* print(sessions.map((session) => `${json(rowOf(session))}\n`).join(""))
  if (sessions.length === 0) {
    if (process.stdout.isTTY) yield* print("no sessions\n")
    return
  }
  const now = yield* Clock.currentTimeMillis
  yield* print(table(
    ["ID", "MODE", "AGE", "FOLDER", "TITLE"],
    sessions.map((session) => [
      oneLine(session.sessionId),
      oneLine(session.mode),
      age(session.updatedAt, now),
      oneLine(session.cwd),
      cut(titleOf(session), 60) + (session.killedAt === null ? "" : " (killed)")
    ])
  ))
})

const document = (id: string) => Effect.flatMap(one(id), ({ session, shelf }) => shelf.document(session))

export const show = Effect.fnUntraced(
  function*(options: { readonly id: string; readonly json: boolean; readonly decisions: boolean }) {
    if (options.decisions) {
      const { session, shelf } = yield* one(options.id)
      const trail = yield* shelf.trail(session)
      return yield* print(options.json ? `${json(trail, 2)}\n` : decisions(trail))
    }
    const { session, transcript } = yield* document(options.id)
    if (options.json) return yield* print(`${json({ session, transcript }, 2)}\n`)
    const { canColor } = yield* TerminalCapabilities.TerminalCapabilities
    const width = process.stdout.isTTY ? Math.max(20, (process.stdout.columns ?? 80) - 4) : 400
    yield* print(readable(session, transcript, { paint: painter(canColor), width }))
  }
)

const unwritable: Readonly<Record<string, string>> = {
  AlreadyExists: "it exists already; --force replaces it",
  NotFound: "there is no such folder",
  PermissionDenied: "this is not permitted"
}

/** What the system says, as in "EROFS: read-only file system, open 'x'". */
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
      failure(`cannot write ${oneLine(output)}: ${unwritable[reason._tag] ?? causeOf(reason)}`)
    )
  )
})

const confirmed = Effect.fnUntraced(function*(text: string, label: string) {
  const interrupts = yield* Interrupts.make
  const input = Input.make(process.stdin, process.stderr, interrupts)
  const answer = yield* interrupts.orQuit(input.ask(text, label))
  return /^y(es)?$/i.test(answer?.trim() ?? "")
}, Effect.scoped)

export const remove = Effect.fnUntraced(
  function*(options: { readonly ids: ReadonlyArray<string>; readonly yes: boolean }) {
    if (!options.yes && !(process.stdin.isTTY && process.stderr.isTTY)) {
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
  function*(sessions: ReadonlyArray<Listed>, how: "close" | "kill" | "remove", done: string) {
    const shelf = yield* Shelf
    for (const session of sessions) {
      yield* shelf[how](session)
      yield* print(`${done} ${oneLine(session.sessionId)}\n`)
    }
  }
)

export const kill = ({ ids }: { readonly ids: ReadonlyArray<string> }) =>
  Effect.flatMap(found(ids), (sessions) => each(sessions, "kill", "killed"))

export const close = ({ ids }: { readonly ids: ReadonlyArray<string> }) =>
  Effect.flatMap(found(ids), (sessions) => each(sessions, "close", "closed"))
