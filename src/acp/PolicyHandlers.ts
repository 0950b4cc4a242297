import { Effect } from "effect"
import { trace } from "../policy/decision/Explanation.ts"
import { PolicyService, type RuleRefused } from "../session/policy/PolicyService.ts"
import type { Session } from "../session/lifecycle/Session.ts"
import type { StoreFailed } from "../store/SessionStore.ts"
import type { SettingRefused } from "../session/policy/SessionPolicy.ts"
import { isModelOption } from "../session/policy/SessionModel.ts"
import * as Wire from "../rpc/Wire.ts"
import { SessionManager } from "../session/lifecycle/SessionManager.ts"
import { PolicyAgent } from "./protocol/AgentMethods.ts"
import { onSession } from "./AttachSession.ts"
import { mapRpcErrors } from "./Errors.ts"
import { isOffered, modelState, modes, sessionOptions } from "./ConfigOptions.ts"

/** Modes and options of a session in the results of `session/new`, `load` and `resume`. */
export const policyOf = (session: Session) => {
  const models = modelState(session)
  return {
    modes: modes(session.policy.settings()),
    ...(models === undefined ? {} : { models }),
    configOptions: sessionOptions(session)
  }
}

const noOption = (session: Session, id: string) =>
  Wire.invalidParams(
    { reason: "unknown_option", field: "configId" },
    `there is no option ${JSON.stringify(id)}; the options are ${
      sessionOptions(session).map((option) => option.id).join(", ")
    }`
  )

/** Names the field of the request when its value is refused. */
const refusedAs = (field: string, set: Effect.Effect<void, SettingRefused | StoreFailed>) =>
  set.pipe(
    Effect.catchTag("SettingRefused", ({ message, reason }) =>
      Effect.fail(Wire.invalidParams({ reason, field }, message))),
    Effect.as({})
  )

/** Modes, configuration options and rules of live sessions. */
export const layer = PolicyAgent.toLayer(Effect.gen(function*() {
  const sessions = yield* SessionManager
  const policies = yield* PolicyService

  const setOption = (sessionId: string, id: string, value: unknown) =>
    onSession(sessions, sessionId, (session) => {
      const set = Effect.suspend((): Effect.Effect<void, SettingRefused | StoreFailed | Wire.RpcFault> =>
        !isOffered(session, id)
          ? Effect.fail(noOption(session, id))
          : isModelOption(id)
          ? session.model.set(id, value, "client")
          : session.policy.set(id, value, "client")
      )
      return Effect.map(set, () => ({ configOptions: sessionOptions(session) }))
    })

  const setMode = (sessionId: string, modeId: string) =>
    onSession(sessions, sessionId, ({ policy }) => refusedAs("modeId", policy.set("work_mode", modeId, "client")))

  const setModel = (sessionId: string, modelId: string) =>
    onSession(sessions, sessionId, ({ model }) => refusedAs("modelId", model.set("model", modelId, "client")))

  const onRules = <A>(sessionId: string, use: (session: Session) => Effect.Effect<A, RuleRefused>) =>
    mapRpcErrors(onSession(sessions, sessionId, use))

  return PolicyAgent.of({
    "session/set_mode": ({ modeId, sessionId }) => mapRpcErrors(setMode(sessionId, modeId)),
    "session/set_model": ({ modelId, sessionId }) => mapRpcErrors(setModel(sessionId, modelId)),
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
