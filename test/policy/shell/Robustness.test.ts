import { describe, expect, it } from "vitest"
import { analysed, type DangerCase, place, read } from "./Analysed.ts"
import { analyse } from "../../../src/policy/shell/ShellAnalyser.ts"

const all = [...read<DangerCase>("danger-cases.json"), ...read<DangerCase>("own-danger-cases.json")].map(
  (each) => each.command
)

describe("what cannot be read is one opaque part", () => {
  const nest = (depth: number): string => {
    let script = "ls"
    for (let level = 0; level < depth; level++) script = `sh -c ${JSON.stringify(script).replaceAll("$", "\\$")}`
    return script
  }

  it.each(["echo \"abc", "echo $(rm x", "ls &\\\n& rm x", "a\0b", "if true", `echo ${"é".repeat(9_000)}`])(
    "%j",
    (command) => {
      const found = analysed(command)
      expect(found).toMatchObject({ capability: "shell_rw", opaque: true, parseError: true })
      expect(found.shapes).toEqual([])
      expect(found.parts[0]).toMatchObject({ program: null, opaque: true })
    }
  )

  it("reads scripts in scripts four deep and no deeper", () => {
    expect(analysed(nest(4))).toMatchObject({ capability: "shell_ro", opaque: false })
    expect(analysed(nest(5))).toMatchObject({ capability: "shell_rw", opaque: true })
  })

  it("gives up on absurd nesting of groups", () => {
    expect(analysed(`${"( ".repeat(60)}ls${" )".repeat(60)}`)).toMatchObject({ opaque: true, capability: "shell_rw" })
  })

  it("keeps what it saw before a nested error, for deny rules", () => {
    expect(
      analysed("rm x; bash -c 'echo \"'").parts.some((part) => part.kind === "command" && part.program === "rm")
    ).toBe(true)
  })
})

describe("it never throws and never takes long", () => {
  // A fixed sequence, so that a failure can be repeated.
  let seed = 7
  const random = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return seed % below
  }
  const pieces = [
    "$(",
    ")",
    "`",
    "\"",
    "'",
    "${",
    "}",
    "((",
    "))",
    "[[",
    "]]",
    "<<E\n",
    "\nE\n",
    "|",
    "&&",
    ";",
    "&",
    ">",
    "<(",
    "{",
    "(",
    "*",
    "~",
    "\\",
    "\n",
    " -c ",
    "=",
    "$X",
    "!"
  ]

  it("for mutated commands", () => {
    for (let round = 0; round < 4_000; round++) {
      let command = all[random(all.length)]!
      for (let change = 0; change <= random(3); change++) {
        const at = random(command.length + 1)
        const cut = random(4)
        command = command.slice(0, at) +
          (random(2) === 0 ? pieces[random(pieces.length)]! : all[random(all.length)]!) +
          command.slice(at + cut)
      }
      expect(() => analyse(command, place), command).not.toThrow()
    }
  })

  it.each([
    "$(",
    "(",
    "`",
    "${x:-",
    "$((",
    "{ ",
    "if a;then ",
    "a && ",
    "a | ",
    "\"$(",
    "<(",
    "a[",
    "sh -c '",
    "{a,b}",
    "x=",
    "* ",
    "-o "
  ])("for a long row of %j", (piece) => {
    const { capability, opaque } = analysed(piece.repeat(16_384).slice(0, 16_384))
    expect(opaque || capability !== "none").toBe(true)
  })
})
