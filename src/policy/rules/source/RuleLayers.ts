import { Effect, Result } from "effect"
import { hint } from "../../../config/schema/Suggestion.ts"
import type { RiskProfile } from "../../../config/Profiles.ts"
import { type KnownTools, parse, type RuleKind } from "../Rule.ts"
import { type RuleEntry, ruleEntry, type RuleLayer } from "../RuleSet.ts"
import { RulesInvalid, type RuleTrial } from "./RulesFile.ts"
import type { PolicySettings } from "../../../domain/PolicySettings.ts"
import { projectFile } from "./RuleSource.ts"
import * as Dangers from "../propose/Dangers.ts"
import * as RulesFile from "./RulesFile.ts"
import * as RulesText from "./RulesText.ts"
import { Trust, trustCommand } from "./Trust.ts"

interface ProfileRules {
  readonly entries: ReadonlyArray<RuleEntry>
  /** Warnings about names of unknown tools. */
  readonly notes: ReadonlyArray<string>
}

const lists = [
  ["excludedTools", "excluded_tools", "deny"],
  ["alwaysAsk", "always_ask", "ask"],
  ["autoApprove", "auto_approve", "allow"]
] as const

/** Reads the tool lists of a risk profile as rules of the layer `managed`. See docs/policy.md#tool-lists. */
export const read = (
  file: string,
  name: string,
  profile: Partial<RiskProfile>,
  tools: KnownTools
): Result.Result<ProfileRules, RulesInvalid> => {
  const { allowedTools } = profile
  const every = Array.from(tools.keys())
  const named = (texts: ReadonlyArray<string>) => texts.flatMap((text) => text.trim() === "*" ? every : [text.trim()])
  const allowed = new Set(named(allowedTools ?? []))
  // An empty list allows nothing; any other list does not affect tools of MCP servers.
  const left = allowedTools === undefined
    ? []
    : allowed.size === 0
    ? [...every, "mcp__*"]
    : every.filter((tool) => !allowed.has(tool) && !tool.includes("__"))
  const entries: Array<RuleEntry> = []
  const notes = Array.from(allowed).filter((text) => !tools.has(text) && !text.includes("__")).map((text) =>
    `risk_profiles.${name}.allowed_tools: there is no tool ${JSON.stringify(text)}${hint(text, every)}`
  )
  for (const [property, key, list] of lists) {
    const place = `risk_profiles.${name}.${key}`
    const texts = named(profile[property] ?? [])
    for (const [position, text] of (list === "deny" ? [...texts, ...left] : texts).entries()) {
      const rule = parse(text, { list, tools })
      if (Result.isSuccess(rule)) entries.push(ruleEntry("managed", list, rule.success))
      else if (rule.failure.unknownTool) notes.push(`${place}: ${rule.failure.problem}`)
      else {
        const { message: problem } = rule.failure
        return Result.fail(new RulesInvalid({ file, list: place, index: position + 1, rule: text, problem }))
      }
    }
  }
  return Result.succeed({ entries, notes })
}

export const managedFile = "/etc/postern/rules.toml"

/** A rule of a session, which no file holds. */
export interface SessionRule {
  readonly list: RuleKind
  readonly text: string
  readonly reason?: string
  readonly guard?: boolean
}

interface RuleSources {
  readonly managedFile?: string
  /** The value of `[policy.rules]`, as it was read from `file`. */
  readonly user: { readonly file: string; readonly table: unknown }
  /** The canonical folder whose `.postern/rules.toml` counts. */
  readonly workspace: string
  readonly session?: ReadonlyArray<SessionRule>
}

/** That allow rules of a project do not count, and the way out. */
export interface Distrust {
  readonly title: string
  readonly description: string
  /** Another one for another content. */
  readonly key: string
}

interface LoadedRules {
  readonly entries: ReadonlyArray<RuleEntry>
  /** Allow rules of the project that do not count, because nobody trusts the file as it is now. */
  readonly untrusted: ReadonlyArray<RuleEntry>
  readonly distrust: Distrust | undefined
  /** Settings of the project's file, which may only narrow. */
  readonly settings: Partial<PolicySettings>
  /** Warnings. */
  readonly notes: ReadonlyArray<string>
}

