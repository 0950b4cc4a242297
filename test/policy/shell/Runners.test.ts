import { describe, expect, it } from "vitest"
import { shell } from "../rules/Ruled.ts"
import { analysed, read } from "./Analysed.ts"

/** Commands with `%` in place of what they run. */
interface Runners {
  readonly plain: ReadonlyArray<string>
  /** They are asked about whatever they run. */
  readonly privileged: ReadonlyArray<string>
  /** What they run stands in code of another language. */
  readonly code: ReadonlyArray<string>
  /** Dangers by another name of a program or a file. */
  readonly copies: ReadonlyArray<string>
  readonly innocent: ReadonlyArray<string>
}

const runners = read<string>("runners.json") as unknown as Runners

const isAsked = (command: string): boolean => {
  const { opaque, parseError, shapes } = analysed(command)
  expect(parseError, command).toBe(false)
  return opaque || shapes.length > 0
}

describe("what runs another program", () => {
  it.each([...runners.plain, ...runners.privileged, ...runners.code])("is as dangerous as that: %s", (runner) => {
    expect(isAsked(runner.replaceAll("%", "rm -rf src"))).toBe(true)
  })

  it.each([...runners.plain, ...runners.privileged])("hides it from no deny rule: %s", (runner) => {
    expect(shell({ deny: ["shell(git push *)"] }, runner.replaceAll("%", "git push"))).toBe("deny")
    expect(shell({ deny: ["shell(git push *)"] }, runner.replaceAll("%", "git status"))).toBeUndefined()
  })

  it.each(runners.plain)("is no danger itself: %s", (runner) => {
    expect(isAsked(runner.replaceAll("%", "ls -la"))).toBe(false)
  })
})

describe("a program or a file under another name", () => {
  it.each(runners.copies)("is what it is: %s", (command) => expect(isAsked(command)).toBe(true))

  it.each(runners.innocent)("or something harmless: %s", (command) => expect(isAsked(command)).toBe(false))

  it.each([
    ["cp /usr/bin/git g; ./g push", "shell(git push *)"],
    ["ln -s $(which git) bin/g; bin/g push", "shell(git push *)"],
    ["ln -s secret s; cat s/k", "read(./secret/**)"],
    ["ln -s secret s; cat < s/k", "read(./secret/**)"],
    ["ln secret/k k; head k", "read(./secret/**)"],
    ["ln -s lock l; echo > l", "write(lock)"],
    ["ln -s . d; touch d/lock", "write(lock)"]
  ])("is seen by deny rules: %s", (command, rule) => expect(shell({ deny: [rule] }, command)).toBe("deny"))
})
