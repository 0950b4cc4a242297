import { Effect } from "effect"
import { LiveSettings } from "../../config/LiveSettings.ts"
import * as Files from "../../workspace/Files.ts"
import * as FrontMatter from "../../workspace/FrontMatter.ts"
import * as Skills from "../../workspace/Skills.ts"
import * as Bundles from "./Bundles.ts"
import * as Faults from "../protocol/Errors.ts"
import { faulty } from "../protocol/Faulty.ts"
import { SkillBundles } from "../protocol/SkillContracts.ts"

export const layer = SkillBundles.toLayer(Effect.gen(function*() {
  const { last } = yield* LiveSettings
  const bundlesOf = yield* Bundles.make

  /** The skills of one bundle, or of all that an agent has. */
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

  /** The one skill of that name. */
  const skillOf = Effect.fnUntraced(function*(
    { agent, bundle, name }: { readonly agent?: string | null; readonly bundle?: string | null; readonly name: string }
  ) {
    const { bundles, skills } = yield* skillsOf(agent, bundle)
    if (bundles.length === 0) {
      return yield* Faults.invalid(`there is no bundle ${JSON.stringify(bundle)}`, "bundle", "not_found")
    }
    const called = skills.filter(({ skill }) => skill.name === name)
    const [found] = called
    if (found === undefined) {
      return yield* Faults.invalid(`there is no skill ${JSON.stringify(name)}`, "name", "not_found")
    }
    const places = called.map(({ bundle }) => bundle)
    return Bundles.isPlain(places, last().acp.defaultAgent)
      ? found
      : yield* Faults.invalid(`name one of the bundles that have it (${places.join(", ")})`, "bundle", "ambiguous")
  })

  return SkillBundles.of({
    "skills/bundles": ({ agent }) =>
      faulty(
        Effect.map(
          bundlesOf(agent),
          (found) => ({ bundles: found.map((bundle) => ({ ...bundle, include: [], exclude: [] })) })
        )
      ),

    "skills/list": ({ agent, bundle }) =>
      faulty(Effect.map(skillsOf(agent, bundle), ({ skills }) => ({
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
        ({ detail }) => Faults.invalid(detail, "name", "not_found")
      )
      const content = bytes.toString("utf8")
      const { body, fields } = FrontMatter.parse(content)
      return { bundle, name: asked.name, directory: folder, frontmatter: fields, body, content }
    }, faulty)
  })
}))
