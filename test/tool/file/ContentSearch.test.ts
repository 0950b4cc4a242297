import { chmodSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it, layer } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer } from "effect"
import { Timeout } from "../../../src/tool/file/ContentSearch.ts"
import * as Executable from "../../../src/platform/Executable.ts"
import { PathRefused } from "../../../src/workspace/Workspace.ts"
import { exchange } from "../../support/Exchange.ts"
import { temporaryFolder } from "../../support/TemporaryFolder.ts"
import { bench, toolbox } from "../Call.ts"

const ripgrep = Executable.find("rg", process.env["PATH"], [])

/** The same behaviour is asked of both engines; without ripgrep on the machine only the built-in one can be shown. */
const engines = [
  { engine: "built-in", path: "/nonexistent" },
  ...(ripgrep === undefined ? [] : [{ engine: "ripgrep", path: join(ripgrep, "..") }])
]

describe.each(engines)("content_search, $engine", ({ engine, path }) => {
  layer(toolbox({ PATH: path }), { excludeTestServices: true })((it) => {
    it.effect("shows matching lines with path and number, files in order", () =>
      Effect.gen(function*() {
        const { cwd, put, run, text } = yield* bench
        mkdirSync(join(cwd, "src"))
        put("src/b.ts", "const one = 1\r\nconst two = 2\r\n")
        put("a.ts", "x\nconst zero = 0")
        const output = yield* run("content_search", { pattern: "const \\w+" })
        assert.strictEqual(output.text, "a.ts:2:const zero = 0\nsrc/b.ts:1:const one = 1\nsrc/b.ts:2:const two = 2")
        assert.deepStrictEqual(output.locations, [{ path: join(cwd, "a.ts"), line: 2 }, {
          path: join(cwd, "src/b.ts"),
          line: 1
        }])
        assert.deepStrictEqual(output.rawOutput, { files: 2, matches: 3 })
        assert.strictEqual(yield* text("content_search", { pattern: "two", path: "src" }), "src/b.ts:2:const two = 2")
        assert.strictEqual(
          yield* text("content_search", { pattern: "one", path: "src/b.ts" }),
          "src/b.ts:1:const one = 1"
        )
        assert.strictEqual(yield* text("content_search", { pattern: "absent" }), "No matches.")
      }))

    it.effect("has the modes, case, include and context of its parameters", () =>
      Effect.gen(function*() {
        const { cwd, put, text } = yield* bench
        mkdirSync(join(cwd, "d"))
        put("a.ts", "1\nHit\n3\n4\n5\n6\nhit\n8")
        put("d/b.md", "hit\n")
        const search = (parameters: object) => text("content_search", { pattern: "hit", ...parameters })
        assert.strictEqual(yield* search({ output_mode: "files_with_matches" }), "a.ts\nd/b.md")
        assert.strictEqual(yield* search({ output_mode: "count", case_sensitive: false }), "a.ts:2\nd/b.md:1")
        assert.strictEqual(yield* search({ include: "*.md" }), "d/b.md:1:hit")
        assert.strictEqual(yield* search({ include: "d/*.md" }), "d/b.md:1:hit")
        assert.strictEqual(
          yield* search({ include: "*.ts", case_sensitive: false, context_before: 1, context_after: 1 }),
          "a.ts-1-1\na.ts:2:Hit\na.ts-3-3\n--\na.ts-6-6\na.ts:7:hit\na.ts-8-8"
        )
      }))

    it.effect("passes over .git, node_modules, binary and huge files, and links", () =>
      Effect.gen(function*() {
        const { cwd, put, text } = yield* bench
        const other = yield* bench
        other.put("secret", "needle")
        for (const folder of [".git", "node_modules", ".hidden"]) {
          mkdirSync(join(cwd, folder))
          put(`${folder}/f`, "needle")
        }
        put(".gitignore", "ignored\n")
        put("ignored", "needle")
        put("binary", Buffer.from("\0needle"))
        put("huge", "needle\n")
        truncateSync(join(cwd, "huge"), 10 * 1024 * 1024 + 1)
        symlinkSync(join(other.cwd, "secret"), join(cwd, "link"))
        symlinkSync(other.cwd, join(cwd, "folder"))
        assert.strictEqual(
          yield* text("content_search", { pattern: "needle", output_mode: "files_with_matches" }),
          ".hidden/f"
        )
        const all = { pattern: "needle", output_mode: "files_with_matches", include_ignored: true }
        assert.include(yield* text("content_search", all), ".hidden/f\nignored")
      }))

    it.effect("stops at max_results and cuts endless lines", () =>
      Effect.gen(function*() {
        const { put, text } = yield* bench
        put("a", "hit\n".repeat(50))
        put("b", "hit\n".repeat(50))
        put("c", `${"x".repeat(5000)}end\n`)
        const ten = yield* text("content_search", { pattern: "hit", max_results: 10 })
        assert.strictEqual(ten.split("\n").filter((line) => line.startsWith("a:")).length, 10)
        assert.match(ten, /max_results was reached/)
        const files = yield* text("content_search", {
          pattern: "hit",
          max_results: 1,
          output_mode: "files_with_matches"
        })
        assert.match(files, /^a\n\[Not everything/)
        assert.match(yield* text("content_search", { pattern: "end" }), /^c:1:x{1000}… \[line cut\]$/)
      }))

    it.effect("explains an invalid pattern, a missing target and one outside", () =>
      Effect.gen(function*() {
        const { failure } = yield* bench
        assert.match(yield* failure("content_search", { pattern: "a(" }), /regular expression|regex/)
        assert.match(yield* failure("content_search", { pattern: "" }), /empty/)
        assert.match(yield* failure("content_search", { pattern: "a", path: "none" }), /does not exist/)
        assert.match(yield* failure("content_search", { pattern: "a", path: "/etc" }), /outside/)
        assert.match(yield* failure("content_search", { pattern: "a", max_results: 1001 }), /max_results/)
      }))

    it.effect("takes patterns and names that look like options literally", () =>
      Effect.gen(function*() {
        const { put, text } = yield* bench
        put("--files", "--pre=x\n")
        assert.strictEqual(yield* text("content_search", { pattern: "--pre=x" }), "--files:1:--pre=x")
        assert.strictEqual(yield* text("content_search", { pattern: "--pre", path: "--files" }), "--files:1:--pre=x")
      }))

    it.effect("leaves out files the workspace refuses", () =>
      Effect.gen(function*() {
        const { context, put, run } = yield* bench
        put("open", "hit")
        put("closed", "hit")
        const workspace = {
          ...context.workspace,
          resolve: (path: string, intent: "read" | "write") =>
            path.endsWith("closed")
              ? Effect.fail(new PathRefused({ path, reason: "closed." }))
              : context.workspace.resolve(path, intent)
        }
        assert.strictEqual((yield* run("content_search", { pattern: "hit" }, { workspace })).text, "open:1:hit")
      }))

    it.effect("neither shows nor counts what the policy closes, in the result or against its limit", () =>
      Effect.gen(function*() {
        const { context, cwd, put, run } = yield* bench
        put("closed", "hit\nhit\nhit")
        put("open", "hit\nhit")
        const mayRead = Effect.succeed((path: string) => path !== join(cwd, "closed"))
        const search = (parameters: object) =>
          run("content_search", { pattern: "hit", ...parameters }, { ...context, mayRead })
        const output = yield* search({ max_results: 2 })
        assert.strictEqual(
          output.text,
          "open:1:hit\nopen:2:hit\n[Files that the policy does not let be read are left out.]"
        )
        assert.deepStrictEqual(output.rawOutput, { files: 1, matches: 2 })
        assert.match(
          (yield* Effect.flip(search({ path: "closed" }))).message,
          /^Cannot search closed: the policy does not let it be read/
        )
      }))

    it.effect("searches across lines only with ripgrep", () =>
      Effect.gen(function*() {
        const { put, run } = yield* bench
        put("a", "one\ntwo\nthree")
        const exit = yield* Effect.exit(run("content_search", { pattern: "one.two", multiline: true }))
        if (engine === "ripgrep") assert.strictEqual(Exit.isSuccess(exit) ? exit.value.text : "", "a:1:one\na:2:two")
        else assert.isTrue(Exit.isFailure(exit))
      }))
  })
})

describe("content_search, a pattern without end", () => {
  const catastrophic = { pattern: "^(a+)+$", path: "a" }
  const line = `${"a".repeat(60)}b`

  it.live("is stopped at the time limit while everything else goes on", () =>
    Effect.gen(function*() {
      const { failure, put } = yield* bench
      put("a", line)
      let beats = 0
      const heart = yield* Effect.forkChild(
        Effect.forever(Effect.andThen(Effect.sleep("5 millis"), Effect.sync(() => beats++)))
      )
      assert.match(
        yield* failure("content_search", catastrophic),
        /did not finish within 0.5 seconds.*smaller folder.*nested repetition/
      )
      yield* Fiber.interrupt(heart)
      assert.isAbove(beats, 10)
    }).pipe(Effect.provide(toolbox({ PATH: "/nonexistent" }).pipe(Layer.provide(Layer.succeed(Timeout, 0.5))))))

  it.live("is stopped by an interruption", () =>
    Effect.gen(function*() {
      const { put, run } = yield* bench
      put("a", line)
      const fiber = yield* Effect.forkChild(run("content_search", catastrophic))
      yield* Effect.sleep("300 millis")
      const exit = yield* Effect.timeout(Effect.andThen(Fiber.interrupt(fiber), Fiber.await(fiber)), "5 seconds")
      assert.isTrue(Exit.hasInterrupts(exit))
    }).pipe(Effect.provide(toolbox({ PATH: "/nonexistent" }))))
})

describe("content_search, choice of the engine", () => {
  it.live("never runs a ripgrep that lies in the workspace", () =>
    Effect.gen(function*() {
      const started = yield* Deferred.make<string>()
      const layerFor = (cwd: string) => toolbox({ PATH: cwd })
      const { cwd, context, put } = yield* Effect.provide(bench, toolbox())
      put("rg", "#!/bin/sh\necho ran > \"$0.ran\"\n")
      chmodSync(join(cwd, "rg"), 0o755)
      writeFileSync(join(cwd, "a"), "hit")
      yield* Effect.gen(function*() {
        const { run } = yield* bench
        const output = yield* run("content_search", { pattern: "hit" }, { workspace: context.workspace })
        yield* Deferred.succeed(started, output.text)
      }).pipe(Effect.provide(layerFor(cwd)))
      assert.strictEqual(yield* Deferred.await(started), "a:1:hit")
    }))
})

const isLinux = process.platform === "linux"

describe.skipIf(!isLinux).each(engines)("searches while a folder is exchanged for a link, $engine", ({ path }) => {
  it.live("bring nothing from where the link leads", () =>
    Effect.gen(function*() {
      const { cwd, put, text } = yield* bench
      const outside = yield* temporaryFolder
      for (const folder of ["sub", "sub/deep"]) mkdirSync(join(cwd, folder))
      mkdirSync(join(outside, "deep"))
      for (const name of ["note", "deep/note"]) {
        put(`sub/${name}`, "mark inside\n")
        writeFileSync(join(outside, name), "mark outside\n")
      }
      writeFileSync(join(outside, "outside"), "")
      symlinkSync(outside, join(cwd, "link"))
      const exchanger = yield* Effect.promise(() => exchange(cwd, "sub", "link"))
      let found = 0
      yield* Effect.gen(function*() {
        const end = Date.now() + 8000
        for (let round = 0; round < 40 && (Date.now() < end || found === 0); round++) {
          const shown = yield* text("content_search", { pattern: "mark" })
          if (shown.includes("mark inside")) found++
          assert.notInclude(shown, "outside")
          for (const mode of ["files_with_matches", "count"]) {
            const none = yield* text("content_search", { pattern: "mark outside", output_mode: mode })
            assert.match(none, /^No matches\./)
          }
          assert.notInclude(yield* text("glob_search", { pattern: "**/*" }), "outside")
          const listed = yield* Effect.exit(text("file_list", { path: "sub" }))
          if (Exit.isSuccess(listed)) assert.notInclude(listed.value, "outside")
        }
      }).pipe(Effect.ensuring(Effect.sync(() => exchanger.kill("SIGKILL"))))
      assert.isAbove(found, 0)
    }).pipe(Effect.provide(toolbox({ PATH: path }))))

  it.live("know a file again that has a mark, other line ends, another encoding or no valid text", () =>
    Effect.gen(function*() {
      const { cwd, text } = yield* bench
      const files = {
        "a-mark": "\uFEFFhit one\nx\nhit two",
        "b-ends": "x\r\nhit one\r\n\r\nhit two\r\n",
        "c-bytes": Buffer.concat([Buffer.from("hit "), Buffer.from([0xe4, 0xff]), Buffer.from("\nhit two\n")]),
        "d-long": `hit ${"x".repeat(3000)}\n`
      }
      for (const [name, content] of Object.entries(files)) writeFileSync(join(cwd, name), content)
      const lines = (yield* text("content_search", { pattern: "hit", context_after: 1 })).split("\n")
      assert.deepStrictEqual(
        lines.map((line) => line.slice(0, 16)).filter((line) => /^.-\w+:/.test(line)),
        [
          "a-mark:1:hit one",
          "a-mark:3:hit two",
          "b-ends:2:hit one",
          "b-ends:4:hit two",
          "c-bytes:1:hit \uFFFD\uFFFD",
          "c-bytes:2:hit tw",
          "d-long:1:hit xxx"
        ]
      )
      const counted = yield* text("content_search", { pattern: "hit", output_mode: "count" })
      assert.strictEqual(counted, "a-mark:2\nb-ends:2\nc-bytes:2\nd-long:1")
    }).pipe(Effect.provide(toolbox({ PATH: path }))))
})
