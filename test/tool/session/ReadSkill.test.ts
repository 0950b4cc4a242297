import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Workspace from "../../../src/workspace/Workspace.ts"
import { bench, toolbox } from "../Call.ts"

describe("read_skill", () => {
  layer(toolbox())((it) => {
    it.effect("gives the instructions, and the names there are for one there is not", () =>
      Effect.gen(function*() {
        const { cwd, run } = yield* bench
        const folder = join(cwd, "skills", "release")
        mkdirSync(folder, { recursive: true })
        writeFileSync(join(folder, "SKILL.md"), "---\nname: release\ndescription: d\n---\nTag it.\n")
        const workspace = yield* Workspace.make({ cwd, skills: [join(cwd, "skills")] })
        const output = yield* run("read_skill", { name: "release" }, { workspace })
        assert.strictEqual(output.text, `[Skill release; its other files are in ${folder}]\n\nTag it.`)
        assert.match(
          (yield* Effect.flip(run("read_skill", { name: "x" }, { workspace }))).message,
          /The skills are: release\.$/
        )
        assert.match((yield* Effect.flip(run("read_skill", { name: "x" }))).message, /There are no skills here/)
      }))
  })
})
