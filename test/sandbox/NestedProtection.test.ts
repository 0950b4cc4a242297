import { execFileSync } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { Sandbox } from "../../src/sandbox/Sandbox.ts"
import { type SandboxFolders, sandboxFolders, write } from "../support/SandboxFolders.ts"
import * as Fixture from "./Fixture.ts"
import * as Run from "./Run.ts"

const identity = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always"]
const git = (cwd: string, ...args: ReadonlyArray<string>) =>
  execFileSync("git", [...identity, ...args], { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] })
const repository = (folder: string) => {
  mkdirSync(folder, { recursive: true })
  git(folder, "init", "-q", "-b", "main")
  write(join(folder, "a"), "a")
  git(folder, "add", "a")
  git(folder, "commit", "-qm", "first")
}
const commit = "git -c user.name=a -c user.email=a@b -c safe.directory='*' commit -qam next"

interface Made extends SandboxFolders {
  readonly who: Fixture.Who
}

const make = (who: Fixture.Who) => Effect.map(sandboxFolders("nested"), (made): Made => ({ ...made, who }))

/** Runs the scripts one after the other in one session's sandbox. */
const run = ({ base, home, own, who, work }: Made, scripts: ReadonlyArray<string>, root = work) =>
  Effect.gen(function*() {
    if (who.id !== undefined) execFileSync("chown", ["-R", `${who.id}:${who.id}`, base])
    const ran: Array<Run.Ran> = []
    for (const script of scripts) {
      ran.push(
        yield* Run.bash(script, root, "workspace-write", false, { who, env: { HOME: home }, timeout: "60 seconds" })
      )
    }
    return ran
  }).pipe(Effect.scoped, Effect.provide(Run.layer({ own, home })))

/** Lets a command try to write to each of these and expects that none changes. */
const holds = (made: Made, paths: ReadonlyArray<string>, root = made.work) =>
  Effect.gen(function*() {
    const before = paths.map((path) => readFileSync(path, "utf8"))
    const script = paths.map((path) =>
      `echo evil >> '${path}'; rm -f '${path}'; echo evil > '${path}'; mv '${path}' '${path}.old'`
    ).join("\n")
    const [ran] = yield* run(made, [script], root)
    assert.deepStrictEqual(paths.map((path) => readFileSync(path, "utf8")), before, ran!.output)
  })

