import { Effect } from "effect"
import { TerminalCapabilities } from "effect/cli"
import { PolicyDryRun } from "./PolicyDryRun.ts"
import { type FileLayer, type ListedRule, RuleFiles } from "../../session/policy/RuleFiles.ts"
import type { List } from "../../policy/rules/Rule.ts"
import { Trust } from "../../policy/rules/Trust.ts"
import { failure } from "../Failure.ts"
import { paint as painter } from "../terminal/Style.ts"
import { json, oneLine } from "../terminal/Text.ts"
import { sayNotes } from "./PolicyNotes.ts"
import { shortestPrefix } from "../client/Resume.ts"
import { table } from "../terminal/Table.ts"

const print = (text: string) => Effect.sync(() => void process.stdout.write(text))

const sayWhy = <A, E extends { readonly message: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.mapError(effect, ({ message }) => failure(message))

const here = Effect.gen(function*() {
  const { profile, riskProfile, userRules, workspace: open } = yield* PolicyDryRun
  const files = yield* RuleFiles
  const workspace = yield* sayWhy(open())
  return { files, workspace, rules: sayWhy(files.list({ workspace, profile, riskProfile, userRules })) }
})

const shown = ({ counts, id, layer, list, reason, rule }: ListedRule) => ({
  id,
  list,
  rule: rule.text,
  layer,
  ...(reason === undefined ? {} : { reason }),
  ...(counts ? {} : { counts })
})

export const list = Effect.fnUntraced(function*(options: { readonly json: boolean }) {
  const { rules } = yield* here
  const found = yield* rules
  yield* sayNotes
  if (options.json) {
    return yield* print(found.map((rule) => `${json(shown(rule))}\n`).join(""))
  }
  if (found.length === 0) {
    if (process.stdout.isTTY) yield* print("no rules\n")
    return
  }
  const { canColor } = yield* TerminalCapabilities.TerminalCapabilities
  const { dim } = painter(canColor)
  yield* print(table(
    ["ID", "LAYER", "LIST", "RULE", "REASON"],
    found.map(({ counts, id, layer, list, reason, rule }) => {
      const remark = `${counts ? "" : "(does not count) "}${oneLine(reason ?? "")}`.trimEnd()
      const row = [id, layer, list, oneLine(rule.text), remark]
      return counts ? row : row.map((cell) => dim(cell))
    })
  ))
})

export const add = Effect.fnUntraced(function*(options: {
  readonly list: List
  readonly rule: string
  readonly layer: FileLayer
  readonly reason: string | undefined
}) {
  const { files, workspace } = yield* here
  const { entry: { id }, file, unchanged } = yield* sayWhy(files.add(workspace, options))
  yield* print(`${unchanged ? "already there:" : "added"} ${id} ${oneLine(file)}\n`)
  if (options.layer === "user" || options.list !== "allow") return
  const trust = yield* Trust
  if (yield* sayWhy(trust.isTrusted(workspace.cwd))) return
  const how = `postern policy trust ${oneLine(workspace.cwd)}`
  yield* Effect.sync(() =>
    process.stderr.write(`postern: allow rules of this project do not count until you say: ${how}\n`)
  )
})

const find = Effect.fnUntraced(function*(id: string, rules: ReadonlyArray<ListedRule>) {
  const matches = rules.filter((rule) => rule.id === id || (id.length >= shortestPrefix && rule.id.startsWith(id)))
  const match = matches.find((rule) => rule.id === id) ?? matches[0]
  if (match === undefined) {
    return yield* failure(`there is no rule ${JSON.stringify(id)}; see postern policy rules list`)
  }
  if (matches.length > 1 && match.id !== id) {
    const some = matches.slice(0, 5).map((rule) => rule.id).join(", ")
    return yield* failure(`${matches.length} rules begin with ${id}: ${some}`)
  }
  return match
})

export const remove = Effect.fnUntraced(function*(options: { readonly id: string }) {
  const { files, rules, workspace } = yield* here
  const rule = yield* find(options.id, yield* rules)
  const { file } = yield* sayWhy(files.remove(workspace, rule))
  yield* print(`removed ${rule.id} ${rule.list} ${oneLine(rule.rule.text)} from ${oneLine(file)}\n`)
})
