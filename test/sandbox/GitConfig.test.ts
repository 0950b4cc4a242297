import { execFileSync } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { type GitFolders, makeReader, parse } from "../../src/sandbox/plan/GitConfig.ts"
import { textOf } from "../support/Arbitraries.ts"

const made = () => realpathSync(mkdtempSync(join(tmpdir(), "postern-gitconfig-")))

const write = (path: string, text: string) => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

/** Settings as git reads them, without subsections; nothing where it refuses the file. */
const asGit = (folder: string, text: string): ReadonlyArray<readonly [key: string, value: string]> | undefined => {
  const file = join(folder, "config")
  writeFileSync(file, text)
  try {
    const printed = execFileSync("git", ["config", "--file", file, "--no-includes", "--list", "-z"], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"]
    })
    return printed.split("\0").slice(0, -1).map((entry) => {
      const [name = "", ...value] = entry.split("\n")
      const parts = name.split(".")
      return [`${parts[0]}.${parts.at(-1)}`, value.join("\n")]
    })
  } catch {
    return undefined
  }
}

const pieces = [
  "[core]",
  "[Core]",
  "[core \"a\\\"b\"]",
  "[a.b]",
  "\n",
  "\n",
  "\r\n",
  "\n\t",
  " ",
  "hooksPath",
  "HOOKSPATH",
  "x-1",
  " = ",
  "=",
  "a b",
  "\"",
  "\\\"",
  "\\\\",
  "\\n",
  "\\\n",
  "# c",
  ";",
  "/x/y",
  "\t",
  "é"
]

describe("git's configuration", () => {
  it.prop(
    "is read as git reads it, wherever git reads it at all",
    { text: textOf(pieces, { maxLength: 14 }) },
    ({ text }) => {
      const folder = made()
      try {
        const wanted = asGit(folder, `[first]\n${text}\n`)
        if (wanted === undefined) return
        const found = parse(`[first]\n${text}\n`).map(({ key, value }) => [key, value] as const)
        assert.deepStrictEqual(found, wanted.map(([key, value]) => [key, value] as const), JSON.stringify(text))
      } finally {
        rmSync(folder, { recursive: true })
      }
    },
    { arbitrary: { runs: 120 } }
  )

  it("names every folder of hooks and every file that may count, without a HEAD", () => {
    const base = made()
    const [home, work] = [join(base, "home"), join(base, "work")]
    write(
      join(home, ".gitconfig"),
      "[core]\n\thooksPath = ~/hooks\n[include]\n\tpath = more\n[include]\npath = ~/other\n"
    )
    write(join(home, "more"), "[includeIf \"onbranch:x\"]\npath = %(prefix)/etc/absent\n")
    write(
      join(work, ".git", "config"),
      "[core]\n\tworktree = ../../elsewhere\n[includeIf \"gitdir:/never\"]\n\tpath = ../in\n"
    )
    write(join(work, "in"), "[core]\nhooksPath = tools/hooks\n[include]\npath = in\n[include]\npath=deeper/one\n")
    write(join(work, "deeper", "one"), "[core]\nhooksPath = /abs\n[include] path = two\n")
    const reader = makeReader(() => "/opt/git/bin/git", home)
    const read = (folders: GitFolders) => reader.of(folders, reader.common())
    const { files, hooks, worktree } = read({ folder: join(work, ".git"), worktree: work })
    assert.deepStrictEqual(hooks.toSorted(), ["/abs", join(home, "hooks"), join(work, "tools", "hooks")].toSorted())
    assert.strictEqual(worktree, join(base, "elsewhere"))
    for (
      const file of [
        "/opt/git/etc/gitconfig",
        "/opt/git/etc/absent",
        join(home, "other"),
        join(work, "deeper", "two"),
        join(work, ".git", "config.worktree")
      ]
    ) assert.include(files, file)
    write(join(work, "in"), "[core]\nhooksPath = later\n")
    assert.include(read({ folder: join(work, ".git"), worktree: work }).hooks, join(work, "later"))
    rmSync(base, { recursive: true })
  })

  it("of a linked work tree is that of its repository and its own", () => {
    const base = made()
    write(join(base, "main", ".git", "config"), "[core]\nhooksPath = shared\n")
    write(join(base, "main", ".git", "worktrees", "one", "commondir"), "../..\n")
    write(join(base, "main", ".git", "worktrees", "one", "config.worktree"), "[core]\nhooksPath = own\n")
    const reader = makeReader(() => undefined, join(base, "home"))
    const read = (folders: GitFolders) => reader.of(folders, reader.common())
    const { hooks } = read({ folder: join(base, "main", ".git", "worktrees", "one"), worktree: join(base, "tree") })
    assert.deepStrictEqual(hooks.toSorted(), [join(base, "tree", "own"), join(base, "tree", "shared")])
    rmSync(base, { recursive: true })
  })
})
