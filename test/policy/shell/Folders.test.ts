import { describe, expect, it } from "@effect/vitest"
import { analyse } from "../../../src/policy/shell/ShellAnalyser.ts"
import { boundaryRefusal } from "../../../src/policy/decision/Boundary.ts"
import { limitsOf } from "../../../src/policy/decision/Limits.ts"
import { analysed, place } from "./Analysed.ts"
import { shell as ruled } from "../rules/Ruled.ts"

const allow = (rule: string, command: string) => ruled({ allow: [rule] }, command)
const nested = (wrapper: string, times: number, last: string) => wrapper.repeat(times) + last

describe("the folder is known only where a cd has succeeded", () => {
  it.each([
    ["write(./src/**)", "cd src && echo hi > a"],
    ["write(./src/**)", "cd src || exit; echo hi > a"],
    ["write(./src/**)", "cd src || { echo no; exit 1; }; echo hi > a"],
    ["write(./src/**)", "cd src && cd d && echo hi > a && echo ho > b"],
    ["write(./src/**)", "! cd src || echo hi > a"],
    ["write(./**)", "cd src; echo hi > a"],
    ["shell(ls *)", "cd src; ls x"]
  ])("%s allows %s", (rule, command) => expect(allow(rule, command)).toBe("allow"))

  it.each([
    ["write(./src/**)", "false && cd src; echo hi > package.json"],
    ["write(./src/**)", "true || cd src; echo hi > package.json"],
    ["write(./src/**)", "! cd src && echo hi > package.json"],
    ["write(./src/**)", "cd src/nope; echo hi > package.json"],
    ["write(./src/**)", "cd src/nope\necho hi > package.json"],
    ["write(./src/**)", "cd src & echo hi > package.json"],
    ["write(./src/**)", "cd src | true && echo hi > package.json"],
    ["write(./src/**)", "cd src/nope || exit 1 2; echo hi > package.json"],
    ["write(./src/**)", "cd src/nope || exit > /no/x; echo hi > package.json"],
    ["write(./src/**)", "cd src/nope || (exit); echo hi > package.json"],
    ["write(./src/**)", "bash -c 'cd src' && echo hi > package.json"],
    ["write(./src/**)", "if false; then cd src; fi; echo hi > package.json"],
    ["write(./**)", "false && cd src; cd ..; echo hi > escaped"],
    ["write(./**)", "cd a/b && for i in 1 2 3; do echo hi > x; cd ..; done"],
    ["write(./src/**)", "cd(){ :; }; cd src; echo hi > p3.json"],
    ["write(./src/**)", "cd(){ :; }; cd src && echo hi > p3.json"],
    ["write(./**)", "cd src/d; true(){ cd ..; }; true; true; true; echo hi > out"],
    ["write(./**)", "cd src/d && :(){ cd ..; } && : && : && : && echo hi > out"],
    ["write(./**)", "pwd(){ cd ..; }; pwd; echo hi > out"],
    ["write(./src/**)", "exit(){ :; }; cd src/nope || exit; echo hi > package.json"],
    ["write(./**)", "shopt -s expand_aliases\nalias true='cd ..'\ntrue\necho hi > out"],
    ["write(./**)", "trap 'cd ..' DEBUG; echo hi > out"]
  ])("%s does not allow %s", (rule, command) => expect(allow(rule, command)).toBe(undefined))

  it.each([
    "false && cd src; cat secret/k",
    "cd src; cat secret/k",
    "cd secret; cat k",
    "cd secret && cat k",
    "false && cd src; jq . secret/k",
    "cd secret; jq . k",
    "cd secret; cat < k",
    "false && cd src; cat < secret/k"
  ])("a deny rule sees %s", (command) => expect(ruled({ deny: ["read(./secret/**)"] }, command)).toBe("deny"))

  it.each(["cd src; cat k", "cd src; ls; cd ..; npm test"])(
    "and does not mind %s",
    (command) => expect(ruled({ deny: ["read(./secret/**)"] }, command)).toBe(undefined)
  )

  it.each([
    "false && cd src; echo x > .postern/rules.toml",
    "cd .postern; echo x > rules.toml",
    "false && cd src; touch .postern/x"
  ])(
    "the own configuration is safe from %s",
    (command) => {
      const { capability, parts, shapes } = analyse(command, place)
      const refusal = boundaryRefusal(limitsOf(undefined), {
        capabilities: [capability],
        parts,
        shapes,
        place,
        canonical: (path) => path,
        readable: [],
        shell: true,
        decidedElsewhere: true
      })
      expect(refusal?.code).toBe("PROTECTED_PATH")
    }
  )

  it("a delete is judged in every folder", () => {
    expect(analysed("cd /tmp/x && rm -rf src").shapes).toEqual([])
    expect(analysed("false && cd /tmp/x; rm -rf src").shapes).not.toEqual([])
    expect(analysed("cd web; rm -rf dist").shapes).toEqual([])
  })
})

describe("wrappers around wrappers", () => {
  it.each([["xargs ", 2700, "ls"], ["nice ", 3200, "true"], ["find . -exec ", 1200, "true"], ["sudo ", 3000, "true"]])(
    "%s many times is too deep",
    (wrapper, times, last) => {
      const { opaque, parts } = analysed(nested(wrapper, times, last))
      expect(opaque).toBe(true)
      expect(JSON.stringify(parts).length).toBeLessThan(2_000_000)
    }
  )

  it("folders in folders are followed only so far", () => {
    const { opaque, parts } = analysed("cd a;".repeat(3000))
    expect(opaque).toBe(true)
    expect(JSON.stringify(parts).length).toBeLessThan(2_000_000)
    expect(analysed("cd a;".repeat(10)).opaque).toBe(false)
  })

  it("a few are not", () => expect(analysed(nested("nice ", 8, "true")).opaque).toBe(false))
})
