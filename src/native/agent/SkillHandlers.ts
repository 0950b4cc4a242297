import { join } from "node:path"
import { Effect, Option } from "effect"
import { LiveSettings } from "../../config/LiveSettings.ts"
import { Settings } from "../../config/Settings.ts"
import type { AgentSettings } from "../../config/Snapshot.ts"
import * as KeyedLock from "../../platform/KeyedLock.ts"
import { Agents } from "../../session/lifecycle/Agents.ts"
import type { FileFault } from "../../workspace/Files.ts"
import * as Files from "../../workspace/Files.ts"
import * as FrontMatter from "../../workspace/FrontMatter.ts"
import * as SkillEdits from "../../workspace/SkillEdits.ts"
import * as Skills from "../../workspace/Skills.ts"
import { caller, usableAgent } from "../access/Access.ts"
import { SkillMethods } from "../protocol/AgentContracts.ts"
import * as Errors from "../protocol/Errors.ts"
import { mapRpcErrors } from "../protocol/Errors.ts"

/** The methods `skills/*`; see docs/native-rpc.md#skills. */

/** A folder of skills, by a name that no other bundle has. */
interface Bundle {
  readonly alias: string
  readonly directory: string
}

/** The bundle that belongs to no agent. */
const shared = "shared"

/** The bundle of an agent that is called "shared". */
const ofAgentShared = `agents/${shared}`

const bundleOf = (agent: string): string => agent === shared ? ofAgentShared : agent

const agentOfBundle = (bundle: string): string => bundle === ofAgentShared ? shared : bundle

/**
 * The bundles of the agent that is named; without a name those of all agents that the caller may use, that of `acp.default_agent` first.
 * The bundle that all agents share comes last.
 */
const makeBundles = Effect.gen(function*() {
  const { configDir } = yield* Settings
  const live = yield* LiveSettings
  const agentOf = usableAgent(yield* Agents)
  const ofAll: Bundle = { alias: shared, directory: join(configDir, "shared", "skills") }

  const inOrder = Effect.map(live.current, ({ acp, agents }) => {
    const enabled = Array.from(agents.values()).filter((agent) => agent.enabled)
    const isDefault = ({ alias }: AgentSettings) => alias === acp.defaultAgent
    return [...enabled.filter(isDefault), ...enabled.filter((agent) => !isDefault(agent))]
  })

  const ownOf = ({ alias, workspace }: AgentSettings): Bundle => ({
    alias: bundleOf(alias),
    directory: join(workspace, "skills")
  })

  return Effect.fnUntraced(function*(named: string | null | undefined) {
    const me = yield* caller
    const usable = typeof named === "string" ? [] : (yield* inOrder).filter(({ alias }) => me.mayUseAgent(alias))
    const meant = usable.length > 0 ? usable : [yield* agentOf(named)]
    return [...meant.map(ownOf), ofAll]
  })
})

/** Whether a call that names no bundle means the first one: it is the default agent's, or no other agent has one. */
const isUnambiguous = (bundles: ReadonlyArray<string>, defaultAgent: string | undefined): boolean =>
  bundles.filter((alias) => alias !== shared).length < 2 ||
  (defaultAgent !== undefined && bundles[0] === bundleOf(defaultAgent))

interface SkillTarget {
  readonly agent?: string | null
  readonly bundle: string
  readonly name: string
}

interface SkillDraft {
  readonly name: string
  readonly frontmatter?: FrontMatter.FrontMatterFields | null
  readonly body?: string | null
  readonly content?: string | null
}

const checkedName = (name: string) =>
  Skills.isName(name)
    ? Effect.succeed(name)
    : Errors.invalid("name: at most 64 letters, digits, dots, dashes and underscores, a letter or digit first", "name")

/** The text of a `SKILL.md` that is the skill of this name when it is read again. */
const textOf = Effect.fnUntraced(function*({ body, content, frontmatter, name }: SkillDraft) {
  const whole = typeof content === "string"
  if (whole === (typeof body === "string" || Boolean(frontmatter))) {
    return yield* Errors.invalid("either content, or frontmatter and body", "content")
  }
  const odd = Object.keys(frontmatter ?? {}).find((key) => !FrontMatter.isKey(key))
  if (odd !== undefined) {
    return yield* Errors.invalid(`frontmatter: ${JSON.stringify(odd)} is no name of a field`, "frontmatter")
  }
  const text = whole ? content : FrontMatter.render({ fields: { name, ...frontmatter }, body: body ?? "" })
  const field = whole ? "content" : "frontmatter"
  if (text.includes("\0") || !text.isWellFormed()) {
    return yield* Errors.invalid("the skill is not text", field, "malformed")
  }
  if (Buffer.byteLength(text) > Skills.maxBytes) {
    return yield* Errors.invalid(`a skill has at most ${Skills.maxBytes} bytes`, field, "too_large")
  }
  const { fields } = FrontMatter.parse(text)
  return FrontMatter.textOf(fields["name"]) === name && typeof (fields["description"] ?? "") === "string"
    ? text
    : yield* Errors.invalid(
      `${field}: must have the name ${JSON.stringify(name)} and a description that is a text`,
      field
    )
})

