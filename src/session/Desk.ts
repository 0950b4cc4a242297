import { Effect, Layer, Result } from "effect"
import { Gate, invalid } from "../policy/Gate.ts"
import { RuleBooks } from "../policy/RuleBooks.ts"
import { RuleFiles } from "../policy/RuleFiles.ts"
import { type Entry, entry } from "../policy/rules/RuleSet.ts"
import { Sandbox } from "../sandbox/Sandbox.ts"
import { decodeCall } from "../tool/Tool.ts"
import { Toolbox } from "../tool/Toolbox.ts"
import { PolicyDesk, RuleRefused, type RuleView, type Subject } from "./PolicyDesk.ts"

export const make = Effect.gen(function*() {
  const books = yield* RuleBooks
  const files = yield* RuleFiles
  const gate = yield* Gate
  const sandbox = yield* Sandbox
  const toolbox = yield* Toolbox

  const refused = (field: RuleRefused["field"]) => ({ message }: { readonly message: string }) =>
    new RuleRefused({ message, field })

  const bookOf = (session: Subject) => Effect.mapError(books.load(session.policy.source()), refused("rule"))

  const inFiles = (session: Subject) => Effect.mapError(files.list(session.policy.source()), refused("rule"))

  const view = (
    { id, layer, list, reason, rule }: Omit<Entry, "rule"> & { readonly rule: string },
    counts: boolean
  ): RuleView => ({
    id,
    list,
    rule,
    layer,
    ...(reason === undefined ? {} : { reason }),
    ...(counts ? {} : { counts })
  })

  return PolicyDesk.of({
    rules: Effect.fnUntraced(function*(session) {
      const { session: own, userRules } = session.policy.source()
      return [
        ...(yield* inFiles(session)).map((one) => view({ ...one, rule: one.rule.text }, one.counts)),
        ...own.map((one) => view({ ...one, layer: "session", reason: one.reason ?? undefined }, userRules !== "none"))
      ]
    }),
    add: Effect.fnUntraced(function*(session, { layer, list, reason, rule: text }) {
      if (layer === "managed") {
        return yield* refused("layer")({ message: "managed rules are the operator's: add to user, project or session" })
      }
      const rule = books.read(list, text)
      if (Result.isFailure(rule)) return yield* refused("rule")(rule.failure)
      if (layer === "session") {
        const { id } = entry(layer, list, rule.success)
        yield* session.policy.addRule({ id, list, rule: rule.success.text, reason: reason ?? null })
        return id
      }
      const changed = yield* Effect.mapError(
        files.add(session.workspace, { layer, list, reason, rule: text }),
        refused("layer")
      )
      return changed.entry.id
    }),
    remove: Effect.fnUntraced(function*(session, id) {
      if (yield* session.policy.removeRule(id)) return true
      const found = (yield* inFiles(session)).find((one) => one.id === id)
      if (found === undefined) return false
      yield* Effect.mapError(files.remove(session.workspace, found), refused("id"))
      return true
    }),
    look: Effect.fnUntraced(function*(session) {
      const modes = sandbox.lacking((yield* session.policy.limits).backend)
      if (modes.length > 0) yield* session.policy.lack(modes)
    }),
    test: Effect.fnUntraced(function*(session, name, parameters) {
      const { rules } = yield* bookOf(session)
      const call = yield* decodeCall(toolbox.of(session.tools), name, parameters)
      if (Result.isFailure(call)) return invalid(call.failure.code, call.failure.message)
      const { knobs, switches } = session.policy
      const policy = {
        knobs: knobs(),
        limits: yield* session.policy.limits,
        rules,
        switches,
        permitted: yield* session.policy.permitted
      }
      return gate.explain(call.success.tool, call.success.parameters, session.workspace, policy)
    })
  })
})

export const layer = Layer.effect(PolicyDesk, make)
