import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { Effect, Option } from "effect"
import * as Files from "./Files.ts"
import * as FrontMatter from "./FrontMatter.ts"
import type { Workspace } from "./Workspace.ts"
import { beginning } from "../domain/Cut.ts"

/**
 * Skills: folders with a `SKILL.md` that begins with YAML front matter (docs/sessions.md#skills). They lie in `skills/`
 * of the agent's workspace and, for all agents, in `<config dir>/shared/skills/`; of two with one name the agent's own
 * counts.
 */
export interface Skill {
  readonly name: string
  readonly description: string
  /** Canonical; its other files are read like any file. */
  readonly folder: string
  /** Of its `SKILL.md`. */
  readonly path: string
}

/** More of one agent are not looked at. */
export const maxSkills = 200
/** Of one `SKILL.md`. */
export const maxBytes = 256 * 1024
const maxDescription = 1024

export const isName = (name: string): boolean => /^[A-Za-z0-9][\w.-]{0,63}$/.test(name)

/** Every skill of the session, by name. A folder that is no skill is passed over. */
export const list = Effect.fnUntraced(function*({ skills }: Pick<Workspace, "skills">) {
  const found = new Map<string, Skill>()
  for (const folder of skills) {
    for (const entry of yield* entriesOf(folder)) {
      const skill = yield* read(join(folder, entry))
      if (Option.isSome(skill) && !found.has(skill.value.name) && found.size < maxSkills) {
        found.set(skill.value.name, skill.value)
      }
    }
  }
  return [...found.values()].sort((a, b) => a.name < b.name ? -1 : 1)
})

/** The whole `SKILL.md`, without its front matter. */
export const load = (skill: Skill) =>
  Effect.map(Files.read(skill.path, maxBytes), ({ bytes }) => FrontMatter.parse(bytes.toString("utf8")).body.trim())

const entriesOf = (folder: string) =>
  Effect.promise(() =>
    readdir(folder, { withFileTypes: true }).then(
      (entries) => entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name).sort(),
      (): Array<string> => []
    )
  )

const read = Effect.fnUntraced(function*(folder: string): Effect.fn.Return<Option.Option<Skill>> {
  const path = join(folder, "SKILL.md")
  const file = yield* Effect.option(Files.read(path, maxBytes))
  if (Option.isNone(file)) return Option.none()
  const { fields } = FrontMatter.parse(file.value.bytes.toString("utf8"))
  const name = FrontMatter.textOf(fields["name"])
  const description = FrontMatter.textOf(fields["description"])?.replace(/\s+/g, " ") ?? ""
  if (name === undefined || !isName(name)) return Option.none()
  return Option.some({ name, description: beginning(description, maxDescription), folder, path })
})
