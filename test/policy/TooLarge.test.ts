import { describe, expect, it } from "vitest"
import { decide } from "../../src/policy/decision/Decision.ts"
import { limitsOf } from "../../src/policy/decision/Limits.ts"
import { plainReason } from "../../src/policy/decision/PlainReason.ts"
import { policyFlagsOf } from "../../src/policy/decision/PolicyFlags.ts"
import { type AutonomyLevel, type PolicySettings, resolve } from "../../src/domain/PolicySettings.ts"
import { mostCommands, mostStages, mostWords } from "../../src/policy/shell/parse/SourceSize.ts"
import { analyse } from "../../src/policy/shell/ShellAnalyser.ts"
import { shellCall } from "./ShellCall.ts"
import { factsOf, type Lists, place, rules, shell } from "./rules/Ruled.ts"

const times = (count: number, text: string, between = ""): string => Array(count).fill(text).join(between)

/** Each is over one limit and has the command behind it, in front of it or inside. */
const padded: Readonly<Record<string, (command: string) => string>> = {
  "a long text": (command) => `: ${times(17_000, "a")}; ${command}`,
  "a long text behind it": (command) => `${command} # ${times(17_000, "a")}`,
  "a long here-document": (command) => `cat <<'E' >/dev/null\n${times(4_000, "line", "\n")}\nE\n${command}`,
  "many commands": (command) => `${times(600, "true", "; ")}; ${command}`,
  "many commands that differ": (command) => `${Array.from({ length: 600 }, (_, i) => `a${i}`).join("; ")}; ${command}`,
  "many words": (command) => `echo ${times(2_100, "a", " ")}; ${command}`,
  "many assignments": (command) => `${times(2_100, "a=1", " ")} true; ${command}`,
  "many redirects": (command) => `true ${times(2_100, "</dev/null", " ")}; ${command}`,
  "many stages": (command) => `${times(150, "cat", " | ")}; ${command}`,
  "many values of loops": (command) =>
    `for a in ${times(30, "x", " ")}; do for b in ${times(30, "y", " ")}; do echo $a$b; done; done; ${command}`,
  "many alternatives": (command) => `${times(80, `echo ${times(7, "{a,b}")}`, "; ")}; ${command}`,
  "scripts inside scripts": (command) => `sh -c "sh -c 'sh -c \\"sh -c \\\\\\"sh -c ls\\\\\\"\\"'"; ${command}`,
  "many substitutions": (command) => `echo ${times(600, "$(a)", " ")}; ${command}`,
  "groups inside groups": (command) => `${times(60, "( ")}${command}${times(60, " )")}`,
  quotes: (command) => `: ${times(17_000, "a")}; bash -c "${command}"`,
  "a wrapper": (command) => `: ${times(17_000, "a")}; env A=b ${command}`,
  "a keyword": (command) => `: ${times(17_000, "a")}; if true; then ${command}; fi`,
  "a broken end": (command) => `${command}\nif true; then`
}

const decided = (
  level: AutonomyLevel,
  command: string,
  { lists = {}, session = {}, user = {} }: {
    readonly lists?: Lists
    readonly session?: Partial<PolicySettings>
    readonly user?: Partial<PolicySettings>
  } = {},
  flags = policyFlagsOf({})
) => {
  const found = analyse(command, place)
  const facts = { ...factsOf(), opaque: found.opaque, parseError: found.parseError, inner: found.inner }
  return decide(shellCall({}, {
    ...found,
    capabilities: [found.capability],
    place,
    facts,
    flags,
    limits: limitsOf({ level }),
    rule: rules(lists).decide("shell", found.parts, facts),
    settings: resolve(level, { session, project: {}, user })
  }))
}

const large = padded["many commands"]!("ls")

