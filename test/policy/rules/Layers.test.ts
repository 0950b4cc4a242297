import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, type Scope } from "effect"
import * as RuleLayers from "../../../src/policy/rules/source/RuleLayers.ts"
import { make } from "../../../src/policy/rules/RuleSet.ts"
import { hash } from "../../../src/policy/rules/source/RulesText.ts"
import { Trust } from "../../../src/policy/rules/source/Trust.ts"
import { analyse } from "../../../src/policy/shell/ShellAnalyser.ts"
import { factsOf, shell, tools } from "./Ruled.ts"

interface Disk {
  readonly managed?: string
  readonly user?: unknown
  readonly project?: string
  readonly session?: ReadonlyArray<RuleLayers.SessionRule>
  /** The content of the project's file that was trusted. */
  readonly trusted?: string
}

const folders = Effect.fnUntraced(function*() {
  const fs = yield* FileSystem.FileSystem
  const root = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "postern-rules-" }))
  const [config, workspace] = [`${root}/config`, `${root}/work`]
  yield* fs.makeDirectory(`${workspace}/.postern`, { recursive: true })
  return { fs, root, config, workspace, project: `${workspace}/.postern/rules.toml`, managed: `${root}/managed.toml` }
})

const load = Effect.fnUntraced(function*(disk: Disk) {
  const { config, fs, managed, project, root, workspace } = yield* folders()
  if (disk.managed !== undefined) yield* fs.writeFileString(managed, disk.managed)
  if (disk.project !== undefined) yield* fs.writeFileString(project, disk.project)
  return yield* Effect.gen(function*() {
    const { trusted } = disk
    if (trusted !== undefined) yield* Trust.use(({ trust }) => trust(workspace, hash(trusted)))
    const user = { file: `${config}/config.toml`, table: disk.user }
    const place = { cwd: workspace, roots: [workspace], home: root }
    return yield* RuleLayers.load({ managedFile: managed, user, workspace, session: disk.session ?? [] }, {
      place,
      tools,
      analyse
    })
  }).pipe(
    Effect.provide(Trust.layer(config)),
    Effect.mapError((error) => error.message.replaceAll(`${root}/`, ""))
  )
})

const scenario = (name: string, test: () => Effect.Effect<unknown, unknown, NodeServices.NodeServices | Scope.Scope>) =>
  it.effect(name, () => Effect.provide(test(), NodeServices.layer))

const complaint = (disk: Disk) => Effect.map(Effect.flip(load(disk)), String)

describe("the layers of rules", () => {
  scenario(
    "are empty where there are no files",
    Effect.fnUntraced(function*() {
      const { entries, notes } = yield* load({})
      assert.deepStrictEqual([entries, notes], [[], []])
    })
  )

  scenario(
    "are united, and each rule keeps its id from load to load",
    Effect.fnUntraced(function*() {
      const disk: Disk = {
        managed: "deny = [{ rule = \"shell(curl **)\", reason = \"use fetch\" }]",
        user: { ask: ["shell(git push **)"], allow: ["shell( npm test * )"] },
        project: "deny = [\"read(.env)\"]",
        session: [{ list: "allow", text: "write(./src/**)" }]
      }
      const { entries } = yield* load(disk)
      assert.deepStrictEqual(entries.map(({ layer, list, rule }) => `${layer} ${list} ${rule.text}`), [
        "managed deny shell(curl **)",
        "user ask shell(git push **)",
        "user allow shell(npm test *)",
        "project deny read(.env)",
        "session allow write(./src/**)"
      ])
      assert.strictEqual(entries[0]?.reason, "use fetch")
      const again = yield* load(disk)
      assert.deepStrictEqual(again.entries.map(({ id }) => id), entries.map(({ id }) => id))
      assert.strictEqual(new Set(entries.map(({ id }) => id)).size, 5)
    })
  )

  scenario(
    "count a project's allow rules only in a trusted workspace, its deny rules always",
    Effect.fnUntraced(function*() {
      const project = "deny = [\"shell(curl **)\"]\nallow = [\"shell(npm test *)\"]"
      const stranger = yield* load({ project })
      assert.deepStrictEqual(stranger.untrusted.map(({ rule }) => rule.text), ["shell(npm test *)"])
      assert.match(stranger.notes.join(), /1 allow rule of this project does not count, because .* is not trusted/)
      const set = make(stranger.entries, tools)
      assert.isUndefined(shell(set, "npm test", factsOf()))
      assert.strictEqual(shell(set, "curl x"), "deny")
      const known = yield* load({ project, trusted: project })
      assert.strictEqual(shell(make(known.entries, tools), "npm test"), "allow")
      assert.isUndefined(known.distrust)
    })
  )

  scenario(
    "count a project's allow rules only while its file is the one that was trusted, to the byte",
    Effect.fnUntraced(function*() {
      const trusted = "deny = [\"shell(curl **)\"]\nallow = [\"shell(npm test *)\"]\n"
      const contents = [
        `${trusted}\n`,
        trusted.replace("npm test *", "**"),
        "allow = [\"shell(**)\"]",
        "deny = []\nallow = [\"shell(npm test *)\"]"
      ]
      for (const project of contents) {
        const { distrust, entries, untrusted } = yield* load({ project, trusted })
        assert.lengthOf(untrusted, 1)
        assert.isFalse(entries.some(({ list }) => list === "allow"), project)
        assert.match(distrust?.title ?? "", /1 allow rule of this project does not count.* is not what you trusted/)
        assert.match(distrust?.description ?? "", /trust the file again: postern policy trust \S*work$/)
      }
      // A folder that was trusted without a file is trusted with an empty one, not with any that comes.
      const blank = yield* load({ project: "allow = [\"shell(**)\"]", trusted: "" })
      assert.lengthOf(blank.untrusted, 1)
    })
  )

  scenario(
    "warn about allow rules that cover a danger",
    Effect.fnUntraced(function*() {
      const { notes } = yield* load({ user: { allow: ["shell(git push *)"] } })
      assert.match(notes.join(), /shell\(git push \*\) also allows git push --force/)
    })
  )

  scenario(
    "drop a stored allow rule that no longer reads, and refuse for a deny rule",
    Effect.fnUntraced(function*() {
      const { entries, notes } = yield* load({ session: [{ list: "allow", text: "gone_tool" }] })
      assert.deepStrictEqual(entries, [])
      assert.match(notes.join(), /no longer counts: there is no tool "gone_tool"/)
      assert.match(
        yield* complaint({ session: [{ list: "deny", text: "gone_tool" }] }),
        /^session: deny rule 1 "gone_tool": there is no tool/
      )
    })
  )
})

