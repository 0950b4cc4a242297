import { execFileSync } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Scope } from "effect"
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { hostname, tmpdir } from "node:os"
import { join } from "node:path"
import type { EffectiveSandbox } from "../../src/domain/PolicySettings.ts"
import type { PrivateTmp } from "../../src/sandbox/Confinement.ts"
import { Sandbox } from "../../src/sandbox/Sandbox.ts"
import * as Fixture from "./Fixture.ts"
import * as Run from "./Run.ts"

const mebibyte = 1024 ** 2

/** The temporary folders of a session of that user. */
const session = Effect.fnUntraced(function*({ id }: Fixture.Who, { own }: Pick<Fixture.Fixture, "own">) {
  const { temporary } = yield* Sandbox
  const made = temporary(yield* Effect.scope)
  const forWriting: PrivateTmp["forWriting"] = (shown) =>
    Effect.tap(made.forWriting(shown), () =>
      Effect.sync(() => {
        if (id !== undefined) execFileSync("chown", ["-R", `${id}:${id}`, own.dataDir])
      }))
  return { ...made, forWriting }
})

describe.skipIf(!Fixture.hasBubblewrap).each(Fixture.users)(
  `the temporary folders of a session of $name${Fixture.reason}`,
  (who) => {
    const fixture = Effect.acquireRelease(
      Effect.promise(() => Fixture.make(who)),
      ({ close }) => Effect.sync(close)
    )

    it.live("keep what a command moved there for the commands after it, until the session closes", () =>
      Effect.gen(function*() {
        const made = yield* fixture
        const kept = join(made.own.dataDir, "tmp")
        yield* Effect.gen(function*() {
          const temporary = yield* session(who, made)
          const run = (script: string, mode: EffectiveSandbox = "workspace-write") =>
            Run.bash(script, made.work, mode, false, { who, temporary })
          assert.match((yield* run("cat /tmp/backup", "read-only")).output, /No such file/)
          const moved = yield* run(
            "mkdir src; echo code > src/a; mv src /tmp/backup; mv file.txt /var/tmp/; echo $TMPDIR"
          )
          assert.strictEqual(moved.output, "/tmp\n")
          for (const mode of ["workspace-write", "read-only"] as const) {
            assert.strictEqual((yield* run("cat /tmp/backup/a /var/tmp/file.txt", mode)).output, "code\ntext")
          }
          const job = yield* Effect.forkChild(run("until [ -e /tmp/go ]; do sleep 0.05; done; echo late > /tmp/late"))
          yield* run("touch /tmp/go")
          yield* Fiber.join(job)
          assert.strictEqual((yield* run("cat /tmp/late", "read-only")).output, "late\n")
          assert.match((yield* run("echo x > /tmp/late", "read-only")).output, /Read-only file system/)
          yield* run("mv /tmp/backup src")
          assert.isTrue(existsSync(join(made.work, "src", "a")))
          assert.lengthOf(readdirSync(kept), 1)
        }).pipe(Effect.scoped, Effect.provide(Run.layer(made)))
        assert.deepStrictEqual(readdirSync(kept), [])
      }))

    it.live("belong to one session, are not the machine's, and are not seen by scratch commands", () =>
      Effect.gen(function*() {
        const made = yield* fixture
        yield* Effect.gen(function*() {
          const [one, other] = [yield* session(who, made), yield* session(who, made)]
          yield* Run.bash("echo mine > /tmp/one", made.work, "workspace-write", false, { who, temporary: one })
          const look = `cat /tmp/one ${made.tmpFile}`
          const elsewhere = yield* Run.bash(look, made.work, "workspace-write", false, { who, temporary: other })
          assert.notMatch(elsewhere.output, /^(mine|temporary)/m)
          const scratch = yield* Run.bash("cat /tmp/one; echo > /tmp/two", made.work, "scratch", false, {
            who,
            temporary: one
          })
          assert.notMatch(scratch.output, /^mine/m)
          const { output } = yield* Run.bash("ls /tmp; rm -rf /tmp/*", made.work, "workspace-write", false, {
            who,
            temporary: one
          })
          assert.strictEqual(output, "one\n")
          // Nothing was written: reads find the machine's.
          assert.strictEqual(
            (yield* Run.bash(`cat ${made.tmpFile}`, made.work, "read-only", false, { who, temporary: other })).output,
            "temporary"
          )
        }).pipe(Effect.scoped, Effect.provide(Run.layer(made)))
      }))

    it.live("hold no more than their limit: a command is stopped there, and the next can delete and not write", () =>
      Effect.gen(function*() {
        const made = yield* fixture
        yield* Effect.gen(function*() {
          const temporary = yield* session(who, made)
          const run = (script: string) => Run.bash(script, made.work, "workspace-write", false, { who, temporary })
          const { ended } = yield* run("for n in {1..400}; do head -c 1000000 /dev/zero > /tmp/$n; sleep 0.05; done")
          assert.match(ended.exceeded ?? "", /\/tmp holds more than 4 MiB/)
          assert.isFalse(ended.timedOut)
          const full = yield* run("echo x > more; cat more; exit 3")
          assert.notMatch(full.output, /^x$/m)
          assert.deepStrictEqual(full.ended.attribution?.kind, "denied")
          assert.strictEqual((yield* run("rm -rf /tmp/*")).ended.code, 0)
          assert.strictEqual((yield* run("echo x > more; cat more")).output, "x\n")
          const many = yield* run("cd /var/tmp; for n in {1..150}; do : > $n; done; sleep 5")
          assert.match(many.ended.exceeded ?? "", /100 files/)
        }).pipe(
          Effect.scoped,
          Effect.provide(Run.layer(made, { temporaryLimit: { bytes: 4 * mebibyte, entries: 100 } }))
        )
      }))
  }
)

