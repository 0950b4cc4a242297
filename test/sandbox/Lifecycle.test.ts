import { execFileSync, spawn } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as ControlGroup from "../../src/sandbox/backends/ControlGroup.ts"
import { processesWith } from "../support/Processes.ts"
import * as Fixture from "./Fixture.ts"
import * as Run from "./Run.ts"
import { eventually } from "../support/Waiting.ts"

const who = Fixture.users[0]!

let markers = 300_000 + process.pid % 10_000 * 10
const marker = () => `${++markers}`

const gone = (m: string) => Effect.promise(() => eventually(() => processesWith(`sleep ${m}`).length === 0))

/** What runs inside, its runners left out. */
const commands = (m: string) =>
  processesWith(`sleep ${m}`).filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").startsWith("sleep")
    } catch {
      return false
    }
  })

const controlGroup = new URL("../../src/sandbox/backends/ControlGroup.ts", import.meta.url).href

/** Those of this process. */
const controlGroups = (): ReadonlyArray<string> => {
  const place = ControlGroup.place()
  return place === undefined ? [] : readdirSync(place).filter((name) => name.startsWith(`postern-${process.pid}-`))
}

const startHost = ({ home, work }: Fixture.Fixture) => {
  const m = marker()
  const host = spawn(process.execPath, [fileURLToPath(new URL("Host.ts", import.meta.url)), work, home, m], {
    stdio: "ignore"
  })
  return { marker: m, kill: () => void host.kill("SIGKILL") }
}

const fixture = Effect.acquireRelease(Effect.promise(() => Fixture.make(who)), (made) => Effect.sync(made.close))

