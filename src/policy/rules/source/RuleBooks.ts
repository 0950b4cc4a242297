import { statSync } from "node:fs"
import { homedir } from "node:os"
import { Context, Effect, FileSystem, Layer } from "effect"
import { LiveSettings } from "../../../config/LiveSettings.ts"
import { Settings } from "../../../config/Settings.ts"
import { Environment } from "../../../platform/Environment.ts"
import type { Workspace } from "../../../workspace/Workspace.ts"
import type { Decision } from "../../decision/Decision.ts"
import type { PolicySettings } from "../../../domain/PolicySettings.ts"
import { parse, type RuleKind, ToolVocabulary } from "../Rule.ts"
import type { ActionContext } from "../../decision/CallAction.ts"
import { readUserTable, type RulesInvalid, type RuleTrial } from "./RulesFile.ts"
import * as RuleLayers from "./RuleLayers.ts"
import type { Distrust } from "./RuleLayers.ts"
import * as Propose from "../propose/Propose.ts"
import { make as makeSet, type RuleEntry, type RuleSet } from "../RuleSet.ts"
import { Trust } from "./Trust.ts"
import { projectFile, type RuleSource } from "./RuleSource.ts"
import { analyse } from "../../shell/ShellAnalyser.ts"
import { policyFlagsOf } from "../../decision/PolicyFlags.ts"
import * as TestCommands from "../../decision/TestCommands.ts"

export interface RuleBook {
  readonly rules: RuleSet
  /** Settings of the project's file; `resolve` lets them only narrow. */
  readonly project: Partial<PolicySettings>
  /** Why allow rules of the project's file do not count, with the way out, where they would count if it was trusted. */
  readonly distrust: Distrust | undefined
  /** The rules that "always" would store. */
  readonly propose: (
    tool: string,
    decision: Decision
  ) => { readonly allow: ReadonlyArray<RuleEntry>; readonly deny: ReadonlyArray<RuleEntry> }
}

/** Whether the setting `user_rules` includes the layer of a rule; the layer `managed` always counts. */
const counts = (setting: PolicySettings["user_rules"], { layer }: RuleEntry): boolean => {
  switch (layer) {
    case "managed":
      return true
    case "session":
      return setting !== "none"
    case "user":
      return setting === "user" || setting === "user+project"
    case "project":
      return setting === "user+project"
  }
}

/** Changes with every change of the file; the reader refuses a file that cannot be read. */
const versionOf = (file: string): string => {
  try {
    const found = statSync(file, { throwIfNoEntry: false })
    return found === undefined ? "" : `${found.mtimeMs}/${found.ctimeMs}/${found.size}/${found.ino}`
  } catch {
    return "?"
  }
}

const noProfile = {}

/**
 * Rules of every layer, read again when a file or the session's own rules have changed. See docs/policy.md#rule-layers.
 */
export class RuleBooks extends Context.Service<RuleBooks, {
  readonly load: (source: RuleSource) => Effect.Effect<RuleBook, RulesInvalid>
  /** Parses a rule. */
  readonly read: (list: RuleKind, text: string) => ReturnType<typeof parse>
  /** Warnings about loaded rules; each is returned once. */
  readonly takeNotes: Effect.Effect<ReadonlyArray<string>>
}>()("postern/policy/RuleBooks") {
  static readonly layer = Layer.effect(
    RuleBooks,
    Effect.gen(function*() {
      const environment = yield* Environment
      const settings = yield* Settings
      const live = yield* LiveSettings
      const context = yield* Effect.context<FileSystem.FileSystem | Trust>()
      const known = yield* ToolVocabulary
      // Keyed by snapshot and profile objects: books of old ones are collected with them.
      const books = new WeakMap<object, WeakMap<object, Map<string, RuleBook>>>()
      const untold = new Set<string>()
      const told = new Set<string>()

      const place = ({ cwd, roots }: Workspace): ActionContext => ({ cwd, roots, home: homedir() })

      const build = Effect.fnUntraced(
        function*({ profile, riskProfile, session, userRules: setting, workspace }: RuleSource) {
          const trial: RuleTrial = { place: place(workspace), tools: known, analyse }
          const loaded = yield* RuleLayers.load({
            user: {
              file: settings.configFile,
              table: live.rules ? live.rules() : yield* readUserTable(settings.configFile, environment)
            },
            workspace: workspace.cwd,
            session: session.map(({ guard, list, reason, rule }) => ({
              list,
              text: rule,
              guard: guard === true,
              ...(reason === null ? {} : { reason })
            }))
          }, trial)
          yield* Effect.fromResult(
            TestCommands.check(settings.configFile, policyFlagsOf(live.last().policy).testCommands)
          )
          const listed = yield* Effect.fromResult(
            RuleLayers.read(settings.configFile, riskProfile, profile ?? {}, known)
          )
          const rules = makeSet([...listed.entries, ...loaded.entries.filter((one) => counts(setting, one))], known)
          const propose: RuleBook["propose"] = (tool, { facts, parts, shapes }) => {
            const proposing = { tool, parts, facts, shapes, tools: known }
            return { allow: Propose.allow(proposing) ?? [], deny: Propose.deny(proposing) ?? [] }
          }
          for (const note of [...listed.notes, ...loaded.notes]) if (!told.has(note)) untold.add(note)
          const distrust = setting === "user+project" ? loaded.distrust : undefined
          return { rules, project: loaded.settings, distrust, propose } satisfies RuleBook
        },
        Effect.provideContext(context)
      )

      /** The versions of all files that may hold rules. */
      const stamp = (workspace: Workspace): string =>
        [RuleLayers.managedFile, settings.configFile, projectFile(workspace.cwd), `${settings.configDir}/trusted.json`]
          .map(
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
