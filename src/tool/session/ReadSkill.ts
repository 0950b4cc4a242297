import { Effect, Schema } from "effect"
import * as ToolRequirements from "../../policy/decision/ToolRequirements.ts"
import { quoted } from "../../platform/QuotedName.ts"
import * as Skills from "../../workspace/Skills.ts"
import * as Tool from "../Tool.ts"

const Parameters = Schema.Struct({
  name: Schema.String.annotate({ description: "Name of the skill, as listed" })
})

/** Skills are the operator's own words: what they say is meant to be followed. */
export const ReadSkill = Tool.make<typeof Parameters.Type>({
  name: "read_skill",
  description: "Read a skill before doing what it is for: instructions for one kind of task, prepared by the user.",
  parameters: Parameters,
  kind: "read",
  capabilities: ["ro"],
  needs: () => ToolRequirements.read(),
  preview: ({ name }) => Effect.succeed({ title: `Read skill ${Tool.firstLine(name, 64)}` }),
  run: Effect.fnUntraced(function*({ name }, { workspace }) {
    const skills = yield* Skills.list(workspace)
    const skill = skills.find((one) => one.name === name.trim())
    if (skill === undefined) {
      const known = skills.map((one) => one.name).join(", ")
      return yield* Tool.fail(
        `There is no skill "${name}". ${known === "" ? "There are no skills here." : `The skills are: ${known}.`}`
      )
    }
    const body = yield* Effect.mapError(
      Skills.load(skill),
      ({ detail }) => Tool.fail(`The skill ${skill.name} cannot be read: ${detail}`)
    )
    return {
      text: `[Skill ${skill.name}; its other files are in ${quoted(skill.folder)}]\n\n${body}`,
      locations: [{ path: skill.path }]
    }
  })
})