describe.skipIf(!Fixture.hasBubblewrap).each(Fixture.users)(
  `what is protected further down in a workspace, from $name${Fixture.reason}`,
  (who) => {
    it.live("are the hooks and the configuration of repositories in it, which can commit all the same", () =>
      Effect.gen(function*() {
        const made = yield* make(who)
        const nested = join(made.work, "packages", "deep", "inner")
        repository(made.work)
        repository(nested)
        execFileSync("git", ["init", "-q", "--bare", join(made.work, "store")])
        write(join(nested, ".git", "hooks", "pre-push"), "")
        write(join(nested, ".git", "info", "attributes"), "")
        yield* holds(made, [
          join(nested, ".git", "config"),
          join(nested, ".git", "hooks", "pre-push"),
          join(nested, ".git", "info", "attributes"),
          join(made.work, "store", "config")
        ])
        const [committed, moved] = yield* run(made, [
          `cd packages/deep/inner; echo b > a; ${commit} && git -c safe.directory='*' log --oneline`,
          "cd packages/deep/inner; mv .git gone; rm -rf .git/hooks; ls .git/hooks/pre-push; echo > ../../../store/hooks/x"
        ])
        assert.lengthOf(committed!.output.trim().split("\n"), 2)
        assert.deepStrictEqual(committed!.warnings, [])
        assert.match(moved!.output, /Device or resource busy/)
        assert.isTrue(existsSync(join(nested, ".git", "hooks", "pre-push")))
        assert.isFalse(existsSync(join(made.work, "store", "hooks", "x")))
      }))

    it.live("are a submodule's pointer and what it points to, and it can commit", () =>
      Effect.gen(function*() {
        const made = yield* make(who)
        repository(join(made.base, "library"))
        repository(made.work)
        git(made.work, "submodule", "add", "-q", join(made.base, "library"), "lib")
        git(made.work, "commit", "-qm", "with a submodule")
        const store = join(made.work, ".git", "modules", "lib")
        write(join(store, "hooks", "pre-commit"), "")
        yield* holds(made, [join(made.work, "lib", ".git"), join(store, "config"), join(store, "hooks", "pre-commit")])
        rmSync(join(store, "hooks", "pre-commit"))
        const [inner, outer] = yield* run(made, [`cd lib; echo b > a; ${commit}`, commit])
        assert.deepStrictEqual([inner!.ended.code, outer!.ended.code], [0, 0], inner!.output + outer!.output)
      }))

    it.live("are settings of editors and agents in every folder, also where a link leads to them", () =>
      Effect.gen(function*() {
        const made = yield* make(who)
        const files = [
          ".vscode/tasks.json",
          ".idea/workspace.xml",
          ".mcp.json",
          ".envrc",
          ".husky/pre-commit",
          ".claude/settings.json",
          ".postern/rules.toml"
        ]
          .map((name, depth) => join(made.work, ...Array.from({ length: depth + 1 }, (_, at) => `f${at}`), name))
        for (const file of files) write(file, "as it was")
        write(join(made.work, "shared", "agents", "x"), "as it was")
        mkdirSync(join(made.work, "app"))
        symlinkSync("../shared/agents", join(made.work, "app", ".claude"))
        yield* holds(made, [...files, join(made.work, "shared", "agents", "x")])
        const [ran] = yield* run(made, ["rm app/.claude; ln -s /tmp app/.claude; echo x > app/other"])
        assert.deepStrictEqual(ran!.warnings.map((line) => line.split(";")[0]), [
          `${made.work}/app/.claude was replaced`
        ])
      }))

    it.live.each(
      [
        ["relative to the worktree", (config: (text: string) => void) => config("hooksPath = .githooks")],
        [
          "in the home folder's configuration",
          (_: unknown, made: Made) => write(join(made.home, ".gitconfig"), "[core]\n\thooksPath = .githooks\n")
        ],
        ["through an include under a condition", (_: unknown, made: Made) => {
          appendFileSync(
            join(made.work, "inner", ".git", "config"),
            "[includeIf \"gitdir:**\"]\n\tpath = ../more.cfg\n"
          )
          write(join(made.work, "inner", "more.cfg"), "[core]\n\tHOOKSPATH = \"./.githooks\"\n")
        }],
        ["in the configuration of the worktree", (_: unknown, made: Made) => {
          git(join(made.work, "inner"), "config", "extensions.worktreeConfig", "true")
          git(join(made.work, "inner"), "config", "--worktree", "core.hooksPath", ".githooks")
        }],
        [
          "by its absolute path",
          (config: (text: string) => void, made: Made) => config(`hooksPath = ${join(made.work, "inner", ".githooks")}`)
        ]
      ] as const
    )("is the folder of hooks that git's configuration names %s", ([, set]) =>
      Effect.gen(function*() {
        const made = yield* make(who)
        const inner = join(made.work, "inner")
        repository(inner)
        write(join(inner, ".githooks", "pre-commit"), "as it was")
        set((text) => appendFileSync(join(inner, ".git", "config"), `[core]\n\t${text}\n`), made)
        const files = [join(inner, ".githooks", "pre-commit"), join(inner, "more.cfg")].filter((file) =>
          existsSync(file)
        )
        yield* holds(made, files)
        const [ran] = yield* run(made, ["echo x > inner/.githooks/post-merge; echo y > inner/free"])
        assert.isFalse(existsSync(join(inner, ".githooks", "post-merge")), ran!.output)
        assert.isTrue(existsSync(join(inner, "free")))
      }))

    it.live("are the settings of worktrees, and new ones are reported", () =>
      Effect.gen(function*() {
        const made = yield* make(who)
        repository(made.work)
        git(made.work, "config", "extensions.worktreeConfig", "true")
        git(made.work, "worktree", "add", "-q", "one")
        git(made.work, "worktree", "add", "-q", "two")
        const [one, two] = ["one", "two"].map((name) => join(made.work, ".git", "worktrees", name))
        write(join(one!, "config.worktree"), "[core]\n")
        yield* holds(made, [join(one!, "config.worktree"), join(one!, "commondir"), join(made.work, "two", ".git")])
        const [ran] = yield* run(made, [`echo '[core]' > ${two}/config.worktree; cd two; echo b > a; ${commit}`])
        assert.deepStrictEqual(ran!.warnings.map((line) => line.split(";")[0]), [`${two}/config.worktree was created`])
        yield* holds(made, [join(two!, "config.worktree")])
      }))

    it.live("in a session whose repository lies outside its folder, which can commit all the same", () =>
      Effect.gen(function*() {
        const made = yield* make(who)
        const outer = join(made.base, "outer")
        repository(join(made.base, "library"))
        repository(outer)
        git(outer, "submodule", "add", "-q", join(made.base, "library"), "lib")
        write(join(outer, "folder", "b"), "b")
        git(outer, "add", ".")
        git(outer, "commit", "-qm", "more")
        const tree = join(made.base, "tree")
        git(outer, "worktree", "add", "-q", tree)
        for (const [root, changed] of [[tree, "a"], [join(outer, "lib"), "a"], [join(outer, "folder"), "b"]] as const) {
          const [ran] = yield* run(made, [
            `echo new >> ${changed}; git -c safe.directory='*' add ${changed} && ${commit}`
          ], root)
          assert.strictEqual(ran!.ended.code, 0, ran!.output)
          const store = root.endsWith("lib") ? join(outer, ".git", "modules", "lib") : join(outer, ".git")
          yield* holds(made, [join(store, "config")], root)
          const [planted] = yield* run(made, [
            `echo x > ${store}/hooks/evil; mv ${store}/hooks ${store}/h; echo x > ${outer}/x`
          ], root)
          assert.isFalse(
            [`${store}/hooks/evil`, `${store}/h`, `${outer}/x`].some((path) => existsSync(path)),
            planted!.output
          )
        }
      }))

    it.live("opens no repository that only a file of the workspace names", () =>
      Effect.gen(function*() {
        const made = yield* make(who)
        const other = join(made.base, "other")
        repository(other)
        write(join(made.work, ".git"), `gitdir: ${other}/.git\n`)
        const [ran] = yield* run(made, [`echo x > ${other}/.git/planted`])
        assert.match(ran!.output, /Read-only file system/)
      }))

    it.live("is reported when it appears, by whatever way, and held from the next call on", () =>
      Effect.gen(function*() {
        const made = yield* make(who)
        mkdirSync(join(made.work, "a", "b", "c"), { recursive: true })
        const ways: ReadonlyArray<readonly [script: string, ...appeared: ReadonlyArray<string>]> = [
          ["git init -q a/b/one", "a/b/one/.git"],
          ["mkdir -p a/b/c/d/e/.vscode; echo x > a/b/c/d/e/.vscode/tasks.json", "a/b/c/d/e/.vscode"],
          // The time of a change cannot be set back.
          ["touch -r a a/b/c; echo x > a/b/c/.envrc; touch -r a a/b/c a/b", "a/b/c/.envrc"],
          ["mkdir -p node_modules/x; git init -q node_modules/x; mv node_modules/x a/x", "a/x/.git"],
          [
            "mkdir n; echo x > n/.mcp.json; mv a/b/c/d o; mv n a/b/c/d",
            "a/b/c/d/.mcp.json",
            "a/b/c/d/e/.vscode",
            "o/e/.vscode"
          ],
          // More changes than the kernel's queue holds.
          [
            "mkdir -p m; seq 9000 | (cd m; xargs touch); seq 9000 | (cd m; xargs rm); echo x > a/b/.envrc",
            "a/b/.envrc"
          ],
          ["git init -q --bare a/store", "a/store"]
        ]
        const ran = yield* run(made, ways.map(([script]) => script))
        for (const [index, [script, ...appeared]] of ways.entries()) {
          const reported = ran[index]!.warnings.map((line) => /^\S+/.exec(line)![0].slice(made.work.length + 1))
            .toSorted()
          assert.deepStrictEqual(reported, appeared.toSorted(), script)
        }
        yield* holds(
          made,
          [
            "a/b/one/.git/config",
            "o/e/.vscode/tasks.json",
            "a/b/c/.envrc",
            "a/x/.git/config",
            "a/b/c/d/.mcp.json",
            "a/b/.envrc",
            "a/store/config"
          ]
            .map((path) => join(made.work, path))
        )
      }))
  }
)

