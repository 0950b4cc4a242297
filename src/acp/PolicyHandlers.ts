import { Effect } from "effect"
import { trace } from "../policy/decision/Trace.ts"
import { PolicyService, type RuleRefused } from "../session/policy/PolicyService.ts"
import type { Session } from "../session/lifecycle/Session.ts"
import { isModelOption } from "../session/policy/SessionModel.ts"
import * as Wire from "../rpc/Wire.ts"
import { Sessions } from "../session/lifecycle/Sessions.ts"
import { PolicyAgent } from "./Agent.ts"
import { onSession } from "./Attaching.ts"
import { faulty } from "./Faulty.ts"
import { sessionOptions } from "./ModelOptions.ts"
import { modes } from "./PolicyOptions.ts"

/** What `session/new`, `load` and `resume` say of a session's policy and model. */
export const policyOf = (session: Session) => ({
  modes: modes(session.policy.knobs()),
  configOptions: sessionOptions(session)
})

/** Modes, configuration options and rules of live sessions (policy §1.10). */
export const layer = PolicyAgent.toLayer(Effect.gen(function*() {
  const sessions = yield* Sessions
  const desk = yield* PolicyService

  const setOption = (sessionId: string, id: string, value: unknown) =>
    onSession(sessions, sessionId, (session) => {
      const set = isModelOption(id) ? session.model.set(id, value, "client") : session.policy.set(id, value, "client")
      return Effect.map(set, () => ({ configOptions: sessionOptions(session) }))
    })

  /** A Work mode is refused as what it is called there. */
  const setMode = (sessionId: string, modeId: string) =>
    setOption(sessionId, "work_mode", modeId).pipe(
      Effect.catchTag("KnobRefused", ({ message, reason }) =>
        Effect.fail(Wire.invalidParams({ reason, field: "modeId" }, message))),
      Effect.as({})
    )

  const onRules = <A>(sessionId: string, use: (session: Session) => Effect.Effect<A, RuleRefused>) =>
    faulty(onSession(sessions, sessionId, use))

  return PolicyAgent.of({
    "session/set_mode": ({ modeId, sessionId }) => faulty(setMode(sessionId, modeId)),
    "session/set_config_option": ({ configId, sessionId, value }) => faulty(setOption(sessionId, configId, value)),

    "_rules/list": ({ sessionId }) =>
      onRules(sessionId, (session) => Effect.map(desk.rules(session), (rules) => ({ rules }))),
    "_rules/add": ({ layer, list, reason, rule, sessionId }) =>
      onRules(
        sessionId,
        (session) => Effect.map(desk.add(session, { layer: layer ?? "session", list, reason, rule }), (id) => ({ id }))
      ),
    "_rules/remove": ({ id, sessionId }) =>
      onRules(sessionId, (session) => Effect.map(desk.remove(session, id), (removed) => ({ removed }))),
    "_rules/test": ({ arguments: parameters, sessionId, tool }) =>
      onRules(sessionId, (session) => Effect.map(desk.test(session, tool, parameters ?? {}), trace))
  })
}))
