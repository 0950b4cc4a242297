import { Result } from "effect"
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs"

import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { programWords, splitCommandLine } from "../../src/cli/client/ClientOptions.ts"
import { suiteFolder } from "../support/SuiteFolder.ts"

const top = suiteFolder()

const program = (...path: ReadonlyArray<string>) => {
  const file = join(top, ...path)
  mkdirSync(join(file, ".."), { recursive: true })
  writeFileSync(file, "")
  chmodSync(file, 0o755)
  return file
}

const checkout = join(top, "checkout")
const script = program("checkout", "dist", "main.js")
const project = join(top, "project")
const dependency = program("project", "node_modules", "postern", "dist", "main.js")
const bin = join(project, "node_modules", ".bin")
mkdirSync(bin)
symlinkSync(dependency, join(bin, "postern"))
program("bin", "postern")

describe("the words that start this program again", () => {
  it("are its name if the shell finds it", () => {
    expect(programWords({ script, path: `/nowhere:${join(top, "bin")}`, cwd: checkout })).toEqual(["postern"])
  })

  it("are those of npx in a checkout, and in a project that has it installed", () => {
    expect(programWords({ script, path: "/nowhere", cwd: checkout })).toEqual(["npx", "postern"])
    expect(programWords({ script: join(bin, "postern"), path: bin, cwd: project })).toEqual(["npx", "postern"])
  })

  it("are the whole path where npx would not find it", () => {
    expect(programWords({ script, path: undefined, cwd: top })).toEqual(["node", script])
  })

  it("are its name when it runs from the sources", () => {
    expect(programWords({ script: join(checkout, "src", "main.ts"), path: "", cwd: checkout })).toEqual(["postern"])
  })
})

describe("a command line", () => {
  it.each([
    ["npx some-agent --acp", ["npx", "some-agent", "--acp"]],
    ["  'a b'  \"c \\\" d\"  e\\ f  ", ["a b", "c \" d", "e f"]],
    ["x\"y\"'z' ''", ["xyz", ""]],
    ["C:\\tools\\agent.exe --acp", ["C:\\tools\\agent.exe", "--acp"]],
    ["'$HOME' \"`id`\" *", ["$HOME", "`id`", "*"]]
  ])("%s", (line, expected) => {
    expect(splitCommandLine(line)).toEqual(Result.succeed(expected))
  })

  it.each([["", "it is empty"], ["  ", "it is empty"], ["a 'b", "a ' is never closed"]])(
    "%j is refused",
    (line, why) => {
      expect(splitCommandLine(line)).toEqual(Result.fail(why))
    }
  )
})
