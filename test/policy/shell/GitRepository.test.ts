import { execFileSync, spawnSync } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { beforeEach, describe, expect, it } from "vitest"
import { isPlainRepository } from "../../../src/policy/shell/programs/GitRepository.ts"
import { analyse } from "../../../src/policy/shell/ShellAnalyser.ts"
import { scrub } from "../../../src/platform/Environment.ts"
import { suiteFolder } from "../../support/SuiteFolder.ts"

let base: string
let cwd: string
let mark: string
let program: string

const clean = { PATH: process.env["PATH"], HOME: "/nonexistent" }
const git = (...args: ReadonlyArray<string>) =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "core.fsmonitor=", ...args], {
    cwd,
    env: { ...clean, GIT_CONFIG_NOSYSTEM: "1" },
    stdio: ["ignore", "pipe", "ignore"],
    encoding: "utf8"
  }).trim()

beforeEach(() => {
  base = suiteFolder()
  cwd = join(base, "work")
  mark = join(base, "ran")
  program = join(base, "program")
  mkdirSync(cwd)
  writeFileSync(program, `#!/bin/sh\necho ran >> ${mark}\n`)
  chmodSync(program, 0o755)
  git("init", "-q")
  writeFileSync(join(cwd, ".gitattributes"), "*.t diff=x filter=x\n")
  for (const text of ["one", "two"]) {
    writeFileSync(join(cwd, "a.t"), text)
    git("add", "-A")
    git("commit", "-qm", text)
  }
  writeFileSync(join(cwd, "a.t"), "new")
})

const reads = [
  "git status",
  "git diff",
  "git diff HEAD~1..HEAD",
  "git log -p",
  "git log '--format=%G?'",
  "git show",
  "git show HEAD:a.t",
  "git blame a.t",
  "git ls-files -m",
  "git describe --always --dirty",
  "git grep n",
  "git branch -a"
]

const capability = (command: string) =>
  analyse(command, { cwd, roots: [cwd], home: base, isPlainRepository }).capability

/** Whether a program of the repository ran. */
const runs = (command: string, options: { readonly reads: boolean }): boolean => {
  rmSync(mark, { force: true })
  spawnSync("sh", ["-c", command], { cwd, env: scrub(clean, options), timeout: 5000 })
  return existsSync(mark)
}

const sign = () => {
  const text =
    `tree ${git("rev-parse", "HEAD^{tree}")}\nparent ${
      git("rev-parse", "HEAD")
    }\nauthor a <a@b> 1 +0000\ncommitter a <a@b> 1 +0000\n` +
    "gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\nm\n"
  writeFileSync(join(base, "commit"), text)
  git("update-ref", "HEAD", git("hash-object", "-t", "commit", "-w", join(base, "commit")))
}

const lose = () => {
  const blob = git("rev-parse", "HEAD:a.t")
  rmSync(join(cwd, ".git/objects", blob.slice(0, 2), blob.slice(2)))
  git("config", "core.repositoryFormatVersion", "1")
  git("config", "extensions.partialClone", "origin")
  git("config", "remote.origin.promisor", "true")
  git("config", "remote.origin.url", base)
}

describe("what the environment of a read switches off", () => {
  it.each<[string, string, (() => void)?]>([
    ["core.fsmonitor", "git status"],
    ["gpg.program", "git log '--format=%G?'", sign],
    ["remote.origin.uploadpack", "git show HEAD:a.t", lose]
  ])("%s", (key, command, prepare) => {
    prepare?.()
    git("config", key, program)
    expect(runs(command, { reads: false })).toBe(true)
    for (const read of reads) {
      expect(capability(read), read).toBe("shell_ro")
      expect(runs(read, { reads: true }), read).toBe(false)
    }
  })

  it("hooks", () => {
    mkdirSync(join(base, "hooks"))
    writeFileSync(join(base, "hooks/post-index-change"), `#!/bin/sh\necho ran >> ${mark}\n`, { mode: 0o755 })
    git("config", "core.hooksPath", join(base, "hooks"))
    expect(runs("touch .gitattributes; git status", { reads: false })).toBe(true)
    expect(runs("touch .gitattributes; git status", { reads: true })).toBe(false)
  })
})

