import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { EffectiveSandbox } from "../../src/domain/PolicySettings.ts"
import * as Fixture from "./Fixture.ts"
import * as Probes from "./Probes.ts"
import * as Run from "./Run.ts"

/** What is open beyond nothing at all; everything else must be shut. */
const open: {
  readonly [M in Exclude<EffectiveSandbox, "danger-full-access">]: {
    readonly always: ReadonlyArray<string>
    readonly network: ReadonlyArray<string>
  }
} = {
  "workspace-scratch": {
    always: ["write-workspace", "hardlink-write", "hooks-write", "config-write", "git-replace"],
    network: ["loopback", "abstract-socket"]
  },
  "workspace-read": { always: [], network: ["loopback"] },
  "read-only": { always: ["read-other", "link-read", "host-tmp"], network: ["loopback"] },
  "workspace-write": {
    always: ["write-workspace", "read-other", "link-read", "hardlink-write", "workspace-socket"],
    network: ["loopback", "abstract-socket"]
  },
  scratch: {
    always: [
      "write-workspace",
      "read-other",
      "link-read",
      "hardlink-write",
      "hooks-write",
      "config-write",
      "git-replace"
    ],
    network: ["loopback", "abstract-socket"]
  }
}

describe.skipIf(!Fixture.hasBubblewrap)(`escapes from bubblewrap${Fixture.reason}`, () => {
  for (const who of Fixture.users) {
    for (const [mode, expected] of Object.entries(open)) {
      for (const network of [true, false]) {
        it.live(`${mode} with network ${network ? "on" : "off"} holds ${who.name}`, () =>
          Effect.gen(function*() {
            const fixture = yield* Effect.acquireRelease(
              Effect.promise(() => Fixture.make(who)),
              (fixture) => Effect.sync(fixture.close)
            )
            process.env["POSTERN_TEST_SECRET"] = "1"
            const before = readdirSync(fixture.work).toSorted()
            const { output, report } = yield* Run.bash(
              Probes.script(fixture, process.execPath),
              fixture.work,
              mode as EffectiveSandbox,
              network,
              { who, masks: [join(fixture.base, "run")], readable: [dirname(process.execPath)] }
            ).pipe(Effect.scoped, Effect.provide(Run.layer(fixture)))
            const found = Probes.read(output)
            const wanted = [...expected.always, ...network ? expected.network : []].toSorted()
            assert.isAbove(Object.keys(found).length, 30, output)
            assert.deepStrictEqual(Object.keys(found).filter((name) => found[name] === "open").toSorted(), wanted)
            assert.strictEqual(report.files, "full")
            assert.strictEqual(report.net, network ? "none" : "full")
            const after = readdirSync(fixture.work).toSorted()
            assert.deepStrictEqual(after, mode === "workspace-write" ? [...before, "new"].toSorted() : before)
            assert.strictEqual(readFileSync(join(fixture.base, "outside", "hard"), "utf8"), "original")
            assert.isFalse(existsSync(join(fixture.base, "outside", "new")))
          }))
      }
    }
  }
})
