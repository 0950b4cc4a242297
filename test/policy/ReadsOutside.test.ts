import { describe, expect, it } from "vitest"
import { decide } from "../../src/policy/decision/Decision.ts"
import { limitsOf } from "../../src/policy/decision/Limits.ts"
import { analyse } from "../../src/policy/shell/ShellAnalyser.ts"
import { rules } from "./rules/Ruled.ts"
import { shellCall } from "./ShellCall.ts"
import { read } from "./shell/Analysed.ts"

/** Commands that read outside the session's folder somewhere, and those that only look as if they did. */
const sets = read<string>("reads-outside.json") as unknown as Readonly<
  Record<"outside" | "inside", ReadonlyArray<string>>
>

const folders = new Set(["/p/ws", "/p/ws/src", "/p/ws/lib"])
const place = {
  cwd: "/p/ws",
  roots: ["/p/ws"],
  home: "/home/me",
  isPlainRepository: () => true,
  kindOf: (path: string) => folders.has(path) ? "folder" as const : "none" as const
}

const decided = (command: string, allow: ReadonlyArray<string> = []): string => {
  const { capability, inner, networkPrograms, opaque, parseError, parts, reads, shapes } = analyse(command, place)
  const facts = {
    opaque,
    parseError,
    dangerous: shapes.length > 0,
    place,
    canonical: (path: string) => path,
    inner,
    reads
  }
  return decide(
    shellCall({ tool_approval: "whitelist_accept" }, {
      capabilities: [capability],
      parts,
      shapes,
      opaque: opaque || parseError,
      networkPrograms,
      place,
      facts,
      limits: limitsOf(undefined, []),
      rule: rules({ allow }).decide("shell", parts, facts)
    })
  ).outcome
}

describe("a command that reads outside the session's folder", () => {
  it.each(sets.outside)("does not run by itself: %s", (command) => expect(decided(command)).not.toBe("run"))

  it.each(sets.inside)("is not this: %s", (command) => expect(decided(command)).toBe("run"))

  it.each([
    "cat /etc/passwd",
    "ln -s /etc/passwd x; cat x",
    "ln -s $X x; cat x",
    "jq -n --rawfile x /etc/passwd '$x'",
    "cd ..; cat x",
    "for f in a /etc/passwd; do cat $f; done",
    "grep -f /etc/passwd a"
  ])("needs a rule of its own beside one that has it: %s", (command) => {
    expect(decided(`npm test; ${command}`, ["shell(npm test *)", "shell(ln *)"])).toBe("ask")
    expect(decided("npm test; cat a; ln -s a b; cat b", ["shell(npm test *)", "shell(ln *)"])).toBe("run")
  })
})
