import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { agent, client, lines, Run } from "./support/Run.ts"
import { suiteFolder } from "../support/SuiteFolder.ts"

const folder = suiteFolder

describe("postern client with one prompt", () => {
  it("prints the answer and exits 0", async () => {
    expect(await client("", "say")).toEqual({ code: 0, stdout: "Hello, world.\n", stderr: "" })
  })

  it("takes the prompt from standard input where no argument gives one", async () => {
    const run = new Run(["client", "--server", agent()], { stdin: "say\n" })
    expect(await run.done).toMatchObject({ code: 0, stdout: "Hello, world.\n" })
  })

  it("shows the agent's updates without control characters", async () => {
    const { stdout } = await client("", "work")
    expect(stdout).toBe("hm\n\n▸ Read a.txt\n✓ Read a.txt\n  one\n  ␛]0;owned␇two\n\nHello, world.\n")
  })

  it("prints only the answer with --quiet", async () => {
    expect(await client("", "--quiet", "work")).toEqual({ code: 0, stdout: "Hello, world.\n", stderr: "" })
  })

  it("sends the agent the folder and the alias", async () => {
    const cwd = folder()
    const { stderr } = await client("", "--cwd", cwd, "--agent", "helper", "--log-level", "debug", "say")
    expect(stderr).toContain(
      `agent: new ${JSON.stringify({ cwd, mcpServers: [], _meta: { zeroclaw: { agentAlias: "helper" } } })}`
    )
  })

  it("without a terminal refuses permission requests, explains how to answer them, and exits 1 after the turn", async () => {
    const { code, stderr, stdout } = await client("", "permit")
    expect(stdout).toContain("✗ Run `make`\n\noutcome reject-once\n")
    const [refused, way, ...rest] = stderr.split("\n")
    expect(refused).toBe("postern: not allowed, standard input is not a terminal: Run `make`")
    expect(way).toMatch(
      /^postern: to be asked for permission, run it in a terminal, or go on there with: postern client --server .* --resume s-1$/
    )
    expect(rest).toEqual([""])
    expect(code).toBe(1)
    expect(lines((await client("", "--json", "permit")).stdout).at(-1)).toEqual({
      stopReason: "end_turn",
      sessionId: "s-1"
    })
  })

  it("notes that sessions are not stored, and continues", async () => {
    const data = join(folder(), "file")
    writeFileSync(data, "")
    const env = { POSTERN_CONFIG_DIR: folder(), POSTERN_DATA_DIR: data }
    const { code, stderr, stdout } = await new Run(["client", "say hi"], { env }).done
    expect({ code, said: stdout.split("\n\n") }).toEqual({
      code: 0,
      said: [
        expect.stringMatching(/^! This session is kept in memory only and ends with this process: .*folder\.$/),
        "hi\n"
      ]
    })
    expect(stderr).toMatch(
      /^postern: sessions are not stored; `postern acp --log-level debug` says why, POSTERN_DATA_DIR .*\n$/
    )
  })

  it.each([
    ["refuse", "postern: the agent refused\n"],
    ["fail", "postern: The model is out of reach (provider_unavailable)\n"]
  ])("exits 1 with one line after %s", async (prompt, stderr) => {
    expect(await client("", prompt)).toEqual({ code: 1, stdout: "", stderr })
  })
})

describe("--json", () => {
  it("prints every update as the agent sent it, then the result", async () => {
    const { code, stderr, stdout } = await client("", "--json", "work")
    const printed = lines(stdout)
    expect(printed.slice(0, -1).map((line) => line["update"].sessionUpdate)).toEqual([
      "agent_thought_chunk",
      "future_kind",
      "tool_call",
      "tool_call_update",
      ...Array(3).fill("agent_message_chunk")
    ])
    expect(printed[1]).toEqual({ sessionId: "s-1", update: { sessionUpdate: "future_kind", anything: 1 } })
    expect(printed.at(-1)).toEqual({ stopReason: "end_turn", usage: { inputTokens: 1 }, sessionId: "s-1" })
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
  })

  it("prints an error as the last line where there is no result", async () => {
    const { code, stdout } = await client("", "--json", "fail")
    const data = { reason: "provider_unavailable" }
    expect(lines(stdout)).toEqual([{
      error: { code: -32603, message: "The model is out of reach", data },
      sessionId: "s-1"
    }])
    expect(code).toBe(1)
  })

  it("prints an error as the last line when the agent has ended", async () => {
    const { code, stdout } = await client("", "--json", "crash")
    expect(lines(stdout).at(-1)).toEqual({
      error: {
        message: "the agent ended (exit code 3) in the middle of the turn",
        data: { details: expect.stringMatching(/^new .*\nfatal: out of cheese$/) }
      }
    })
    expect(code).toBe(1)
  })
})

