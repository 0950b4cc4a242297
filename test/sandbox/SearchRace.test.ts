import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { exchange } from "../support/Exchange.ts"
import { host } from "../support/EngineHost.ts"
import * as Fixture from "./Fixture.ts"

const rounds = 25

describe.skipIf(!Fixture.hasBubblewrap)(
  `a session's file tools, while a folder is exchanged for a link${Fixture.reason}`,
  () => {
    it.live("read, list, search and change nothing of where the link leads, nor tell that something matches there", () => {
      const { cwd, layer, outside, put, say } = host(() =>
        `[policy]\ntool_approval = "universal_accept"\n[acp]\nmax_sessions = 100\n`
      )
      return Effect.gen(function*() {
        for (const folder of ["sub/deep", "sub2"]) mkdirSync(join(cwd, folder), { recursive: true })
        mkdirSync(join(outside, "deep"))
        for (const name of ["note", "deep/note"]) {
          put(join(cwd, "sub", name), "mark inside\n")
          writeFileSync(join(outside, name), "mark outside\n")
        }
        put(join(cwd, "sub2/note"), "mark inside\n")
        symlinkSync(outside, join(cwd, "link"))
        const exchanger = yield* Effect.promise(() => exchange(cwd, "sub", "link"))
        const seen = new Set<string>()
        yield* Effect.gen(function*() {
          for (let round = 0; round < rounds && seen.size < 6; round++) {
            const [none, some, many, globbed, listed, read, edited, written] = yield* say(
              `call content_search {"pattern": "mark outside"}`,
              `call content_search {"pattern": "mark", "output_mode": "count"}`,
              `call content_search {"pattern": "^mark.*?$", "multiline": true}`,
              "glob **/note",
              "list sub/deep",
              "read sub/note",
              `call file_edit {"path": "sub/note", "old_string": "mark", "new_string": "mark"}`,
              `call file_write {"path": "sub/deep/note", "content": "mark inside\\n"}`
            )
            // Not even that a file was left out.
            assert.strictEqual(none, "completed No matches.")
            for (const result of [some, many, globbed, listed, read, edited, written]) {
              assert.notMatch(result!, /mark outside|exactly once/)
            }
            for (const [name, result] of Object.entries({ some, globbed, listed, read, edited, written })) {
              if (result!.startsWith("completed") && !result!.includes("No ")) seen.add(name)
            }
            assert.strictEqual(readFileSync(join(outside, "deep/note"), "utf8"), "mark outside\n")
          }
        }).pipe(Effect.ensuring(Effect.sync(() => exchanger.kill("SIGKILL"))))
        assert.include([...seen], "some")
        assert.isAbove(seen.size, 1)
      }).pipe(Effect.provide(layer))
    })
  }
)
