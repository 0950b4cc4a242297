import { execFileSync } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit } from "effect"
import {
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import type { EffectiveSandbox } from "../../src/domain/PolicySettings.ts"
import * as Scratch from "../../src/sandbox/backends/Scratch.ts"
import { exchange, exchanging } from "../support/Exchange.ts"
import * as Fixture from "./Fixture.ts"
import * as Run from "./Run.ts"

const isRoot = process.geteuid?.() === 0

const [key, state] = ["KEY-OF-THE-USER", "STATE-OF-POSTERN"]

const made = (who: Fixture.Who) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      // Not below a temporary folder: those are replaced inside.
      const base = realpathSync(mkdtempSync(join(isRoot ? "/srv" : homedir(), "postern-race-")))
      const [home, work] = [join(base, "home"), join(base, "work")]
      const own = { configDir: join(home, ".postern"), dataDir: join(home, ".postern", "data") }
      for (const folder of [join(home, ".ssh"), own.dataDir, work]) mkdirSync(folder, { recursive: true })
      writeFileSync(join(home, ".ssh", "id_rsa"), key)
      writeFileSync(join(own.configDir, "config.toml"), state)
      if (who.id !== undefined) {
        const files = readdirSync(base, { recursive: true, encoding: "utf8" }).map((name) => join(base, name))
        for (const path of [base, ...files]) lchownSync(path, who.id, who.id)
      }
      return { base, home, work, own }
    }),
    ({ base }) => Effect.sync(() => rmSync(base, { recursive: true, force: true }))
  )

type Made = Effect.Success<ReturnType<typeof made>>

interface Attack {
  readonly title: string
  /** What the first command makes, relative to the workspace, before it exchanges it. */
  readonly prepare: string
  readonly place: string
  readonly leadsTo: (made: Made) => string
  /** What the other commands may reach, and how they try to get at more. */
  readonly call: (made: Made) => { readonly work: string; readonly options?: Run.Options; readonly script: string }
  readonly modes?: ReadonlyArray<EffectiveSandbox>
}

const ssh = ({ home }: Made) => join(home, ".ssh")
const configDir = ({ own }: Made) => own.configDir
const inWork = (script: string) => ({ work }: Made) => ({ work, script })

const attacks: ReadonlyArray<Attack> = [
  {
    title: "a protected folder",
    prepare: "mkdir .vscode",
    place: ".vscode",
    leadsTo: ssh,
    call: inWork("cat .vscode/id_rsa")
  },
  {
    title: "a protected folder, by Postern's own",
    prepare: "mkdir .idea",
    place: ".idea",
    leadsTo: configDir,
    call: inWork("cat .idea/config.toml")
  },
  {
    title: "a protected file",
    prepare: "echo {} > .mcp.json",
    place: ".mcp.json",
    leadsTo: (made) => join(ssh(made), "id_rsa"),
    call: inWork("cat .mcp.json")
  },
  {
    title: "a nested protected folder",
    prepare: "mkdir -p .git/hooks; echo ref: refs/heads/main > .git/HEAD",
    place: ".git/hooks",
    leadsTo: ssh,
    call: inWork("cat .git/hooks/id_rsa")
  },
  {
    title: "a pinned folder",
    prepare: "mkdir -p .git/hooks; echo ref: refs/heads/main > .git/HEAD",
    place: ".git",
    leadsTo: configDir,
    call: inWork("cat .git/config.toml")
  },
  {
    title: "a folder on the way to a hidden file",
    prepare: "mkdir private; echo x > private/file",
    place: "private",
    leadsTo: ssh,
    call: ({ work }) => ({
      work,
      script: "cat private/id_rsa",
      options: { masks: [join(work, "private", "file")] }
    })
  },
  {
    title: "a folder of another session",
    prepare: "mkdir sub",
    place: "sub",
    leadsTo: ssh,
    call: ({ work }) => ({ work: join(work, "sub"), script: "cat id_rsa" }),
    modes: ["workspace-write", "read-only", "workspace-read", "scratch"]
  },
  {
    title: "a folder that another session reads",
    prepare: "mkdir shared other",
    place: "shared",
    leadsTo: ssh,
    call: ({ work }) => ({
      work: join(work, "other"),
      script: "cat ../shared/id_rsa",
      options: { readable: [join(work, "shared")] }
    }),
    modes: ["workspace-write", "workspace-read"]
  },
  {
    title: "a protected folder, by a link that leads bubblewrap astray",
    prepare: "mkdir .vscode aside",
    place: ".vscode",
    leadsTo: ({ work }) => `/newroot${work}/aside`,
    call: inWork("echo x > .vscode/planted")
  },
  {
    title: "a protected folder, by a link that is valid only while bubblewrap mounts",
    prepare: "mkdir .vscode",
    place: ".vscode",
    leadsTo: (made) => `/oldroot${ssh(made)}`,
    call: inWork("cat .vscode/id_rsa")
  }
]

const rounds = 20

const writable: ReadonlyArray<EffectiveSandbox> = ["workspace-write"]