describe.skipIf(!Fixture.hasBubblewrap)(`the private /tmp${Fixture.reason}`, () => {
  /** A session's folder below `/tmp` itself. */
  const below = Effect.acquireRelease(
    Effect.sync(() => {
      const base = realpathSync(mkdtempSync(join(tmpdir(), "postern-private-")))
      const [home, work] = [join(base, "home"), join(base, "work")]
      mkdirSync(join(home, ".postern", "data"), { recursive: true })
      mkdirSync(work)
      return { base, home, work, own: { configDir: join(home, ".postern"), dataDir: join(home, ".postern", "data") } }
    }),
    ({ base }) => Effect.sync(() => rmSync(base, { recursive: true, force: true }))
  )

  it.live("lets no command replace the way to a session folder that lies in /tmp", () =>
    Effect.gen(function*() {
      const made = yield* below
      yield* Effect.gen(function*() {
        const temporary = (yield* Sandbox).temporary(yield* Effect.scope)
        const run = (script: string, mode: EffectiveSandbox = "workspace-write") =>
          Run.bash(script, made.work, mode, false, { temporary })
        const top = `/tmp/${made.base.split("/")[2]}`
        const first = yield* run(`mv ${top} /tmp/away; rmdir ${top}; ln -s /etc /tmp/link; echo x > ${made.work}/new`)
        assert.match(first.output, /Device or resource busy/)
        for (const mode of ["workspace-write", "read-only"] as const) {
          const { output } = yield* run(`cat ${made.work}/new; ls -A /tmp`, mode)
          assert.strictEqual(output, `x\nlink\n${top.slice(5)}\n`)
        }
      }).pipe(Effect.scoped, Effect.provide(Run.layer(made)))
    }))

  it.live("of a process that is gone is removed by the next one, and nothing that a link in it leads to", () =>
    Effect.gen(function*() {
      const made = yield* below
      const parent = join(made.own.dataDir, "tmp")
      const [dead, alive, outside] = [
        join(parent, "session-dead"),
        join(parent, "session-alive"),
        join(made.base, "out")
      ]
      for (const folder of [join(dead, "tmp"), join(alive, "tmp"), outside]) mkdirSync(folder, { recursive: true })
      writeFileSync(join(outside, "file"), "")
      symlinkSync(outside, join(dead, "tmp", "link"))
      // A process id that came again: its start is another one.
      writeFileSync(join(dead, "owner"), `${hostname()}\n${process.pid}\n1`)
      const started = execFileSync("cut", ["-d ", "-f22", `/proc/${process.pid}/stat`], { encoding: "utf8" }).trim()
      writeFileSync(join(alive, "owner"), `${hostname()}\n${process.pid}\n${started}`)
      yield* Effect.gen(function*() {
        const scope = yield* Scope.make()
        yield* (yield* Sandbox).temporary(scope).forWriting([])
        while (existsSync(dead)) yield* Effect.sleep("20 millis")
        assert.lengthOf(readdirSync(parent), 2)
        assert.isTrue(existsSync(alive))
        assert.deepStrictEqual(readdirSync(outside), ["file"])
      }).pipe(Effect.scoped, Effect.provide(Run.layer(made)))
    }))
})