const unchangeable = ({ detail, reason }: FileFault) => {
  const message = `the skill cannot be changed: ${detail}`
  switch (reason) {
    case "stale":
      return Errors.invalid(message, "name", "conflict")
    case "folder":
    case "large":
    case "link":
    case "missing":
    case "special":
      return Errors.invalid(message, "name", "invalid")
    default:
      return Errors.unavailable(message)
  }
}

export const layer = SkillMethods.toLayer(Effect.gen(function*() {
  const { configDir } = yield* Settings
  const live = yield* LiveSettings
  const agentOf = usableAgent(yield* Agents)
  const bundlesOf = yield* makeBundles
  const lock = KeyedLock.make()

  /** The skills of one bundle, or of all bundles of an agent. */
  const skillsOf = Effect.fnUntraced(function*(alias: string | null | undefined, bundle: string | null | undefined) {
    const bundles = (yield* bundlesOf(alias)).filter((one) =>
      bundle === undefined || bundle === null || one.alias === bundle
    )
    const found = yield* Effect.forEach(
      bundles,
      (one) =>
        Effect.map(
          Skills.list({ skills: [one.directory] }),
          (skills) => skills.map((skill) => ({ bundle: one.alias, skill }))
        )
    )
    return { bundles, skills: found.flat() }
  })

  const skillOf = Effect.fnUntraced(function*(
    { agent, bundle, name }: { readonly agent?: string | null; readonly bundle?: string | null; readonly name: string }
  ) {
    const { bundles, skills } = yield* skillsOf(agent, bundle)
    if (bundles.length === 0) {
      return yield* Errors.invalid(`there is no bundle ${JSON.stringify(bundle)}`, "bundle", "not_found")
    }
    const called = skills.filter(({ skill }) => skill.name === name)
    const [found] = called
    if (found === undefined) {
      return yield* Errors.invalid(`there is no skill ${JSON.stringify(name)}`, "name", "not_found")
    }
    const owners = called.map(({ bundle }) => bundle)
    return isUnambiguous(owners, live.last().acp.defaultAgent)
      ? found
      : yield* Errors.invalid(`name one of the bundles that have it (${owners.join(", ")})`, "bundle", "ambiguous")
  })

  /** Only those who may use every agent change the skills that every agent reads. */
  const sharedShelf = Effect.gen(function*() {
    const me = yield* caller
    const missing = Array.from((yield* live.current).agents.keys()).find((alias) => !me.mayUseAgent(alias))
    if (missing !== undefined) {
      return yield* Errors.forbidden(
        `Principal "${me.id}" may not use agent "${missing}", which has the skills of bundle "${shared}", too`,
        { agent: missing }
      )
    }
    return { top: configDir, folder: "shared/skills" }
  })

  const shelfOf = Effect.fnUntraced(function*({ agent, bundle }: SkillTarget) {
    if (bundle === shared) return yield* sharedShelf
    const { alias, workspace } = yield* typeof agent === "string"
      ? agentOf(agent)
      : agentOf(agentOfBundle(bundle), "bundle")
    return bundleOf(alias) === bundle
      ? { top: workspace, folder: "skills" }
      : yield* Errors.invalid(`agent "${alias}" has no bundle ${JSON.stringify(bundle)}`, "bundle", "not_found")
  })

  return SkillMethods.of({
    "skills/bundles": ({ agent }) =>
      mapRpcErrors(
        Effect.map(
          bundlesOf(agent),
          (found) => ({ bundles: found.map((bundle) => ({ ...bundle, include: [], exclude: [] })) })
        )
      ),

    "skills/list": ({ agent, bundle }) =>
      mapRpcErrors(Effect.map(skillsOf(agent, bundle), ({ skills }) => ({
        skills: skills.map(({ bundle, skill: { description, folder, name } }) => ({
          bundle,
          name,
          directory: folder,
          frontmatter: { name, description }
        }))
      }))),

    "skills/read": Effect.fnUntraced(function*(asked) {
      const { bundle, skill: { folder, path } } = yield* skillOf(asked)
      const { bytes } = yield* Effect.mapError(
        Files.read(path, 256 * 1024),
        ({ detail }) => Errors.invalid(detail, "name", "not_found")
      )
      const content = bytes.toString("utf8")
      const { body, fields } = FrontMatter.parse(content)
      return { bundle, name: asked.name, directory: folder, frontmatter: fields, body, content }
    }, mapRpcErrors),

    "skills/write": Effect.fnUntraced(function*(asked) {
      const shelf = yield* shelfOf(asked)
      const name = yield* checkedName(asked.name)
      const write = SkillEdits.write(shelf, name, yield* textOf(asked))
      yield* Effect.mapError(lock.within(name)(write), unchangeable)
      return { bundle: asked.bundle, name, written: true }
    }, mapRpcErrors),

    "skills/delete": Effect.fnUntraced(function*(asked) {
      const shelf = yield* shelfOf(asked)
      const name = yield* checkedName(asked.name)
      const archive = yield* Effect.mapError(lock.within(name)(SkillEdits.remove(shelf, name)), unchangeable)
      return {
        bundle: asked.bundle,
        name,
        deleted: Option.isSome(archive),
        ...(Option.isSome(archive) ? { archive: archive.value } : {})
      }
    }, mapRpcErrors)
  })
}))
