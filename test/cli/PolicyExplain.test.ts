import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { lines, Run } from "./support/Run.ts"
import { suiteFolder } from "../support/SuiteFolder.ts"

const home = suiteFolder()
const cwd = join(home, "project")
mkdirSync(join(cwd, "src"), { recursive: true })
const env = { POSTERN_CONFIG_DIR: join(home, "config"), POSTERN_DATA_DIR: "" }

const explain = (args: ReadonlyArray<string>, stdin = "") =>
  new Run(["policy", "explain", ...args], { env, stdin, cwd }).done
const asked = async (...args: ReadonlyArray<string>) => JSON.parse((await explain([...args, "--json"])).stdout)
const batch = async (...calls: ReadonlyArray<unknown>) =>
  lines(
    (await explain(["--batch"], calls.map((call) => typeof call === "string" ? call : JSON.stringify(call)).join("\n")))
      .stdout
  )

describe("postern policy explain", () => {
  it("shows every gate and marks the one that decides", async () => {
    const ran = await explain([
      "shell",
      "command=git push -f",
      "--mode",
      "sw",
      "--network",
      "off",
      "--approval",
      "universal_accept",
      "--response",
      "never",
      "--sandbox",
      "read-only",
      "--cwd",
      cwd
    ])
    expect(ran).toEqual({
      code: 0,
      stderr: "",
      stdout: `shell command=git push -f
deny by capability (CAPABILITY_NOT_GRANTED): the Work mode sw does not grant shell_rw

   GATE        VERDICT  REASON
   validity    pass     known tool, readable arguments
>  capability  deny     the Work mode sw does not grant shell_rw
   network     skip     not reached
   boundary    skip     not reached
   rule        skip     not reached
   policy      skip     not reached
   response    skip     not reached
   sandbox     skip     not reached

capabilities  shell_rw
parts         git push -f
shapes        git-destructive: git push -f
knobs         work_mode sw (session)
              network off (session)
              user_rules user+project (default)
              tool_approval universal_accept (session)
              approval_response never (session)
              sandbox read-only (session)
`
    })
  })

  it("shows parts, rule and effective sandbox of a call that needs approval", async () => {
    const { stdout } = await explain(["shell", "command=ls; $X > out", "--ask", "shell(ls *)", "--approval", "manual"])
    expect(stdout).toMatch(/^ask by rule \(RULE_ASK\): ask rule shell\(ls \*\)$/m)
    expect(stdout).toMatch(/^> {2}rule {8}ask/m)
    expect(stdout).toMatch(/^parts {9}ls\n {14}write > out\n {14}\$X \(not literal\)$/m)
    expect(stdout).toMatch(/^rule {10}ask shell\(ls \*\) \([0-9a-f]{12}\)$/m)
    expect(stdout).toMatch(/^sandbox {7}workspace-write, network on \(/m)
  })

  it("knows tools of configured MCP servers without starting one", async () => {
    const server = join(home, "mcp")
    mkdirSync(server, { recursive: true })
    writeFileSync(
      join(server, "config.toml"),
      `
[mcp.servers.git-hub]
command = "/no/such/program"
tools = { "get_*" = "ro" }
[mcp.servers.local]
command = "/no/such/program"
network = false
capability = "rw"
`
    )
    const calls = [
      { tool: "git-hub__get_issue", arguments: { number: 1 } },
      { tool: "git-hub__create_issue" },
      { tool: "git-hub__create_issue", knobs: { rules: { allow: ["mcp(git-hub/create_*)"] } } },
      { tool: "git-hub__get_issue", knobs: { network: "off" } },
      { tool: "local__put", knobs: { network: "off" } },
      { tool: "other__get" }
    ]
    const stdin = calls.map((call) => JSON.stringify(call)).join("\n")
    const { stdout } = await new Run(["policy", "explain", "--batch"], {
      env: { ...env, POSTERN_CONFIG_DIR: server },
      stdin,
      cwd
    }).done
    expect(lines(stdout)).toMatchObject([
      { outcome: "run", capabilities: ["ro"] },
      { outcome: "ask", capabilities: ["shell_rw"] },
      { outcome: "run", code: "RULE_ALLOW" },
      { outcome: "deny", code: "NETWORK_DENIED" },
      { outcome: "ask", capabilities: ["rw"] },
      { outcome: "deny", code: "UNKNOWN_TOOL" }
    ])
  })

  it("lets the settings of a project narrow", async () => {
    const project = join(home, "narrow")
    mkdirSync(join(project, ".postern"), { recursive: true })
    writeFileSync(join(project, ".postern", "rules.toml"), "[policy]\nwork_mode = \"ro\"\n")
    expect(await asked("shell", "command=mkdir x", "--cwd", project)).toMatchObject({
      outcome: "deny",
      gate: "capability"
    })
    writeFileSync(join(project, ".postern", "rules.toml"), "[policy]\nwork_mode = \"all\"\n")
    expect(await explain(["shell", "command=ls", "--cwd", project])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        "rules.toml: [policy]: work_mode must be one of chat, ro, pl, sw, aw, not \"all\""
      )
    })
  })

  it("prints the whole trace as JSON", async () => {
    const trace = await asked("shell", "command=rm -rf src")
    expect(trace).toEqual({
      outcome: "deny",
      gate: "boundary",
      code: "HIGH_RISK",
      reason: expect.any(String),
      capabilities: ["shell_rw"],
      shapes: [{ category: "fs-wipe", part: "rm -rf src" }],
      parts: [{ program: "rm", argv: ["rm", "-rf", "src"], opaque: false }],
      gates: ["validity", "capability", "network", "boundary", "rule", "policy", "response", "sandbox"].map((gate) => ({
        gate,
        verdict: expect.stringMatching(/^(pass|deny|ask|run|skip)$/),
        reason: expect.any(String)
      }))
    })
    const ran = await asked("file_read", "path=src/a.ts", "--allow", "read(./src/**)")
    expect(ran).toMatchObject({
      outcome: "run",
      gate: "rule",
      rule: "read(./src/**)",
      sandbox: { mode: "read-only", network: "off" }
    })
  })

  it("lets a given approval policy decide about dangerous commands, and else the level", async () => {
    const command = "command=rm -rf src"
    expect(await asked("shell", command, "--approval", "universal_accept")).toMatchObject({
      outcome: "ask",
      gate: "policy"
    })
    expect(await asked("shell", command, "--level", "full", "--rules-deny", "shell(rm **)")).toMatchObject({
      outcome: "deny",
      code: "RULE_DENY"
    })
    const call = (knobs: unknown) => ({ tool: "shell", arguments: { command: "rm -rf src" }, knobs })
    const answers = await batch(
      call({ approval: "universal_accept" }),
      call({ level: "full" }),
      call({ level: "readonly" }),
      call({})
    )
    expect(answers.map(({ gate, outcome }) => `${outcome} ${gate}`)).toEqual([
      "ask policy",
      "run policy",
      "deny capability",
      "deny boundary"
    ])
  })

  it("reads values as JSON where that fits the tool, else as strings", async () => {
    expect(await asked("shell", "command=true", "timeout_secs=5")).toMatchObject({
      outcome: "run",
      parts: [{ program: "true" }]
    })
    expect(await asked("shell", "command=ls", "timeout_secs=soon")).toMatchObject({
      outcome: "deny",
      gate: "validity",
      code: "BAD_ARGUMENTS"
    })
    expect(await asked("nonsense", "a=1")).toMatchObject({
      outcome: "deny",
      gate: "validity",
      code: "UNKNOWN_TOOL",
      parts: [],
      shapes: []
    })
  })

  it.each([
    [["shell", "ls"], 2, "is no argument; write key=value"],
    [[], 2, "name a tool and its arguments"],
    [["--batch", "shell"], 2, "--batch reads the calls from standard input"],
    [["shell", "command=ls", "--mode", "wild"], 2, "--mode"],
    [["shell", "command=ls", "--cwd", join(home, "nowhere")], 2, "there is no folder"],
    [["shell", "command=ls", "--deny", "shell(ls"], 1, "deny rule \"shell(ls\": at character 9"],
    [["shell", "command=ls", "--agent", "nobody"], 1, "there is no agent \"nobody\""]
  ])("says what is wrong with %j", async (args, code, words) => {
    const ran = await explain(args)
    expect(ran.stderr).toContain(words)
    expect(ran).toMatchObject({ code, stdout: "" })
  })
})

