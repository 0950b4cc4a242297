import { Result } from "effect"
import type { ActionContext, CallAction } from "../../../src/policy/decision/CallAction.ts"
import { named } from "../../../src/policy/rules/pattern/PathPattern.ts"
import { type KnownTools, parse, type RuleKind } from "../../../src/policy/rules/Rule.ts"
import { make, type MatchFacts, ruleEntry, type RuleSet } from "../../../src/policy/rules/RuleSet.ts"
import { analyse } from "../../../src/policy/shell/ShellAnalyser.ts"

export const tools: KnownTools = new Map([
  ["file_read", "read"],
  ["content_search", "read"],
  ["file_write", "write"],
  ["file_edit", "write"],
  ["shell", "shell"],
  ["web_fetch", "fetch"],
  ["task", "task"],
  ["TodoWrite", undefined]
])

export const place: ActionContext = { cwd: "/work/app", roots: ["/work/app"], home: "/home/user" }

export type Lists = Partial<Record<RuleKind, ReadonlyArray<string>>>

const all = ["deny", "ask", "allow"] as const

export const rules = (lists: Lists): RuleSet =>
  make(
    all.flatMap((list) =>
      (lists[list] ?? []).map((text) => ruleEntry("user", list, Result.getOrThrow(parse(text, { list, tools }))))
    ),
    tools
  )

/** Links of the imagined disk: the path and what it leads to. */
export const factsOf = (links: Readonly<Record<string, string>> = {}): MatchFacts => ({
  place,
  opaque: false,
  parseError: false,
  canonical: (path) => links[path] ?? named(path, place.cwd, place.home, () => undefined).written
})

export const decideParts = (lists: Lists, tool: string, parts: ReadonlyArray<CallAction>, facts = factsOf()) =>
  rules(lists).decide(tool, parts, facts)?.list

export const shell = (lists: Lists | RuleSet, command: string, facts = factsOf()) => {
  const { inner, opaque, parseError, parts } = analyse(command, place)
  const set = "entries" in lists ? lists : rules(lists)
  return set.decide("shell", parts, { ...facts, opaque, parseError, inner })?.list
}

const toolPart = (name: string): CallAction => ({ kind: "tool", text: name, name, parameters: {} })

export const read = (lists: Lists, path: string, facts = factsOf()) =>
  decideParts(lists, "file_read", [toolPart("file_read"), { kind: "read", text: path, path }], facts)

export const write = (lists: Lists, path: string, facts = factsOf()) =>
  decideParts(lists, "file_edit", [toolPart("file_edit"), { kind: "write", text: path, path }], facts)

export const fetch = (lists: Lists, url: string) =>
  decideParts(lists, "web_fetch", [toolPart("web_fetch"), { kind: "fetch", text: url, url }])

export const mcp = (lists: Lists, server: string, tool: string) =>
  decideParts(lists, `mcp__${server}__${tool}`, [{ kind: "mcp", text: `${server}/${tool}`, server, tool }])