describe("rules that cannot be used fail the load", () => {
  const cases: ReadonlyArray<readonly [string, Disk, RegExp]> = [
    ["no TOML", { project: "deny = [" }, /^work\/\.postern\/rules\.toml: not valid TOML: .* line 1/],
    [
      "a list of another name",
      { project: "block = []" },
      /^work\/\.postern\/rules\.toml: "block" is no list of rules; write deny, ask or allow/
    ],
    ["no list", { user: { deny: "x" } }, /^config\/config\.toml \[policy\.rules\]: deny: must be a list/],
    ["no table", { user: [] }, /must be a table/],
    [
      "an unreadable rule",
      { managed: "ask = [\"shell\", \"shll\"]" },
      /^managed\.toml: ask rule 2 "shll": there is no tool/
    ],
    ["an odd entry", { managed: "ask = [{ rul = \"x\" }]" }, /^managed\.toml: ask rule 1: must be a text, or \{ rule/],
    ["a further key", { managed: "ask = [{ rule = \"shell\", why = \"x\" }]" }, /ask rule 1: must be a text/],
    ["an example that should match", {
      project: "deny = [{ rule = \"shell(rm -rf *)\", match = [\"rm -fr x\", \"rm x\"] }]"
    }, /deny rule 1 "shell\(rm -rf \*\)": its example "rm x" should match and does not/],
    ["an example that should not match", {
      project: "allow = [{ rule = \"write(src)\", notMatch = [\"lib/a\", \"src/a\"] }]"
    }, /allow rule 1 "write\(src\)": its example "src\/a" should not match and does/]
  ]
  for (const [name, disk, expected] of cases) {
    scenario(
      name,
      Effect.fnUntraced(function*() {
        assert.match(yield* complaint(disk), expected)
      })
    )
  }

  scenario(
    "a folder in place of the file",
    Effect.fnUntraced(function*() {
      const { config, fs, managed, project, root, workspace } = yield* folders()
      yield* fs.makeDirectory(project)
      const error = yield* RuleLayers.load(
        { managedFile: managed, user: { file: "", table: undefined }, workspace },
        { place: { cwd: workspace, roots: [workspace], home: root }, tools, analyse }
      ).pipe(Effect.provide(Trust.layer(config)), Effect.flip)
      assert.match(error.message, /rules\.toml: is not a file$/)
    })
  )

  scenario(
    "examples of every kind of rule are tried",
    Effect.fnUntraced(function*() {
      const { entries } = yield* load({
        managed: `
deny = [
  { rule = "read(~/.ssh/**)", match = ["~/.ssh/id"], notMatch = ["~/x"] },
  { rule = "fetch(*.internal)", match = ["http://a.internal", "b.internal"], notMatch = ["internal"] },
  { rule = "mcp(github/get_*)", match = ["github/get_x"], notMatch = ["gitlab/get_x"] },
  { rule = "mcp__*", match = ["mcp__a__b"], notMatch = ["shell"] },
  { rule = "task(model=opus)", match = ["model=opus,depth=1"], notMatch = ["model=haiku"] },
  { rule = "TodoWrite", match = ["TodoWrite"], notMatch = ["shell"] },
  { rule = "shell(git push ** --force **)", match = ["git -C x push -f", "true && git push --force"], notMatch = ["git push"] }
]`
      })
      assert.lengthOf(entries, 7)
    })
  )
})

describe("trust in workspaces", () => {
  scenario(
    "is kept by canonical path, in a file for the user alone",
    Effect.fnUntraced(function*() {
      const { config, fs, root, workspace } = yield* folders()
      yield* fs.symlink(workspace, `${root}/link`)
      yield* Effect.gen(function*() {
        const trust = yield* Trust
        assert.strictEqual(yield* trust.stateOf(workspace, hash("a")), "untrusted")
        assert.strictEqual(yield* trust.trust(`${root}/link`, hash("b")), workspace)
        yield* trust.trust(workspace, hash("a"))
        assert.deepStrictEqual(yield* trust.list, [{ path: workspace, sha256: hash("a") }])
        assert.strictEqual(yield* trust.stateOf(`${root}/link`, hash("a")), "trusted")
        assert.strictEqual(yield* trust.stateOf(workspace, hash("b")), "changed")
        assert.strictEqual(yield* trust.stateOf(`${workspace}/.postern`, hash("a")), "untrusted")
        assert.strictEqual((yield* fs.stat(`${config}/trusted.json`)).mode & 0o777, 0o600)
      }).pipe(Effect.provide(Trust.layer(config)))
      yield* Effect.gen(function*() {
        const trust = yield* Trust
        assert.deepStrictEqual(yield* trust.list, [{ path: workspace, sha256: hash("a") }])
        yield* fs.remove(workspace, { recursive: true })
        assert.isTrue(yield* trust.untrust(workspace))
        assert.isFalse(yield* trust.untrust(workspace))
        assert.deepStrictEqual(yield* trust.list, [])
      }).pipe(Effect.provide(Trust.layer(config)))
    })
  )

  scenario(
    "of a version that kept no hash trusts no content",
    Effect.fnUntraced(function*() {
      const { config, fs, workspace } = yield* folders()
      yield* fs.makeDirectory(config)
      yield* fs.writeFileString(`${config}/trusted.json`, JSON.stringify({ workspaces: [workspace, "/other"] }))
      yield* Effect.gen(function*() {
        const trust = yield* Trust
        for (const content of ["", "allow = [\"shell(**)\"]"]) {
          assert.strictEqual(yield* trust.stateOf(workspace, hash(content)), "changed")
        }
        yield* trust.trust(workspace, hash("a"))
        assert.deepStrictEqual(yield* trust.list, [{ path: "/other" }, { path: workspace, sha256: hash("a") }])
      }).pipe(Effect.provide(Trust.layer(config)))
    })
  )

  scenario(
    "names what is wrong",
    Effect.fnUntraced(function*() {
      const { config, fs, root, workspace } = yield* folders()
      yield* Effect.gen(function*() {
        const trust = yield* Trust
        assert.match(
          (yield* Effect.flip(trust.trust(`${root}/none`, hash("")))).message,
          /none: the folder does not exist$/
        )
        yield* fs.writeFileString(`${root}/file`, "")
        assert.match((yield* Effect.flip(trust.trust(`${root}/file`, hash("")))).message, /it is not a folder$/)
        yield* fs.makeDirectory(config, { recursive: true })
        yield* fs.writeFileString(`${config}/trusted.json`, "{}")
        assert.match(
          (yield* Effect.flip(trust.stateOf(workspace, hash("")))).message,
          /trusted\.json: is not a list of trusted workspaces/
        )
      }).pipe(Effect.provide(Trust.layer(config)))
    })
  )

  scenario(
    "counts as absent for the rules while its list cannot be read",
    Effect.fnUntraced(function*() {
      const { config, fs, managed, project, root, workspace } = yield* folders()
      yield* fs.makeDirectory(config)
      yield* fs.writeFileString(`${config}/trusted.json`, "no")
      yield* fs.writeFileString(project, "allow = [\"TodoWrite\"]")
      const { entries, notes, untrusted } = yield* RuleLayers.load(
        { managedFile: managed, user: { file: "", table: undefined }, workspace },
        { place: { cwd: workspace, roots: [workspace], home: root }, tools, analyse }
      ).pipe(Effect.provide(Trust.layer(config)))
      assert.deepStrictEqual([entries.length, untrusted.length], [0, 1])
      assert.match(notes.join(), /no workspace counts as trusted/)
    })
  )
})