describe("postern client with an agent", () => {
  it("that dies during a turn reports the end of its stderr", async () => {
    const { code, stderr, stdout } = await client("", "crash")
    expect(stdout).toBe("half a\n")
    expect(stderr).toMatch(
      /^postern: the agent ended \(exit code 3\) in the middle of the turn\n {2}new .*\n {2}fatal: out of cheese\n$/
    )
    expect(code).toBe(1)
  })

  it("that does not speak ACP reports its first line", async () => {
    const { code, stderr } = await client("banner", "say")
    expect(stderr).toContain("does not speak ACP: it wrote \"Welcome to BannerAgent 3000!\"")
    expect(code).toBe(1)
  })

  it("that writes other lines later notes them and continues", async () => {
    const { code, stderr, stdout } = await client("", "stray")
    expect({ code, stdout }).toEqual({ code: 0, stdout: "Hello, world.\n" })
    expect(stderr).toBe("postern: the agent wrote something that is not ACP: debug: hello from console.log\n")
  })

  it("that sends updates of other sessions ignores those", async () => {
    expect(await client("", "elsewhere")).toEqual({ code: 0, stdout: "Hello, world.\n", stderr: "" })
    expect(lines((await client("", "--json", "elsewhere")).stdout).map((line) => line["sessionId"])).toEqual(
      Array(4).fill("s-1")
    )
  })

  it("that ends before it answers, or does not exist, prints one line", async () => {
    const ended = await new Run(["client", "--server", `"${process.execPath}" -e 0`, "say"]).done
    expect(ended).toMatchObject({
      code: 1,
      stderr: "postern: the agent ended (exit code 0) before it answered initialize\n"
    })
    const missing = await new Run(["client", "--server", "/no/such/agent", "say"]).done
    expect(missing).toMatchObject({
      code: 1,
      stderr: "postern: cannot start the agent \"/no/such/agent\": there is no such program\n"
    })
  })

  it("of this installation that cannot start prints the agent's own error", async () => {
    const home = folder()
    writeFileSync(join(home, "config.toml"), "nonsense = 1\n")
    const run = (...args: ReadonlyArray<string>) =>
      new Run(["client", "--config-dir", home, ...args], { env: { POSTERN_DATA_DIR: "" } }).done
    const said = expect.stringMatching(/config\.toml:1: nonsense is not a known key/)
    const { code, stderr } = await run("hi")
    expect(stderr).toMatch(
      /^postern: \/.*config\.toml:1: nonsense is not a known key.*\n$/
    )
    expect(code).toBe(1)
    expect(lines((await run("--json", "hi")).stdout)).toEqual([{ error: { message: said } }])
  })

  it("that does not exit at the end of input terminates it", async () => {
    expect(await client("stubborn-exit", "say")).toMatchObject({ code: 0, stdout: "Hello, world.\n" })
  })
})

describe("Ctrl-C", () => {
  it("cancels the turn: exit 130 after the agent's own ending", async () => {
    const run = new Run(["client", "--server", agent(), "wait"])
    await run.shows("waiting")
    run.child.kill("SIGINT")
    const { code, stderr } = await run.done
    expect(stderr).toBe("postern: cancelling; Ctrl-C again gives up on the agent\n")
    expect(code).toBe(130)
  })

  it("twice gives up on an agent that does not stop", async () => {
    const run = new Run(["client", "--server", agent(), "stubborn"])
    await run.shows("waiting")
    run.child.kill("SIGINT")
    await run.shows("I will not")
    run.child.kill("SIGINT")
    expect(await run.done).toMatchObject({ code: 130, stdout: "waiting\nI will not\n" })
  })

  it("with --json still ends with the result", async () => {
    const run = new Run(["client", "--server", agent(), "--json", "wait"])
    await run.shows("waiting")
    run.child.kill("SIGINT")
    const { code, stdout } = await run.done
    expect(lines(stdout).at(-1)).toEqual({ stopReason: "cancelled", sessionId: "s-1" })
    expect(code).toBe(130)
  })
})

