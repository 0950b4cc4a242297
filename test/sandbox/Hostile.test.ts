import { execFileSync } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import * as DeniedPaths from "../../src/policy/rules/DeniedPaths.ts"
import { parse } from "../../src/policy/rules/Rule.ts"
import { ruleEntry } from "../../src/policy/rules/RuleSet.ts"
import { isPlainRepository } from "../../src/policy/shell/programs/GitRepository.ts"
import * as Plan from "../../src/sandbox/plan/Plan.ts"
import * as ProtectedPaths from "../../src/sandbox/plan/ProtectedPaths.ts"
import { Sandbox } from "../../src/sandbox/Sandbox.ts"
import * as BackendProbe from "../../src/sandbox/backends/BackendProbe.ts"
import { Environment } from "../../src/platform/Environment.ts"
import * as GitHead from "../../src/workspace/GitHead.ts"
import { tools } from "../policy/rules/Ruled.ts"
import { isRoot, sandboxFolders, write } from "../support/SandboxFolders.ts"
import * as Fixture from "./Fixture.ts"
import * as Run from "./Run.ts"

const folder = sandboxFolders("hostile")

const run = (made: Effect.Success<typeof folder>, script: string, options: Run.Options = {}) =>
  Effect.provide(Effect.scoped(Run.bash(script, made.work, "workspace-write", false, options)), Run.layer(made))

const deny = (rule: string) => ruleEntry("user", "deny", Result.getOrThrow(parse(rule, { list: "deny", tools })))

describe.skipIf(!Fixture.hasBubblewrap)(`a hostile command${Fixture.reason}`, () => {
  it.live("cannot move a folder away in which something is hidden by its path", () =>
    Effect.gen(function*() {
      const made = yield* folder
      const key = write(join(made.work, "secret", "inner", "key"), "secret")
      const { output } = yield* run(made, "mv secret other; mv secret/inner inner; cat */key */*/key; echo end", {
        masks: [key]
      })
      assert.match(output, /Device or resource busy[^]*end/)
      assert.strictEqual(readFileSync(key, "utf8"), "secret")
    }))

  it.live("cannot write to what another folder of the session protects inside the first one", () =>
    Effect.gen(function*() {
      const made = yield* folder
      const hooks = join(made.work, "inner", ".git", "hooks")
      mkdirSync(hooks, { recursive: true })
      yield* run(made, "echo x > inner/.git/hooks/pre-commit; mkdir inner/src", { roots: [join(made.work, "inner")] })
      assert.isTrue(existsSync(join(made.work, "inner", "src")))
      assert.isFalse(existsSync(join(hooks, "pre-commit")))
    }))

  it.live("is never held by a program that the project brings", () =>
    Effect.gen(function*() {
      const made = yield* folder
      const bin = join(made.work, "bin")
      write(join(bin, "bwrap"), `#!/bin/sh\ntouch ${made.work}/fooled\n`, 0o755)
      const environment = Layer.succeed(Environment, { PATH: `${bin}:${Run.path}` })
      const layer = Layer.provide(Sandbox.layer({ own: made.own, home: made.home }), environment)
      const confined = yield* Effect.scoped(Effect.flatMap(Sandbox, ({ confine }) =>
        confine(["/bin/true"], { mode: "read-only", network: false, cwd: made.work, roots: [made.work], env: {} })))
        .pipe(Effect.provide(layer))
      assert.isFalse(confined.argv[0].startsWith(bin))
      assert.isFalse(existsSync(join(made.work, "fooled")))
    }))

  it.live("leaves the settings of a read to what the read brings", () =>
    Effect.gen(function*() {
      const made = yield* folder
      const script = "echo $GIT_CONFIG_COUNT"
      const read = (env: Readonly<Record<string, string>>) =>
        Effect.provide(Effect.scoped(Run.bash(script, made.work, "read-only", false, { env })), Run.layer(made))
      assert.strictEqual((yield* read({ GIT_CONFIG_COUNT: "10" })).output, "10\n")
      assert.strictEqual((yield* read({})).output, "3\n")
    }))
})