describe.skipIf(!Fixture.hasBubblewrap)(`many places in a workspace${Fixture.reason}`, () => {
  it.live("leave a command its start, and the ones known longest stay protected", () =>
    Effect.gen(function*() {
      const made = yield* make(Fixture.users[0]!)
      const old = join(made.work, "z", "y", "x", ".mcp.json")
      write(old, "as it was")
      const [, ran] = yield* run(made, [
        "mkdir -p d/{1..400}/.vscode",
        "echo evil > z/y/x/.mcp.json; echo x > free; mv d/400 d/401"
      ])
      assert.strictEqual(readFileSync(old, "utf8"), "as it was")
      assert.isTrue(existsSync(join(made.work, "free")), ran!.output)
      assert.lengthOf(ran!.warnings, 2)
    }))

  it.live("of git are not waited for where a pipe takes the place of a configuration", () =>
    Effect.gen(function*() {
      const made = yield* make(Fixture.users[0]!)
      repository(join(made.work, "inner"))
      rmSync(join(made.work, "inner", ".git", "config"))
      execFileSync("mkfifo", [join(made.work, "inner", ".git", "config")])
      yield* Effect.gen(function*() {
        const { protection } = yield* Sandbox
        for (let round = 0; round < 5; round++) yield* protection([made.work])
      }).pipe(Effect.provide(Run.layer(made)))
    }))
})
