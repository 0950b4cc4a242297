import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { execFileSync } from "node:child_process"
import { existsSync, linkSync, lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import * as Ownership from "../../src/platform/socket/Ownership.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

/** A folder of our own and the path of a socket in it. */
const place = Effect.map(temporaryFolder, (folder) => {
  mkdirSync(join(folder, "data"), { mode: 0o700 })
  return join(folder, "data", "d.sock")
})

const refusal = (path: string) => Effect.scoped(Effect.flip(Ownership.take(path, true)))

const program = (path: string) =>
  Effect.acquireRelease(
    Effect.callback<void>((resume) => {
      const server = createServer().listen(path, () => resume(Effect.void))
      return Effect.sync(() => server.close())
    }),
    () => Effect.void
  )

const nobody = 4_194_305

describe("The owner of a socket", () => {
  it.live("is named while it is there, and nothing of it stays when it stops", () =>
    Effect.gen(function*() {
      const path = yield* place
      const scope = yield* Scope.make()
      yield* Scope.provide(Ownership.take(path, true), scope)
      assert.strictEqual(lstatSync(`${path}.pid`).mode & 0o777, 0o600)
      const { message, reason } = yield* refusal(path)
      assert.deepStrictEqual([reason, message], [
        "in_use",
        `address in use: the daemon with process id ${process.pid} is running and serves ${path}; stop it with: kill ${process.pid}`
      ])
      yield* Scope.close(scope, Exit.void)
      assert.isFalse(existsSync(`${path}.pid`))
    }))

  it.live("a lock file without a held lock names no owner", () =>
    Effect.gen(function*() {
      const path = yield* place
      writeFileSync(`${path}.pid`, `${process.pid}\n`)
      yield* program(path)
      const { message, reason } = yield* refusal(path)
      assert.strictEqual(reason, "in_use")
      assert.include(message, `address in use: another program answers at ${path}`)
      assert.notMatch(message, /kill|process id/)
    }))

  it.live("a file that another process left there does not name the owner", () =>
    Effect.gen(function*() {
      const path = yield* place
      const other = join(path, "../other")
      writeFileSync(other, "1\n")
      yield* Ownership.take(path, true)
      for (
        const leave of [
          () => symlinkSync(other, `${path}.pid`),
          () => linkSync(other, `${path}.pid`),
          () => execFileSync("mkfifo", [`${path}.pid`]),
          () => writeFileSync(`${path}.pid`, `${nobody}\n`),
          () => writeFileSync(`${path}.pid`, "1; rm -rf /\n"),
          () => {}
        ]
      ) {
        execFileSync("rm", ["-f", `${path}.pid`])
        leave()
        assert.strictEqual(
          (yield* refusal(path)).message,
          `address in use: another daemon is running and serves ${path}; stop it first`
        )
      }
    }))

  it.live("writes its id over no link, no other name of a file and no pipe", () =>
    Effect.gen(function*() {
      for (const leave of [symlinkSync, linkSync, (_: string, at: string) => execFileSync("mkfifo", [at])]) {
        const path = yield* place
        const victim = join(path, "../victim")
        writeFileSync(victim, "precious")
        leave(victim, `${path}.pid`)
        yield* Effect.scoped(Effect.gen(function*() {
          yield* Ownership.take(path, true)
          assert.strictEqual(readFileSync(`${path}.pid`, "utf8"), `${process.pid}\n`)
          assert.isTrue(lstatSync(`${path}.pid`).isFile())
        }))
        assert.strictEqual(readFileSync(victim, "utf8"), "precious")
      }
    }))

  it.live("does not begin where its id cannot be kept", () =>
    Effect.gen(function*() {
      const path = yield* place
      mkdirSync(`${path}.pid`)
      const { message, reason } = yield* refusal(path)
      assert.strictEqual(reason, "folder")
      assert.include(message, path.replace("/d.sock", ""))
    }))
})
