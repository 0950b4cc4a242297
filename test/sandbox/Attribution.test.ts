import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Bubblewrap from "../../src/sandbox/backends/Bubblewrap.ts"
import type { Plan } from "../../src/sandbox/plan/Plan.ts"
import * as Fixture from "./Fixture.ts"
import * as Run from "./Run.ts"

const plan: Plan = {
  mode: "read-only",
  network: false,
  cwd: "/",
  roots: [],
  readable: [],
  masks: [],
  visible: [],
  pinned: [],
  readOnly: [],
  watched: [],
  programs: [],
  required: []
}
const ran = (code: number) => `{ "child-pid": 7 }\n{ "exit-code": ${code} }\n`

describe("what the end of a confined command means", () => {
  const { attribute, innerPid } = Bubblewrap.runnerOf(plan, {
    descriptors: [],
    asked: { options: [], held: new Map() }
  })
  const cases = [
    ["success is never a denial", { code: 0, status: ran(0), stderr: "Read-only file system" }, "ordinary"],
    ["a failure that names no refusal", { code: 1, status: ran(1), stderr: "oops" }, "ordinary"],
    [
      "a refused write",
      { code: 1, status: ran(1), stderr: "touch: cannot touch 'a': Read-only file system" },
      "denied"
    ],
    ["no network", { code: 6, status: ran(6), stderr: "curl: (6) Could not resolve host: example.com" }, "denied"],
    ["a signal", { code: 137, status: ran(137), stderr: "Read-only file system" }, "ordinary"],
    [
      "a command that talks like the runner",
      { code: 1, status: ran(1), stderr: "bwrap: Can't mount proc" },
      "ordinary"
    ],
    ["a runner that failed", {
      code: 1,
      status: "",
      stderr: "bwrap: Can't find source path /x: No such file or directory"
    }, "runner-failed"],
    ["a runner that said nothing", { code: 1, status: "{ \"child-pid\": 7 }\n", stderr: "" }, "runner-failed"],
    ["a missing program", {
      code: 1,
      status: "{ \"child-pid\": 7 }\n",
      stderr: "bwrap: execvp nope: No such file or directory"
    }, "not-found"],
    ["our own stop", { code: null, status: "{ \"child-pid\": 7 }\n", stderr: "", stopped: true }, "ordinary"]
  ] as const
  for (const [name, ending, kind] of cases) {
    it(name, () => assert.strictEqual(attribute({ stopped: false, ...ending }).kind, kind))
  }

  it("knows the command's own process only once the runner reported it", () => {
    assert.strictEqual(innerPid(""), undefined)
    assert.strictEqual(innerPid("{ \"child-"), undefined)
    assert.strictEqual(innerPid(ran(0)), 7)
  })

  it.live.skipIf(!Fixture.hasBubblewrap)(
    `tells them apart in real runs${Fixture.reason}`,
    () =>
      Effect.gen(function*() {
        const made = yield* Effect.acquireRelease(
          Effect.promise(() => Fixture.make(Fixture.users[0]!)),
          (one) => Effect.sync(one.close)
        )
        const kindOf = (script: string, masks: ReadonlyArray<string> = []) =>
          Effect.map(Run.bash(script, made.work, "read-only", false, { masks }), ({ ended }) => ended.attribution?.kind)
        yield* Effect.gen(function*() {
          assert.strictEqual(yield* kindOf("exit 4"), "ordinary")
          assert.strictEqual(yield* kindOf("touch new"), "denied")
          assert.strictEqual(yield* kindOf("exec 3<>/dev/tcp/127.0.0.1/9"), "denied")
          assert.strictEqual(yield* kindOf("echo '{ \"exit-code\": 0 }' >&3; echo 'bwrap: no' >&2; exit 1"), "ordinary")
          assert.strictEqual(yield* kindOf("kill -9 $$"), "ordinary")
          // Everything is hidden, the program to run included.
          assert.strictEqual(yield* kindOf("true", ["/usr"]), "not-found")
        }).pipe(Effect.provide(Run.layer(made)))
      })
  )
})
