import { mkdirSync, readFileSync, statSync } from "node:fs"
import { homedir } from "node:os"
import { dirname } from "node:path"
import { Context, Effect, type FileSystem, Layer, Result, Schema, Semaphore } from "effect"
import { knownTools, Toolbox } from "../../tool/Toolbox.ts"
import * as Dangers from "../../policy/rules/propose/Dangers.ts"
import { RuleBooks } from "../../policy/rules/source/RuleBooks.ts"
import * as RuleLayers from "../../policy/rules/source/RuleLayers.ts"
import type { RuleKind } from "../../policy/rules/Rule.ts"
import { type RuleEntry, ruleEntry } from "../../policy/rules/RuleSet.ts"
import * as RulesFile from "../../policy/rules/source/RulesFile.ts"
import { RulesInvalid } from "../../policy/rules/source/RulesFile.ts"
import * as RulesText from "../../policy/rules/source/RulesText.ts"
import { Trust } from "../../policy/rules/source/Trust.ts"
import { analyse } from "../../policy/shell/ShellAnalyser.ts"
import type { FileLocked } from "../../platform/FileLock.ts"
import type { Workspace } from "../../workspace/Workspace.ts"
import { locked } from "../../config/edit/ConfigLock.ts"
import { overridesIn } from "../../config/load/EnvironmentOverrides.ts"
import { Environment } from "../../platform/Environment.ts"
import { replaceFile } from "../../platform/ReplaceFile.ts"
import { Settings } from "../../config/Settings.ts"
import { isTable, type Table } from "../../config/schema/KeyPath.ts"
import { projectFile, type RuleSource } from "../../policy/rules/source/RuleSource.ts"
import * as Chunk from "../../platform/Chunk.ts"

export type FileLayer = "user" | "project"

export interface ListedRule extends RuleEntry {
  /** Allow rules of an untrusted folder do not count, nor do layers that `user_rules` excludes. */
  readonly counts: boolean
}

interface RuleChange {
  readonly entry: RuleEntry
  readonly file: string
  /** The file had the rule already. */
  readonly unchanged?: true
}

interface FileRule {
  readonly list: RuleKind
  readonly rule: string
  readonly layer: FileLayer
  readonly reason?: string | undefined
  readonly guard?: boolean | undefined
}

/** A project's rules file as it was read, for a person who is to trust it. */
export interface ProjectRules extends Pick<RulesText.RulesText, "text" | "sha256"> {
  readonly file: string
  readonly exists: boolean
  readonly allow: ReadonlyArray<RuleEntry>
  /** What its allow rules cover besides what they seem to. */
  readonly warnings: ReadonlyArray<string>
}

/** The rules in the user's and the project's files, and changes that leave the rest of a file as it is. See docs/policy.md#rule-layers */
export class RuleFiles extends Context.Service<RuleFiles, {
  readonly list: (source: Omit<RuleSource, "session">) => Effect.Effect<ReadonlyArray<ListedRule>, RulesInvalid>
  readonly add: (workspace: Workspace, rule: FileRule) => Effect.Effect<RuleChange, { readonly message: string }>
  readonly remove: (workspace: Workspace, entry: RuleEntry) => Effect.Effect<RuleChange, { readonly message: string }>
  /** Whether allow rules in the project's file, as it is now, count. */
  readonly isTrusted: (workspace: Workspace) => Effect.Effect<boolean>
  /** The project's file of a canonical folder. */
  readonly project: (folder: string) => Effect.Effect<ProjectRules, RulesInvalid>
}>()("postern/session/RuleFiles") {
  static readonly layer = Layer.effect(RuleFiles, Effect.suspend(() => make))
}

/** Changes are rare, and what edits and checks whole files is big: it is loaded for them. */
const loadEdit = Chunk.make(() => import("../../config/toml/TomlEdit.ts"))
const loadDecode = Chunk.make(() => import("../../config/load/Decode.ts"))

/** A rule that cannot be added or removed here. */
class RuleNotChanged extends Schema.TaggedError<RuleNotChanged>()("RuleNotChanged", {
  message: Schema.String
}) {}

const notChanged = ({ message }: { readonly message: string }) => new RuleNotChanged({ message })

const layers = ["managed", "user", "project", "session"]
const { lists } = RulesFile

