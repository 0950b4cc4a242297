import { Effect } from "effect"
import { trace } from "../policy/decision/Explanation.ts"
import { PolicyService, type RuleRefused } from "../session/policy/PolicyService.ts"
import type { Session } from "../session/lifecycle/Session.ts"
import { isModelOption } from "../session/policy/SessionModel.ts"
import * as Wire from "../rpc/Wire.ts"
import { SessionManager } from "../session/lifecycle/SessionManager.ts"
import { PolicyAgent } from "./protocol/AgentMethods.ts"
import { onSession } from "./AttachSession.ts"
import { mapRpcErrors } from "./Errors.ts"
import { modes, sessionOptions } from "./ConfigOptions.ts"

/** Modes and options of a session in the results of `session/new`, `load` and `resume`. */
export const policyOf = (session: Session) => ({
  modes: modes(session.policy.settings()),
  configOptions: sessionOptions(session)
})

/** Modes, configuration options and rules of live sessions. */
export const layer = PolicyAgent.toLayer(Effect.gen(function*() {
  const sessions = yield* SessionManager
  const policies = yield* PolicyService

  const setOption = (sessionId: string, id: string, value: unknown) =>
    onSession(sessions, sessionId, (session) => {
      const set = isModelOption(id) ? session.model.set(id, value, "client") : session.policy.set(id, value, "client")
      return Effect.map(set, () => ({ configOptions: sessionOptions(session) }))
    })

  /** Names the field `modeId` when a Work mode is refused. */
  const setMode = (sessionId: string, modeId: string) =>
    setOption(sessionId, "work_mode", modeId).pipe(
      Effect.catchTag("SettingRefused", ({ message, reason }) =>
        Effect.fail(Wire.invalidParams({ reason, field: "modeId" }, message))),
      Effect.as({})
    )

  const onRules = <A>(sessionId: string, use: (session: Session) => Effect.Effect<A, RuleRefused>) =>
    mapRpcErrors(onSession(sessions, sessionId, use))

  return PolicyAgent.of({
    "session/set_mode": ({ modeId, sessionId }) => mapRpcErrors(setMode(sessionId, modeId)),
    "session/set_config_option": ({ configId, sessionId, value }) =>
      mapRpcErrors(setOption(sessionId, configId, value)),

    "_rules/list": ({ sessionId }) =>
      onRules(sessionId, (session) => Effect.map(policies.rules(session), (rules) => ({ rules }))),
    "_rules/add": ({ layer, list, reason, rule, sessionId }) =>
      onRules(
        sessionId,
        (session) =>
          Effect.map(policies.add(session, { layer: layer ?? "session", list, reason, rule }), (id) => ({ id }))
      ),
    "_rules/remove": ({ id, sessionId }) =>
      onRules(sessionId, (session) => Effect.map(policies.remove(session, id), (removed) => ({ removed }))),
    "_rules/test": ({ arguments: parameters, sessionId, tool }) =>
      onRules(sessionId, (session) => Effect.map(policies.test(session, tool, parameters ?? {}), trace))
  })
}))
