import { resolve } from "node:path"
import { Effect } from "effect"
import { TerminalCapabilities } from "effect/cli"
import type { RuleKind } from "../../policy/rules/Rule.ts"
import { Trust } from "../../policy/rules/source/Trust.ts"
import { type FileLayer, type ListedRule, RuleFiles } from "../../session/policy/RuleFiles.ts"
import { failure, wrongUsage } from "../Failure.ts"
import { findById, severalMatches } from "../IdPrefix.ts"
import { orFail, print, table, textStyles, warn } from "../terminal/Output.ts"
import { json, oneLine } from "../terminal/Text.ts"
import { DryRun, reportNotes } from "./DryRun.ts"

const here = Effect.gen(function*() {
  const { profile, riskProfile, userRules, workspace: open } = yield* DryRun
  const files = yield* RuleFiles
  const workspace = yield* orFail(open())
  return { files, workspace, rules: orFail(files.list({ workspace, profile, riskProfile, userRules })) }
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
  yield* reportNotes
  if (options.json) {
    return yield* print(found.map((rule) => `${json(shown(rule))}\n`).join(""))
  }
  if (found.length === 0) {
    if (process.stdout.isTTY) yield* print("no rules\n")
    return
  }
  const { canColor } = yield* TerminalCapabilities.TerminalCapabilities
  const { dim } = textStyles(canColor)
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
  readonly list: RuleKind
  readonly rule: string
  readonly layer: FileLayer
  readonly reason: string | undefined
}) {
  const { files, workspace } = yield* here
  const { entry: { id }, file, unchanged } = yield* orFail(files.add(workspace, options))
  yield* print(`${unchanged ? "already there:" : "added"} ${id} ${oneLine(file)}\n`)
  if (options.layer === "user" || options.list !== "allow") return
  const trust = yield* Trust
  if (yield* orFail(trust.isTrusted(workspace.cwd))) return
  const how = `postern policy trust ${oneLine(workspace.cwd)}`
  yield* warn(`allow rules of this project do not count until you say: ${how}`)
})

const findRule = Effect.fnUntraced(function*(id: string, rules: ReadonlyArray<ListedRule>) {
  const found = findById(rules, (rule) => rule.id, id)
  switch (found._tag) {
    case "One":
      return found.value
    case "Several":
      return yield* failure(severalMatches("rules", id, found.ids))
    case "None":
      return yield* failure(`there is no rule ${JSON.stringify(id)}; see postern policy rules list`)
  }
})

export const remove = Effect.fnUntraced(function*(options: { readonly id: string }) {
  const { files, rules, workspace } = yield* here
  const rule = yield* findRule(options.id, yield* rules)
  const { file } = yield* orFail(files.remove(workspace, rule))
  yield* print(`removed ${rule.id} ${rule.list} ${oneLine(rule.rule.text)} from ${oneLine(file)}\n`)
})

export const trust = Effect.fnUntraced(function*(options: {
  readonly folder: string | undefined
  readonly list: boolean
}) {
  const { list, trust } = yield* Trust
  if (options.list) {
    if (options.folder !== undefined) return yield* wrongUsage("--list takes no folder")
    const folders = yield* orFail(list)
    return yield* print(folders.map((folder) => `${oneLine(folder)}\n`).join(""))
  }
  if (options.folder === undefined) return yield* wrongUsage("name the folder to trust, or use --list")
  const real = yield* orFail(trust(options.folder))
  yield* print(`trusted ${oneLine(real)}\n`)
})

/** Succeeds also for a folder that was not trusted. */
export const untrust = Effect.fnUntraced(function*({ folder }: { readonly folder: string }) {
  const { untrust } = yield* Trust
  const was = yield* orFail(untrust(folder))
  yield* print(`${was ? "no longer" : "was not"} trusted: ${oneLine(resolve(folder))}\n`)
})
