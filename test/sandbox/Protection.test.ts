import { execFileSync, spawn } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { EffectiveSandbox } from "../../src/domain/PolicySettings.ts"
import { Sandbox } from "../../src/sandbox/Sandbox.ts"
import * as Fixture from "./Fixture.ts"
import * as Run from "./Run.ts"

const git = (cwd: string, ...args: ReadonlyArray<string>) =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"]
  })

const identity = "export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b; "

/** A repository below the system's temporary folder, where sessions are opened too. */
const repository = Effect.acquireRelease(
  Effect.sync(() => {
    const base = realpathSync(mkdtempSync(join(tmpdir(), "postern-git-")))
    const [home, work] = [join(base, "home"), join(base, "work")]
    mkdirSync(join(home, ".postern", "agents", "main", "workspace"), { recursive: true })
    writeFileSync(join(home, ".postern", "config.toml"), "secret")
    mkdirSync(work)
    git(work, "init", "-q", "-b", "main")
    writeFileSync(join(work, "a"), "a")
    git(work, "add", "a")
    git(work, "commit", "-qm", "first")
    return { base, home, work, own: { configDir: join(home, ".postern"), dataDir: join(home, ".postern", "data") } }
  }),
  ({ base }) => Effect.sync(() => rmSync(base, { recursive: true, force: true }))
)

const run = (
  made: Effect.Success<typeof repository>,
  script: string,
  mode: EffectiveSandbox = "workspace-write",
  work = made.work
) => Effect.provide(Run.bash(script, work, mode, false), Run.layer(made))