/** The table of rules in a parsed file, made where it is missing. */
const rulesIn = (root: Table, layer: FileLayer): Table =>
  (layer === "user" ? ["policy", "rules"] : []).reduce<Table>((table, key) => {
    const next = table[key] ?? (table[key] = {})
    return isTable(next) ? next : {}
  }, root)

const itemsOf = (root: Table, layer: FileLayer, list: RuleKind): ReadonlyArray<unknown> => {
  const items = rulesIn(root, layer)[list]
  return Array.isArray(items) ? items : []
}

const make = Effect.gen(function*() {
  const environment = yield* Environment
  const settings = yield* Settings
  const books = yield* RuleBooks
  const { tools } = yield* Toolbox
  const context = yield* Effect.context<FileSystem.FileSystem | Trust>()
  const known = knownTools(tools)
  const oneAtATime = Semaphore.makeUnsafe(1).withPermits(1)

  const trialIn = ({ cwd, roots }: Pick<Workspace, "cwd" | "roots">) => ({
    place: { cwd, roots, home: homedir() },
    tools: known,
    analyse
  })
  const refuse = (message: string) => Effect.fail(new RuleNotChanged({ message }))

  const projectOf = Effect.fnUntraced(function*(folder: string) {
    const file = projectFile(folder)
    const found = yield* Effect.fromResult(
      Result.mapError(RulesText.read(file), (problem) => new RulesInvalid({ file, problem }))
    )
    const trial = trialIn({ cwd: folder, roots: [folder] })
    const { entries } = yield* Effect.fromResult(RulesFile.decodeRoot(file, found.root, "project", trial))
    const allow = entries.filter(({ list }) => list === "allow")
    const { sha256, text } = found
    return {
      file,
      text,
      sha256,
      exists: found !== RulesText.absent,
      allow,
      warnings: Dangers.of(trial).warnings(allow)
    }
  })

  /** Trust follows a change that is made here of a file that was trusted as it was. */
  const trustChanged = Effect.fnUntraced(
    function*(layer: FileLayer, { cwd }: Workspace, before: string, after: string) {
      if (layer !== "project") return
      const { stateOf, trust } = yield* Trust
      const state = yield* stateOf(cwd, RulesText.hash(before))
      if (state === "trusted") yield* trust(cwd, RulesText.hash(after))
    },
    Effect.provideContext(context),
    Effect.mapError(notChanged)
  )

  /** A project's file is resolved within the project: its links may come from strangers. */
  const fileOf = (layer: FileLayer, workspace: Workspace) =>
    layer === "user"
      ? Effect.succeed(settings.configFile)
      : Effect.mapError(workspace.resolve(".postern/rules.toml", "write"), notChanged)

  const read = (file: string) =>
    Effect.try({
      try: () => statSync(file, { throwIfNoEntry: false }) === undefined ? "" : readFileSync(file, "utf8"),
      catch: (error) => new RuleNotChanged({ message: `${file} cannot be read: ${String(error)}` })
    })

  /** Every rule of a file, in the order of its lists; fails where one of them is broken. */
  const entriesIn = (file: string, text: string, layer: FileLayer, workspace: Workspace) =>
    Result.mapBoth(RulesFile.decodeText(file, text, layer, trialIn(workspace)), {
      onSuccess: ({ entries }) => entries,
      onFailure: notChanged
    })

  /** Checks the new text as the program would read it, then replaces the file unless that has changed meanwhile. */
  const write = Effect.fnUntraced(function*(
    file: string,
    before: string,
    after: string,
    layer: FileLayer,
    workspace: Workspace
  ) {
    if (layer === "user") {
      const { decode } = yield* loadDecode
      yield* decode({ file, text: after }, overridesIn(environment), environment)
    }
    yield* Effect.fromResult(entriesIn(file, after, layer, workspace))
    yield* Effect.try({
      try: () => mkdirSync(dirname(file), { recursive: true, ...(layer === "user" ? { mode: 0o700 } : {}) }),
      catch: (error) => new RuleNotChanged({ message: String(error) })
    })
    yield* replaceFile(file, after, layer === "user" ? 0o600 : 0o644, before)
    yield* trustChanged(layer, workspace, before, after)
  })

  /** One change at a time; those of the user's file also across processes. */
  const alone = <A, E>(effect: Effect.Effect<A, E>, _: Workspace, { layer }: { readonly layer: string }) =>
    oneAtATime<A, E | FileLocked, never>(layer === "user" ? locked(settings.configFile)(effect) : effect)

  const change = (
    file: string,
    before: string,
    layer: FileLayer,
    list: RuleKind,
    items: (old: ReadonlyArray<unknown>) => ReadonlyArray<unknown>,
    removed?: string
  ) =>
    Effect.flatMap(loadEdit, ({ edit }) => {
      const changed = (text: string) =>
        edit(text, (root) => {
          rulesIn(root, layer)[list] = items(itemsOf(root, layer, list))
        }, removed)
      // The editor writes a table, as of a rule with a guard, only into a list that is there.
      const withList = edit(before, (root) => void (rulesIn(root, layer)[list] ??= []))
      return Effect.catch(changed(before), (error) => {
        return removed === undefined ? Effect.flatMap(withList, changed) : Effect.fail(error)
      })
    }).pipe(Effect.mapError(({ message }) => new RuleNotChanged({ message: `${file}: ${message}` })))

  return RuleFiles.of({
    list: Effect.fnUntraced(function*(source) {
      const { workspace } = source
      const { rules } = yield* books.load({ ...source, session: [] })
      const user = {
        file: settings.configFile,
        table: yield* RulesFile.readUserTable(settings.configFile, environment)
      }
      const loaded = yield* RuleLayers.load({ user, workspace: workspace.cwd }, trialIn(workspace))
      const counting = new Set(rules.entries.map(({ id }) => id))
      const all = new Map([...rules.entries, ...loaded.entries, ...loaded.untrusted].map((one) => [one.id, one]))
      const rank = ({ layer, list }: RuleEntry) => layers.indexOf(layer) * lists.length + lists.indexOf(list)
      return Array.from(all.values(), (one): ListedRule => ({ ...one, counts: counting.has(one.id) }))
        .sort((a, b) => rank(a) - rank(b))
    }, Effect.provideContext(context)),

    add: Effect.fnUntraced(function*(workspace, { guard, layer, list, reason, rule: text }) {
      const rule = books.read(list, text)
      if (Result.isFailure(rule)) {
        return yield* refuse(`${JSON.stringify(text)} is no ${list} rule: ${rule.failure.message}`)
      }
      const made = ruleEntry(layer, list, rule.success, { guard, reason })
      const file = yield* fileOf(layer, workspace)
      const before = yield* read(file)
      const there = yield* Effect.fromResult(entriesIn(file, before, layer, workspace))
      if (there.some(({ id }) => id === made.id)) return { entry: made, file, unchanged: true as const }
      const item = reason === undefined && !made.guard
        ? rule.success.text
        : {
          rule: rule.success.text,
          ...(reason === undefined ? {} : { reason }),
          ...(made.guard ? { guard: true } : {})
        }
      const after = yield* change(file, before, layer, list, (old) => [...old, item])
      yield* write(file, before, after, layer, workspace)
      return { entry: made, file }
    }, alone),

    remove: Effect.fnUntraced(function*(workspace, { id, layer, list, rule }) {
      if (layer !== "user" && layer !== "project") {
        return yield* refuse(`rule ${id} is the operator's (${layer}) and cannot be removed here`)
      }
      const file = yield* fileOf(layer, workspace)
      const before = yield* read(file)
      const there = yield* Effect.fromResult(entriesIn(file, before, layer, workspace))
      const same = there.filter((one) => one.list === list)
      const found = same.find((one) => one.id === id)
      if (!found) return yield* refuse(`rule ${id} is not in ${file}; an environment variable may have added it`)
      const left = (old: ReadonlyArray<unknown>) => old.filter((_, at) => same[at]?.id !== id)
      const after = yield* change(file, before, layer, list, left, rule.text)
      yield* write(file, before, after, layer, workspace)
      return { entry: found, file }
    }, alone),

    project: projectOf,
    isTrusted: ({ cwd }) =>
      Effect.gen(function*() {
        const { sha256 } = yield* Effect.fromResult(RulesText.read(projectFile(cwd)))
        return (yield* (yield* Trust).stateOf(cwd, sha256)) === "trusted"
      }).pipe(
        Effect.orElseSucceed(() => false),
        Effect.provideContext(context)
      )
  })
})