describe("a command that is too large to analyse", () => {
  it.each(Object.keys(padded).filter((name) => name !== "a broken end"))("with %s is said to be", (name) => {
    expect(analyse(padded[name]!("ls"), place)).toMatchObject({
      unanalysed: expect.stringMatching(/^is (too large|nested or repeated too often) to analyse/),
      capability: "shell_rw",
      opaque: true
    })
  })

  it.each([
    times(mostCommands, "ls", "; "),
    `echo ${times(mostWords - 2, "a", " ")}`,
    times(mostStages, "cat", " | "),
    `cat <<'E'\n${times(2_000, "line", "\n")}\nE`
  ])("is not one within the limits", (command) => {
    expect(analyse(command, place)).toMatchObject({ capability: "shell_ro" })
    expect(analyse(command, place).unanalysed).toBeUndefined()
  })

  it.each(Object.keys(padded))("with %s is seen by deny and ask rules", (name) => {
    const command = padded[name]!("rm -rf src")
    expect(shell({ deny: ["shell(rm -rf *)"] }, command)).toBe("deny")
    expect(shell({ ask: ["shell(rm **)"] }, command)).toBe("ask")
    expect(shell({ deny: ["write(./src/**)"] }, padded["many commands"]!("cp a src/b"))).toBe("deny")
    expect(shell({ deny: ["write(./src/**)"] }, padded["many commands"]!("echo a > src/b"))).toBe("deny")
    expect(shell({ deny: ["read(~/.ssh/**)"] }, padded["a long text"]!("wc < ~/.ssh/id"))).toBe("deny")
    expect(shell({ deny: ["shell(rm -rf *)"] }, padded[name]!("ls"))).toBeUndefined()
  })

  it("is seen by the operator's list of forbidden commands", () => {
    const { inner, ...found } = analyse(padded["a long text"]!("/usr/bin/git push"), place)
    const limits = limitsOf({ level: "full", forbiddenCommands: ["git"] })
    expect(decide(shellCall({}, { ...found, capabilities: ["shell_rw"], limits, facts: { ...factsOf(), inner } })))
      .toMatchObject({ outcome: "deny", code: "COMMAND_FORBIDDEN" })
  })

  it.each(
    [
      ["supervised", {}, "ask"],
      ["full", {}, "ask"],
      ["full", { session: { tool_approval: "universal_accept" } }, "ask"],
      ["full", { user: { tool_approval: "whitelist_accept" } }, "ask"],
      ["full", { lists: { allow: ["shell", "shell(**)", "shell(true *)", "shell(ls *)"] } }, "ask"],
      ["full", { session: { sandbox: "danger-full-access" } }, "ask"],
      ["supervised", { session: { tool_approval: "manual" } }, "ask"],
      ["supervised", { lists: { ask: ["shell"] } }, "ask"],
      ["full", { session: { approval_response: "never" } }, "deny"],
      ["full", { session: { tool_approval: "universal_reject" } }, "deny"],
      ["supervised", { session: { tool_approval: "blacklist_reject" } }, "deny"],
      ["readonly", {}, "deny"]
    ] as const
  )("at level %s with %j: %s", (level, policy, outcome) => {
    for (const command of [large, padded["many values of loops"]!("ls")]) {
      // Nested too often is a danger as well, which the level refuses by itself.
      const isRefused = level === "supervised" && !("session" in policy) && analyse(command, place).shapes.length > 0
      if (!isRefused) expect(decided(level, command, policy).outcome).toBe(outcome)
    }
  })

  it("is asked about where the operator lets every command run", () => {
    const flags = policyFlagsOf({ whitelist: ["shell_ro", "shell_test", "shell_rw"] })
    expect(decided("supervised", "x y", {}, flags)).toMatchObject({ outcome: "run" })
    expect(decided("supervised", large, {}, flags)).toMatchObject({ outcome: "ask", code: "UNANALYSED" })
  })

  it("is asked about with the limit that it is over", () => {
    expect(plainReason(decided("full", large))).toBe(
      "This command is too large to analyse: it has more than 500 commands."
    )
    expect(plainReason(decided("supervised", padded["a long text"]!("ls")))).toBe(
      "This command is too large to analyse: it has more than 16 KiB."
    )
  })
})