/** Some are bugs that users of other agents reported (docs/development.md#reports-from-other-agents). */
describe.skipIf(!Fixture.hasBubblewrap)(`protected paths of a workspace${Fixture.reason}`, () => {
  it.live("lets git work while hooks and configuration stay as they are", () =>
    Effect.gen(function*() {
      const made = yield* repository
      const { ended, output, warnings } = yield* run(
        made,
        `${identity} echo b > b && git add b && git commit -qm second && git checkout -q -b topic && git log --oneline | wc -l`
      )
      assert.strictEqual(ended.code, 0, output)
      assert.deepStrictEqual(warnings, [])
      const before = readFileSync(join(made.work, ".git", "config"), "utf8")
      const { output: refused } = yield* run(
        made,
        "echo x > .git/hooks/post-commit; git config core.pager evil; rm -rf .git/hooks; mv .git gone; rm -f .git/config; ln -sf /tmp .git/info/attributes"
      )
      assert.match(refused, /Read-only file system|Device or resource busy/)
      assert.strictEqual(readFileSync(join(made.work, ".git", "config"), "utf8"), before)
      assert.isFalse(existsSync(join(made.work, ".git", "hooks", "post-commit")))
      assert.isFalse(existsSync(join(made.work, "gone")))
    }))

  it.live("leaves no file behind that the command did not make", () =>
    Effect.gen(function*() {
      const made = yield* repository
      for (const mode of ["workspace-read", "read-only", "scratch", "workspace-write"] as const) {
        yield* run(made, "true", mode)
      }
      assert.deepStrictEqual(readdirSync(made.work).toSorted(), [".git", "a"])
      assert.deepStrictEqual(readdirSync(made.home), [".postern"])
    }))

  it.live("reports a repository and project settings that a command made", () =>
    Effect.gen(function*() {
      const made = yield* repository
      rmSync(join(made.work, ".git"), { recursive: true })
      const { warnings } = yield* run(made, "git init -q . && mkdir .vscode && echo {} > .vscode/tasks.json")
      assert.deepStrictEqual(
        warnings.map((line) => line.split(" ")[0]),
        [join(made.work, ".git"), join(made.work, ".vscode")].toSorted((a, b) =>
          Number(a.endsWith("git")) < Number(b.endsWith("git")) ? 1 : -1
        )
      )
    }))

  it.live("follows a worktree to its repository, inside and outside the workspace", () =>
    Effect.gen(function*() {
      const made = yield* repository
      git(made.work, "worktree", "add", "-q", join(made.work, "tree"))
      git(made.work, "worktree", "add", "-q", join(made.base, "outside"))
      const inside = yield* run(
        made,
        "echo 'gitdir: /tmp' > .git; git log --oneline | wc -l",
        "workspace-write",
        join(made.work, "tree")
      )
      assert.match(inside.output, /Read-only file system/)
      assert.match(inside.output, /\b1\b/)
      const outside = yield* run(
        made,
        "git status --short; echo x > ../work/.git/hooks/x; rm .git",
        "workspace-write",
        join(made.base, "outside")
      )
      assert.match(outside.output, /Device or resource busy|Read-only file system/)
      assert.isFalse(existsSync(join(made.work, ".git", "hooks", "x")))
    }))

  it.live("protects what a linked .git leads to, and reports when the link is replaced", () =>
    Effect.gen(function*() {
      const made = yield* repository
      renameSync(join(made.work, ".git"), join(made.work, "repo"))
      symlinkSync("repo", join(made.work, ".git"))
      const { warnings } = yield* run(made, "echo x > .git/hooks/x; rm .git; mkdir .git")
      assert.isFalse(existsSync(join(made.work, "repo", "hooks", "x")))
      assert.match(warnings[0] ?? "", /\.git was replaced/)
    }))

  it.live("runs nothing that a repository's configuration names on a git read", () =>
    Effect.gen(function*() {
      const made = yield* repository
      const trap = join(made.work, "trap.sh")
      writeFileSync(trap, "#!/bin/sh\necho RAN >&2\n", { mode: 0o755 })
      git(made.work, "config", "core.fsmonitor", trap)
      for (const mode of ["read-only", "workspace-read"] as const) {
        const { output } = yield* run(made, "git status --short", mode)
        assert.notMatch(output, /RAN/)
        assert.match(output, /trap\.sh/)
      }
    }))

  it.live("opens an agent's own folder inside Postern's hidden one, and nothing else of it", () =>
    Effect.gen(function*() {
      const made = yield* repository
      const work = join(made.own.configDir, "agents", "main", "workspace")
      const written = yield* run(
        made,
        "echo x > new && cat new; cat ../../../config.toml; ls -A ../../..",
        "workspace-write",
        work
      )
      assert.match(written.output, /^x$/m)
      assert.notMatch(written.output, /secret|config\.toml$/m)
      assert.isTrue(existsSync(join(work, "new")))
      const read = yield* run(made, "cat new; ls -A ../../../..", "workspace-read", work)
      assert.match(read.output, /^x\n\.postern$/m)
    }))

  it.live("does not follow a link that takes the place of a protected folder between two calls", () =>
    Effect.gen(function*() {
      const made = yield* repository
      mkdirSync(join(made.base, "outside"))
      yield* Effect.gen(function*() {
        const sandbox = yield* Sandbox
        renameSync(join(made.work, ".git"), join(made.work, "kept"))
        mkdirSync(join(made.work, "real"))
        symlinkSync("../outside", join(made.work, ".husky"))
        const failed = yield* Effect.flip(sandbox.confine(["/bin/true"], {
          mode: "workspace-write",
          network: false,
          cwd: made.work,
          roots: [made.work],
          env: {}
        }))
        assert.match(failed.message, /\.husky is a symbolic link/)
      }).pipe(Effect.provide(Run.layer(made)))
    }))

  it.live("opens nothing else when folders are swapped for links while calls start", () =>
    Effect.gen(function*() {
      const made = yield* repository
      const outside = join(made.base, "outside")
      mkdirSync(outside)
      const swapper = spawn("bash", [
        "-c",
        "while :; do mv .git kept && ln -s ../outside .git; rm -f .git && mv kept .git; done"
      ], {
        cwd: made.work,
        stdio: "ignore"
      })
      yield* Effect.gen(function*() {
        for (let round = 0; round < 60; round++) {
          yield* Effect.exit(
            Effect.scoped(
              Run.bash(
                `echo x > ${outside}/written; mkdir -p .git; echo x > .git/written`,
                made.work,
                "workspace-write",
                false
              )
            )
          )
          if (existsSync(join(outside, "written"))) break
        }
      }).pipe(Effect.provide(Run.layer(made)), Effect.ensuring(Effect.sync(() => swapper.kill("SIGKILL"))))
      assert.deepStrictEqual(readdirSync(outside), [])
    }))

  it.live("keeps working folder, arguments and environment", () =>
    Effect.gen(function*() {
      const made = yield* repository
      mkdirSync(join(made.work, "sub folder"))
      for (const mode of ["workspace-read", "read-only", "scratch", "workspace-write", "danger-full-access"] as const) {
        const { output } = yield* Effect.provide(
          Run.bash(`pwd; echo "$HOME"; cat <<< here; cat < <(echo sub); echo out > /dev/null`, made.work, mode, false, {
            cwd: join(made.work, "sub folder")
          }),
          Run.layer(made)
        )
        assert.strictEqual(output, `${join(made.work, "sub folder")}\n/nowhere\nhere\nsub\n`, mode)
      }
    }))
})
