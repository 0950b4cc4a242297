import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Skills from "../../src/workspace/Skills.ts"
import * as Workspace from "../../src/workspace/Workspace.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

const setUp = Effect.gen(function*() {
  const base = yield* temporaryFolder
  const [own, shared] = [join(base, "own"), join(base, "shared")]
  const put = (folder: string, name: string, text: string) => {
    mkdirSync(join(folder, name), { recursive: true })
    writeFileSync(join(folder, name, "SKILL.md"), text)
  }
  const workspace = yield* Workspace.make({ cwd: base, skills: [own, shared] })
  return { own, put, shared, workspace }
})

describe("skills", () => {
  it.effect("are listed by name with what their front matter says of them", () =>
    Effect.gen(function*() {
      const { own, put, workspace } = yield* setUp
      put(
        own,
        "b",
        "---\nname: release\ndescription: 'Ships a version; it''s quick'\nlicense: MIT\n---\n# Release\n\nDo it.\n"
      )
      put(own, "a", "---\nname: audit\ndescription: >-\n  Looks for\n  trouble\ntags: [x]\n---\nLook.\n")
      const skills = yield* Skills.list(workspace)
      assert.deepStrictEqual(skills, [
        { name: "audit", description: "Looks for trouble", folder: join(own, "a"), path: join(own, "a", "SKILL.md") },
        {
          name: "release",
          description: "Ships a version; it's quick",
          folder: join(own, "b"),
          path: join(own, "b", "SKILL.md")
        }
      ])
      assert.strictEqual(yield* Skills.load(skills[1]!), "# Release\n\nDo it.")
    }))

  it.effect("of the agent itself win over shared ones of the same name", () =>
    Effect.gen(function*() {
      const { own, put, shared, workspace } = yield* setUp
      put(shared, "x", "---\nname: deploy\ndescription: shared\n---\n")
      put(shared, "y", "---\nname: tidy\ndescription: shared\n---\n")
      put(own, "z", "---\nname: deploy\ndescription: own\n---\n")
      assert.deepStrictEqual((yield* Skills.list(workspace)).map(({ description, name }) => [name, description]), [
        ["deploy", "own"],
        ["tidy", "shared"]
      ])
    }))

  it.effect("pass over what is none: no front matter, no name, a name like a path, no folder at all", () =>
    Effect.gen(function*() {
      const { own, put, workspace } = yield* setUp
      assert.deepStrictEqual(yield* Skills.list(workspace), [])
      put(own, "a", "# Just text\nname: x\n")
      put(own, "b", "---\ndescription: nameless\n---\n")
      put(own, "c", "---\nname: ../../etc\n---\n")
      mkdirSync(join(own, "empty"))
      writeFileSync(join(own, "file"), "")
      assert.deepStrictEqual(yield* Skills.list(workspace), [])
    }))
})
