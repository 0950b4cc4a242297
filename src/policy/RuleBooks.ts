import { statSync } from "node:fs"
import { homedir } from "node:os"
import { Context, Effect, FileSystem, Layer } from "effect"
import { Settings } from "../app/Settings.ts"
import { Toolbox } from "../tool/Toolbox.ts"
import type { Workspace } from "../workspace/Workspace.ts"
import type { Decision } from "./Decision.ts"
import type { Knobs } from "./Knobs.ts"
import { knownTools } from "./KnownTools.ts"
import type { Place } from "./Part.ts"
import * as Dangers from "./rules/Dangers.ts"
import type { Trial } from "./rules/Examples.ts"
import * as Layers from "./rules/Layers.ts"
import * as Propose from "./rules/Propose.ts"
import { type List, parse } from "./rules/Rule.ts"
import { type Entry, entry, make as makeSet, type RuleSet } from "./rules/RuleSet.ts"
import type { RulesInvalid } from "./rules/RulesFile.ts"
import { Trust } from "./rules/Trust.ts"
import type { RuleSource } from "./RuleSource.ts"
import { analyse } from "./shell/ShellAnalyser.ts"

export interface RuleBook {
  readonly rules: RuleSet
  /** Sentences worth a warning. */
  readonly notes: ReadonlyArray<string>
  /** Rules that would answer this question for good. */
  readonly propose: (tool: string, decision: Decision) => { readonly allow: ReadonlyArray<Entry>; readonly deny: ReadonlyArray<Entry> }
}

/** Layers that a value of the knob `user_rules` lets count; the operator's always do. */
const counts = (knob: Knobs["user_rules"], { layer }: Entry): boolean => {
  switch (layer) {
    case "managed": return true
    case "session": return knob !== "none"
    case "user": return knob === "user" || knob === "user+project"
    case "project": return knob === "user+project"
  }
}

/** Rules of every layer, read once and again when a file or the session's own rules have changed (policy §2.6). */
export class RuleBooks extends Context.Service<RuleBooks, {
  readonly load: (source: RuleSource) => Effect.Effect<RuleBook, RulesInvalid>
  /** The entry a rule would be, or why it cannot be read. */
  readonly read: (list: List, text: string) => ReturnType<typeof parse>
}>()("postern/policy/RuleBooks") {
  static readonly layer = Layer.effect(RuleBooks, Effect.gen(function*() {
    const settings = yield* Settings
    const { tools } = yield* Toolbox
    const context = yield* Effect.context<FileSystem.FileSystem | Trust>()
    const known = knownTools(tools)
    const books = new Map<string, RuleBook>()

    const place = ({ cwd, roots }: Workspace): Place => ({ cwd, roots, home: homedir() })

    const entriesOf = (layer: Entry["layer"], list: List, texts: ReadonlyArray<string>): ReadonlyArray<Entry> =>
      texts.flatMap((text) => {
        const rule = parse(text, { list, tools: known })
        return rule._tag === "Success" ? [entry(layer, list, rule.success)] : []
      })

    /** The lists of a risk profile are rules of the operator: one engine for all of them (spec §5). */
    const ofProfile = (name: string): ReadonlyArray<Entry> => {
      const { allowedTools, alwaysAsk, autoApprove, excludedTools } = settings.riskProfiles.get(name) ?? {}
      const every = Array.from(known.keys())
      const named = (list: ReadonlyArray<string> | undefined) => (list ?? []).flatMap((one) => one.trim() === "*" ? every : [one.trim()])
      const left = allowedTools === undefined || allowedTools.length === 0 ? [] : every.filter((tool) => !named(allowedTools).includes(tool))
      return [
        ...entriesOf("managed", "deny", [...named(excludedTools), ...left]),
        ...entriesOf("managed", "ask", named(alwaysAsk)),
        ...entriesOf("managed", "allow", named(autoApprove))
      ]
    }

    const build = Effect.fnUntraced(function*({ extra = {}, riskProfile, session, userRules, workspace }: RuleSource) {
      const trial: Trial = { place: place(workspace), tools: known, analyse }
      const loaded = yield* Layers.load({
        user: { file: settings.configFile, table: settings.policy.rules },
        workspace: workspace.cwd,
        session: session.map(({ list, reason, rule }) => ({ list, text: rule, ...(reason === null ? {} : { reason }) }))
      }, trial)
      const added = (["deny", "ask", "allow"] as const).flatMap((list) => entriesOf("session", list, extra[list] ?? []))
      const rules = makeSet([...ofProfile(riskProfile), ...loaded.entries.filter((one) => counts(userRules, one)), ...added], known)
      const dangers = Dangers.of(trial)
      const propose: RuleBook["propose"] = (tool, { facts, parts, shapes }) => {
        const proposing = { tool, parts, facts, shapes, tools: known, dangers }
        return { allow: Propose.allow(proposing) ?? [], deny: Propose.deny(proposing) ?? [] }
      }
      yield* Effect.forEach(loaded.notes, (note) => Effect.logWarning(note), { discard: true })
      return { rules, notes: loaded.notes, propose } satisfies RuleBook
    }, Effect.provideContext(context))

    /** When each file that may hold rules was last written. */
    const stamp = (workspace: Workspace): string =>
      [Layers.managedFile, `${workspace.cwd}/.postern/rules.toml`, `${settings.configDir}/trusted.json`].map((file) =>
        statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0).join()

    return RuleBooks.of({
      read: (list, text) => parse(text, { list, tools: known }),
      load: (source) =>
        Effect.suspend(() => {
          const { extra, riskProfile, session, userRules, workspace } = source
          const key = JSON.stringify([workspace.cwd, workspace.roots, stamp(workspace), riskProfile, userRules, session, extra])
          const book = books.get(key)
          if (book) return Effect.succeed(book)
          return Effect.tap(build(source), (made) =>
            Effect.sync(() => {
              if (books.size >= 64) books.clear()
              books.set(key, made)
            }))
        })
    })
  }))
}
