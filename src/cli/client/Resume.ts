import { Effect } from "effect"
import type { Agent, Listed } from "./Agent.ts"
import { failure } from "../Failure.ts"

/** Which stored session to go on with: an id or the unambiguous beginning of one, or the newest of the folder. */
export type Wanted = { readonly id: string } | "newest"

export interface Target {
  readonly sessionId: string
  readonly cwd: string
}

export const shortestPrefix = 4

const newer = (a: Listed, b: Listed) => (b.updatedAt ?? "") > (a.updatedAt ?? "") ? b : a

const cannot = () => failure("this agent cannot go on with stored sessions")

const newest = Effect.fnUntraced(function*(agent: Agent, cwd: string) {
  if (!agent.can.load && !agent.can.resume) return yield* cannot()
  if (!agent.can.list) {
    return yield* failure("this agent cannot list its sessions, so there is no last one: use --resume ID")
  }
  const sessions = yield* agent.list(cwd)
  if (sessions.length === 0) return yield* failure(`there is no session to go on with in ${cwd}`)
  return { sessionId: sessions.reduce(newer).sessionId, cwd }
})

export interface Folders {
  readonly given: string | undefined
  readonly here: string
}

const find = Effect.fnUntraced(function*(agent: Agent, id: string, cwd: Folders) {
  const sessions = agent.can.list ? yield* agent.list() : []
  const matches = sessions.filter(({ sessionId }) =>
    sessionId === id || (id.length >= shortestPrefix && sessionId.startsWith(id))
  )
  const match = matches.find(({ sessionId }) => sessionId === id) ?? matches[0]
  if (match === undefined) return { sessionId: id, cwd: cwd.given ?? cwd.here }
  if (matches.length > 1 && match.sessionId !== id) {
    return yield* failure(
      `${matches.length} sessions begin with ${id}: ${matches.slice(0, 5).map((s) => s.sessionId).join(", ")}`
    )
  }
  return { sessionId: match.sessionId, cwd: cwd.given ?? match.cwd }
})

/** A session goes on in the folder it was made for, unless another one is given. */
export const resolve = (agent: Agent, wanted: Wanted, cwd: Folders) =>
  wanted === "newest" ? newest(agent, cwd.given ?? cwd.here) : find(agent, wanted.id, cwd)

/** `session/load` where the history is wanted, `session/resume` where not, as far as the agent has both. */
export const enter = Effect.fnUntraced(function*(agent: Agent, target: Target, wantsHistory: boolean) {
  const { can } = agent
  if (!can.load && !can.resume) return yield* cannot()
  if (can.load && (wantsHistory || !can.resume)) yield* agent.load(target.sessionId, target.cwd)
  else yield* agent.resume(target.sessionId, target.cwd)
})