describe("postern policy explain --batch", () => {
  it("answers every line with one line, in order, whatever the line contains", async () => {
    const call = (command: string, more = {}) => ({ tool: "shell", arguments: { command }, ...more })
    const answers = await batch(
      call("ls", { id: 1, cwd }),
      "not json",
      call("ls", { cwd: join(home, "nowhere") }),
      "",
      call("ls", { knobs: { mode: "chat" } }),
      call("ls", { knobs: { approvel: "manual" } }),
      call("ls", { knobs: { rules: { deny: ["shell(ls"] } } }),
      call("ls", { knobs: { rules: { deny: ["shell(ls *)"] } } }),
      { tool: "nonsense" },
      call("echo $("),
      call("$X y", { cwd: null, knobs: { network: "off", approval: "universal_accept", response: "never" } })
    )
    expect(answers.map(({ error, gate, outcome }) => error === undefined ? `${outcome} ${gate}` : "error")).toEqual([
      "run policy",
      "error",
      "run policy",
      "error",
      "deny capability",
      "error",
      "error",
      "deny rule",
      "deny validity",
      "ask policy",
      "deny response"
    ])
    expect(answers[5]).toEqual({ error: expect.stringContaining("approvel") })
    expect(answers[9]!["parts"]).toEqual([{ program: null, argv: [], opaque: true }])
    expect(answers[10]!["parts"]).toEqual([{ program: null, argv: [null, "y"], opaque: true }])
  })

  it("takes the settings of the command line where a line has none", async () => {
    const input = [{ tool: "shell", arguments: { command: "ls" } }, {
      tool: "shell",
      arguments: { command: "ls" },
      knobs: { mode: "ro" }
    }]
    const { stdout } = await explain(
      ["--batch", "--mode", "chat", "--deny", "shell(ls *)"],
      input.map((call) => JSON.stringify(call)).join("\n")
    )
    expect(lines(stdout).map(({ gate }) => gate)).toEqual(["capability", "rule"])
  })

  it("does not wait for the end of input", async () => {
    const run = new Run(["policy", "explain", "--batch"], { env, cwd })
    run.child.stdin?.write("{\"tool\":\"shell\",\"arguments\":{\"command\":\"ls first\"}}\n{\"tool\":")
    await run.shows("first")
    run.child.stdin?.end("\"shell\",\"arguments\":{\"command\":\"ls second\"}}")
    expect(lines((await run.done).stdout).map(({ parts }) => parts[0].argv[1])).toEqual(["first", "second"])
  })
})

