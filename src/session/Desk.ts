import { Effect, Layer, Result } from "effect"
import { Gate, invalid } from "../policy/Gate.ts"
import { RuleBooks } from "../policy/RuleBooks.ts"
import { entry } from "../policy/rules/RuleSet.ts"
import { decodeCall } from "../tool/Tool.ts"
import { Toolbox } from "../tool/Toolbox.ts"
import { PolicyDesk, RuleRefused, type RuleView } from "./PolicyDesk.ts"
import type { Session } from "./Session.ts"

export const layer = Layer.effect(PolicyDesk, Effect.gen(function*() {
  const books = yield* RuleBooks
  const gate = yield* Gate
  const { tools } = yield* Toolbox

  const bookOf = (session: Session) =>
    Effect.mapError(books.load(session.policy.source()), ({ message }) => new RuleRefused({ message }))

  return PolicyDesk.of({
    rules: Effect.fnUntraced(function*(session) {
      const { rules } = yield* bookOf(session)
      return rules.entries.map(({ id, layer, list, reason, rule }): RuleView => ({
        id,
        list,
        rule: rule.text,
        layer,
        ...(reason === undefined ? {} : { reason })
      }))
    }),
    add: Effect.fnUntraced(function*(session, list, text) {
      const rule = books.read(list, text)
      if (Result.isFailure(rule)) return yield* new RuleRefused({ message: rule.failure.message })
      const { id } = entry("session", list, rule.success)
      yield* session.policy.addRule({ id, list, rule: text, reason: null })
      return id
    }),
    remove: (session, id) => session.policy.removeRule(id),
    test: Effect.fnUntraced(function*(session, name, parameters) {
      const { rules } = yield* bookOf(session)
      const call = yield* decodeCall(tools, name, parameters)
      if (Result.isFailure(call)) return invalid(call.failure.code, call.failure.message)
      const { knobs, switches } = session.policy
      const policy = { knobs: knobs(), limits: yield* session.policy.limits, rules, switches }
      return gate.decide(call.success.tool, call.success.parameters, session.workspace, policy)
    })
  })
}))
