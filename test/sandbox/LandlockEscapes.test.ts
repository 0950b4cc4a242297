import { execFileSync } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { lchownSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import type { EffectiveSandbox } from "../../src/domain/PolicySettings.ts"
import { SandboxUnavailable } from "../../src/sandbox/Confinement.ts"
import * as Landlock from "../../src/sandbox/backends/Landlock.ts"
import * as Plan from "../../src/sandbox/plan/Plan.ts"
import * as BackendProbe from "../../src/sandbox/backends/BackendProbe.ts"
import * as Fixture from "./Fixture.ts"
import * as Probes from "./Probes.ts"
import * as Run from "./Run.ts"

const launcher = Landlock.launcher()
const who = Fixture.users.at(-1)!
const usable = launcher !== undefined && BackendProbe.run([launcher, "--probe"], []).works && who.name !== "root"

/** What Landlock leaves open whatever it is asked: its report says so. */
const leaks = [
  "abstract-socket",
  "chmod-outside",
  "daemon-socket",
  "list-own-state",
  "loopback",
  "signal",
  "touch-outside",
  "workspace-socket"
]

const open: { readonly [mode: string]: ReadonlyArray<string> } = {
  "workspace-read": [],
  "read-only": ["host-tmp", "link-read", "read-other"],
  "workspace-write": [
    "config-write",
    "git-replace",
    "hardlink-write",
    "hooks-write",
    "host-tmp",
    "link-read",
    "read-other",
    "write-workspace"
  ]
}

describe.skipIf(!usable)(
  `escapes from Landlock${usable ? "" : " (skipped: no launcher, no Landlock in the kernel, or no ordinary user)"}`,
  () => {
    for (const [mode, expected] of Object.entries(open)) {
      it.live(`${mode} leaves open what its report says, and nothing else`, () =>
        Effect.gen(function*() {
          const made = yield* Effect.acquireRelease(Effect.promise(() => Fixture.make(who)), (one) =>
            Effect.sync(one.close))
          const tmp = mkdtempSync(join(tmpdir(), "postern-landlock-"))
          if (who.id !== undefined) {
            lchownSync(tmp, who.id, who.id)
          }
          const plan = Plan.make({
            mode: mode as EffectiveSandbox,
            network: true,
            cwd: made.work,
            roots: [made.work],
            readable: [dirname(process.execPath)],
            env: {},
            masks: [join(made.base, "run")]
          }, { homes: [made.home], variables: { PATH: Run.path }, own: made.own })
          if (plan instanceof SandboxUnavailable) {
            return yield* plan
          }
          const script = join(tmp, "probes.sh")
          writeFileSync(script, Probes.script(made, process.execPath), { mode: 0o755 })
          const argv = [
            ...who.prefix,
            launcher!,
            ...Landlock.grants(plan, tmp),
            ...(mode === "read-only" ? ["--ro", tmp] : []),
            "--",
            "/bin/bash",
            script
          ]
          const output = execFileSync(argv[0]!, argv.slice(1), {
            cwd: made.work,
            env: { PATH: Run.path, TMPDIR: tmp },
            encoding: "utf8",
            stdio: ["ignore", "pipe", "ignore"]
          })
          rmSync(tmp, { recursive: true, force: true })
          const found = Probes.read(output)
          const machine = ["mount-namespace", "user-namespace", "proc-root", "hostname"]
          const opened = Object.keys(found).filter((name) =>
            found[name] === "open" && !machine.includes(name)
          )
          assert.deepStrictEqual(opened.toSorted(), [...leaks, ...expected].toSorted())
          // What is granted entry by entry may be gone by the time of the start: other tests make and remove folders next to ours.
        }), { retry: 3 })
    }

    it("opens a folder around what is hidden in it, and not through links", () => {
      const folder = mkdtempSync(join(tmpdir(), "postern-around-"))
      for (const name of ["a", "b"]) writeFileSync(join(folder, name), "")
      assert.deepStrictEqual(Landlock.around(folder, []), [folder])
      assert.deepStrictEqual(
        Landlock.around(folder, [join(folder, "a")]),
        readdirSync(folder).filter((name) => name !== "a").map((name) => join(folder, name))
      )
      assert.deepStrictEqual(Landlock.around(folder, [folder]), [])
      rmSync(folder, { recursive: true })
    })
  }
)
