import { execFileSync } from "node:child_process"
import { chmodSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as IgnoreRules from "../../../src/tool/file/IgnoreRules.ts"
import { temporaryFolder } from "../../support/TemporaryFolder.ts"
import { bench, toolbox } from "../Call.ts"

const write = (root: string, files: Readonly<Record<string, string>>) => {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), text)
  }
}

const git = (cwd: string, home: string, ...args: ReadonlyArray<string>) =>
  execFileSync("git", args, { cwd, env: { PATH: process.env["PATH"], HOME: home, GIT_CONFIG_NOSYSTEM: "1" } })

const project = {
  ".gitignore":
    "*.log\n!keep.log\n/dist\nbuild/\n# comment\n\\#odd\n\\!odd\ndoc/*.txt\n**/cache/*\n!**/cache/.keep\ntrailing \nQ\r\n",
  "a.log": "needle",
  "keep.log": "needle",
  "dist/x.js": "needle",
  "src/dist/x.js": "needle",
  "build/y": "needle",
  "src/build/y": "needle",
  "src/build2": "needle",
  "#odd": "needle",
  "!odd": "needle",
  "doc/a.txt": "needle",
  "doc/deep/a.txt": "needle",
  "x/cache/f": "needle",
  "x/cache/.keep": "needle",
  "trailing": "needle",
  "Q": "needle",
  "q": "needle",
  "sub/.gitignore": "/only-here\n!special.log\nsecret*\n!secret-not\ninner/deep\n",
  "sub/only-here": "needle",
  "sub/more/only-here": "needle",
  "sub/special.log": "needle",
  "sub/secret1": "needle",
  "sub/more/secret-not": "needle",
  "sub/inner/deep": "needle",
  "[id]/.gitignore": "gone\n/top\n",
  "[id]/gone": "needle",
  "[id]/x/top": "needle",
  "i/gone": "needle",
  "excluded/f": "needle",
  "all.tmp": "needle",
  "build/.gitignore": "!y\n"
}

/** Folders of programs: without ripgrep, and with it where it is installed. */
const engines = [["the built-in search", "/nowhere"], ["ripgrep", "/usr/local/bin:/usr/bin:/bin"]] as const

describe.for(engines)("What git ignores, by %s", ([, PATH]) => {
  it.live("is what searches leave out: nested files, negation, info/exclude and the user's own rules", () =>
    Effect.gen(function*() {
      const home = yield* temporaryFolder
      const { cwd, text } = yield* Effect.provide(bench, toolbox({ HOME: home, PATH }))
      write(cwd, project)
      write(home, { ".gitconfig": "[core]\n\texcludesFile = ~/mine\n", mine: "*.tmp\n" })
      git(cwd, home, "init", "-q")
      write(cwd, { ".git/info/exclude": "excluded\n" })
      const expected = git(cwd, home, "-c", "core.quotePath=false", "ls-files", "--others", "--exclude-standard")
        .toString().trim().split("\n").sort()
      assert.notInclude(expected, "sub/secret1")
      const lines = (shown: string) => shown.split("\n").filter((line) => !line.startsWith("[Not")).sort()
      assert.deepStrictEqual(lines(yield* text("glob_search", { pattern: "**" })), expected)
      const mode = { pattern: "needle", output_mode: "files_with_matches" }
      assert.deepStrictEqual(
        lines(yield* text("content_search", mode)),
        expected.filter((name) => !name.endsWith(".gitignore"))
      )
      const all = Object.keys(project).filter((name) => !name.endsWith(".gitignore")).sort()
      assert.deepStrictEqual(lines(yield* text("content_search", { ...mode, include_ignored: true })), all)
      assert.include(yield* text("glob_search", { pattern: "*.log", include_ignored: true }), "a.log")
      // From a folder below, and in one that is ignored itself.
      assert.deepStrictEqual(
        lines(yield* text("glob_search", { pattern: "**", path: "sub" })),
        expected.filter((name) => name.startsWith("sub/"))
      )
      assert.strictEqual(yield* text("glob_search", { pattern: "**", path: "dist" }), "dist/x.js")
      assert.include(yield* text("content_search", { pattern: "needle", path: "a.log" }), "a.log:1:needle")
    }))
})