const fileLayer = (file: string, layer: RuleLayer, trial: RuleTrial) => {
  const read = Result.mapError(RulesText.read(file), (problem) => new RulesInvalid({ file, problem }))
  return Result.flatMap(
    read,
    ({ root, sha256 }) =>
      Result.map(RulesFile.decodeRoot(file, root, layer, trial), (contents) => ({ ...contents, sha256 }))
  )
}

/** A stored allow rule that this version cannot parse is dropped with a warning; a deny or ask rule fails the load. */
const sessionLayer = (rules: ReadonlyArray<SessionRule>, trial: RuleTrial) => {
  const notes: Array<string> = []
  const entries: Array<RuleEntry> = []
  for (const [position, { guard, list, reason, text }] of rules.entries()) {
    const rule = parse(text, { list, tools: trial.tools })
    if (Result.isSuccess(rule)) {
      entries.push(ruleEntry("session", list, rule.success, { guard, reason }))
    } else if (list === "allow") {
      notes.push(`the session's allow rule ${JSON.stringify(text)} no longer counts: ${rule.failure.message}`)
    } else {
      const { message: problem } = rule.failure
      return Result.fail(new RulesInvalid({ file: "session", list, index: position + 1, rule: text, problem }))
    }
  }
  return Result.succeed({ entries, notes })
}

const ofProject = (count: number) =>
  count === 1 ? "1 allow rule of this project does" : `${count} allow rules of this project do`

const distrustOf = (count: number, workspace: string, sha256: string, isChanged: boolean): Distrust => ({
  title: isChanged
    ? `${ofProject(count)} not count, because .postern/rules.toml is not what you trusted`
    : `${ofProject(count)} not count, because ${workspace} is not trusted`,
  description: `To read ${count === 1 ? "it" : "them"} and trust ${isChanged ? "the file again" : "the file"}: ${
    trustCommand(workspace)
  }`,
  key: sha256
})

/**
 * Loads every rule that counts for a session. An invalid file, also a project's, fails the load and with it the start
 * of the session: it may hold a deny rule. See docs/policy.md#rule-layers.
 */
export const load = Effect.fnUntraced(function*(sources: RuleSources, trial: RuleTrial) {
  const { workspace } = sources
  const { entries: managed } = yield* Effect.fromResult(
    fileLayer(sources.managedFile ?? managedFile, "managed", trial)
  )
  const { entries: user } = yield* Effect.fromResult(
    RulesFile.decodeUserTable(sources.user.file, sources.user.table, trial)
  )
  const { entries: project, settings, sha256 } = yield* Effect.fromResult(
    fileLayer(projectFile(workspace), "project", trial)
  )
  const session = yield* Effect.fromResult(sessionLayer(sources.session ?? [], trial))
  const trust = yield* Trust
  const allows = project.filter(({ list }) => list === "allow")
  const state = allows.length === 0
    ? Result.succeed("trusted" as const)
    : yield* Effect.result(trust.stateOf(workspace, sha256))
  const untrusted = Result.isSuccess(state) && state.success === "trusted" ? [] : allows
  const counting = project.filter((one) => !untrusted.includes(one))
  const entries = [...managed, ...user, ...counting, ...session.entries]
  const distrust = untrusted.length === 0
    ? undefined
    : distrustOf(untrusted.length, workspace, sha256, Result.isSuccess(state) && state.success === "changed")
  const notes = [
    ...session.notes,
    ...(Result.isFailure(state) ? [`no workspace counts as trusted: ${state.failure.message}`] : []),
    ...(distrust === undefined ? [] : [`${distrust.title}. ${distrust.description}`]),
    ...Dangers.of(trial).warnings(entries)
  ]
  return { entries, untrusted, distrust, settings, notes } satisfies LoadedRules as LoadedRules
})
