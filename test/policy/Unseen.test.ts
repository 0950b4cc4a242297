import { assert, describe, it } from "@effect/vitest"
import { decide } from "../../src/policy/decision/Decision.ts"
import type { DecisionInput } from "../../src/policy/decision/DecisionInput.ts"
import { type PolicySettings, resolve } from "../../src/domain/PolicySettings.ts"
import { limitsOf } from "../../src/policy/decision/Limits.ts"
import { policyFlagsOf } from "../../src/policy/decision/PolicyFlags.ts"
import { analyse } from "../../src/policy/shell/ShellAnalyser.ts"
import { rules } from "./rules/Ruled.ts"

/** Nothing is on this disk. */
const place = { cwd: "/ws", roots: ["/ws"], home: "/home/me", isPlainRepository: () => true }
const canonical = (path: string) => path

const decided = (
  command: string,
  lists: Parameters<typeof rules>[0] = {},
  more: Partial<DecisionInput> = {},
  settings: Partial<PolicySettings> = {}
) => {
  const { capability, inner, networkPrograms, opaque, parseError, parts, shapes } = analyse(command, place)
  const set = rules(lists)
  const facts = { opaque, parseError, place, canonical, inner }
  const { code, outcome } = decide({
    capabilities: [capability],
    network: "optional",
    parts,
    shapes,
    opaque,
    networkPrograms,
    place,
    facts,
    readable: [],
    shell: true,
    canonical,
    settings: resolve("supervised", {
      session: { tool_approval: "whitelist_accept", ...settings },
      project: {},
      user: {}
    }),
    limits: { ...limitsOf(undefined, ["/home/me/.postern"]), workspaceOnly: false },
    rule: set.decide("shell", parts, facts),
    mayHit: (hidden) => set.mayHit("shell", parts, facts, hidden),
    flags: policyFlagsOf({}),
    mediumRisk: () => false,
    enforce: () => ({ usable: true, note: "" }),
    ...more
  })
  return `${outcome} ${code}`
}

const secret = { deny: ["read(./secret/**)"] }
const hidden = { enforce: () => ({ usable: true, note: "", hides: true }) }

describe("a call that may come to what a rule forbids without naming it", () => {
  it("is asked about, though it only reads", () => {
    assert.strictEqual(decided("grep -r X .", secret), "ask RULE_ASK")
    assert.strictEqual(decided("grep -r X ."), "run POLICY_RUN")
    assert.strictEqual(decided("grep -r X src", secret), "run POLICY_RUN")
    assert.strictEqual(decided("grep -r X .", { deny: secret.deny, allow: ["shell(grep *)"] }), "ask RULE_ASK")
    assert.strictEqual(decided("cat sec*/k", secret), "deny RULE_DENY")
    assert.strictEqual(decided("ls | xargs cat", secret), "ask RULE_ASK")
    assert.strictEqual(decided("grep -r X .", secret, {}, { approval_response: "never" }), "deny APPROVAL_NEVER")
  })

  it("runs where the sandbox hides it", () => {
    assert.strictEqual(decided("grep -r X .", secret, hidden), "run POLICY_RUN")
    assert.strictEqual(decided("cat sec*/k", secret, hidden), "deny RULE_DENY")
  })

  it("or an ask rule names it, which hides nothing", () => {
    assert.strictEqual(decided("grep -r X .", { ask: secret.deny }, hidden), "ask RULE_ASK")
    assert.strictEqual(decided("grep -r X ~", {}, hidden), "run POLICY_RUN")
  })

  it("is denied where it would be denied anyway", () => {
    assert.strictEqual(decided("grep -r X .", secret, {}, { tool_approval: "universal_reject" }), "deny POLICY_DENY")
  })
})

