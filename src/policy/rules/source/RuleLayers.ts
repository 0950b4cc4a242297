import { Effect, FileSystem, Result } from "effect"
import { hint } from "../../../config/schema/Suggestion.ts"
import type { RiskProfile } from "../../../config/Profiles.ts"
import { type KnownTools, parse, type RuleKind } from "../Rule.ts"
import { type RuleEntry, ruleEntry, type RuleLayer } from "../RuleSet.ts"
import { RulesInvalid, type RuleTrial } from "./RulesFile.ts"
import type { PolicySettings } from "../../../domain/PolicySettings.ts"
import { projectFile } from "./RuleSource.ts"
import * as Dangers from "../propose/Dangers.ts"
import * as RulesFile from "./RulesFile.ts"
import { Trust } from "./Trust.ts"

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
}

interface RuleSources {
  readonly managedFile?: string
  /** The value of `[policy.rules]`, as it was read from `file`. */
  readonly user: { readonly file: string; readonly table: unknown }
  /** The canonical folder whose `.postern/rules.toml` counts. */
  readonly workspace: string
  readonly session?: ReadonlyArray<SessionRule>
}

interface LoadedRules {
  readonly entries: ReadonlyArray<RuleEntry>
  /** Allow rules of the project that do not count, because the workspace is not trusted. */
  readonly untrusted: ReadonlyArray<RuleEntry>
  /** Settings of the project's file, which may only narrow. */
  readonly settings: Partial<PolicySettings>
  /** Warnings. */
  readonly notes: ReadonlyArray<string>
}

const mostBytes = 262_144

const readFile = Effect.fnUntraced(function*(
  file: string
): Effect.fn.Return<string | undefined, RulesInvalid, FileSystem.FileSystem> {
  const fs = yield* FileSystem.FileSystem
  const refuse = (problem: string) => new RulesInvalid({ file, problem })
  const missing = <A>(
    read: Effect.Effect<A, { readonly message: string; readonly reason: { readonly _tag: string } }>
  ) =>
    Effect.catch(
      read,
      (error) =>
        error.reason._tag === "NotFound" ? Effect.undefined : Effect.fail(refuse(`cannot be read: ${error.message}`))
    )
  const info = yield* missing(fs.stat(file))
  if (info === undefined) return undefined
  if (info.type !== "File") return yield* refuse("is not a file")
  if (info.size > mostBytes) return yield* refuse(`has more than ${mostBytes} bytes`)
  return yield* missing(fs.readFileString(file))
})

const nothing: RulesFile.RulesFileContents = { entries: [], settings: {} }

const fileLayer = Effect.fnUntraced(function*(file: string, layer: RuleLayer, trial: RuleTrial) {
  const text = yield* readFile(file)
  return text === undefined ? nothing : yield* Effect.fromResult(RulesFile.decodeText(file, text, layer, trial))
})

/** A stored allow rule that this version cannot parse is dropped with a warning; a deny or ask rule fails the load. */
const sessionLayer = (rules: ReadonlyArray<SessionRule>, trial: RuleTrial) => {
  const notes: Array<string> = []
  const entries: Array<RuleEntry> = []
  for (const [position, { list, reason, text }] of rules.entries()) {
    const rule = parse(text, { list, tools: trial.tools })
    if (Result.isSuccess(rule)) {
      entries.push(ruleEntry("session", list, rule.success, reason))
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

/**
 * Loads every rule that counts for a session. An invalid file, also a project's, fails the load and with it the start
 * of the session: it may hold a deny rule. See docs/policy.md#rule-layers.
 */
export const load = Effect.fnUntraced(function*(sources: RuleSources, trial: RuleTrial) {
  const { entries: managed } = yield* fileLayer(sources.managedFile ?? managedFile, "managed", trial)
  const { entries: user } = yield* Effect.fromResult(
    RulesFile.decodeUserTable(sources.user.file, sources.user.table, trial)
  )
  const { entries: project, settings } = yield* fileLayer(projectFile(sources.workspace), "project", trial)
  const session = yield* Effect.fromResult(sessionLayer(sources.session ?? [], trial))
  const trust = yield* Trust
  const allows = project.filter(({ list }) => list === "allow")
  const trusted = allows.length === 0
    ? Result.succeed(true)
    : yield* Effect.result(trust.isTrusted(sources.workspace))
  const untrusted = Result.isSuccess(trusted) && trusted.success ? [] : allows
  const counting = project.filter((one) => !untrusted.includes(one))
  const entries = [...managed, ...user, ...counting, ...session.entries]
  const notes = [
    ...session.notes,
    ...(Result.isFailure(trusted) ? [`no workspace counts as trusted: ${trusted.failure.message}`] : []),
    ...(untrusted.length === 0
      ? []
      : [`${ofProject(untrusted.length)} not count, because ${sources.workspace} is not trusted`]),
    ...Dangers.of(trial).warnings(entries)
  ]
  return { entries, untrusted, settings, notes } satisfies LoadedRules as LoadedRules
})