describe.skipIf(!Fixture.hasBubblewrap)(
  `a command that exchanges for a link, while others start${Fixture.reason}`,
  () => {
    for (const who of Fixture.users) {
      for (const { call, leadsTo, modes = writable, place, prepare, title } of attacks) {
        for (const mode of modes) {
          it.live(`${title}: ${mode} opens nothing else for ${who.name}`, () =>
            Effect.gen(function*() {
              const folders = yield* made(who)
              const { options = {}, script, work } = call(folders)
              const ready = yield* Deferred.make<void>()
              const start = (text: string) =>
                Effect.exit(
                  Effect.scoped(Run.bash(text, work, mode, false, { who, ...options, timeout: "10 seconds" }))
                )
              yield* Effect.gen(function*() {
                const attacker = yield* Effect.forkScoped(Run.bash(
                  `${prepare}; ln -s "${leadsTo(folders)}" link; ${exchanging(place, "link")}`,
                  folders.work,
                  "workspace-write",
                  false,
                  {
                    who,
                    timeout: "1 minute",
                    onOutput: (text) => {
                      if (text.includes("ready")) Deferred.doneUnsafe(ready, Effect.void)
                    }
                  }
                ))
                yield* Deferred.await(ready)
                for (let round = 0; round < rounds; round++) {
                  const exit = yield* start(script)
                  const output = Exit.isSuccess(exit) ? exit.value.output : ""
                  assert.notInclude(output, key)
                  assert.notInclude(output, state)
                  for (const name of [place, "link", "aside"]) {
                    assert.isFalse(existsSync(join(folders.work, name, "planted")), `${name} could be written to`)
                  }
                }
                assert.isUndefined(attacker.pollUnsafe(), "the attack went on to the end")
              }).pipe(Effect.scoped, Effect.provide(Run.layer(folders)))
            }))
        }
      }
    }
  }
)

describe.skipIf(process.platform !== "linux")("the copy of a workspace for a scratch call", () => {
  it.live("holds nothing of what a folder is exchanged for meanwhile", () =>
    Effect.gen(function*() {
      const folders = yield* made(Fixture.users[0]!)
      const { work } = folders
      mkdirSync(join(work, "sub", "deep"), { recursive: true })
      writeFileSync(join(work, "sub", "id_rsa"), "harmless")
      execFileSync("ln", ["-s", ssh(folders), join(work, "link")])
      const attacker = yield* Effect.promise(() => exchange(work, "sub", "link"))
      const copies = yield* Effect.gen(function*() {
        const found: Array<string> = []
        for (let round = 0; round < 200; round++) {
          const prepared = yield* Effect.exit(
            Scratch.prepare({ kind: "copies" }, { roots: [work] }, join(folders.base, "scratch"))
          )
          if (Exit.isFailure(prepared) || prepared.value.mounts.kind !== "copies") continue
          const copy = prepared.value.mounts.of.get(work)!
          for (const name of ["sub", "link"]) {
            const file = join(copy, name, "id_rsa")
            if (!lstatSync(join(copy, name)).isSymbolicLink() && existsSync(file)) {
              found.push(readFileSync(file, "utf8"))
            }
          }
        }
        return found
      }).pipe(Effect.scoped, Effect.ensuring(Effect.sync(() => attacker.kill("SIGKILL"))))
      assert.isAbove(copies.length, 0)
      assert.deepStrictEqual([...new Set(copies)], ["harmless"])
    }))

  it.live("goes with the next call where a host that made one was killed", () =>
    Effect.gen(function*() {
      const { base, work } = yield* made(Fixture.users[0]!)
      const parent = join(base, "scratch")
      mkdirSync(join(parent, "999999999-stale", "inner"), { recursive: true })
      mkdirSync(join(parent, `${process.pid}-other`))
      yield* Effect.scoped(Scratch.prepare({ kind: "copies" }, { roots: [work] }, parent))
      assert.deepStrictEqual(readdirSync(parent), [`${process.pid}-other`])
    }))

  it.live("keeps modes, times and links, and leaves pipes out", () =>
    Effect.gen(function*() {
      const { base, work } = yield* made(Fixture.users[0]!)
      mkdirSync(join(work, "sub"))
      writeFileSync(join(work, "sub", "run"), "#!/bin/sh\n", { mode: 0o755 })
      utimesSync(join(work, "sub", "run"), 1_000_000, 1_000_000)
      execFileSync("bash", ["-c", "ln -s ../nowhere sub/link; mkfifo pipe; chmod 500 sub"], { cwd: work })
      const { mounts } = yield* Scratch.prepare({ kind: "copies" }, { roots: [work] }, join(base, "scratch"))
      const copy = mounts.kind === "copies" ? mounts.of.get(work)! : ""
      assert.deepStrictEqual(readdirSync(copy), ["sub"])
      assert.strictEqual(readlinkSync(join(copy, "sub", "link")), "../nowhere")
      const [folder, file] = [lstatSync(join(copy, "sub")), lstatSync(join(copy, "sub", "run"))]
      assert.deepStrictEqual([folder.mode & 0o777, file.mode & 0o777, file.mtimeMs], [0o500, 0o755, 1_000_000_000])
    }).pipe(Effect.scoped))
})