describe("Postern's own files", () => {
  it.each([
    "cat ~/.postern/*",
    "cat ~/.post*/config.toml",
    "cat /home/*/.postern/config.toml",
    "head ~/.p*/*",
    "x=~/.postern; cat $x/config.toml",
    "strace cat ~/.postern/x",
    "touch .postern/{a,b}",
    "cp x ./.postern/",
    "echo > .post*/rules.toml"
  ])(
    "are safe from %s",
    (command) =>
      assert.strictEqual(decided(command, {}, {}, { tool_approval: "universal_accept" }), "deny PROTECTED_PATH")
  )

  it.each([
    "grep -r X ~",
    "grep -r X /",
    "tar cz ~ | wc -c",
    "cp -r ~ /ws/home",
    "rg X ..",
    "find ~ -type f -exec cat {} +",
    "tar c ../.."
  ])("a person is asked about %s", (command) => {
    assert.match(decided(command, {}, {}, { tool_approval: "universal_accept", work_mode: "aw" }), /^ask/)
    assert.match(decided(command), /^ask/)
  })

  it.each(["grep -r X .", "cat *", "cat $x", "ls ~", "cat ~/*.md", "grep -r X ../other", "du -sh ~"])(
    "do not stand in the way of %s",
    (command) => assert.strictEqual(decided(command), "run POLICY_RUN")
  )
})

describe("the operator's lists", () => {
  const limits = { ...limitsOf(undefined), forbiddenCommands: ["curl"], forbiddenPaths: ["/ws/secret"] }
  it.each([
    ["npx curl x", "COMMAND_FORBIDDEN"],
    ["strace curl x", "COMMAND_FORBIDDEN"],
    ["c=curl; $c x", "COMMAND_FORBIDDEN"],
    ["cat secre?/k", "PROTECTED_PATH"],
    ["d=secret; cat $d/k", "PATH_FORBIDDEN"]
  ])(
    "see %s",
    (command, code) =>
      assert.strictEqual(decided(command, {}, { limits }, { tool_approval: "universal_accept" }), `deny ${code}`)
  )

  it("let an allowed command start what it likes", () => {
    const only = { limits: { ...limits, allowedCommands: ["npx"] } }
    assert.strictEqual(decided("npx vitest run", {}, only, { tool_approval: "universal_accept" }), "run POLICY_RUN")
    assert.strictEqual(
      decided("vitest run", {}, only, { tool_approval: "universal_accept" }),
      "deny COMMAND_NOT_ALLOWED"
    )
  })
})

describe("a command that reads outside the session's folders", () => {
  const more = {
    limits: { ...limitsOf(undefined, []), allowedRoots: ["/shared"] },
    readable: ["/skills"],
    canonical: (path: string) => path === "/ws/link" || path.startsWith("/ws/link/") ? "/srv/behind" : path
  }

  it.each([
    "cat /srv/x",
    "cat ../x",
    "cat a/../../x",
    "cat ~/notes.txt",
    "cat $HOME/notes.txt",
    "cat < /srv/x",
    "cat link/x",
    "cat /*",
    "cat /srv/*.txt",
    "for f in /srv/*; do cat $f; done",
    "x=/srv/y; cat $x",
    "ls /",
    "ls ..",
    "ls ~",
    "find / -name x",
    "find . -newer /srv/x",
    "stat /srv",
    "du -sh /srv",
    "test -f /srv/x",
    "[ -e /srv/x ]",
    "grep -r x /srv",
    "grep -f/srv/x a",
    "grep --file=/srv/x a",
    "head -1 a /srv/x",
    "diff a /home/other/a",
    "date -r /srv/x",
    "ls | sort - /srv/x",
    "echo $(cat /srv/x)",
    "echo /srv/x | xargs cat /srv/y"
  ])("is asked about: %s", (command) => {
    assert.strictEqual(decided(command, {}, more), "ask POLICY_ASK")
    assert.strictEqual(decided(command, {}, more, { tool_approval: "blacklist_reject" }), "ask POLICY_ASK")
    assert.strictEqual(
      decided(command, {}, { ...more, limits: { ...more.limits, workspaceOnly: false } }),
      "run POLICY_RUN"
    )
  })

  it.each([
    "cat a",
    "cat ./a/../b",
    "ls /usr/bin",
    "cat /shared/x",
    "cat /skills/one/SKILL.md",
    "cat /dev/null",
    "ls 2>/dev/null",
    "echo /srv/x",
    "basename /srv/x",
    "tr / _",
    "ls | grep /api/v1",
    "grep -rn /api/v1 src",
    "sort a | cut -d/ -f1",
    "find . -path '*/lib/*'",
    "diff <(sort a) <(sort b)",
    "cat $x"
  ])("is none of these: %s", (command) => assert.strictEqual(decided(command, {}, more), "run POLICY_RUN"))
})
