import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { Worker } from "node:worker_threads"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as ContentSearch from "../../../src/tool/file/ContentSearch.ts"
import { temporaryFolder } from "../../support/TemporaryFolder.ts"
import { bench, toolbox } from "../Call.ts"

describe("content_search, what ripgrep reports", () => {
  it.live("goes through the policy before it counts", () =>
    Effect.gen(function*() {
      const programs = yield* temporaryFolder
      const match = (path: string, line_number: number) =>
        JSON.stringify({ type: "match", data: { path: { text: path }, lines: { text: "hit" }, line_number } })
      const lines = [match("./closed", 1), match("./closed", 2), match("./open", 1)]
      writeFileSync(join(programs, "rg"), `#!/bin/sh\nprintf '%s\\n' ${lines.map((line) => `'${line}'`).join(" ")}\n`, {
        mode: 0o755
      })
      const { cwd, put, run } = yield* Effect.provide(bench, toolbox({ PATH: programs }))
      put("open", "hit")
      put("closed", "hit\nhit")
      const mayRead = Effect.succeed((path: string) => path !== join(cwd, "closed"))
      const { text } = yield* run("content_search", { pattern: "hit", max_results: 1 }, { mayRead })
      assert.strictEqual(text, "open:1:hit\n[Files that the policy does not let be read are left out.]")
    }))
})

describe("content_search, files that do not tell their size", () => {
  const job = {
    files: ["status"],
    pattern: "Pid",
    flags: "",
    before: 0,
    after: 0,
    mode: "count",
    maxResults: 1,
    maxOutput: 1000,
    maxLine: 100
  }

  const search = (maxFile: number) =>
    Effect.callback<ReadonlyArray<string>>((resume) => {
      const reports: Array<string> = []
      const worker = new Worker(ContentSearch.workerSource, {
        eval: true,
        workerData: { ...job, folder: `/proc/${process.pid}`, maxFile }
      })
      worker.on("message", ({ type }: ContentSearch.SearchReport) => reports.push(type))
      worker.on("exit", () => resume(Effect.succeed(reports)))
    })

  it.live.skipIf(process.platform !== "linux")(
    "are read up to the limit and passed over beyond it",
    () =>
      Effect.gen(function*() {
        assert.deepStrictEqual(yield* search(1024 * 1024), ["file", "done"])
        assert.deepStrictEqual(yield* search(100), ["done"])
      })
  )

  it.live("end the search when ripgrep finds no end of a line", () =>
    Effect.gen(function*() {
      const programs = yield* temporaryFolder
      writeFileSync(join(programs, "rg"), "#!/bin/sh\nwhile :; do printf '%065536d' 0; done\n", { mode: 0o755 })
      const { text } = yield* Effect.provide(bench, toolbox({ PATH: programs }))
      assert.match(yield* text("content_search", { pattern: "0" }), /the output limit was reached/)
    }))
})
