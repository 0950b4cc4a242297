import { describe, expect, it } from "vitest"
import type { ActionContext } from "../../../src/policy/decision/CallAction.ts"
import { readsOutside } from "../../../src/policy/decision/Boundary.ts"
import { limitsOf } from "../../../src/policy/decision/Limits.ts"
import { analyse } from "../../../src/policy/shell/ShellAnalyser.ts"
import { place, read } from "./Analysed.ts"

interface Attack {
  readonly command: string
  readonly why: string
}

/** Repositories in folders of this name run programs of their own. */
const around = { ...place, isPlainRepository: (folder: string) => !folder.includes("evil") }
const capability = (command: string) => analyse(command, around).capability

/** The environment of reads switches off what these could run or fetch: see the repository and the workspace tests. */
const switchedOff = new Set(["git show --format='%GG'", "go list ./..."])

describe("what writes, runs code or reaches out is no read", () => {
  it.each(["read-attacks.json", "unseen-read-attacks.json"])("%s", (file) => {
    const cases = read<Attack>(file)
    expect(cases.length).toBeGreaterThan(700)
    const taken = cases.filter(({ command }) => !switchedOff.has(command) && /ro|none/.test(capability(command)))
    expect(taken).toEqual([])
  })

  it("also behind a command that only reads", () => {
    const taken = read<Attack>("read-attacks.json").filter(({ command }) => capability(`ls; ${command}`) === "shell_ro")
    expect(taken).toEqual([])
  })
})

describe("commands with which agents look around", () => {
  const cases = read<{ readonly command: string; readonly asked?: string }>("agent-reads.json")
  const inProject: ActionContext = {
    ...place,
    kindOf: (path) => /^\/ws\/(src|packages|packages\/core)$/.test(path) ? "folder" : "none"
  }
  const limits = limitsOf(undefined)
  const isRead = (command: string): boolean => {
    const { capability, parts } = analyse(command, inProject)
    const paths = { place: inProject, canonical: (path: string) => path, readable: [] }
    return /ro|none/.test(capability) && readsOutside(limits, parts, paths) === undefined
  }

  it("run unasked, but for a few", () => {
    expect(cases.length).toBeGreaterThan(400)
    expect(cases.filter(({ asked, command }) => isRead(command) === (asked !== undefined))).toEqual([])
    expect(cases.filter(({ asked }) => asked !== undefined).length / cases.length).toBeLessThan(0.07)
  })

  it("are none where an option or a program of theirs does more", () => {
    const attacks = read<{ readonly command: string }>("option-read-attacks.json")
    expect(attacks.length).toBeGreaterThan(250)
    expect(attacks.filter(({ command }) => isRead(command))).toEqual([])
    expect(attacks.filter(({ command }) => isRead(`cat a | ${command}`) || isRead(`git status && ${command}`))).toEqual(
      []
    )
  })
})

describe("everyday reads", () => {
  const cases = read<{ readonly command: string }>("reads.json").map(({ command }) => command)

  it("stay reads", () => {
    expect(cases.length).toBeGreaterThan(350)
    expect(cases.filter((command) => capability(command) !== "shell_ro")).toEqual([])
  })

  it("are none with an option that nobody listed", () => {
    const programs = [
      "sort f",
      "uniq f",
      "xxd f",
      "rg x",
      "fd x",
      "find .",
      "git log",
      "git status",
      "tree",
      "date",
      "base64 f",
      "file f",
      "cat f",
      "grep x f",
      "npm ls",
      "go list ./...",
      "cargo tree --offline",
      "tar tf a.tar",
      "sed -n 1p f",
      "awk 1 f",
      "xargs cat",
      "time ls",
      "jq . f",
      "ip addr",
      "journalctl"
    ]
    for (const program of programs) {
      const [name, ...rest] = program.split(" ")
      for (const option of ["--new-option", "--new-option=x"]) {
        expect(capability([name, option, ...rest].join(" ")), `${program} ${option}`).not.toBe("shell_ro")
      }
    }
  })

  it("are none when the program lies in a folder that calls write to", () => {
    const inFolders = { ...around, isInFolders: (program: string) => program === "ls" }
    expect(analyse("ls", inFolders).capability).toBe("shell_rw")
    expect(analyse("cat f | ls", inFolders).capability).toBe("shell_rw")
    expect(analyse("cat f", inFolders).capability).toBe("shell_ro")
  })

  it.each(["node --version", "rg x", "npm ls"])("depend on what chooses versions of %s", (command) => {
    for (const file of [".tool-versions", "mise.toml"]) {
      expect(analyse(command, { ...around, kindOf: (path) => path === `/ws/${file}` ? "file" : "none" }).capability)
        .toBe("shell_rw")
    }
  })
})
