import { Effect, Option } from "effect"
import { LiveSettings } from "../../config/LiveSettings.ts"
import { Settings } from "../../config/Settings.ts"
import { Agents } from "../../session/lifecycle/Agents.ts"
import * as KeyedLock from "../../platform/KeyedLock.ts"
import type { FileFault } from "../../workspace/FileFault.ts"
import * as FrontMatter from "../../workspace/FrontMatter.ts"
import * as Skills from "../../workspace/Skills.ts"
import * as SkillShelf from "../../workspace/SkillShelf.ts"
import { caller } from "../access/Access.ts"
import * as Bundles from "./Bundles.ts"
import * as Entitled from "../access/Entitled.ts"
import * as Faults from "../protocol/Errors.ts"
import { faulty } from "../protocol/Faulty.ts"
import { SkillChanges } from "../protocol/SkillContracts.ts"

interface Asked {
  readonly agent?: string | null
  readonly bundle: string
  readonly name: string
}

interface Draft {
  readonly name: string
  readonly frontmatter?: FrontMatter.Fields | null
  readonly body?: string | null
  readonly content?: string | null
}

const named = (name: string) =>
  Skills.isName(name)
    ? Effect.succeed(name)
    : Faults.invalid("name: at most 64 letters, digits, dots, dashes and underscores, a letter or digit first", "name")

/** A `SKILL.md` that is the skill of this name when it is read again. */
const textOf = Effect.fnUntraced(function*({ body, content, frontmatter, name }: Draft) {
  const whole = typeof content === "string"
  if (whole === (typeof body === "string" || Boolean(frontmatter))) {
    return yield* Faults.invalid("either content, or frontmatter and body", "content")
  }
  const odd = Object.keys(frontmatter ?? {}).find((key) => !FrontMatter.isKey(key))
  if (odd !== undefined) {
    return yield* Faults.invalid(`frontmatter: ${JSON.stringify(odd)} is no name of a field`, "frontmatter")
  }
  const text = whole ? content : FrontMatter.render({ fields: { name, ...frontmatter }, body: body ?? "" })
  const field = whole ? "content" : "frontmatter"
  if (text.includes("\0") || !text.isWellFormed()) {
    return yield* Faults.invalid("the skill is not text", field, "malformed")
  }
  if (Buffer.byteLength(text) > Skills.maxBytes) {
    return yield* Faults.invalid(`a skill has at most ${Skills.maxBytes} bytes`, field, "too_large")
  }
  const { fields } = FrontMatter.parse(text)
  return FrontMatter.textOf(fields["name"]) === name && typeof (fields["description"] ?? "") === "string"
    ? text
    : yield* Faults.invalid(
      `${field}: must have the name ${JSON.stringify(name)} and a description that is a text`,
      field
    )
})

const refused = ({ detail, reason }: FileFault) => {
  const message = `the skill cannot be changed: ${detail}`
  switch (reason) {
    case "stale":
      return Faults.invalid(message, "name", "conflict")
    case "folder":
    case "large":
    case "link":
    case "missing":
    case "special":
      return Faults.invalid(message, "name", "invalid")
    default:
      return Faults.unavailable(message)
  }
}

export const layer = SkillChanges.toLayer(Effect.gen(function*() {
  const { configDir } = yield* Settings
  const live = yield* LiveSettings
  const agentOf = Entitled.agentOf(yield* Agents)
  const lock = KeyedLock.make()

  /** What every agent reads is for those to change who may use every agent. */
  const common = Effect.gen(function*() {
    const me = yield* caller
    const missing = Array.from((yield* live.current).agents.keys()).find((alias) => !me.mayUseAgent(alias))
    if (missing !== undefined) {
      return yield* Faults.forbidden(
        `Principal "${me.id}" may not use agent "${missing}", which has the skills of bundle "${Bundles.shared}", too`,
        { agent: missing }
      )
    }
    return { top: configDir, folder: "shared/skills" }
  })

  const shelfOf = Effect.fnUntraced(function*({ agent, bundle }: Asked) {
    if (bundle === Bundles.shared) return yield* common
    const { alias, workspace } = yield* typeof agent === "string"
      ? agentOf(agent)
      : agentOf(Bundles.agentNamed(bundle), "bundle")
    return Bundles.nameOf(alias) === bundle
      ? { top: workspace, folder: "skills" }
      : yield* Faults.invalid(`agent "${alias}" has no bundle ${JSON.stringify(bundle)}`, "bundle", "not_found")
  })

  return SkillChanges.of({
    "skills/write": Effect.fnUntraced(function*(asked) {
      const shelf = yield* shelfOf(asked)
      const name = yield* named(asked.name)
      const write = SkillShelf.write(shelf, name, yield* textOf(asked))
      yield* Effect.mapError(lock.within(name)(write), refused)
      return { bundle: asked.bundle, name, written: true }
    }, faulty),

    "skills/delete": Effect.fnUntraced(function*(asked) {
      const shelf = yield* shelfOf(asked)
      const name = yield* named(asked.name)
      const archive = yield* Effect.mapError(lock.within(name)(SkillShelf.remove(shelf, name)), refused)
      return {
        bundle: asked.bundle,
        name,
        deleted: Option.isSome(archive),
        ...(Option.isSome(archive) ? { archive: archive.value } : {})
      }
    }, faulty)
  })
}))