describe("what it cannot switch off is no read", () => {
  it.each([
    ["diff.external", "git diff"],
    ["diff.x.command", "git diff"],
    ["diff.x.textconv", "git log -p"],
    ["filter.x.clean", "git status"]
  ])("%s", (key, command) => {
    expect(capability(command)).toBe("shell_ro")
    git("config", key, program)
    expect(runs(command, { reads: false })).toBe(true)
    for (const read of reads) expect(capability(read), read).toBe("shell_rw")
    mkdirSync(join(cwd, "sub"))
    expect(capability("git -C sub log")).toBe("shell_rw")
    expect(capability("cd sub && git log")).toBe("shell_rw")
    expect(capability("git -C nowhere log")).toBe("shell_rw")
  })

  it("settings in other files", () => {
    git("config", "include.path", "../settings")
    expect(capability("git status")).toBe("shell_rw")
  })

  it("a repository in a repository", () => {
    const outer = cwd
    cwd = join(outer, "sub")
    mkdirSync(cwd)
    git("init", "-q")
    git("commit", "-q", "--allow-empty", "-m", "x")
    git("config", "filter.x.clean", program)
    expect(capability("git log")).toBe("shell_rw")
    cwd = outer
    expect(capability("git status")).toBe("shell_ro")
    git("add", "-A")
    expect(capability("git status")).toBe("shell_rw")
  })

  it("a folder that is shaped like a repository and leads to such settings", () => {
    const outer = cwd
    cwd = join(outer, "trap")
    mkdirSync(cwd)
    git("init", "-q", "settings")
    execFileSync("git", ["config", "filter.x.clean", program], { cwd: join(cwd, "settings") })
    writeFileSync(join(cwd, "HEAD"), "ref: refs/heads/main\n")
    writeFileSync(join(cwd, "commondir"), "settings/.git\n")
    writeFileSync(join(cwd, ".gitattributes"), "* filter=x\n")
    writeFileSync(join(cwd, "a"), "one")
    git("--work-tree=.", "add", "a")
    writeFileSync(join(cwd, "a"), "two")
    const status = "git --work-tree=. status"
    expect(runs(status, { reads: false })).toBe(true)
    expect(runs(status, { reads: true })).toBe(false)
    expect(capability("git status")).toBe("shell_rw")
    cwd = outer
    expect(capability("git -C trap status")).toBe("shell_rw")
    expect(capability("cd trap && git status")).toBe("shell_rw")
    expect(capability("git status")).toBe("shell_ro")
    for (const [name, text] of [["HEAD", "x"], ["commondir", "x"]] as const) {
      mkdirSync(join(outer, name.toLowerCase()))
      writeFileSync(join(outer, name.toLowerCase(), name), text)
      expect(capability(`git -C ${name.toLowerCase()} status`), name).toBe("shell_rw")
    }
  })

  it("a link or a file in place of .git that leads to them", () => {
    const outer = cwd
    git("init", "-q", "other")
    execFileSync("git", ["config", "diff.external", program], { cwd: join(outer, "other") })
    for (const name of ["linked", "pointed", "lost"]) mkdirSync(join(outer, name))
    symlinkSync(join(outer, "other/.git"), join(outer, "linked/.git"))
    writeFileSync(join(outer, "pointed/.git"), `gitdir: ${join(outer, "other/.git")}\n`)
    symlinkSync(join(outer, "nowhere"), join(outer, "lost/.git"))
    for (const name of ["linked", "pointed", "lost"]) expect(capability(`git -C ${name} diff`), name).toBe("shell_rw")
  })

  it("a worktree of such a repository", () => {
    git("worktree", "add", "-q", join(base, "tree"))
    cwd = join(base, "tree")
    expect(capability("git status")).toBe("shell_ro")
    git("config", "diff.external", program)
    expect(capability("git status")).toBe("shell_rw")
  })
})
