import { execFileSync } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { dirname } from "node:path"
import type { EffectiveSandbox } from "../../src/domain/PolicySettings.ts"
import * as Fixture from "./Fixture.ts"
import * as Run from "./Run.ts"

/** Tries to open sockets as `family,type,protocol` and prints those that open. */
const attempt = (sockets: ReadonlyArray<string>) =>
  `perl -e 'for (@ARGV) { my @n = split /,/; print "$_\\n" if socket(my $s, $n[0], $n[1], $n[2]) }' ${
    sockets.join(" ")
  }`

/** Unix, IPv4, IPv6 and netlink for routes: what programs need. */
const listed = ["1,1,0", "2,1,0", "10,2,0", "16,3,0"]
/** Every other family, and the other protocols of netlink. */
const unlisted = [
  ...Array.from({ length: 50 }, (_, family) => family).filter((family) => ![0, 1, 2, 10, 16].includes(family))
    .flatMap((family) => [1, 2, 3, 5].map((type) => `${family},${type},0`)),
  ...Array.from({ length: 31 }, (_, protocol) => `16,3,${protocol + 1}`)
]

const isNetlink = (socket: string) => socket.startsWith("16,")

const modes: ReadonlyArray<readonly [EffectiveSandbox, boolean]> = [
  ...(["workspace-read", "read-only", "workspace-scratch", "scratch", "workspace-write"] as const).flatMap((mode) =>
    [true, false].map((network) => [mode, network] as const)
  ),
  ["danger-full-access", false]
]

describe.skipIf(!Fixture.hasBubblewrap)(`sockets of a confined command${Fixture.reason}`, () => {
  const outside = execFileSync("bash", ["-c", attempt(unlisted)], { encoding: "utf8" }).trim().split("\n")

  for (const [mode, network] of modes) {
    it.live(`are of a listed family in ${mode} with network ${network ? "on" : "off"}`, () =>
      Effect.gen(function*() {
        const made = yield* Effect.acquireRelease(
          Effect.promise(() => Fixture.make(Fixture.users.at(-1)!)),
          (fixture) => Effect.sync(fixture.close)
        )
        assert.isTrue(outside.some(isNetlink), "without a sandbox netlink has more protocols than one")
        const { output } = yield* Run.bash(attempt([...listed, ...unlisted]), made.work, mode, network, {
          who: Fixture.users.at(-1)!
        }).pipe(Effect.scoped, Effect.provide(Run.layer(made)))
        const reads = mode === "workspace-read" || mode === "read-only"
        assert.deepStrictEqual(output.trim().split("\n"), reads ? listed.slice(1) : listed)
      }))
  }

  for (const mode of ["read-only", "workspace-write"] as const) {
    it.live(`leave the programs of ${mode} working`, () =>
      Effect.gen(function*() {
        const made = yield* Effect.acquireRelease(
          Effect.promise(() => Fixture.make(Fixture.users[0]!)),
          (fixture) => Effect.sync(fixture.close)
        )
        const node = process.execPath
        const script = `
"${node}" -e 'require("child_process").exec("echo child", (_, out) => process.stdout.write(out))'
"${node}" -e 'console.log(Object.keys(require("os").networkInterfaces()).includes("lo") ? "interfaces" : "none")'
"${node}" -e 'require("net").connect(${made.port}, "127.0.0.1").on("connect", () => { console.log("connected"); process.exit() })'
"${node}" -e 'require("dns").lookup("localhost", (error, address) => console.log(error ? "unknown" : "resolved"))'
perl -MSocket -e 'socketpair(my $a, my $b, AF_UNIX, SOCK_STREAM, 0) and print "pair\n"'
if command -v ip > /dev/null; then ip route > /dev/null && ip addr | grep -q 127.0.0.1; fi && echo routes
if command -v ss > /dev/null; then ss -tln 2> /dev/null | grep -q ":${made.port} "; fi && echo listeners
git -C "${made.work}" --version > /dev/null && echo git`
        const { output } = yield* Run.bash(script, made.work, mode, true, { readable: [dirname(node)] })
          .pipe(Effect.scoped, Effect.provide(Run.layer(made)))
        assert.deepStrictEqual(output.trim().split("\n"), [
          "child",
          "interfaces",
          "connected",
          "resolved",
          "pair",
          "routes",
          "listeners",
          "git"
        ])
      }))
  }
})
