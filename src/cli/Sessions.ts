import { Clock, Effect, FileSystem } from "effect"
import { TerminalCapabilities } from "effect/cli"
import { realpathSync } from "node:fs"
import { resolve } from "node:path"
import { SessionStore } from "../store/SessionStore.ts"
import type { Page, SessionRecord } from "../store/Stored.ts"
import { decisions } from "./Decisions.ts"
import { failure, wrongUsage } from "./Failure.ts"
import * as Input from "./Input.ts"
import * as Interrupts from "./Interrupts.ts"
import { paint as painter } from "./Paint.ts"
import { cut, json, oneLine } from "./Plain.ts"
import { shortestPrefix } from "./Resume.ts"
import { age, table } from "./Table.ts"
import { markdown, readable, titleOf } from "./Transcript.ts"

const print = (text: string) => Effect.sync(() => void process.stdout.write(text))

const pageSize = 200

const all = Effect.fnUntraced(function*(options: { readonly cwd?: string; readonly killed: boolean }) {
  const store = yield* SessionStore
  const found: Array<SessionRecord> = []
  let cursor: string | null = null
  do {
    const page: Page = yield* store.list({
      ...options,
      limit: pageSize,
      ...(cursor === null ? {} : { cursor })
    })
    found.push(...page.sessions)
    cursor = page.nextCursor
  } while (cursor !== null)
  return found
})

/** The session an id means: the whole id, or the beginning of exactly one. */
export const find = Effect.fnUntraced(function*(id: string) {
  const sessions = yield* all({ killed: true })
  const exact = sessions.find(({ sessionId }) => sessionId === id)
  if (exact !== undefined) return exact
  const matches = id.length < shortestPrefix ? [] : sessions.filter(({ sessionId }) => sessionId.startsWith(id))
  const [only] = matches
  if (only === undefined) {
    const short = id.length < shortestPrefix ? ` (an id may be shortened to ${shortestPrefix} characters, no less)` : ""
    return yield* failure(`there is no session ${JSON.stringify(id)}${short}`)
  }
  if (matches.length > 1) {
    const some = matches.slice(0, 5).map(({ sessionId }) => sessionId).join(", ")
    return yield* failure(`${matches.length} sessions begin with ${id}: ${some}${matches.length > 5 ? ", …" : ""}`)
  }
  return only
})

export const canonical = (path: string): string => {
  try {
    return realpathSync(resolve(path))
  } catch {
    // A folder that is gone still has its sessions.
    return resolve(path)
  }
}

export const list = Effect.fnUntraced(function*(options: {
  readonly cwd: string | undefined
  readonly all: boolean
  readonly json: boolean
}) {
  const sessions = yield* all({
    killed: options.all,
    ...(options.cwd === undefined ? {} : { cwd: canonical(options.cwd) })
  })
  if (options.json) return yield* print(sessions.map((session) => `${json(session)}\n`).join(""))
  if (sessions.length === 0) {
    if (process.stdout.isTTY) yield* print("no sessions\n")
    return
  }
  const now = yield* Clock.currentTimeMillis
  yield* print(table(
    ["ID", "AGE", "FOLDER", "TITLE"],
    sessions.map((session) => [
      oneLine(session.sessionId),
      age(session.updatedAt, now),
      oneLine(session.cwd),
      cut(titleOf(session), 60) + (session.killedAt === null ? "" : " (killed)")
    ])
  ))
})

const stored = Effect.fnUntraced(function*(id: string) {
  const session = yield* find(id)
  const store = yield* SessionStore
  return { session, transcript: yield* store.transcript(session.sessionId) }
})

export const show = Effect.fnUntraced(
  function*(options: { readonly id: string; readonly json: boolean; readonly decisions: boolean }) {
    if (options.decisions) {
      const { sessionId } = yield* find(options.id)
      const trail = yield* (yield* SessionStore).policy.trail(sessionId)
      return yield* print(options.json ? `${json(trail, 2)}\n` : decisions(trail))
    }
    const { session, transcript } = yield* stored(options.id)
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
  const { session, transcript } = yield* stored(options.id)
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

export const confirmed = Effect.fnUntraced(function*(text: string, label: string) {
  const interrupts = yield* Interrupts.make
  const input = Input.make(process.stdin, process.stderr, interrupts)
  const answer = yield* interrupts.orQuit(input.ask(text, label))
  return /^y(es)?$/i.test(answer?.trim() ?? "")
}, Effect.scoped)

/** Every id is checked before the first session goes. */
export const remove = Effect.fnUntraced(
  function*(options: { readonly ids: ReadonlyArray<string>; readonly yes: boolean }) {
    if (!options.yes && !(process.stdin.isTTY && process.stderr.isTTY)) {
      return yield* wrongUsage("without a terminal to ask on, sessions are deleted only with --yes")
    }
    const sessions = new Map((yield* Effect.forEach(options.ids, find)).map((session) => [session.sessionId, session]))
    const names = Array.from(sessions.values(), (session) => `  ${oneLine(session.sessionId)}  ${titleOf(session)}\n`)
      .join("")
    const what = sessions.size === 1 ? "this session" : `these ${sessions.size} sessions`
    if (!options.yes && !(yield* confirmed(names, `Delete ${what} for good? [y/N] `))) {
      return yield* failure("nothing was deleted")
    }
    const store = yield* SessionStore
    for (const sessionId of sessions.keys()) {
      yield* store.remove(sessionId)
      yield* print(`deleted ${oneLine(sessionId)}\n`)
    }
  }
)

/** Never active again, and still there to be read. */
export const kill = Effect.fnUntraced(function*(options: { readonly ids: ReadonlyArray<string> }) {
  const sessions = yield* Effect.forEach(options.ids, find)
  const store = yield* SessionStore
  for (const { sessionId } of sessions) {
    yield* store.kill(sessionId)
    yield* print(`killed ${oneLine(sessionId)}\n`)
  }
})
