import { Clock, Effect } from "effect"
import type { Daemon } from "./DaemonClient.ts"
import { failure, wrongUsage } from "./Failure.ts"
import { cut, json, oneLine } from "./Plain.ts"
import { shortestPrefix } from "./Resume.ts"
import { canonical, confirmed } from "./Sessions.ts"
import { age, table } from "./Table.ts"

/** Sessions as a running daemon has them: it must hear of what becomes of them. */

const print = (text: string) => Effect.sync(() => void process.stdout.write(text))

const most = 1000

interface Entry {
  readonly sessionId: string
  readonly agent: string
  readonly mode: string
  readonly cwd: string
  readonly title: string | null
  readonly createdAt: string
  readonly updatedAt: string
}

const all = Effect.fnUntraced(function*({ call }: Daemon) {
  const { sessions } = yield* call("session/list", { limit: most })
  return (sessions as ReadonlyArray<Record<string, string | undefined>>).map((entry): Entry => ({
    sessionId: entry["session_id"] ?? "",
    agent: entry["agent_alias"] ?? "",
    mode: entry["channel_id"] ?? "",
    cwd: entry["workspace_dir"] ?? "",
    title: entry["name"] ?? null,
    createdAt: entry["created_at"] ?? "",
    updatedAt: entry["last_activity"] ?? ""
  }))
})

export const list = Effect.fnUntraced(
  function*(daemon: Daemon, options: { readonly cwd: string | undefined; readonly json: boolean }) {
    const folder = options.cwd === undefined ? undefined : canonical(options.cwd)
    const sessions = (yield* all(daemon)).filter(({ cwd }) => folder === undefined || cwd === folder)
    if (options.json) return yield* print(sessions.map((session) => `${json(session)}\n`).join(""))
    if (sessions.length === 0) {
      if (process.stdout.isTTY) yield* print("no sessions\n")
      return
    }
    const now = yield* Clock.currentTimeMillis
    yield* print(table(
      ["ID", "MODE", "AGE", "FOLDER", "TITLE"],
      sessions.map((
        { cwd, mode, sessionId, title, updatedAt }
      ) => [
        oneLine(sessionId),
        oneLine(mode),
        age(updatedAt, now),
        oneLine(cwd),
        cut(oneLine(title ?? "(no title)"), 60)
      ])
    ))
  }
)

const find = (sessions: ReadonlyArray<Entry>) =>
  Effect.fnUntraced(function*(id: string) {
    const exact = sessions.find(({ sessionId }) => sessionId === id)
    const matches = exact
      ? [exact]
      : id.length < shortestPrefix
      ? []
      : sessions.filter(({ sessionId }) => sessionId.startsWith(id))
    const [only] = matches
    if (only === undefined) return yield* failure(`there is no session ${JSON.stringify(id)}`)
    if (matches.length > 1) return yield* failure(`${matches.length} sessions begin with ${id}; name more of it`)
    return only
  })

const done = { close: "closed", kill: "killed", delete: "deleted" } as const

const wholeId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Killed sessions are on no list of the daemon; by their whole id they can be deleted. */
const unlisted = (id: string): Pick<Entry, "sessionId" | "title"> => ({ sessionId: id, title: null })

/** Every id is checked before anything happens to the first session. */
export const end = Effect.fnUntraced(function*(
  daemon: Daemon,
  how: keyof typeof done,
  { ids, yes }: { readonly ids: ReadonlyArray<string>; readonly yes: boolean }
) {
  if (!yes && !(process.stdin.isTTY && process.stderr.isTTY)) {
    return yield* wrongUsage("without a terminal to ask on, sessions are deleted only with --yes")
  }
  const listed = yield* all(daemon)
  const isUnlisted = (id: string) =>
    how === "delete" && wholeId.test(id) && !listed.some(({ sessionId }) => sessionId === id)
  const found = yield* Effect.forEach(ids, (id) => isUnlisted(id) ? Effect.succeed(unlisted(id)) : find(listed)(id))
  const sessions = new Map(found.map((session) => [session.sessionId, session]))
  const names = Array.from(
    sessions.values(),
    ({ sessionId, title }) => `  ${oneLine(sessionId)}  ${oneLine(title ?? "")}\n`
  ).join("")
  const what = sessions.size === 1 ? "this session" : `these ${sessions.size} sessions`
  if (!yes && !(yield* confirmed(names, `Delete ${what} for good? [y/N] `))) {
    return yield* failure("nothing was deleted")
  }
  for (const sessionId of sessions.keys()) {
    const { deleted = true } = yield* daemon.call(`session/${how}`, { session_id: sessionId })
    if (deleted === false) return yield* failure(`there is no session ${JSON.stringify(sessionId)}`)
    yield* print(`${done[how]} ${oneLine(sessionId)}\n`)
  }
})
