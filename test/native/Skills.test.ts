import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { SocketClient } from "../support/SocketClient.ts"
import type { Json } from "../support/Wire.ts"
import { promise, refusal, served } from "../support/ServedDaemon.ts"

const workspaceOf = (folder: string, agent = "default") => join(folder, "agents", agent, "workspace")

const put = (folder: string, name: string, text: string) => {
  mkdirSync(join(folder, name), { recursive: true })
  writeFileSync(join(folder, name, "SKILL.md"), text)
}

const request = (client: SocketClient, method: string, params: Json) => promise(() => client.request(method, params))
const namesIn = (client: SocketClient, bundle: string) =>
  Effect.map(
    request(client, "skills/list", { bundle }),
    ({ skills }) => skills.map(({ name }: Json) => name)
  )

const skill = (name: string, params: Json = {}) => ({
  bundle: "default",
  name,
  frontmatter: { name, description: `about ${name}` },
  body: `Do ${name}.\n`,
  ...params
})

describe("Skills", () => {
  it.live("are written and read again, field for field", () =>
    Effect.gen(function*() {
      const { folder, greet } = yield* served()
      const client = yield* greet()
      const frontmatter = {
        name: "tidy",
        description: "cleans up: \"all\" of it\n# not a comment",
        license: "MIT",
        tags: ["a, b", "c"],
        always: true,
        slash_options: [{ name: "x" }]
      }
      const written = yield* request(client, "skills/write", skill("tidy", { frontmatter, body: "---\nBody.\n" }))
      assert.deepStrictEqual(written, { bundle: "default", name: "tidy", written: true })
      const read = yield* request(client, "skills/read", { bundle: "default", name: "tidy" })
      assert.deepStrictEqual([read["frontmatter"], read["body"]], [frontmatter, "---\nBody.\n"])
      const path = join(workspaceOf(folder), "skills", "tidy", "SKILL.md")
      assert.strictEqual(readFileSync(path, "utf8"), read["content"])
      yield* request(client, "skills/write", {
        bundle: "shared",
        name: "all",
        content: "---\nname: all\n---\nShared.\n"
      })
      assert.strictEqual(
        readFileSync(join(folder, "shared/skills/all/SKILL.md"), "utf8"),
        "---\nname: all\n---\nShared.\n"
      )
    }))

  it.live("are what sessions find that open afterwards", () =>
    Effect.gen(function*() {
      const { greet, project } = yield* served()
      const client = yield* greet()
      yield* request(client, "skills/write", skill("greet", { body: "say hi from the skill" }))
      const session = yield* promise(() => client.session({ cwd: project }))
      yield* promise(() => client.prompt(session, `call read_skill {"name":"greet"}`))
      assert.include(client.updates("tool_result")[0]?.["raw_output"], "say hi from the skill")
    }))

  it.live("are replaced where they lie, and never take the folder of another one", () =>
    Effect.gen(function*() {
      const { folder, greet } = yield* served()
      const client = yield* greet()
      const skills = join(workspaceOf(folder), "skills")
      put(skills, "old-folder", "---\nname: build\n---\nOld.\n")
      yield* request(client, "skills/write", skill("build"))
      assert.include(readFileSync(join(skills, "old-folder", "SKILL.md"), "utf8"), "Do build.")
      assert.deepStrictEqual(readdirSync(skills), ["old-folder"])
      assert.deepStrictEqual(yield* refusal(client, "skills/write", skill("old-folder")), [-32602, "conflict"])
    }))

  it.live("go to an archive with all their files when they are deleted, as often as that happens", () =>
    Effect.gen(function*() {
      const { folder, greet } = yield* served()
      const client = yield* greet()
      const workspace = workspaceOf(folder)
      const archives: Array<string> = []
      for (const round of ["one", "two"]) {
        yield* request(client, "skills/write", skill("gone", { body: round }))
        writeFileSync(join(workspace, "skills/gone/notes.txt"), round)
        const { archive, deleted } = yield* request(client, "skills/delete", { bundle: "default", name: "gone" })
        assert.isTrue(deleted)
        assert.strictEqual(readFileSync(join(archive, "notes.txt"), "utf8"), round)
        archives.push(archive)
      }
      assert.deepStrictEqual(readdirSync(workspace).sort(), ["skills", "skills-archive"])
      assert.sameMembers(
        readdirSync(join(workspace, "skills-archive")).map((name) => join(workspace, "skills-archive", name)),
        archives
      )
      assert.deepStrictEqual(yield* namesIn(client, "default"), [])
      assert.deepStrictEqual(yield* request(client, "skills/delete", { bundle: "default", name: "gone" }), {
        bundle: "default",
        name: "gone",
        deleted: false
      })
    }))

  it.live("have names that are no paths, and files of a limited size that are theirs", () =>
    Effect.gen(function*() {
      const { folder, greet } = yield* served()
      const client = yield* greet()
      for (
        const name of ["", ".", "..", "../x", "a/b", "a\\b", "/etc", ".hidden", "a\0", "a\nb", "a".repeat(65), "é"]
      ) {
        for (const method of ["skills/write", "skills/delete"]) {
          assert.deepStrictEqual(yield* refusal(client, method, skill(name)), [-32602, "invalid_params"])
        }
      }
      for (
        const [params, reason] of [
          [{ body: "x".repeat(300_000) }, "too_large"],
          [{ body: "a\0b" }, "malformed"],
          [{ body: "a\ud800" }, "malformed"],
          [{ frontmatter: { name: "other", description: "" } }, "invalid_params"],
          [{ frontmatter: { description: ["a"] } }, "invalid_params"],
          [{ frontmatter: { "x: y\n---\nname": "a" } }, "invalid_params"],
          [{ content: "---\nname: ok\n---\n" }, "invalid_params"],
          [{ frontmatter: null, body: null }, "invalid_params"],
          [{ frontmatter: null, body: null, content: "no front matter" }, "invalid_params"],
          [{ frontmatter: null, body: null, content: "---\nname: other\n---\n" }, "invalid_params"]
        ] as const
      ) {
        assert.deepStrictEqual(yield* refusal(client, "skills/write", skill("ok", params)), [-32602, reason])
      }
      for (
        const [bundle, reason] of [["..", "agent_unknown"], ["../../data", "agent_unknown"], ["", "not_found"]]
      ) {
        assert.deepStrictEqual(yield* refusal(client, "skills/write", skill("ok", { bundle })), [-32602, reason])
      }
      assert.deepStrictEqual(
        yield* refusal(client, "skills/write", skill("ok", { agent: "default", bundle: "other" })),
        [-32602, "not_found"]
      )
      assert.isFalse(existsSync(workspaceOf(folder)))
    }))

  it.live("are not written or moved through links", () =>
    Effect.gen(function*() {
      const { folder, greet } = yield* served()
      const client = yield* greet()
      const outside = join(folder, "outside")
      put(outside, "linked", "---\nname: linked\n---\nOutside.\n")
      const skills = join(workspaceOf(folder), "skills")
      put(skills, "file", "")
      symlinkSync(join(outside, "linked"), join(skills, "linked"))
      symlinkSync(join(outside, "new"), join(skills, "dangling"))
      mkdirSync(join(skills, "inner"))
      symlinkSync(join(outside, "linked", "SKILL.md"), join(skills, "inner", "SKILL.md"))
      for (const name of ["linked", "dangling", "inner"]) {
        assert.deepStrictEqual(yield* refusal(client, "skills/write", skill(name)), [-32602, "invalid"])
        assert.isFalse((yield* request(client, "skills/delete", { bundle: "default", name }))["deleted"])
      }
      mkdirSync(join(folder, "shared"))
      symlinkSync(outside, join(folder, "shared", "skills"))
      assert.deepStrictEqual(yield* refusal(client, "skills/write", skill("x", { bundle: "shared" })), [
        -32602,
        "invalid"
      ])
      assert.isFalse((yield* request(client, "skills/delete", { bundle: "shared", name: "linked" }))["deleted"])
      yield* request(client, "skills/write", skill("kept"))
      symlinkSync(outside, join(workspaceOf(folder), "skills-archive"))
      assert.strictEqual((yield* refusal(client, "skills/delete", { bundle: "default", name: "kept" }))[0], -32602)
      assert.deepStrictEqual(readdirSync(outside), ["linked"])
      assert.strictEqual(readFileSync(join(outside, "linked/SKILL.md"), "utf8"), "---\nname: linked\n---\nOutside.\n")
      assert.include(yield* namesIn(client, "default"), "kept")
    }))

  it.live("belong to those who may use the agent, shared ones to those who may use all", () =>
    Effect.gen(function*() {
      const { folder, greet, openFor } = yield* served({
        config: `
[agents.own]
[agents.other]
[users.ann]
uid = 70001
permission_profiles = ["reads"]
[users.bob]
uid = 70002
permission_profiles = ["reads", "writes"]
[permission_profiles.reads]
allowed_agents = ["own"]
grants = { skills = ["read", "delete"] }
[permission_profiles.writes]
grants = { skills = ["update"] }
`
      })
      put(join(workspaceOf(folder, "other"), "skills"), "theirs", "---\nname: theirs\n---\nTheirs.\n")
      put(join(folder, "shared/skills"), "common", "---\nname: common\n---\nCommon.\n")
      const ann = yield* greet({}, yield* openFor(70001))
      const bob = yield* greet({}, yield* openFor(70002))
      const forbidden = [-32012, "forbidden"]
      assert.deepStrictEqual(yield* refusal(ann, "skills/write", skill("mine", { bundle: "own" })), forbidden)
      yield* request(bob, "skills/write", skill("mine", { bundle: "own" }))
      for (
        const where of [
          { bundle: "other" },
          { agent: "other", bundle: "other" },
          { agent: "other", bundle: "own" },
          { bundle: "shared" },
          { agent: "own", bundle: "shared" }
        ]
      ) {
        for (const name of ["theirs", "common"]) {
          assert.deepStrictEqual(yield* refusal(bob, "skills/write", skill(name, where)), forbidden)
          assert.deepStrictEqual(yield* refusal(bob, "skills/delete", { name, ...where }), forbidden)
        }
      }
      assert.isTrue((yield* request(ann, "skills/delete", { bundle: "own", name: "mine" }))["deleted"])
      assert.isTrue(existsSync(join(folder, "shared/skills/common/SKILL.md")))
      assert.isTrue(existsSync(join(workspaceOf(folder, "other"), "skills/theirs/SKILL.md")))
    }))
})