describe("postern client that is stopped", () => {
  it("exits 143 after SIGTERM", async () => {
    const run = new Run(["client", "--server", agent(), "wait"])
    await run.shows("waiting")
    run.child.kill("SIGTERM")
    expect(await run.done).toEqual({ code: 143, stdout: "waiting\n", stderr: "" })
  })

  it("exits 141 without a message when its output is closed", async () => {
    const run = new Run(["client", "--server", agent(), "stubborn"])
    await run.shows("waiting")
    run.child.stdout?.destroy()
    run.child.kill("SIGINT")
    expect(await run.done).toMatchObject({
      code: 141,
      stderr: "postern: cancelling; Ctrl-C again gives up on the agent\n"
    })
  })
})

describe("postern client --resume and --last", () => {
  const debug = ["--log-level", "debug"]

  it("resumes by id in the session's own folder, without a replay for one prompt", async () => {
    const { stderr, stdout } = await client("", "--resume", "cccc3333-away", ...debug, "say")
    expect(stdout).toBe("Hello, world.\n")
    expect(stderr).toBe("agent: resume cccc3333-away /\n")
  })

  it("resumes by the beginning of an id, or by an id that the agent does not list", async () => {
    expect((await client("", "--resume", "bbbb", ...debug, "say")).stderr).toContain("resume bbbb2222-new ")
    expect((await client("", "--resume", "unlisted", ...debug, "say")).stderr).toContain("resume unlisted ")
  })

  it("hides the replay of an agent that can only load sessions", async () => {
    const { stderr, stdout } = await client("load-only", "--resume", "cccc3333-away", ...debug, "say")
    expect(stdout).toBe("Hello, world.\n")
    expect(stderr).toBe("agent: load cccc3333-away /\n")
    expect(lines((await client("load-only", "--resume", "cccc3333-away", "--json", "say")).stdout)).toHaveLength(4)
  })

  it("resumes the newest session of the folder with --last, over all pages of the list", async () => {
    expect((await client("", "--last", ...debug, "say")).stderr).toBe(`agent: resume bbbb2222-new ${process.cwd()}\n`)
  })

  it("report a session that does not exist", async () => {
    expect(await client("", "--resume", "gone", "say")).toEqual({
      code: 1,
      stdout: "",
      stderr: "postern: no session gone\n"
    })
    const env = { POSTERN_CONFIG_DIR: folder(), POSTERN_DATA_DIR: "" }
    expect(await new Run(["client", "--resume", "ffff", "say hi"], { env }).done)
      .toEqual({ code: 1, stdout: "", stderr: "postern: no session ffff; see postern sessions list\n" })
  })

  it("report that there is no session, or that the agent cannot resume any", async () => {
    const cwd = folder()
    expect(await client("", "--last", "--cwd", cwd, "say"))
      .toEqual({ code: 1, stdout: "", stderr: `postern: there is no session to go on with in ${cwd}\n` })
    expect(await client("no-resume", "--last", "say"))
      .toEqual({ code: 1, stdout: "", stderr: "postern: this agent cannot go on with stored sessions\n" })
  })
})

describe("wrong usage", () => {
  it.each([
    [["client", "--last", "--resume", "x", "hi"], "postern: --last and --resume exclude each other\n"],
    [["client", "--cwd", "/no/such/folder", "hi"], "postern: there is no folder /no/such/folder\n"],
    [["client", "--server", "'oops", "hi"], "postern: --server is no command line: a ' is never closed\n"],
    [["client", "--resume", "", "hi"], "postern: --resume needs the id of a session\n"],
    [["client", " "], "postern: the prompt is empty\n"]
  ])("%j exits 2 with one line", async (args, stderr) => {
    expect(await new Run(args).done).toEqual({ code: 2, stdout: "", stderr })
  })

  it.each([
    [
      ["client", "--zzzzzz", "hi"],
      "postern: Unrecognized flag: --zzzzzz in command postern client\nsee postern client --help\n"
    ],
    [["clyent"], "postern: Unknown subcommand \"clyent\" for \"postern\"; did you mean client?\nsee postern --help\n"],
    [["sessions", "show"], "postern: Missing required argument: id\nsee postern sessions show --help\n"]
  ])("%j exits 2 with what is wrong and where the help is", async (args, stderr) => {
    expect(await new Run(args).done).toEqual({ code: 2, stdout: "", stderr })
  })

  it("does not include --help and --version", async () => {
    expect(await new Run(["client", "--help"]).done).toMatchObject({ code: 0, stderr: "" })
    const { stdout } = await new Run(["--version"]).done
    expect(stdout).toMatch(/^postern v\d+\.\d+\.\d+\n$/)
    expect(await new Run(["-V"]).done).toEqual({ code: 0, stdout, stderr: "" })
    expect(await new Run(["help", "client"]).done).toEqual(await new Run(["client", "--help"]).done)
  })
})
