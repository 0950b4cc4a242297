import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Bubblewrap from "../../src/sandbox/backends/Bubblewrap.ts"
import * as Landlock from "../../src/sandbox/backends/Landlock.ts"
import { Sandbox } from "../../src/sandbox/Sandbox.ts"
import * as Fixture from "./Fixture.ts"
import * as Executable from "../../src/platform/Executable.ts"
import * as Run from "./Run.ts"
import { suiteFolder } from "../support/SuiteFolder.ts"

const fixture = Effect.acquireRelease(
  Effect.promise(() => Fixture.make(Fixture.users[0]!)),
  (made) => Effect.sync(made.close)
)

/** Some are bugs that users of other agents reported (docs/development.md#reports-from-other-agents). */
describe("a sandbox that cannot hold a call", () => {
  it("names bubblewrap and how to get it where it is missing", () => {
    const offer = Bubblewrap.make(() => undefined, "/nowhere").offer("workspace-write", false)
    assert.isTrue(
      "missing" in offer && /bubblewrap \(bwrap\) is not installed/.test(offer.missing) &&
        /package "bubblewrap"/.test(offer.remedy)
    )
  })

  it("says what bubblewrap said where a namespace is refused", () => {
    const offer = Bubblewrap.make((name) => name === "bwrap" ? "/bin/false" : undefined, "/nowhere").offer(
      "read-only",
      false
    )
    assert.isTrue("missing" in offer && /read-only with network off/.test(offer.missing))
  })

  const limited: ReadonlyArray<readonly [string, option: string, said: string, RegExp]> = [
    [
      "only a network cannot be taken away",
      "--unshare-net",
      "bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted",
      /AppArmor/
    ],
    [
      "a container lets /proc not be mounted",
      "--proc",
      "bwrap: Can't mount proc on /newroot/proc: Operation not permitted",
      /container itself is the boundary/
    ]
  ]
  for (const [name, option, said, remedy] of limited) {
    it.skipIf(!Fixture.hasBubblewrap)(`says which guarantee is missing, and keeps the others: ${name}`, () => {
      const real = Executable.find("bwrap", Run.path, [])
      const folder = suiteFolder()
      const program = join(folder, "bwrap")
      writeFileSync(
        program,
        `#!/bin/sh\ntr '\\0' '\\n' </proc/self/fd/4 | grep -qx -e ${option} || exec ${real} "$@"\necho "${said}" >&2\nexit 1\n`,
        { mode: 0o755 }
      )
      const backend = Bubblewrap.make((name) => name === "bwrap" ? program : undefined, "/nowhere")
      const offer = backend.offer("read-only", false)
      assert.isTrue("missing" in offer && offer.missing.includes(said) && remedy.test(offer.remedy))
      assert.strictEqual("missing" in backend.offer("read-only", true), option !== "--unshare-net")
    })
  }

  it("refuses Landlock for root, for no network, and for a missing launcher", () => {
    const missing = Landlock.make(() => undefined, "/no/launcher").offer("read-only", false)
    assert.isTrue("missing" in missing)
    const offer = Landlock.make(() => undefined).offer("read-only", true)
    if (process.geteuid?.() === 0) assert.isTrue("missing" in offer && /root/.test(offer.missing))
  })

  it.live("never takes another backend for a configured one, nor none", () =>
    Effect.gen(function*() {
      const made = yield* fixture
      yield* Effect.gen(function*() {
        const sandbox = yield* Sandbox
        for (const backend of ["none", "nonsense", "docker", "sandbox-exec"]) {
          assert.isFalse(sandbox.enforce("read-only", true, { name: backend }).usable, backend)
          const request = {
            mode: "read-only",
            network: true,
            cwd: made.work,
            roots: [made.work],
            env: {},
            backend: { name: backend }
          } as const
          const failed = yield* Effect.flip(sandbox.confine(["/bin/true"], request))
          assert.strictEqual(failed._tag, "SandboxUnavailable")
          assert.notStrictEqual(failed.remedy, "")
        }
        assert.strictEqual(sandbox.enforce("danger-full-access", true).report?.backend, "none")
        assert.strictEqual(sandbox.check().length, 12)
      }).pipe(Effect.provide(Run.layer(made)))
    }))

  const refusals: ReadonlyArray<
    readonly [string, (made: Fixture.Fixture) => { readonly root: string; readonly cwd?: string }, RegExp]
  > = [
    ["a missing working folder", ({ work }) => ({ root: work, cwd: join(work, "no") }), /does not exist/],
    ["the home folder as a workspace", ({ home }) => ({ root: home }), /home folder/],
    ["a parent of the home folder", ({ base }) => ({ root: base }), /home folder/],
    ["the whole disk", () => ({ root: "/" }), /home folder/],
    ["Postern's own data", ({ own }) => ({ root: own.dataDir }), /own state/],
    ["a folder that is hidden", ({ home }) => ({ root: join(home, ".ssh") }), /hides/],
    ["a root that became a link", ({ base, work }) => {
      renameSync(work, `${work}.moved`)
      symlinkSync(join(base, "outside"), work)
      return { root: work }
    }, /no longer/],
    ["hooks that are a link", ({ work }) => {
      mkdirSync(join(work, "githooks"))
      renameSync(join(work, ".git", "hooks"), join(work, ".git", "old"))
      symlinkSync("../githooks", join(work, ".git", "hooks"))
      return { root: work }
    }, /symbolic link/]
  ]
  for (const [name, change, message] of refusals) {
    it.live.skipIf(!Fixture.hasBubblewrap)(`refuses ${name}${Fixture.reason}`, () =>
      Effect.gen(function*() {
        const made = yield* fixture
        const { cwd, root } = change(made)
        const run = Run.bash("true", root, "workspace-write", true, cwd === undefined ? {} : { cwd })
        const failed = yield* Effect.flip(Effect.provide(run, Run.layer(made)))
        assert.strictEqual(failed._tag, "SandboxUnavailable")
        assert.match(failed.message, message)
      }))
  }
})
