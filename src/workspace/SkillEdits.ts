import { DateTime, Effect, Option } from "effect"
import { lstat, realpath, rename } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { makeFolder } from "../platform/MakeFolder.ts"
import { list, maxSkills } from "./Skills.ts"
import * as Files from "./Files.ts"
import { attempt, fault, type FileFault } from "./Files.ts"

/** A folder of skills, below a folder that the operator names. */
interface SkillFolder {
  /** Absolute; made where it is missing. */
  readonly top: string
  /** Relative to it. */
  readonly folder: string
}

/** The sibling of a folder of skills to which deleted skills are moved. */
const archive = "skills-archive"

/** Replaces the `SKILL.md` of a skill, or creates the skill; links are not followed below `top`. */
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

/** Moves the skill's folder, with all that is in it, to the archive; returns its new path, or none without such a skill. */
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
