import { resolve } from "node:path"
import { Effect } from "effect"
import { TerminalCapabilities } from "effect/cli"
import type { RuleKind } from "../../policy/rules/Rule.ts"
import { Trust, trustCommand } from "../../policy/rules/source/Trust.ts"
import { type FileLayer, type ListedRule, type ProjectRules, RuleFiles } from "../../session/policy/RuleFiles.ts"
import { failure, wrongUsage } from "../Failure.ts"
import { findById, severalMatches } from "../IdPrefix.ts"
import { canAsk, confirmed } from "../terminal/Confirm.ts"
import { orFail, print, sayEmpty, table, textStyles, warn } from "../terminal/Output.ts"
import { json, oneLine, plain } from "../terminal/Text.ts"
import { DryRun, reportNotes } from "./DryRun.ts"

const here = Effect.gen(function*() {
  const { profile, riskProfile, userRules, workspace: open } = yield* DryRun
  const files = yield* RuleFiles
  const workspace = yield* orFail(open())
  return { files, workspace, rules: orFail(files.list({ workspace, profile, riskProfile, userRules })) }
})

const shown = ({ counts, guard, id, layer, list, reason, rule }: ListedRule) => ({
  id,
  list,
  rule: rule.text,
  layer,
  ...(reason === undefined ? {} : { reason }),
  ...(guard ? { guard } : {}),
  ...(counts ? {} : { counts })
})

export const list = Effect.fnUntraced(function*(options: { readonly json: boolean }) {
  const { rules } = yield* here
  const found = yield* rules
  yield* reportNotes
  if (options.json) {
    return yield* print(found.map((rule) => `${json(shown(rule))}\n`).join(""))
  }
  if (found.length === 0) return yield* sayEmpty("no rules")
  const { canColor } = yield* TerminalCapabilities.TerminalCapabilities
  const { dim } = textStyles(canColor)
  yield* print(table(
    ["ID", "LAYER", "LIST", "RULE", "REASON"],
    found.map(({ counts, guard, id, layer, list, reason, rule }) => {
      const remark = `${counts ? "" : "(does not count) "}${guard ? "(not if dangerous) " : ""}${oneLine(reason ?? "")}`
        .trimEnd()
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
  if (yield* files.isTrusted(workspace)) return
  yield* warn(`allow rules of this project do not count until you say: ${oneLine(trustCommand(workspace.cwd))}`)
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

/** Each line of a file, without what could rewrite the terminal. */
const quoted = (text: string) =>
  text.replace(/\r?\n$/, "").split(/\r?\n/).map((line) => `  ${plain(line)}`.trimEnd() + "\n").join("")

const describe = ({ allow, exists, file, text, warnings }: ProjectRules): string => {
  if (!exists) return `${oneLine(file)} does not exist. Rules that you add with Postern will count, no others.\n`
  const said = allow.length === 0 ? "It allows nothing." : "It lets these calls run without a question:"
  return [
    `${oneLine(file)}:\n\n${quoted(text)}\n${said}\n`,
    ...allow.map(({ rule }) => `  ${oneLine(rule.text)}\n`),
    ...warnings.map((warning) => `note: ${oneLine(warning)}\n`)
  ].join("")
}

const states = { trusted: "trusted", changed: "changed", untrusted: "changed" }

const listTrusted = Effect.gen(function*() {
  const { list, stateOf } = yield* Trust
  const files = yield* RuleFiles
  const rows = yield* Effect.forEach(yield* orFail(list), ({ path }) =>
    Effect.gen(function*() {
      const { exists, sha256 } = yield* files.project(path)
      return [exists ? states[yield* stateOf(path, sha256)] : "no file", oneLine(path)]
    }).pipe(Effect.orElseSucceed(() => ["unreadable", oneLine(path)])))
  if (rows.length > 0) yield* print(table(["STATE", "FOLDER"], rows))
  for (const [state, folder] of rows) {
    if (state === "changed") yield* warn(`the rules of ${folder} changed: ${oneLine(trustCommand(folder ?? ""))}`)
  }
})

export const trust = Effect.fnUntraced(function*(options: {
  readonly folder: string | undefined
  readonly list: boolean
  readonly yes: boolean
}) {
  if (options.list) {
    if (options.folder !== undefined) return yield* wrongUsage("--list takes no folder")
    return yield* listTrusted
  }
  if (options.folder === undefined) return yield* wrongUsage("name the folder to trust, or use --list")
  const { canonical, trust } = yield* Trust
  const folder = yield* orFail(canonical(options.folder))
  const rules = yield* orFail((yield* RuleFiles).project(folder))
  const shown = describe(rules)
  if (options.yes || !canAsk()) yield* print(shown)
  else if (!(yield* confirmed(shown, `Trust ${rules.exists ? "this file" : "this folder"}? [y/N] `))) {
    return yield* failure("nothing was trusted")
  }
  // What was shown, not what is there by now.
  yield* orFail(trust(folder, rules.sha256))
  yield* print(`trusted ${oneLine(folder)}\n`)
})

/** Succeeds also for a folder that was not trusted. */
export const untrust = Effect.fnUntraced(function*({ folder }: { readonly folder: string }) {
  const { untrust } = yield* Trust
  const was = yield* orFail(untrust(folder))
  yield* print(`${was ? "no longer" : "was not"} trusted: ${oneLine(resolve(folder))}\n`)
})
