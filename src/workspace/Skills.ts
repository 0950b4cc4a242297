import { lstat, readdir, realpath, rename } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { DateTime, Effect, Option } from "effect"
import * as Files from "./Files.ts"
import * as FrontMatter from "./FrontMatter.ts"
import type { Workspace } from "./Workspace.ts"
import { attempt, fault, type FileFault } from "./Files.ts"
import { makeFolder } from "../platform/MakeFolder.ts"

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
const maxSkills = 200
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
  return Option.some({ name, description: description.slice(0, maxDescription), folder, path })
})

/** The folder that skills of one kind lie in, below another one that is the operator's to name. */
interface SkillFolder {
  /** Absolute; made where it is missing. */
  readonly top: string
  /** Relative to it. */
  readonly folder: string
}

/** Of the shelf's own folder; what was deleted lies here. */
const archive = "skills-archive"

/** Replaces the skill's `SKILL.md`, or begins a skill; links are not followed below `top`. */
export const write = Effect.fnUntraced(function*(shelf: SkillFolder, name: string, text: string) {
  const { folder, top } = yield* placed(shelf)
  const skills = yield* list({ skills: [folder] })
  const known = skills.find((skill) => skill.name === name)
  if (known !== undefined) return yield* Files.write(known.path, Buffer.from(text), top)
  const path = join(folder, name, "SKILL.md")
  if (skills.length >= maxSkills) {
    return yield* fault(path, "large", `there are ${skills.length} skills here, which is the limit.`)
  }
  const other = skills.find((skill) => skill.path === path)
  if (other !== undefined) return yield* fault(path, "stale", `this folder is that of the skill ${other.name}.`)
  return yield* Files.write(path, Buffer.from(text), top)
})

/** Moves the skill's folder, with all that is in it, to the archive beside the shelf; gives its new path, if it was there. */
export const remove = Effect.fnUntraced(function*(shelf: SkillFolder, name: string): Effect.fn.Return<
  Option.Option<string>,
  FileFault
> {
  const { folder, top } = yield* placed(shelf)
  const known = (yield* list({ skills: [folder] })).find((skill) => skill.name === name)
  if (known === undefined) return Option.none()
  const now = DateTime.formatIso(yield* DateTime.now).replaceAll(":", "-")
  const target = join(dirname(folder), archive, `${basename(known.folder)}.${now}`)
  return Option.some(yield* Effect.uninterruptible(attempt(known.folder, () => move(known.folder, target, top))))
})

const placed = Effect.fnUntraced(function*({ folder, top }: SkillFolder) {
  yield* attempt(top, async () => makeFolder(top))
  const canonical = yield* attempt(top, () => realpath(top))
  return { top: canonical, folder: join(canonical, folder) }
})

const absent = (path: string) => lstat(path).then(() => false, () => true)

const move = async (from: string, to: string, top: string): Promise<string> => {
  const target = await Files.openOrCreate(dirname(to), top)
  try {
    return await Files.inside(dirname(from), async (base) => {
      let name = basename(to)
      for (let again = 1; !(await absent(join(target.base, name))); again++) name = `${basename(to)}-${again}`
      await rename(join(base, basename(from)), join(target.base, name))
      return join(dirname(to), name)
    })
  } finally {
    await target.handle.close()
  }
}
