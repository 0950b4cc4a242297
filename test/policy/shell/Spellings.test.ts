import { describe, expect, it } from "vitest"
import * as Propose from "../../../src/policy/rules/propose/Propose.ts"
import { analyse } from "../../../src/policy/shell/ShellAnalyser.ts"
import { factsOf, place, tools } from "../rules/Ruled.ts"
import { analysed, commandsOf } from "./Analysed.ts"

const argvs = (command: string) => commandsOf(command).map((part) => part.argv.map((word) => word ?? "?").join(" "))

describe("a command is found however it is spelt", () => {
  it.each([
    ["bash +x -c 'git push'", "git push"],
    ["bash +c 'git push'", "git push"],
    ["bash -c -x 'git push'", "git push"],
    ["bash -c 'git push' -n", "git push"],
    ["bash -n +n -c 'git push'", "git push"],
    ["bash -oe pipefail -c 'git push'", "git push"],
    ["bash +O extglob -c 'git push'", "git push"],
    ["bash /dev/fd/0 <<< 'git push'", "git push"],
    ["env - git push", "git push"],
    ["env - A=b git push", "git push"],
    ["flock f -c 'git push'", "git push"],
    ["trap -- 'git push' EXIT", "git push"],
    ["mapfile -C 'git push' -c 1 a", "git push"],
    ["compgen -C 'git push'", "git push"],
    ["to{uch,} a10", "touch to a10"],
    ["git {push,}", "git push"],
    ["git pus{h..h}", "git push"]
  ])("%s", (command, expected) => {
    expect(argvs(command)).toContain(expected)
  })

  it.each([["bash -n -c 'git push'"], ["trap -- - EXIT"], ["trap - EXIT"]])(
    "and not where it does not run: %s",
    (command) => {
      expect(argvs(command)).toHaveLength(1)
    }
  )
})

describe("other names of a folder", () => {
  it.each([
    ["cat x > ~-/k", null],
    ["cat x > /proc/self/cwd/k", "/ws/k"],
    ["cat x > /proc/1/cwd/k", null]
  ])("%s", (command, expected) => {
    expect(analysed(command).parts.flatMap((part) => (part.kind === "write" ? [part.path] : []))).toEqual([expected])
  })
})
const proposed = (command: string) => {
  const { opaque, parseError, parts, shapes } = analyse(command, place)
  const facts = { ...factsOf(), opaque, parseError }
  return Propose.allow({ tool: "shell", parts, facts, shapes, tools })?.map(({ rule }) => rule.text)
}

describe("nothing that runs anything is proposed", () => {
  it.each(
    `python3.12 -m pytest;node22 x.js;ruby3.2 x;perl5.36 x;bash5.2 x;pypy3.10 x;julia -q x;R -q x;java -jar x;elixir x;
    groovy x;scala x;ghci x;erl -x;tsx x;mysql -e x;gnuplot -x;vim.tiny -x;nvm exec 20 x;volta run x;fnm exec x;
    asdf exec x;rbenv exec x;pyenv exec x;op run x;dotenvx run x;lerna exec x;nx exec x;cross-env A=1 x;
    setarch x86_64 x;cmake -P x;cmake .;yarn workspace a x;npm pkg set a=b;yarn config set a b;go env -w A=b;go tool x`
      .split(";")
      .map((each) => each.trim())
  )("%s", (command) => {
    expect((proposed(command) ?? []).filter((text) => !text.startsWith("shell(="))).toEqual([])
  })
})
