import { mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { attempt } from "../../src/workspace/Files.ts"
import * as Files from "../../src/workspace/Files.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

const within = <A>(folder: string, use: (base: string) => Promise<A>) =>
  attempt(folder, () => Files.inside(folder, use))

const names = (folder: string) => within(folder, (base) => readdir(base))

describe("Folder", () => {
  it.effect("is the one that was opened, whatever takes its place", () =>
    Effect.gen(function*() {
      const cwd = yield* temporaryFolder
      for (const folder of ["inside", "outside"]) mkdirSync(join(cwd, folder))
      writeFileSync(join(cwd, "inside/mine"), "")
      writeFileSync(join(cwd, "outside/secret"), "")
      const listed = within(join(cwd, "inside"), (base) => {
        renameSync(join(cwd, "inside"), join(cwd, "moved"))
        symlinkSync("outside", join(cwd, "inside"))
        return readdir(base)
      })
      // Without names for opened folders the swap is noticed instead.
      const found = yield* Effect.catch(listed, ({ reason }) => Effect.succeed([reason]))
      assert.deepStrictEqual(found, process.platform === "linux" ? ["mine"] : ["changed"])
    }))

  it.effect("is not reached through a link, nor beside a link on the way", () =>
    Effect.gen(function*() {
      const cwd = yield* temporaryFolder
      mkdirSync(join(cwd, "outside/sub"), { recursive: true })
      symlinkSync("outside", join(cwd, "link"))
      yield* Effect.flip(names(join(cwd, "link")))
      assert.strictEqual((yield* Effect.flip(names(join(cwd, "link/sub")))).reason, "changed")
    }))

  it.effect("is made below one that is there, and never that one", () =>
    Effect.gen(function*() {
      const cwd = yield* temporaryFolder
      const top = join(cwd, "top")
      mkdirSync(top)
      yield* Files.write(join(top, "a/b/c"), Buffer.from("c"), top)
      rmSync(top, { recursive: true })
      for (const path of ["c", "a/b/c"]) {
        const { detail } = yield* Effect.flip(Files.write(join(top, path), Buffer.from("c"), top))
        assert.strictEqual(detail, `the folder ${top} is gone.`)
      }
      assert.deepStrictEqual(readdirSync(cwd), [])
    }))
})