describe("postern policy explain http_request", () => {
  const url = "https://api.example.com/things/1"
  const request = (parameters: object, knobs: object = {}) => ({
    tool: "http_request",
    arguments: { url, ...parameters },
    knobs
  })
  const said = async (...calls: ReadonlyArray<unknown>) =>
    (await batch(...calls)).map(({ code, outcome, shapes }) =>
      [outcome, code, ...shapes.map(({ category }: { category: string }) => category)].join(" ")
    )

  it("asks about every request that changes or sends something, whatever accepts calls unasked", async () => {
    const accepting = { approval: "universal_accept" }
    expect(
      await said(
        request({}, accepting),
        request({ method: "HEAD" }, accepting),
        request({ method: "DELETE" }, accepting),
        request({ method: "PUT" }, accepting),
        request({ method: "PATCH", body: "{}" }, accepting),
        request({ method: "POST" }, accepting),
        request({ body: "sent" }, accepting),
        request({ headers: { "X-HTTP-Method-Override": "DELETE" } }, accepting),
        request({ method: "DELETE" }, { approval: "blacklist_reject" }),
        request({ method: "DELETE" }, { ...accepting, response: "never" }),
        request({ method: "DELETE" })
      )
    ).toEqual([
      "run POLICY_RUN",
      "run POLICY_RUN",
      "ask POLICY_ASK publish-deploy",
      "ask POLICY_ASK publish-deploy",
      "ask POLICY_ASK publish-deploy exfil",
      "ask POLICY_ASK exfil",
      "ask POLICY_ASK exfil",
      "ask POLICY_ASK publish-deploy",
      "deny POLICY_DENY publish-deploy",
      "deny APPROVAL_NEVER publish-deploy",
      "ask POLICY_ASK publish-deploy"
    ])
  })

  it("lets a rule about a host read there, and only a rule about the tool change something", async () => {
    const allow = (rule: string) => ({ rules: { allow: [rule] } })
    const deny = { rules: { deny: ["fetch(api.example.com)"] } }
    expect(
      await said(
        request({}, allow("fetch(api.example.com)")),
        request({ method: "DELETE" }, allow("fetch(api.example.com)")),
        request({ auth_secret: "ci" }, allow("fetch(api.example.com)")),
        request({ method: "DELETE" }, allow("fetch")),
        request({ method: "DELETE" }, allow("http_request(api.example.com)")),
        request({ method: "DELETE" }, allow("http_request(other.example.com)")),
        request({ method: "DELETE" }, deny)
      )
    ).toEqual([
      "run RULE_ALLOW",
      "ask POLICY_ASK publish-deploy",
      "ask POLICY_ASK",
      "ask POLICY_ASK publish-deploy",
      "run RULE_ALLOW publish-deploy",
      "ask POLICY_ASK publish-deploy",
      "deny RULE_DENY publish-deploy"
    ])
  })
})
