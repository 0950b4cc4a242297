import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect } from "vitest"
import { mergedCalls } from "../support/Calls.ts"
import { type Host, test } from "../support/Host.ts"
import type { Dialect, Json } from "../support/Wire.ts"

const configure = (host: Host, toml: string) => writeFileSync(join(host.config, "config.toml"), toml)

const questions = (acp: { readonly messages: ReadonlyArray<Json> }): ReadonlyArray<Json> =>
  acp.messages.filter((m) => m["method"] === "session/request_permission").map((m) => m["params"])

const texts = (call: Json): ReadonlyArray<string> =>
  call["content"].flatMap((item: Json) => item["type"] === "content" ? [item["content"].text] : [])

const asked = async (host: Host, script: string, toml = "") => {
  configure(host, toml)
  const acp = await host.open({ permission: "reject-once" })
  await acp.prompt(await acp.newSession(), script)
  return questions(acp)
}

describe("A permission request", () => {
  const cases: ReadonlyArray<readonly [string, string, string, string?]> = [
    ["a command that changes files", "run touch x", "This command may change files or start other programs."],
    ["a test", "run npm test", "This command builds or tests, which runs code of the project."],
    ["a write", "write a.txt\nx\n.", "This writes a.txt."],
    [
      "the network",
      "call web_fetch {\"url\":\"https://example.org/a\"}",
      "This reads from the network, from example.org."
    ],
    ["a place outside", "run cat /srv/x", "The command reads /srv/x, outside the session's folders."],
    ["a rule", "run touch x", "A rule says to ask about this command.", "[policy.rules]\nask = [\"shell(touch *)\"]\n"],
    [
      "a danger",
      "run git push --force",
      "This command throws away commits or changes that git could bring back no more.",
      "[risk_profiles.default]\nblock_high_risk_commands = false\n"
    ]
  ]
  for (const [name, script, reason, toml] of cases) {
    test(`says why in one sentence, and then the details: ${name}`, async ({ host }) => {
      const [question] = await asked(host, script, toml)
      const [plain, details, ...more] = texts(question!["toolCall"]).filter((text) => !text.startsWith("```"))
      expect(plain).toBe(reason)
      for (const line of details!.split("\n")) expect(line).toMatch(/^- \S/)
      expect(details).toMatch(/^- asked by \w+ \([A-Z_]+\): /m)
      expect(more).toEqual([])
    })
  }

  test("has short labels, and the rules that an answer adds in its content", async ({ host }) => {
    const long = `a/${"deep/".repeat(12)}file.txt`
    const found = await asked(host, `run npm test\nwrite ${long}\nx\n.`)
    for (const { options } of found) {
      for (const { _meta, name } of options) {
        expect(name.length).toBeLessThan(60)
        for (const scope of _meta?.postern.scopes ?? []) expect(scope.name.length).toBeLessThan(60)
      }
    }
    expect(found[0]!["options"].map((o: Json) => o["name"])).toContain(
      "Always allow in this session: shell(npm test *)"
    )
    expect(texts(found[0]!["toolCall"]).join("\n")).toContain("“Always allow” adds the rule `shell(npm test *)`")
    expect(texts(found[1]!["toolCall"]).join("\n")).toContain(`write(./${long})`)
  })

  test("names what a compound command consists of", async ({ host }) => {
    const [question] = await asked(host, "run git add . && touch `date`")
    const list = texts(question!["toolCall"]).join("\n")
    expect(list).toContain("- runs `git add .`")
    expect(list).toContain("- runs `` touch `date` ``")
  })

  test("summarises a command as that command for clients of the dialect zeroclaw", async ({ host }) => {
    const acp = host.start({ dialect: "zeroclaw", permission: "reject-once" })
    await acp.initialize()
    const command = `touch ${"x".repeat(6000)}`
    await acp.prompt(await acp.newSession(), `run ${command}`)
    const [question] = questions(acp)
    expect(question!["toolCall"].rawInput).toEqual({ tool: "shell", summary: command })
    expect(texts(question!["toolCall"])[0]).toBe(command)
  })
})

describe.for<Dialect>(["acp", "zeroclaw"])("A refusal in the dialect %s", (dialect) => {
  const cases: ReadonlyArray<readonly [string, string, RegExp, string?]> = [
    ["a danger", "run git push --force", /block_high_risk_commands in \[risk_profiles\.default\] of config\.toml/],
    [
      "a rule of the user",
      "run touch x",
      /a rule of yours, set under \[policy\.rules\]/,
      "[policy.rules]\ndeny = [\"shell(touch *)\"]\n"
    ],
    [
      "the Work mode",
      "run touch x",
      /setting work_mode, set under \[policy\] in config\.toml/,
      "[policy]\nwork_mode = \"ro\"\n"
    ],
    ["the operator's paths", "write /etc/x\nx\n.", /forbidden_paths in \[risk_profiles\.default\]/],
    [
      "a list of commands",
      "run touch x",
      /forbidden_commands/,
      "[risk_profiles.default]\nforbidden_commands = [\"touch\"]\n"
    ],
    [
      "the network",
      "call web_fetch {\"url\":\"https://example.org\"}",
      /setting network/,
      "[policy]\nnetwork = \"off\"\n"
    ],
    ["nobody being asked", "run touch x", /setting approval_response/, "[policy]\napproval_response = \"never\"\n"]
  ]
  for (const [name, script, where, toml = ""] of cases) {
    test(`says who decided, and where that is set: ${name}`, async ({ host }) => {
      configure(host, toml)
      const acp = host.start({ dialect, permission: "reject-once" })
      await acp.initialize()
      const { text, updates } = await acp.prompt(await acp.newSession(), script)
      const [call] = mergedCalls(updates)
      expect(texts(call!).join("\n")).toMatch(/^Denied by \w+ \([A-Z_]+\): .+\nDecided by /)
      expect(texts(call!).join("\n")).toMatch(where)
      // The model is not told.
      expect(text).not.toContain("Decided by")
    })
  }
})

describe("A command line", () => {
  const silent = async (host: Host, command: string, allow: string) => {
    configure(host, `[policy.rules]\nallow = ["${allow}"]\n`)
    const acp = await host.open({ permission: "reject-once" })
    await acp.prompt(await acp.newSession(), `run ${command}`)
    expect(questions(acp)).toEqual([])
  }

  for (
    const [command, allow] of [
      ["npm test | tail -5", "shell(npm test *)"],
      ["touch zz; ls zz", "shell(touch *)"],
      ["touch a && cat a | head -1 | wc -l", "shell(touch *)"]
    ] as const
  ) {
    test(`runs unasked when a rule or reading covers each of its parts: ${command}`, ({ host }) =>
      silent(host, command, allow))
  }

  test("runs unasked after “always” was answered for the part that was asked about", async ({ host }) => {
    host.write("package.json", "{\"scripts\":{\"test\":\"echo tested\"}}")
    const acp = await host.open({ permission: "allow-always" })
    const sessionId = await acp.newSession()
    await acp.prompt(sessionId, "run npm test")
    await acp.prompt(sessionId, "run npm test | tail -5")
    await acp.prompt(sessionId, "run npm test 2>&1 | grep tested")
    expect(questions(acp)).toHaveLength(1)
  })
})
