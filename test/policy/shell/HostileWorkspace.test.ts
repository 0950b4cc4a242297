import { execFileSync, spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import { kindOf } from "../../../src/policy/decision/CanonicalPaths.ts"
import { isPlainRepository } from "../../../src/policy/shell/programs/GitRepository.ts"
import { analyse } from "../../../src/policy/shell/ShellAnalyser.ts"
import { scrub } from "../../../src/platform/Environment.ts"
import { suiteFolder } from "../../support/SuiteFolder.ts"
import { read } from "./Analysed.ts"

let base: string
let cwd: string
let mark: string
let home: string

const path = () => `${join(cwd, "node_modules/.bin")}:${process.env["PATH"]}`

/** Everything that is there, and what is in it. */
const snapshot = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) => {
    const file = join(entry.parentPath, entry.name)
    const { mode, mtimeMs, size } = lstatSync(file)
    const content = entry.isFile() ? createHash("sha1").update(readFileSync(file)).digest("hex") : ""
    return `${relative(folder, file)} ${mode} ${entry.isFile() ? mtimeMs : ""} ${entry.isFile() ? size : ""} ${content}`
  }).sort()

const put = (name: string, text: string, mode = 0o644): void => {
  const file = join(cwd, name)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  chmodSync(file, mode)
}

const git = (...args: ReadonlyArray<string>) =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "core.fsmonitor=", ...args], {
    cwd,
    env: { PATH: process.env["PATH"], HOME: home, GIT_CONFIG_NOSYSTEM: "1" },
    stdio: "ignore"
  })

/** A workspace in which every place that a well-known program takes a program, code or options from has been filled. */
beforeAll(() => {
  base = suiteFolder()
  cwd = join(base, "work")
  home = join(base, "home")
  mark = join(base, "ran")
  mkdirSync(cwd)
  mkdirSync(home)
  const evil = `#!/bin/sh\necho "$0 $*" >> ${mark}\n`
  git("init", "-q", "-b", "main")
  for (const name of ["a", "b", "c", "f", "log", "data.csv", "README.md", "src/main.ts", "src/a.txt", "src/b.txt"]) {
    put(name, "foo,1,2\nbar,3,4\nstart\nend\n")
  }
  put("f.json", "{\"a\": 1}")
  put("package.json", "{\"name\": \"x\", \"version\": \"1.0.0\", \"scripts\": {\"preinstall\": \"./evil\"}}")
  mkdirSync(join(cwd, "sub"))
  git("add", "-A")
  git("commit", "-qm", "one")
  put("f", "foo,1,2\nchanged\n")
  for (const name of ["ls", "cat", "git", "sort", "rg", "grep", "false", "gpg", "pager", "less", "sh", "node", "jq"]) {
    put(name, evil, 0o755)
    put(`node_modules/.bin/${name}`, evil, 0o755)
  }
  put("evil", evil, 0o755)
  const evilPath = join(cwd, "evil")
  for (const name of ["post-index-change", "pre-commit", "post-checkout", "fsmonitor-watchman"]) {
    put(`.git/hooks/${name}`, evil, 0o755)
  }
  for (
    const key of [
      "core.fsmonitor",
      "core.pager",
      "core.editor",
      "core.sshCommand",
      "core.askPass",
      "gpg.program",
      "gpg.ssh.program",
      "pager.log",
      "pager.status",
      "pager.diff",
      "pager.show",
      "pager.branch",
      "core.gitProxy",
      "core.alternateRefsCommand",
      "credential.helper",
      "sequence.editor",
      "interactive.diffFilter",
      "remote.origin.uploadpack",
      "uploadpack.packObjectsHook",
      "alias.st",
      "man.evil.cmd",
      "browser.evil.cmd"
    ]
  ) git("config", key, key.startsWith("alias.") ? `!${evilPath}` : evilPath)
  git("config", "man.viewer", "evil")
  git("config", "log.showSignature", "true")
  git("config", "core.hooksPath", join(cwd, ".git/hooks"))
  git("config", "remote.origin.url", `ext::${evilPath}`)
  // Options for programs that read a file of options, or take names for options.
  put(".ripgreprc", `--pre=${evilPath}\n`)
  put(".lesskey", "#env\n")
  put(".inputrc", "$include evil\n")
  put(".bashrc", `touch ${mark}\n`)
  put(".bash_profile", `touch ${mark}\n`)
  put("json.py", `open("${mark}", "w")\n`)
  put("sitecustomize.py", `open("${mark}", "w")\n`)
  put("php.ini", `auto_prepend_file=${evilPath}\n`)
  put(".hotspotrc", `-XX:OnError=${evilPath}\n`)
  put("magic", "0 string x x\n")
  for (const name of ["-delete", "--output=out", "-exec", "-o", "--pre=evil"]) {
    writeFileSync(join(cwd, name), "x\n")
  }
})

const around = () => ({ cwd, roots: [cwd], home, isPlainRepository, kindOf, isInFolders: () => false })

const runs = (command: string) =>
  spawnSync("bash", ["--noprofile", "--norc", "-c", command], {
    cwd,
    env: scrub({ PATH: path(), HOME: home }, { reads: true, folders: [cwd] }),
    stdio: ["ignore", "pipe", "ignore"],
    timeout: 5000
  })

describe("in a workspace that is full of traps", () => {
  it("what is taken for a read writes nothing there and runs nothing of it", () => {
    const before = snapshot(cwd)
    const commands = read<{ readonly command: string }>("reads.json").map(({ command }) => command)
      .filter((command) => !/^(tail -f|sleep|journalctl|dmesg|lsof|npm|cargo)/.test(command))
      .filter((command) => analyse(command, around()).capability === "shell_ro")
    expect(commands.length).toBeGreaterThan(300)
    let worked = 0
    for (const command of commands) {
      if (runs(command).status === 0) worked++
      if (existsSync(mark)) expect.fail(`${command} ran ${readFileSync(mark, "utf8")}`)
    }
    expect(snapshot(cwd)).toEqual(before)
    expect(worked).toBeGreaterThan(200)
  }, 180_000)

  it("the traps work", () => {
    const trap = (command: string, env: Record<string, string> = {}) => {
      spawnSync("bash", ["-c", command], { cwd, env: { PATH: path(), HOME: home, ...env }, stdio: "ignore" })
      return existsSync(mark)
    }
    expect(trap("git status")).toBe(true)
  })

  it("and what runs them is no read there", () => {
    const taken = read<{ readonly command: string }>("read-attacks.json").map(({ command }) => command)
      .filter((command) => analyse(command, around()).capability === "shell_ro")
    expect(taken).toEqual([])
  })
})
