import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Workspace from "../../src/workspace/Workspace.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

const scene = Effect.gen(function*() {
  const base = yield* temporaryFolder
  for (const name of ["work/src", "work-sibling", "second", "agent", "outside", "home"]) {
    mkdirSync(join(base, name), { recursive: true })
  }
  writeFileSync(join(base, "work/src/a.ts"), "a")
  writeFileSync(join(base, "outside/secret"), "s")
  writeFileSync(join(base, "agent/notes.md"), "n")
  const workspace = yield* Workspace.make({
    cwd: join(base, "work"),
    roots: [join(base, "second")],
    readable: [join(base, "agent")],
    home: join(base, "home")
  })
  const refusal = (path: string, intent: Workspace.Intent) =>
    Effect.map(Effect.flip(workspace.resolve(path, intent)), (e) => e.reason)
  return { base, workspace, refusal }
})

describe("Workspace", () => {
  it.effect("resolves relative paths against cwd, and absolute ones inside any root", () =>
    Effect.gen(function*() {
      const { base, workspace } = yield* scene
      assert.strictEqual(yield* workspace.resolve("src/a.ts", "read"), join(base, "work/src/a.ts"))
      assert.strictEqual(yield* workspace.resolve("./src//./a.ts", "write"), join(base, "work/src/a.ts"))
      assert.strictEqual(yield* workspace.resolve(".", "read"), join(base, "work"))
      assert.strictEqual(
        yield* workspace.resolve(join(base, "second/new/deep.txt"), "write"),
        join(base, "second/new/deep.txt")
      )
      assert.strictEqual(yield* workspace.resolve("missing.txt", "read"), join(base, "work/missing.txt"))
    }))

  it.effect("reads the agent's folder but never writes there", () =>
    Effect.gen(function*() {
      const { base, refusal, workspace } = yield* scene
      assert.strictEqual(yield* workspace.resolve(join(base, "agent/notes.md"), "read"), join(base, "agent/notes.md"))
      assert.match(
        yield* refusal(join(base, "agent/notes.md"), "write"),
        /may be read in this session, but not written/
      )
    }))

  it.effect("reaches the operator's further folders, missing ones and links included, and no further", () =>
    Effect.gen(function*() {
      const { base } = yield* scene
      symlinkSync(join(base, "outside"), join(base, "further"))
      symlinkSync(join(base, "home"), join(base, "outside/away"))
      const workspace = yield* Workspace.make({
        cwd: join(base, "work"),
        allowed: [join(base, "further"), "~/later"],
        home: join(base, "home")
      })
      assert.deepStrictEqual(workspace.allowed, [join(base, "outside"), join(base, "home/later")])
      assert.deepStrictEqual(workspace.roots, [join(base, "work")])
      assert.strictEqual(yield* workspace.resolve(join(base, "further/secret"), "read"), join(base, "outside/secret"))
      assert.strictEqual(yield* workspace.resolve("~/later/x", "write"), join(base, "home/later/x"))
      const refused = yield* Effect.flip(workspace.resolve(join(base, "further/away/x"), "read"))
      assert.match(refused.reason, /leads outside/)
      assert.match((yield* Effect.flip(workspace.resolve(join(base, "second"), "read"))).reason, /outside the folders/)
    }))

  it.effect("that is not confined still follows links and takes no malformed path", () =>
    Effect.gen(function*() {
      const { base } = yield* scene
      symlinkSync(join(base, "outside"), join(base, "work/out"))
      const { resolve } = yield* Workspace.make({ cwd: join(base, "work"), confined: false })
      assert.strictEqual(yield* resolve("out/secret", "write"), join(base, "outside/secret"))
      assert.match((yield* Effect.flip(resolve("../outside", "read"))).reason, /"\.\."/)
      assert.match((yield* Effect.flip(resolve("out", "write"))).reason, /symbolic link/)
    }))

  it.effect.each(
    [
      ["../outside/secret", /"\.\."/],
      ["src/../../outside/secret", /"\.\."/],
      ["src/..", /"\.\."/],
      ["..", /"\.\."/],
      ["%2e%2e/outside", /"\.\."/],
      ["src/%2E%2e%2foutside", /"\.\."/],
      ["..%2foutside", /"\.\."/],
      ["src/.%2e/x", /"\.\."/],
      ["a\0b", /NUL/],
      ["", /empty/],
      ["  ", /empty/],
      ["~root/.ssh/id_rsa", /another user/],
      ["/etc/passwd", /outside the folders/],
      ["/", /outside the folders/],
      ["~/x", /outside the folders/],
      ["/proc/self/cwd/package.json", /outside the folders/],
      ["src/a.ts/x", /is a file, not a folder/]
    ] as const
  )("refuses %j", ([path, reason]) =>
    Effect.gen(function*() {
      const { refusal } = yield* scene
      assert.match(yield* refusal(path, "read"), reason)
      assert.match(yield* refusal(path, "write"), reason)
    }))

  it.effect("compares whole components: a sibling with the same prefix is outside", () =>
    Effect.gen(function*() {
      const { base, refusal } = yield* scene
      assert.match(yield* refusal(join(base, "work-sibling"), "read"), /outside/)
    }))

  it.effect("keeps names that only look like parents", () =>
    Effect.gen(function*() {
      const { base, workspace } = yield* scene
      for (const name of ["...", "a..b", "..a", "100%.txt", "~backup/..x".replace("~", "")]) {
        assert.strictEqual(yield* workspace.resolve(name, "write"), join(base, "work", name))
      }
    }))

  it.effect("expands ~/ to the home folder", () =>
    Effect.gen(function*() {
      const { base } = yield* scene
      const workspace = yield* Workspace.make({ cwd: join(base, "home"), home: join(base, "home") })
      assert.strictEqual(yield* workspace.resolve("~/x.txt", "write"), join(base, "home/x.txt"))
      assert.strictEqual(yield* workspace.resolve("~", "read"), join(base, "home"))
    }))

  it.effect("refuses links that leave the roots: to a file, to a folder, in the middle, dangling, in a loop", () =>
    Effect.gen(function*() {
      const { base, refusal } = yield* scene
      const work = join(base, "work")
      symlinkSync(join(base, "outside/secret"), join(work, "file-link"))
      symlinkSync(join(base, "outside"), join(work, "folder-link"))
      symlinkSync("../outside", join(work, "relative-link"))
      symlinkSync(join(base, "outside/nothing"), join(work, "dangling"))
      symlinkSync(join(work, "loop-b"), join(work, "loop-a"))
      symlinkSync(join(work, "loop-a"), join(work, "loop-b"))
      for (
        const path of ["file-link", "folder-link", "folder-link/secret", "folder-link/new", "relative-link/secret"]
      ) {
        assert.match(yield* refusal(path, "read"), /leads outside/)
      }
      for (const path of ["folder-link/secret", "folder-link/new/deeper", "relative-link/x"]) {
        assert.match(yield* refusal(path, "write"), /leads outside/)
      }
      assert.match(yield* refusal("dangling", "read"), /target does not exist/)
      assert.match(yield* refusal("dangling/x", "write"), /target does not exist/)
      assert.match(yield* refusal("loop-a", "read"), /form a loop/)
      assert.match(yield* refusal("loop-a/x", "write"), /form a loop/)
      for (const path of ["file-link", "folder-link", "dangling", "loop-a"]) {
        assert.match(yield* refusal(path, "write"), /never written through links/)
      }
    }))

  it.effect("follows links inside the roots, but writes only through folders", () =>
    Effect.gen(function*() {
      const { base, refusal, workspace } = yield* scene
      symlinkSync(join(base, "work/src"), join(base, "work/alias"))
      symlinkSync(join(base, "work/src/a.ts"), join(base, "work/a-link"))
      assert.strictEqual(yield* workspace.resolve("alias/a.ts", "write"), join(base, "work/src/a.ts"))
      assert.strictEqual(yield* workspace.resolve("a-link", "read"), join(base, "work/src/a.ts"))
      assert.match(yield* refusal("a-link", "write"), /never written through links/)
    }))

  it.effect("accepts the spelling a client opened the folder under", () =>
    Effect.gen(function*() {
      const { base } = yield* scene
      symlinkSync(join(base, "work"), join(base, "entrance"))
      const workspace = yield* Workspace.make({ cwd: join(base, "entrance") })
      assert.strictEqual(workspace.cwd, join(base, "work"))
      assert.strictEqual(yield* workspace.resolve(join(base, "entrance/src/a.ts"), "read"), join(base, "work/src/a.ts"))
    }))

  it.effect("lets the harmless devices be read, and only the null device be written", () =>
    Effect.gen(function*() {
      const { refusal, workspace } = yield* scene
      for (const device of ["/dev/null", "/dev/zero", "/dev/random", "/dev/urandom"]) {
        assert.strictEqual(yield* workspace.resolve(device, "read"), device)
      }
      assert.strictEqual(yield* workspace.resolve("/dev/null", "write"), "/dev/null")
      assert.match(yield* refusal("/dev/zero", "write"), /outside/)
      assert.match(yield* refusal("/dev/sda", "read"), /outside/)
    }))

  it.effect("is not made from a folder that is missing, relative or a file, and names it", () =>
    Effect.gen(function*() {
      const { base } = yield* scene
      const failure = (cwd: string) => Effect.map(Effect.flip(Workspace.make({ cwd })), (e) => e.message)
      assert.match(yield* failure(join(base, "nowhere")), /nowhere.*does not exist/)
      assert.match(yield* failure("work"), /"work".*absolute/)
      assert.match(yield* failure(join(base, "outside/secret")), /secret.*not a folder/)
      const extra = yield* Effect.flip(Workspace.make({ cwd: base, roots: [join(base, "gone")] }))
      assert.strictEqual(extra.path, join(base, "gone"))
    }))
})
