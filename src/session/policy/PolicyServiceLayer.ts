import { Effect, Layer, Result } from "effect"
import { declarationOf } from "../../model/ToolSchemas.ts"
import { Gate, GateInput, invalid } from "./Gate.ts"
import { RuleBooks } from "../../policy/rules/source/RuleBooks.ts"
import { RuleFiles } from "./RuleFiles.ts"
import { type RuleEntry, ruleEntry } from "../../policy/rules/RuleSet.ts"
import { Sandbox } from "../../sandbox/Sandbox.ts"
import * as CallConfinement from "../../tool/CallConfinement.ts"
import { serverIds } from "../../mcp/McpToolDeclaration.ts"
import { FileRead } from "../../tool/file/FileRead.ts"
import { decodeCall } from "../../tool/Tool.ts"
import { knownTools, Toolbox } from "../../tool/Toolbox.ts"
import { PathRefused } from "../../workspace/Workspace.ts"
import { AdvertisedTools } from "./AdvertisedTools.ts"
import { pathScopeOf } from "./Authorization.ts"
import { PolicyService, type PolicySubject, RuleRefused, type RuleView } from "./PolicyService.ts"

const make = Effect.gen(function*() {
  const books = yield* RuleBooks
  const files = yield* RuleFiles
  const gate = yield* Gate
  const gateInput = yield* GateInput
  const sandbox = yield* Sandbox
  const toolbox = yield* Toolbox
  const advertised = yield* AdvertisedTools

  const refused = (field: RuleRefused["field"]) => ({ message }: { readonly message: string }) =>
    new RuleRefused({ message, field })

  const inputOf = (session: PolicySubject) =>
    Effect.map(Effect.mapError(gateInput.load(session.policy), refused("rule")), ({ policy }) => policy)

  const inFiles = (session: PolicySubject) =>
    Effect.mapError(Effect.flatMap(session.policy.source, files.list), refused("rule"))

  const view = (
    { guard, id, layer, list, reason, rule }: Omit<RuleEntry, "rule"> & { readonly rule: string },
    counts: boolean
  ): RuleView => ({
    id,
    list,
    rule,
    layer,
    ...(reason === undefined ? {} : { reason }),
    ...(guard ? { guard } : {}),
    ...(counts ? {} : { counts })
  })

  return PolicyService.of({
    rules: Effect.fnUntraced(function*(session) {
      const { session: own, userRules } = yield* session.policy.source
      return [
        ...(yield* inFiles(session)).map((one) => view({ ...one, rule: one.rule.text }, one.counts)),
        ...own.map((one) =>
          view(
            { ...one, guard: one.guard === true, layer: "session", reason: one.reason ?? undefined },
            userRules !== "none"
          )
        )
      ]
    }),
    add: Effect.fnUntraced(function*(session, { layer, list, reason, rule: text }) {
      if (layer === "managed") {
        return yield* refused("layer")({ message: "managed rules are the operator's: add to user, project or session" })
      }
      const rule = books.read(list, text)
      if (Result.isFailure(rule)) return yield* refused("rule")(rule.failure)
      if (layer === "session") {
        const { id } = ruleEntry(layer, list, rule.success)
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
      const policy = yield* inputOf(session)
      const call = yield* decodeCall(toolbox.of(session.tools), name, parameters, session.workspace.cwd)
      if (Result.isFailure(call)) return invalid(call.failure.code, call.failure.message)
      return gate.explain(call.success.tool, call.success.parameters, session.workspace, policy)
    }),
    unknownTools: (names, servers) =>
      Effect.sync(() => {
        const known = knownTools(toolbox.tools)
        const ids = serverIds(servers.map(({ name }) => name))
        return names.filter((name) => {
          const bare = name.replace(/^mcp__/, "")
          const ofServer = ids.some((id) => bare.startsWith(`${id}__`) || (bare !== name && bare === id))
          return !known.has(name) && !ofServer
        })
      }),
    offered: Effect.fnUntraced(function*(session) {
      const { tools } = yield* Effect.mapError(advertised.of(session), refused("rule"))
      return Object.values(tools).map(declarationOf)
    }),
    readable: Effect.fnUntraced(function*(session, path) {
      const policy = yield* inputOf(session)
      const scope = pathScopeOf(sandbox, FileRead, { path }, session)
      const canonical = yield* CallConfinement.narrowed(session.workspace, scope).resolve(path, "read")
      // Under the given name as well: a link on the path may lead elsewhere by the time the file is read.
      for (const named of new Set([path, canonical])) {
        const { outcome, reason } = gate.decide(FileRead, { path: named }, session.workspace, policy)
        if (outcome !== "run") return yield* new PathRefused({ path, reason: `${reason}.` })
      }
      return canonical
    })
  })
})

/** Loaded together with the turn loop; the light half of a process knows only the service. */
export const layer = Layer.effect(PolicyService, make)