/** Some are bugs that users of other agents reported (docs/development.md#reports-from-other-agents). */
describe.skipIf(!Fixture.hasBubblewrap)(`the life of a confined process${Fixture.reason}`, () => {
  for (const mode of ["read-only", "workspace-write", "scratch"] as const) {
    it.live(`ends a daemon of its own session with the command, in ${mode}`, () =>
      Effect.gen(function*() {
        const made = yield* fixture
        const m = marker()
        const { ended } = yield* Effect.provide(
          Run.bash(`setsid sleep ${m} >/dev/null 2>&1 & (setsid sleep ${m} &) ; exit 3`, made.work, mode, false),
          Run.layer(made)
        )
        assert.strictEqual(ended.code, 3)
        yield* gone(m)
      }))
  }

  it.live("lets a command that handles SIGTERM finish its work at the timeout", () =>
    Effect.gen(function*() {
      const made = yield* fixture
      const script = `trap "echo cleaned; exit 0" TERM; while :; do sleep 0.05; done`
      const { ended, output } = yield* Effect.provide(
        Run.bash(script, made.work, "workspace-write", true, { timeout: "400 millis" }),
        Run.layer(made)
      )
      assert.isTrue(ended.timedOut)
      assert.deepStrictEqual(ended.attribution, { kind: "ordinary" })
      assert.match(output, /cleaned/)
    }))

  it.live("kills everything of a command that ignores SIGTERM when its turn is interrupted", () =>
    Effect.gen(function*() {
      const made = yield* fixture
      const m = marker()
      const ready = Deferred.makeUnsafe<void>()
      const layer = Run.layer(made)
      yield* Effect.gen(function*() {
        const fiber = yield* Effect.forkChild(
          Run.bash(
            `trap "" TERM; setsid sleep ${m} & echo ready; sleep ${m}; sleep ${m}`,
            made.work,
            "workspace-write",
            false,
            { onOutput: (text) => text.includes("ready") && Deferred.doneUnsafe(ready, Effect.void) }
          ),
          { startImmediately: true }
        )
        yield* Deferred.await(ready)
        assert.isNotEmpty(processesWith(`sleep ${m}`))
        yield* Fiber.interrupt(fiber)
        yield* gone(m)
      }).pipe(Effect.provide(layer))
    }))

  for (const mode of ["read-only", "workspace-write", "scratch"] as const) {
    it.live(`gives no command a hold on the first process inside, and each one on its own, in ${mode}`, () =>
      Effect.gen(function*() {
        const made = yield* fixture
        const [trace, memory, take] = process.arch === "x64" ? [101, 311, 438] : [117, 271, 438]
        const script = `
          sub with { my ($name, $result) = @_; print "$name ", $result >= 0 ? "open" : "shut", "\\n" }
          my $child = fork; if (!$child) { sleep 60; exit }
          my ($bytes, $own) = ("x" x 8, "y" x 8);
          my $here = pack("QQ", unpack("Q", pack("P", $bytes)), 8);
          open(my $maps, "<", "/proc/1/maps"); my ($first) = grep { / rw/ } <$maps>; $first =~ /^([0-9a-f]+)/;
          my $there = pack("QQ", hex $1, 8);
          for my $pid (1, 1 + 2 ** 32) {
            with("attach", syscall(${trace}, 16, $pid, 0, 0));
            with("seize", syscall(${trace}, 0x4206, $pid, 0, 0));
            with("write", syscall(${memory}, $pid, $here, 1, $there, 1, 0));
          }
          with("descriptor", syscall(${take}, syscall(434, 1, 0), 4, 0));
          with("own", syscall(${trace}, 16, $child, 0, 0));
          syscall(${trace}, 17, $child, 0, 0); kill 9, $child;`
        const { ended, output } = yield* Effect.provide(
          Effect.scoped(Run.bash(`perl -e '${script}'; exit 3`, made.work, mode, false)),
          Run.layer(made)
        )
        assert.deepStrictEqual([ended.code, ended.timedOut], [3, false], output)
        const found = output.trim().split("\n")
        assert.deepStrictEqual(found.slice(0, -1), [
          ...[1, 2].flatMap(() => ["attach shut", "seize shut", "write shut"]),
          "descriptor shut"
        ])
        assert.strictEqual(found.at(-1), mode === "read-only" ? "own shut" : "own open")
      }))
  }

  it.live("leaves no child of a confined call when the host is killed", () =>
    Effect.gen(function*() {
      const made = yield* fixture
      const host = startHost(made)
      yield* Effect.promise(() => eventually(() => commands(host.marker).length === 2, 15_000))
      host.kill()
      yield* gone(host.marker)
    }))

  it.live("runs no command of a host that was killed while a sandbox was being set up", () =>
    Effect.gen(function*() {
      const made = yield* fixture
      for (let delay = 0; delay < 8; delay++) {
        const host = startHost(made)
        yield* Effect.promise(() => eventually(() => processesWith(`sleep ${host.marker}`).length > 0, 15_000))
        yield* Effect.sleep(delay)
        host.kill()
        yield* Effect.promise(() => eventually(() => commands(host.marker).length === 0))
        yield* Effect.sleep("100 millis")
        assert.deepStrictEqual(commands(host.marker), [])
        yield* gone(host.marker)
      }
    }), 120_000)

  it.live("leaves nothing of calls that are interrupted while their sandbox is being set up", () =>
    Effect.gen(function*() {
      const made = yield* fixture
      const m = marker()
      yield* Effect.gen(function*() {
        for (let delay = 0; delay < 30; delay++) {
          const fiber = yield* Effect.forkChild(
            Run.bash(`setsid sleep ${m} & sleep ${m}`, made.work, "workspace-write", false),
            { startImmediately: true }
          )
          yield* Effect.sleep(delay / 2)
          yield* Fiber.interrupt(fiber)
        }
        yield* gone(m)
      }).pipe(Effect.provide(Run.layer(made)))
    }))

  for (const who of Fixture.users) {
    it.live(`has at most 512 processes, or its report says that they are not limited, for ${who.name}`, () =>
      Effect.gen(function*() {
        const made = yield* Effect.acquireRelease(
          Effect.promise(() => Fixture.make(who)),
          (one) => Effect.sync(one.close)
        )
        // Without a wait: where processes are refused the shell would try again for seconds.
        const fork = `ulimit -u; ulimit -c; exec perl -e '
          my ($made, $why) = (0, "");
          for (1 .. 700) { my $pid = fork; if (!defined $pid) { $why = $!; last } if (!$pid) { sleep 60; exit } $made++ }
          print "$made $why\n"; kill 9, -1'`
        const groups = new Set(controlGroups())
        const { output, report } = yield* Effect.provide(
          Effect.scoped(Run.bash(fork, made.work, "workspace-write", false, { who, timeout: "20 seconds" })),
          Run.layer(made)
        )
        const [limit, core, result] = output.split("\n")
        assert.deepStrictEqual([limit, core], ["512", "0"])
        const said = report.notes.some((note) => note.includes("number of processes is not limited"))
        const count = Number.parseInt(result ?? "", 10)
        if (said && who.id === undefined) assert.strictEqual(count, 700)
        else {
          assert.match(result ?? "", /^\d+ Resource temporarily unavailable$/)
          assert.isBelow(count, 512)
          assert.isAbove(count, 400)
        }
        yield* Effect.gen(function*() {
          while (controlGroups().some((name) => !groups.has(name))) yield* Effect.sleep("50 millis")
        }).pipe(Effect.timeout("5 seconds"))
      }))
  }

  it.live.skipIf(ControlGroup.place() === undefined)(
    "removes the groups of a host that was killed",
    () =>
      Effect.gen(function*() {
        const stale = join(ControlGroup.place()!, "postern-999999999-1")
        mkdirSync(stale)
        execFileSync(process.execPath, [
          "-e",
          `import(${JSON.stringify(controlGroup)}).then(({ create }) => create(9).remove())`
        ])
        assert.isFalse(existsSync(stale))
      })
  )
})
