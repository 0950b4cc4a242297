import { Effect } from "effect"
import { join } from "node:path"
import { type Agent, Settings } from "../app/Settings.ts"
import { Agents } from "../session/Agents.ts"
import * as Files from "../workspace/Files.ts"
import * as FrontMatter from "../workspace/FrontMatter.ts"
import * as Skills from "../workspace/Skills.ts"
import * as Entitled from "./Entitled.ts"
import * as Faults from "./Faults.ts"
import { faulty } from "./Faulty.ts"
import { SkillBundles } from "./SkillContracts.ts"

export const layer = SkillBundles.toLayer(Effect.gen(function*() {
  const settings = yield* Settings
  const agentOf = Entitled.agentOf(yield* Agents)

  const bundlesOf = ({ alias, workspace }: Agent) => [
    { alias, directory: join(workspace, "skills") },
    { alias: "shared", directory: join(settings.configDir, "shared", "skills") }
  ]

  /** The skills of one bundle, or of all that an agent has. */
  const skillsOf = Effect.fnUntraced(function*(alias: string | null | undefined, bundle: string | null | undefined) {
    const bundles = bundlesOf(yield* agentOf(alias)).filter((one) =>
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
    return found.flat()
  })

  return SkillBundles.of({
    "skills/bundles": ({ agent }) =>
      faulty(
        Effect.map(
          agentOf(agent),
          (found) => ({ bundles: bundlesOf(found).map((bundle) => ({ ...bundle, include: [], exclude: [] })) })
        )
      ),

    "skills/list": ({ agent, bundle }) =>
      faulty(Effect.map(skillsOf(agent, bundle), (found) => ({
        skills: found.map(({ bundle, skill: { description, folder, name } }) => ({
          bundle,
          name,
          directory: folder,
          frontmatter: { name, description }
        }))
      }))),

    "skills/read": Effect.fnUntraced(function*({ agent, bundle, name }) {
      const found = (yield* skillsOf(agent, bundle)).find(({ skill }) => skill.name === name)
      if (found === undefined) {
        return yield* Faults.invalid(`there is no skill ${JSON.stringify(name)}`, "name", "not_found")
      }
      const { skill: { folder, path } } = found
      const { bytes } = yield* Effect.mapError(
        Files.read(path, 256 * 1024),
        ({ detail }) => Faults.invalid(detail, "name", "not_found")
      )
      const content = bytes.toString("utf8")
      const { body, fields } = FrontMatter.parse(content)
      return { bundle: found.bundle, name, directory: folder, frontmatter: fields, body, content }
    }, faulty)
  })
}))