describe("what a project prepares", () => {
  it("is no place for the programs that hold commands", () => {
    const base = realpathSync(mkdtempSync(join("/var/tmp", "postern-hostile-")))
    const name = "postern-runner"
    const [project, other] = [join(base, "node_modules", ".bin"), join(base, "opt")]
    write(join(project, name), "", 0o755)
    assert.isUndefined(BackendProbe.programFinder({ PATH: project })(name))
    const elsewhere = write(join(other, name), "", 0o755)
    assert.strictEqual(BackendProbe.programFinder({ PATH: `${project}:${other}` })(name), elsewhere)
    rmSync(base, { recursive: true })
  })

  it.live("does not block on pipes in the place of git's files", () =>
    Effect.gen(function*() {
      const { base, work } = yield* folder
      execFileSync("mkfifo", [join(work, ".git")])
      assert.isFalse("linked" in ProtectedPaths.find([work], [work]))
      assert.isFalse(isPlainRepository(work))
      assert.deepStrictEqual(yield* GitHead.read(work), {})
      const other = join(base, "other")
      write(join(other, ".git", "HEAD"), "ref: refs/heads/main\n")
      execFileSync("mkfifo", [join(other, ".git", "commondir")])
      assert.isFalse(isPlainRepository(other))
    }))

  it.live("hides no submodule behind many others, and no worktree", () =>
    Effect.gen(function*() {
      const { work } = yield* folder
      const modules = join(work, ".git", "modules")
      write(join(work, ".git", "worktrees", "tree", "commondir"), "../..\n")
      for (let number = 0; number < 80; number++) write(join(modules, `m${number}`, "HEAD"), "ref: refs/heads/main\n")
      write(join(modules, "z", "hooks", "pre-commit"), "")
      write(join(modules, "z", "HEAD"), "ref: refs/heads/main\n")
      const found = ProtectedPaths.find([work], [work])
      assert.isTrue("readOnly" in found && found.readOnly.includes(join(modules, "z", "hooks")))
      assert.isTrue(
        "readOnly" in found && found.readOnly.includes(join(work, ".git", "worktrees", "tree", "commondir"))
      )
      for (let number = 0; number < 600; number++) mkdirSync(join(modules, "many", `${number}`), { recursive: true })
      const crowded = ProtectedPaths.find([work], [work])
      assert.isTrue("readOnly" in crowded && crowded.readOnly.includes(modules))
    }))

  it.live("is hidden where a rule names a link on its way, and links lead in no circles", () =>
    Effect.gen(function*() {
      const { home, work } = yield* folder
      const key = write(join(work, "real", "deep", "key"), "")
      symlinkSync("real", join(work, "link"))
      symlinkSync("..", join(work, "real", "link"))
      const place = { cwd: work, roots: [work], home }
      const found = yield* DeniedPaths.of([deny("read(./link/**/key)")], place)
      assert.isTrue(found.complete)
      assert.deepStrictEqual(found.hidden.map((path) => realpathSync(path)), [key])
    }))

  it.live("lets no command run where too much would have to be searched for what is denied", () =>
    Effect.gen(function*() {
      const { home, work } = yield* folder
      for (const name of ["a", "b", "c"]) write(join(work, name), "")
      const place = { cwd: work, roots: [work], home }
      const found = DeniedPaths.of([deny("read(.env)")], place)
      assert.isTrue((yield* found).complete)
      assert.isFalse((yield* Effect.provideService(found, DeniedPaths.Limit, 2)).complete)
    }))

  it.live("is hidden in the account's own home as well, where HOME names another one", () =>
    Effect.gen(function*() {
      const { home, own, work } = yield* folder
      const key = write(join(home, ".ssh", "id_rsa"), "")
      const { refusal } = Plan.reach({ mode: "read-only", network: false, roots: [work] }, {
        homes: ["/nowhere", home],
        variables: {},
        own
      }, () => Effect.never)
      assert.isString(refusal(key, "read"))
    }))
})

const closed = join(import.meta.dirname, "Closed.ts")

describe.skipIf(!Fixture.hasBubblewrap)(`a folder that a command closed${Fixture.reason}`, () => {
  const who = Fixture.users.at(-1)!
  it.live.skipIf(isRoot && who.id === undefined)(
    "hides nothing and frees nothing in it from the next call",
    () =>
      Effect.gen(function*() {
        const { base, home, work } = yield* folder
        write(join(work, "sub", ".env"), "secret")
        write(join(work, ".git", "hooks", "old"), "")
        chmodSync(join(work, "sub"), 0o400)
        chmodSync(join(work, ".git"), 0o000)
        if (who.id !== undefined) execFileSync("chown", ["-R", `${who.id}`, base])
        const [program, ...args] = [...who.prefix, process.execPath, closed, work, home]
        const output = execFileSync(program!, args, { encoding: "utf8", env: {}, cwd: "/" })
        assert.match(output, /end/)
        assert.notInclude(output, "secret")
        assert.isFalse(existsSync(join(work, ".git", "hooks", "new")))
      })
  )
})
