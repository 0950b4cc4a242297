import { Effect } from "effect"
import { failure } from "../Failure.ts"
import { findById, severalMatches } from "../IdPrefix.ts"
import type { Agent, AgentSession } from "./AgentConnection.ts"

/** The stored session to resume: an id, the unambiguous beginning of one, or the newest session of the folder. */
export type ResumeRequest = { readonly id: string } | "newest"

interface ResumeTarget {
  readonly sessionId: string
  readonly cwd: string
}

const newer = (a: AgentSession, b: AgentSession) => (b.updatedAt ?? "") > (a.updatedAt ?? "") ? b : a

const cannotResume = () => failure("this agent cannot go on with stored sessions")

const newest = Effect.fnUntraced(function*(agent: Agent, cwd: string) {
  if (!agent.can.load && !agent.can.resume) return yield* cannotResume()
  if (!agent.can.list) {
    return yield* failure("this agent cannot list its sessions, so there is no last one: use --resume ID")
  }
  const sessions = yield* agent.list(cwd)
  if (sessions.length === 0) return yield* failure(`there is no session to go on with in ${cwd}`)
  return { sessionId: sessions.reduce(newer).sessionId, cwd }
})

interface SessionFolders {
  readonly given: string | undefined
  readonly here: string
}

/** Finds a session that the agent may have although it does not list it. */
type FindUnlisted = (id: string) => Effect.Effect<ResumeTarget | undefined>

const find = Effect.fnUntraced(function*(agent: Agent, id: string, cwd: SessionFolders, unlisted: FindUnlisted) {
  const sessions = agent.can.list ? yield* agent.list() : []
  const found = findById(sessions, ({ sessionId }) => sessionId, id)
  switch (found._tag) {
    case "One":
      return { sessionId: found.value.sessionId, cwd: cwd.given ?? found.value.cwd }
    case "Several":
      return yield* failure(severalMatches("sessions", id, found.ids))
    case "None": {
      const { cwd: own = cwd.here, sessionId = id } = (yield* unlisted(id)) ?? {}
      return { sessionId, cwd: cwd.given ?? own }
    }
  }
})

/** A session resumes in the folder it was created for, unless another one is given. */
export const resolve = (agent: Agent, request: ResumeRequest, cwd: SessionFolders, unlisted: FindUnlisted) =>
  request === "newest" ? newest(agent, cwd.given ?? cwd.here) : find(agent, request.id, cwd, unlisted)

/** Uses `session/load` where the history is needed and `session/resume` where not, if the agent has both. */
export const enter = Effect.fnUntraced(function*(agent: Agent, target: ResumeTarget, wantsHistory: boolean) {
  const { can } = agent
  if (!can.load && !can.resume) return yield* cannotResume()
  return yield* can.load && (wantsHistory || !can.resume)
    ? agent.load(target.sessionId, target.cwd)
    : agent.resume(target.sessionId, target.cwd)
})
