import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { homedir } from "node:os"
import { basename, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Fixture from "../../sandbox/Fixture.ts"
import { host } from "../../support/EngineHost.ts"

const config = (sandbox: string, more = "") => () =>
  `[policy]\ntool_approval = "universal_accept"\nsandbox = "${sandbox}"\n${more}`

const listening = Effect.acquireRelease(
  Effect.promise(() =>
    new Promise<{ readonly port: number; readonly close: () => void }>((resolve) => {
      const server = createServer((socket) => void socket.on("error", () => undefined).end("hello"))
      server.listen(0, "127.0.0.1", () =>
        resolve({
          port: (server.address() as { port: number }).port,
          close: () => server.close()
        }))
    })
  ),
  ({ close }) => Effect.sync(close)
)

describe.skipIf(!Fixture.hasBubblewrap)(`A shell call of a session${Fixture.reason}`, () => {
  it.live("writes the session's folder and nothing else", () => {
    const { cwd, layer, outside, put, say } = host(config("workspace-write"))
    put(join(cwd, "far.sh"), `echo 1 > ${outside}/out`)
    put(join(cwd, "tmp.sh"), "echo x > /tmp/only-here; cat /tmp/only-here")
    return Effect.gen(function*() {
      const [written, refused, temporary] = yield* say("run echo 1 > in", "run bash ./far.sh", "run bash ./tmp.sh")
      assert.strictEqual(written, "completed (no output)")
      assert.match(refused!, /^failed exit code 1\n.*(Read-only file system|No such file)/s)
      assert.match(refused!, /\[sandbox: the command ran in Sandbox mode workspace-write\]$/)
      assert.strictEqual(temporary, "completed x")
      assert.strictEqual(readFileSync(join(cwd, "in"), "utf8"), "1\n")
      assert.deepStrictEqual([existsSync(join(outside, "out")), existsSync("/tmp/only-here")], [false, false])
    }).pipe(Effect.provide(layer))
  })

  it.live("finds in /tmp what an earlier one left there, as no other session does, and it goes with the session", () => {
    const { cwd, home, layer, put, say } = host(config("workspace-write"))
    put(join(cwd, "move.sh"), "mkdir src; echo code > src/a; mv src /tmp/backup")
    const kept = join(home, "data", "tmp")
    return Effect.gen(function*() {
      const [moved, read, back] = yield* say("run bash ./move.sh", "run cat /tmp/backup/a", "run cp -r /tmp/backup src")
      assert.deepStrictEqual([moved, read, back], ["completed (no output)", "completed code", "completed (no output)"])
      assert.strictEqual(readFileSync(join(cwd, "src", "a"), "utf8"), "code\n")
      assert.lengthOf(readdirSync(kept), 1)
      const [other, asked] = yield* say("run cat /tmp/backup/a", "run mv src /tmp/backup")
      assert.match(other!, /^failed .*No such file/s)
      assert.match(asked!, /^failed/)
    }).pipe(
      Effect.provide(layer),
      Effect.andThen(Effect.sync(() => assert.deepStrictEqual(readdirSync(kept), [])))
    )
  })

  it.live("says what it made that others run or obey, which the next one cannot change", () => {
    const { cwd, layer, put, say } = host(config("workspace-write"))
    put(join(cwd, "make.sh"), "git init -q deep/er/repo; mkdir -p app/.vscode")
    put(join(cwd, "fail.sh"), "mkdir -p other/.idea; exit 3")
    put(join(cwd, "evil.sh"), "echo x > deep/er/repo/.git/hooks/pre-commit; echo x > app/.vscode/tasks.json")
    const job = `call shell ${JSON.stringify({ command: "bash ./late.sh", background: true })}`
    put(join(cwd, "late.sh"), "mkdir -p late/.claude")
    return Effect.gen(function*() {
      const [made, failed, evil, , , next, quiet] = yield* say(
        "run bash ./make.sh",
        "run bash ./fail.sh",
        "run bash ./evil.sh",
        job,
        `call job_output ${JSON.stringify({ id: "1", wait_secs: 20 })}`,
        "run touch free",
        "run touch free"
      )
      const created = (path: string) =>
        `${join(cwd, path)} was created; look at it before programs outside the sandbox use it`
      assert.strictEqual(
        made,
        `completed (no output)\n[sandbox: ${created("app/.vscode")}]\n[sandbox: ${created("deep/er/repo/.git")}]`
      )
      assert.include(failed!, `\n[sandbox: ${created("other/.idea")}]`)
      assert.match(evil!, /pre-commit: Read-only file system[^]*tasks.json: Read-only file system/)
      assert.strictEqual(
        next,
        `completed (no output)\n[sandbox: since the command before this one, ${created("late/.claude")}]`
      )
      assert.strictEqual(quiet, "completed (no output)")
    }).pipe(Effect.provide(layer))
  })

  it.live("says that it made what a deny rule names, which the next one cannot write to or read", () => {
    const { cwd, layer, put, say } = host(config(
      "workspace-write",
      "[policy.rules]\ndeny = [\"write(./notyet/**)\", \"read(**/secret.txt)\"]\n"
    ))
    put(join(cwd, "make.sh"), "mkdir notyet sub; echo 1 > notyet/a; echo KEY > sub/secret.txt")
    put(join(cwd, "again.sh"), "echo 2 > notyet/a; echo 2 > notyet/b; cat sub/secret.txt")
    return Effect.gen(function*() {
      const [made, again] = yield* say("run bash ./make.sh", "run bash ./again.sh")
      for (
        const [path, rule] of [["notyet", "write(./notyet/**)"], ["sub/secret.txt", "read(**/secret.txt)"]] as const
      ) {
        assert.include(made!, `[sandbox: ${join(cwd, path)} was created, which the rule deny ${rule} covers`)
      }
      assert.match(again!, /Read-only file system/)
      assert.notInclude(again!, "KEY")
      assert.strictEqual(readFileSync(join(cwd, "notyet", "a"), "utf8"), "1\n")
    }).pipe(Effect.provide(layer))
  })

  it.live("that only reads gets no network, and one that may write does", () => {
    const { cwd, layer, put, say } = host(config("workspace-write"))
    return Effect.gen(function*() {
      const { port } = yield* listening
      put(join(cwd, "dial.sh"), `exec 3<>/dev/tcp/127.0.0.1/${port} && head -c 5 <&3`)
      const [off, on] = yield* say("run cat /proc/net/dev", "run bash ./dial.sh")
      assert.notInclude(off!, "eth0")
      assert.strictEqual(on, "completed hello")
    }).pipe(Effect.scoped, Effect.provide(layer))
  })

  it.live("does not see what deny rules, forbidden paths and Postern itself keep", () => {
    const { cwd, home, layer, put, say } = host(config(
      "workspace-write",
      `
[policy.rules]
deny = ["read(.env)", "read(./sec/**)", "write(./lock)"]
[risk_profiles.default]
forbidden_paths = ["./forb"]
`
    ))
    for (const path of [".env", "deep/er/.env", "sec/k", "forb/f", "lock", "plain"]) {
      put(join(cwd, path), `NEEDLE ${path}\n`)
    }
    put(join(cwd, "in.sh"), "cp d/lock .")
    put(join(cwd, "all.sh"), "cat * deep/er/.e* sec/k .env forb/f; true")
    return Effect.gen(function*() {
      const [grep, copy, own] = yield* say(
        "run grep -rh NEEDLE .; bash ./all.sh",
        "run mkdir -p d && cp plain d/lock && bash ./in.sh",
        `run ls -A "$(dirname ${home}/x)"; cat ${home}/config.toml; touch z`
      )
      assert.deepStrictEqual([...new Set(grep!.match(/NEEDLE \S+/g))].toSorted(), ["NEEDLE lock", "NEEDLE plain"])
      assert.match(copy!, /^failed exit code 1\n.*lock.*Read-only file system/s)
      assert.strictEqual(readFileSync(join(cwd, "lock"), "utf8"), "NEEDLE lock\n")
      assert.notInclude(own!, "universal_accept")
    }).pipe(Effect.provide(layer))
  })

  it.live("sees a hidden folder of the home that visible_paths names, as the file tools do", () =>
    Effect.gen(function*() {
      const folder = mkdtempSync(join(homedir(), ".postern-visible-"))
      yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(folder, { recursive: true, force: true })))
      writeFileSync(join(folder, "settings"), "NEEDLE")
      for (const visible of [false, true]) {
        const { layer, say } = host(config(
          "workspace-write",
          `[risk_profiles.default]\nworkspace_only = false\n${
            visible ? `visible_paths = ["~/${basename(folder)}"]\n` : ""
          }`
        ))
        const [cat, read] = yield* Effect.provide(say(`run cat ${folder}/settings`, `read ${folder}/settings`), layer)
        assert.match(cat!, visible ? /^completed NEEDLE/ : /^failed exit code 1\n.*No such file/)
        assert.match(read!, visible ? /^completed 1: NEEDLE/ : /^failed .*the sandbox hides it/)
      }
    }))

  it.live("with scratch writes what it likes, says so, and leaves nothing", () => {
    const { cwd, layer, put, say } = host(config("workspace-write", "work_mode = \"sw\"\n"))
    put(join(cwd, "keep"), "as it was")
    const scratch = (command: string) => `call shell ${JSON.stringify({ command, scratch: true })}`
    return Effect.gen(function*() {
      const [done, plain, after] = yield* say(
        scratch("echo changed > keep; echo new > new; cat keep new"),
        "run touch new",
        "run ls"
      )
      assert.match(done!, /^completed changed\nnew\n\[sandbox: changes are discarded \(scratch/)
      assert.match(plain!, /^failed Denied by capability/)
      assert.strictEqual(after, "completed keep")
      assert.strictEqual(readFileSync(join(cwd, "keep"), "utf8"), "as it was")
    }).pipe(Effect.provide(layer))
  })

  it.live("in workspace-read sees nothing outside the workspace, also when it is a test", () => {
    const { cwd, layer, outside, put, say } = host(config("workspace-read"))
    put(join(outside, "secret"), "SECRET")
    put(join(cwd, "own"), "OWN")
    return Effect.gen(function*() {
      const [read, scratch] = yield* say(
        `run cat own ${outside}/secret`,
        `call shell ${JSON.stringify({ command: `cat own ${outside}/secret; echo x > new && cat new`, scratch: true })}`
      )
      for (const shown of [read!, scratch!]) {
        assert.include(shown, "OWN")
        assert.notInclude(shown, "SECRET")
      }
      assert.match(scratch!, /x\n[^]*\[sandbox: changes are discarded/)
      assert.isFalse(existsSync(join(cwd, "new")))
    }).pipe(Effect.provide(layer))
  })

  it.live("that goes round a read-only sandbox in a repository's own programs fails", () => {
    const { cwd, layer, say } = host(config("read-only"))
    spawnSync("git", ["init", "-q", cwd])
    return Effect.gen(function*() {
      const [touched, committed] = yield* say("run touch x", "run git commit --allow-empty -m x")
      assert.match(touched!, /^failed exit code 1\n.*Read-only file system/s)
      assert.match(committed!, /^failed/)
      assert.isFalse(existsSync(join(cwd, "x")))
    }).pipe(Effect.provide(layer))
  })
})

describe("Without a sandbox", () => {
  const nowhere = { PATH: "/nowhere" }

  it.live("a shell call does not run, and says what is missing", () => {
    const { cwd, layer, say } = host(
      config("workspace-write", "[risk_profiles.default]\nsandbox_backend = \"firejail\"\n"),
      nowhere
    )
    return Effect.gen(function*() {
      for (const result of yield* say("run touch x", "run ls")) {
        assert.match(result, /^failed Denied by sandbox \(SANDBOX_UNAVAILABLE\): firejail is not installed/)
      }
      assert.isFalse(existsSync(join(cwd, "x")))
    }).pipe(Effect.provide(layer))
  })

  it.live("only an operator's word and full access together let commands run", () => {
    const none = "[risk_profiles.default]\nsandbox_backend = \"none\"\n"
    return Effect.gen(function*() {
      const held = host(config("workspace-write", none), nowhere)
      for (const result of yield* Effect.provide(held.say("run touch x", "run ls"), held.layer)) {
        assert.match(result, /SANDBOX_UNAVAILABLE/)
      }
      const open = host(config("danger-full-access", none), nowhere)
      const [touched, listed] = yield* Effect.provide(open.say("run echo > x", "run pwd"), open.layer)
      assert.deepStrictEqual([touched, listed], ["completed (no output)", `completed ${open.cwd}`])
      const offline = host(config("danger-full-access", `network = "off"\n${none}`), nowhere)
      for (const result of yield* Effect.provide(offline.say("run ls"), offline.layer)) {
        assert.match(result, /SANDBOX_UNAVAILABLE/)
      }
    })
  })
})

describe("File tools", () => {
  it.live("obey the Sandbox mode, and what a command in it could not write or see", () => {
    const { cwd, layer, outside, put, say } = host(
      config("workspace-write", "[risk_profiles.default]\nworkspace_only = false\n")
    )
    spawnSync("git", ["init", "-q", cwd])
    mkdirSync(join(cwd, ".vscode"))
    put(join(outside, "f"), "OUT")
    return Effect.gen(function*() {
      const write = (path: string) => [`write ${path}`, "x", "."]
      const results = yield* say(
        ...write("a"),
        ...write(".git/hooks/pre-commit"),
        ...write(".vscode/tasks.json"),
        ...write(".envrc"),
        ...write(`${outside}/g`),
        `read ${outside}/f`,
        "read /etc/shadow"
      )
      const [plain, hook, settings, missing, far, read, shadow] = results
      assert.match(plain!, /^completed/)
      for (const guarded of [hook, settings, missing]) {
        assert.match(guarded!, /^failed .*Sandbox mode workspace-write protects it/)
      }
      assert.match(far!, /^failed .*only the session's folders/)
      assert.match(read!, /^completed OUT|^completed 1: OUT/)
      assert.match(shadow!, /^failed .*(the sandbox hides it|PATH_FORBIDDEN)/)
      assert.deepStrictEqual([existsSync(join(cwd, ".git/hooks/pre-commit")), existsSync(join(cwd, ".envrc"))], [
        false,
        false
      ])
    }).pipe(Effect.provide(layer))
  })

  for (const mode of ["read-only", "workspace-read"]) {
    it.live(`write nothing in ${mode}`, () => {
      const { cwd, layer, outside, put, say } = host(config(mode, "[risk_profiles.default]\nworkspace_only = false\n"))
      put(join(cwd, "f"), "old\n")
      put(join(outside, "f"), "OUT")
      return Effect.gen(function*() {
        const [written, edited, inside, far] = yield* say(
          "write g",
          "x",
          ".",
          "edit f",
          "old",
          "---",
          "new",
          ".",
          "read f",
          `read ${outside}/f`
        )
        for (const refused of [written, edited]) {
          assert.match(refused!, new RegExp(`^failed .*Sandbox mode ${mode} lets nothing be written`))
        }
        assert.match(inside!, /^completed 1: old/)
        assert.match(far!, mode === "read-only" ? /^completed/ : /^failed .*shows nothing outside/)
        assert.strictEqual(readFileSync(join(cwd, "f"), "utf8"), "old\n")
      }).pipe(Effect.provide(layer))
    })
  }
})