describe("What git ignores", () => {
  it.live("counts in a linked worktree, and without a repository", () =>
    Effect.gen(function*() {
      const home = yield* temporaryFolder
      const { cwd, text } = yield* Effect.provide(bench, toolbox({ HOME: home, PATH: "/nowhere" }))
      write(cwd, { "plain/.gitignore": "x\n", "plain/x": "", "plain/y": "", "main/f": "" })
      assert.strictEqual(yield* text("glob_search", { pattern: "*", path: "plain" }), "plain/.gitignore\nplain/y")
      const main = join(cwd, "main")
      git(main, home, "init", "-q")
      git(main, home, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "x")
      git(main, home, "worktree", "add", "-q", "../tree")
      write(cwd, { "main/.git/info/exclude": "hidden\n", "tree/hidden": "", "tree/seen": "" })
      assert.strictEqual(yield* text("glob_search", { pattern: "*", path: "tree" }), "tree/.git\ntree/seen")
    }))

  it.live("counts for hits that ripgrep reports", () =>
    Effect.gen(function*() {
      const programs = yield* temporaryFolder
      const { cwd, text } = yield* Effect.provide(bench, toolbox({ HOME: programs, PATH: programs }))
      write(cwd, { ".gitignore": "*.log\n", "a.log": "hit", "b.txt": "hit" })
      const lines = ["a.log", "b.txt"].map((path) =>
        JSON.stringify({ type: "match", data: { path: { text: `./${path}` }, lines: { text: "hit" }, line_number: 1 } })
      )
      write(programs, { rg: `#!/bin/sh\nprintf '%s\\n' ${lines.map((line) => `'${line}'`).join(" ")}\n` })
      chmodSync(join(programs, "rg"), 0o755)
      assert.strictEqual(yield* text("content_search", { pattern: "hit" }), "b.txt:1:hit")
      assert.match(yield* text("content_search", { pattern: "hit", include_ignored: true }), /a\.log:1:hit/)
    }))

  it.live("is read from no pipe and from no huge file", () =>
    Effect.gen(function*() {
      const cwd = yield* temporaryFolder
      write(cwd, { "a/x": "", "b/.gitignore": `${"#".repeat(2 * 1024 * 1024)}\n*\n` })
      execFileSync("mkfifo", [join(cwd, "a/.gitignore")])
      const isIgnored = yield* IgnoreRules.load(cwd, [cwd], { HOME: cwd })
      assert.deepStrictEqual([isIgnored?.("a/x"), isIgnored?.("b/x")], [false, false])
      assert.sameMembers(readdirSync(cwd), ["a", "b"])
    }))
})

describe.for(engines)("Names and lines, by %s", ([, PATH]) => {
  it.live("are found: brackets in names, line ends of Windows, UTF-16, and pipes", () =>
    Effect.gen(function*() {
      const { cwd, failure, put, text } = yield* Effect.provide(bench, toolbox({ PATH }))
      write(cwd, { "app/[id].tsx": "needle", "app/[...all]/p.tsx": "", "app/i.tsx": "", "app/(a)/p.tsx": "" })
      assert.strictEqual(yield* text("glob_search", { pattern: "app/[id].tsx" }), "app/[id].tsx\napp/i.tsx")
      assert.strictEqual(yield* text("glob_search", { pattern: "[id].tsx", path: "app" }), "app/[id].tsx\napp/i.tsx")
      assert.strictEqual(yield* text("glob_search", { pattern: "app/[...all]/*" }), "app/[...all]/p.tsx")
      assert.strictEqual(yield* text("glob_search", { pattern: "app/(a)/*" }), "app/(a)/p.tsx")
      const found = yield* text("content_search", { pattern: "needle", include: "[id].tsx" })
      assert.strictEqual(found, "app/[id].tsx:1:needle")
      put("crlf.txt", "a needle\r\nb\r\n")
      assert.strictEqual(yield* text("content_search", { pattern: "needle$", include: "*.txt" }), "crlf.txt:1:a needle")
      put("wide.txt", Buffer.from("\uFEFFx\r\nneedle\r\n", "utf16le"))
      assert.include(yield* text("content_search", { pattern: "^needle$", include: "wide*" }), "wide.txt:2:needle")
      execFileSync("mkfifo", [join(cwd, "pipe")])
      assert.strictEqual(
        yield* failure("content_search", { pattern: "x", path: "pipe" }),
        "Cannot search pipe: it is not a regular file."
      )
      assert.match(yield* failure("glob_search", { pattern: "x", path: "pipe" }), /no folder/)
    }))

  it.effect("tell nothing of a file that a link leads to, as for git", () =>
    Effect.gen(function*() {
      const { cwd, text } = yield* bench
      const outside = yield* temporaryFolder
      write(outside, { secret: "guess\n", "info/exclude": "guess\n" })
      write(cwd, { guess: "", "sub/guess": "", ".git/HEAD": "" })
      symlinkSync(join(outside, "secret"), join(cwd, ".gitignore"))
      symlinkSync(join(outside, "secret"), join(cwd, "sub", ".gitignore"))
      symlinkSync(join(outside, "info"), join(cwd, ".git", "info"))
      assert.strictEqual(yield* text("glob_search", { pattern: "**/guess" }), "guess\nsub/guess")
    }).pipe(Effect.provide(toolbox())))
})
