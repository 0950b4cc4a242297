import { statSync } from "node:fs"
import { homedir } from "node:os"
import { Context, Effect, FileSystem, Layer } from "effect"
import { LiveSettings } from "../../config/LiveSettings.ts"
import { Settings } from "../../config/Settings.ts"
import type { Workspace } from "../../workspace/Workspace.ts"
import type { Decision } from "../decision/Decision.ts"
import type { PolicySettings } from "../../domain/PolicySettings.ts"
import { ToolVocabulary } from "./ToolVocabulary.ts"
import type { ActionContext } from "../decision/CallAction.ts"
import * as Dangers from "./Dangers.ts"
import type { Trial } from "./Examples.ts"
import * as Layers from "./Layers.ts"
import * as ProfileLists from "./ProfileLists.ts"
import * as Propose from "./Propose.ts"
import { type List, parse } from "./Rule.ts"
import { type Entry, make as makeSet, type RuleSet } from "./RuleSet.ts"
import { readUserTable, type RulesInvalid } from "./RulesFile.ts"
import { Trust } from "./Trust.ts"
import { projectFile, type RuleSource } from "./RuleSource.ts"
import { analyse } from "../shell/ShellAnalyser.ts"
import { policyFlagsOf } from "../decision/PolicyFlags.ts"
import * as TestCommands from "../decision/TestCommands.ts"

export interface RuleBook {
  readonly rules: RuleSet
  /** What the project's file sets; `resolve` lets it narrow only. */
  readonly project: Partial<PolicySettings>
  /** Rules that would answer this question for good. */
  readonly propose: (
    tool: string,
    decision: Decision
  ) => { readonly allow: ReadonlyArray<Entry>; readonly deny: ReadonlyArray<Entry> }
}

/** Layers that a value of the knob `user_rules` lets count; the operator's always do. */
const counts = (knob: PolicySettings["user_rules"], { layer }: Entry): boolean => {
  switch (layer) {
    case "managed":
      return true
    case "session":
      return knob !== "none"
    case "user":
      return knob === "user" || knob === "user+project"
    case "project":
      return knob === "user+project"
  }
}

/** Changes with every change of a file; one that cannot be looked at is for its reader to refuse. */
const versionOf = (file: string): string => {
  try {
    const found = statSync(file, { throwIfNoEntry: false })
    return found === undefined ? "" : `${found.mtimeMs}/${found.size}/${found.ino}`
  } catch {
    return "?"
  }
}

const noProfile = {}

/**
 * Rules of every layer, read once and again when a file or the session's own rules have changed
 * (docs/policy.md#rule-layers).
 */
export class RuleBooks extends Context.Service<RuleBooks, {
  readonly load: (source: RuleSource) => Effect.Effect<RuleBook, RulesInvalid>
  /** The entry a rule would be, or why it cannot be read. */
  readonly read: (list: List, text: string) => ReturnType<typeof parse>
  /** Sentences worth a warning about the rules that were loaded; each is given once. */
  readonly takeNotes: Effect.Effect<ReadonlyArray<string>>
}>()("postern/policy/RuleBooks") {
  static readonly layer = Layer.effect(
    RuleBooks,
    Effect.gen(function*() {
      const settings = yield* Settings
      const live = yield* LiveSettings
      const context = yield* Effect.context<FileSystem.FileSystem | Trust>()
      const known = yield* ToolVocabulary
      // By the reading of the configuration and the profile: what was made from an old one goes with it.
      const books = new WeakMap<object, WeakMap<object, Map<string, RuleBook>>>()
      const untold = new Set<string>()
      const told = new Set<string>()

      const place = ({ cwd, roots }: Workspace): ActionContext => ({ cwd, roots, home: homedir() })

      const build = Effect.fnUntraced(
        function*({ profile, riskProfile, session, userRules: knob, workspace }: RuleSource) {
          const trial: Trial = { place: place(workspace), tools: known, analyse }
          const loaded = yield* Layers.load({
            user: {
              file: settings.configFile,
              table: live.rules ? live.rules() : yield* readUserTable(settings.configFile)
            },
            workspace: workspace.cwd,
            session: session.map(({ list, reason, rule }) => ({
              list,
              text: rule,
              ...(reason === null ? {} : { reason })
            }))
          }, trial)
          yield* Effect.fromResult(
            TestCommands.check(settings.configFile, policyFlagsOf(live.last().policy).testCommands)
          )
          const listed = yield* Effect.fromResult(
            ProfileLists.read(settings.configFile, riskProfile, profile ?? {}, known)
          )
          const rules = makeSet([...listed.entries, ...loaded.entries.filter((one) => counts(knob, one))], known)
          const dangers = Dangers.of(trial)
          const propose: RuleBook["propose"] = (tool, { facts, parts, shapes }) => {
            const proposing = { tool, parts, facts, shapes, tools: known, dangers }
            return { allow: Propose.allow(proposing) ?? [], deny: Propose.deny(proposing) ?? [] }
          }
          for (const note of [...listed.notes, ...loaded.notes]) if (!told.has(note)) untold.add(note)
          return { rules, project: loaded.knobs, propose } satisfies RuleBook
        },
        Effect.provideContext(context)
      )

      /** Which version of each file that may hold rules is there. */
      const stamp = (workspace: Workspace): string =>
        [Layers.managedFile, settings.configFile, projectFile(workspace.cwd), `${settings.configDir}/trusted.json`].map(
          versionOf
        ).join()

      return RuleBooks.of({
        read: (list, text) => parse(text, { list, tools: known }),
        takeNotes: Effect.sync(() => {
          const notes = Array.from(untold)
          for (const note of notes) told.add(note)
          untold.clear()
          return notes
        }),
        load: Effect.fnUntraced(function*(source) {
          const { onProject, profile = noProfile, riskProfile, session, userRules, workspace } = source
          const key = JSON.stringify([
            workspace.cwd,
            workspace.roots,
            stamp(workspace),
            riskProfile,
            userRules,
            session
          ])
          const reading = live.last()
          const ofReading = books.get(reading) ?? new WeakMap<object, Map<string, RuleBook>>()
          books.set(reading, ofReading)
          const ofProfile = ofReading.get(profile) ?? new Map<string, RuleBook>()
          ofReading.set(profile, ofProfile)
          const known = ofProfile.get(key)
          const book = known ?? (yield* build(source))
          if (!known && ofProfile.size >= 64) ofProfile.clear()
          ofProfile.set(key, book)
          if (onProject) yield* onProject(book.project)
          return book
        })
      })
    })
  )
}
