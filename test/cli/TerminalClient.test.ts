import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { ChatServer, type Step } from "../support/ChatServer.ts"
import { suiteFolder } from "../support/SuiteFolder.ts"
import { hasTerminal, Terminal } from "../support/Terminal.ts"

const main = fileURLToPath(new URL("../../dist/main.js", import.meta.url))

let home: string
let project: string
let server: ChatServer | undefined

beforeEach(() => {
  home = suiteFolder()
  project = join(suiteFolder(), "project")
  mkdirSync(join(project, "src"), { recursive: true })
  writeFileSync(join(project, "README.md"), "# Demo\n")
  writeFileSync(join(project, "src", "total.js"), "export const total = 1\n")
})

afterEach(() => {
  server?.close()
  server = undefined
})

const configured = async (...steps: ReadonlyArray<Step>) => {
  server = new ChatServer(...steps)
  writeFileSync(join(home, "config.toml"), await server.config())
}

interface Size {
  readonly columns?: number
  readonly rows?: number
}

const environment = () => ({ POSTERN_CONFIG_DIR: home, ANTHROPIC_API_KEY: "", OPENAI_API_KEY: "", HOME: home })

const start = (args: ReadonlyArray<string> = [], size: Size = {}) =>
  new Terminal([process.execPath, main, "client", ...args], { rows: 40, ...size, cwd: project, env: environment() })

const prompt = /\n>$/

const conversation = async (args: ReadonlyArray<string> = [], size: Size = {}) => {
  const terminal = start(args, size)
  await terminal.shows(prompt)
  return terminal
}

describe.skipIf(!hasTerminal)("the terminal client", () => {
  it("says at first what model, mode and folder the session has, and that a stand-in is one", async () => {
    await configured()
    const terminal = await conversation()
    expect(terminal.text()).toMatch(
      /^Postern .* · session \w{8} · \/help\nmodel local\/m · mode \w+.*\(aw\) · folder .*project\n\n>$/
    )
    terminal.type("\u0004")
    await terminal.shows("resume with: ")
    expect(await terminal.exited).toBe(0)
    writeFileSync(join(home, "config.toml"), "")
    expect((await conversation()).text()).toContain("this one only follows scripts. Run postern setup.")
  })

  it("takes model and mode as flags, and names all there are where one is unknown", async () => {
    await configured()
    expect((await conversation(["--mode", "ro"])).text()).toMatch(/mode [^\n]*\(ro\)/)
    const unknown = start(["--mode", "nope"])
    expect(await unknown.exited).toBe(1)
    expect(unknown.text()).toContain("nope is not one of the modes: chat, ro, pl, sw, aw")
    const terminal = start(["--model", "elsewhere/x", "hi"])
    expect(await terminal.exited).toBe(1)
    expect(terminal.text()).toMatch(/elsewhere\/x is not one of the models: .*local\/m/)
  })

  it("renders Markdown, wrapped at words, in narrow windows too", async () => {
    const say =
      "# Title\n\nSome **bold** text that goes on for longer than forty columns, 日本語のとても長い文章です。\n\n" +
      "- one `item`\n- two\n\n| Name | Count |\n|---|---:|\n| apples | 3 |\n\n```js\nconst a = 1\n```\n"
    await configured({ say }, { say })
    const terminal = await conversation([], { columns: 40 })
    terminal.type("go\r")
    await terminal.shows(/const a = 1\n\n>$/)
    const [, answer = ""] = terminal.text().split("> go\n")
    expect(answer.trimStart()).toBe(
      `Title

Some bold text that goes on for longer
than forty columns,
日本語のとても長い文章です。

• one item
• two

Name   │ Count
───────┼──────
apples │     3

  const a = 1

>`
    )
    expect(terminal.raw).toContain("\u001b[1mbold\u001b[22m")
    terminal.resize(60, 30)
    terminal.type("again\r")
    await terminal.shows(/longer than forty columns,[^]*const a = 1\n\n>$/)
  })

  it("asks for permission with one key, and never takes one that was typed before", async () => {
    const write = (path: string): Step => ({ calls: [["file_write", { path, content: "x\n" }]] })
    await configured(write("a.txt"), write("b.txt"), { say: "Done." })
    const terminal = await conversation()
    terminal.type("write\r")
    await terminal.shows("Thinking")
    // Typed ahead: one word with all the keys of the question.
    terminal.type("yand")
    await terminal.shows(/\[y\/.*d\]$/)
    expect(terminal.text()).not.toContain("→")
    expect(terminal.text()).toMatch(/\+ x\n/)
    terminal.type("y")
    await terminal.shows(/→ .*\n✓ [^\n]*a\.txt/)
    await terminal.shows(/\? [^\n]*b\.txt[^]*\[y\/.*d\]$/)
    terminal.type("n")
    await terminal.shows(/Done\.\n\n> yand$/)
    expect(readFileSync(join(project, "a.txt"), "utf8")).toBe("x\n")
    expect(terminal.text()).toMatch(/✗ [^\n]*b\.txt/)
    // The diff was in the question; it is not shown again with the result.
    expect(terminal.text().split("+ x\n")).toHaveLength(3)
  })

  it("takes what to do instead of what was asked for", async () => {
    await configured({ calls: [["file_write", { path: "a.txt", content: "x\n" }]] }, { say: "As you say." })
    const terminal = await conversation()
    terminal.type("write\r")
    await terminal.shows(/\[y\/.*d\]$/)
    terminal.type("d")
    await terminal.shows("what to do instead:")
    terminal.type("write b instead\r")
    await terminal.shows(/> write b instead\n\nAs you say\.\n\n>$/)
    expect(JSON.stringify(server?.requests.at(-1))).toContain("write b instead")
    expect(server?.requests).toHaveLength(2)
  })

  it("asks questions of the agent: free text, and choices by number or text", async () => {
    const terminal = await conversation()
    terminal.type("ask What is your name?\r")
    await terminal.shows(/\? What is your name\?\nanswer: *$/)
    terminal.type("Ada\r")
    await terminal.shows(/Ada[^]*Ada[^]*\n>$/)
    for (const answer of ["2", "gre"]) {
      terminal.type("ask Which colour? | red | green\r")
      await terminal.shows(/ {2}1 {2}red\n {2}2 {2}green\nanswer \(number or text\): *$/)
      terminal.type(`${answer}\r`)
      await terminal.shows(/green\n\n>$/)
    }
    expect(terminal.text()).not.toContain("{")
  })

  it("completes commands, their values and files at Tab", async () => {
    await configured()
    const terminal = await conversation()
    terminal.type("/resu\t")
    await terminal.shows("> /resume")
    terminal.type("\u0015/mode r\t")
    await terminal.shows("> /mode ro")
    terminal.type("\u0015look at @sr\t")
    await terminal.shows("> look at @src/")
    terminal.type("to\t")
    await terminal.shows("> look at @src/total.js")
    terminal.type("\u0015@tota\t")
    await terminal.shows("> @src/total.js")
    terminal.type(" please\r")
    await terminal.shows("There is nothing more in the script.")
    expect(JSON.stringify(server?.requests[0])).toMatch(/src\/total\.js[^]*total\.js/)
  })

  it("remembers entries for the next run, and finds them with Ctrl-R", async () => {
    const first = await conversation()
    first.type("say the first thing\r")
    await first.shows(/thing\n\nthe first thing\n\n>$/)
    first.type("\u0004")
    expect(await first.exited).toBe(0)
    expect(statSync(join(home, "data", "client-history")).mode & 0o777).toBe(0o600)
    const second = await conversation()
    second.type("\u0012first")
    await second.shows("(history) first: say the first thing")
    second.type("\r")
    await second.shows(/the first thing\n\n>$/)
  })

  it("runs the user's own commands, and the next message tells the agent of them", async () => {
    await configured({ say: "I see." })
    const terminal = await conversation()
    terminal.type("!echo from $((40 + 2)); exit 3\r")
    await terminal.shows(/from 42\n {2}exit code 3/)
    await terminal.shows(/next message\)\n\n>$/)
    terminal.type("what was that?\r")
    await terminal.shows("I see.")
    expect(JSON.stringify(server?.requests[0])).toContain("from 42")
  })

  it("answers its own commands: help, cost, mode, clear, and resume with a picker", async () => {
    await configured({ say: "First answer." }, { say: "Second answer." })
    const terminal = await conversation()
    terminal.type("/help\r")
    await terminal.shows(/\/resume \[ID\] +go on[^]*The agent's own:\n[^]*\/status +[^\n]+/)
    terminal.type("first task\r")
    await terminal.shows("First answer.")
    terminal.type("/cost\r")
    await terminal.shows(/context +[\d,]+ of [\d,]+ tokens[^]*tokens +1,001 read, 50 written[^]*cost +0\.0011 USD/)
    terminal.type("/mode ro\r")
    await terminal.shows(/mode: [^\n]*ro[^\n]*\n\n>$/)
    expect(terminal.text().match(/mode: /g)).toHaveLength(1)
    terminal.type("/mode nonsense\r")
    await terminal.shows("nonsense is not one of the modes: chat, ro, pl, sw, aw")
    terminal.type("/clear\r")
    await terminal.hides("First answer.")
    await terminal.shows(prompt)
    terminal.type("/nope\r")
    await terminal.shows("no such command")
    terminal.type("second task\r")
    await terminal.shows("Second answer.")
    terminal.type("/resume\r")
    await terminal.shows(/Resume\n❯ 1 now +first task/)
    terminal.type("\r")
    await terminal.shows(/> first task\n\nFirst answer\.\n\nPostern[^]*\n>$/)
  })

  it("shows what the agent does, stops at Escape, and keeps what was typed meanwhile", async () => {
    const terminal = await conversation()
    terminal.type("wait 60\r")
    await terminal.shows(/Thinking · \d+s · Esc stops$/)
    terminal.type("say next")
    await terminal.shows(/Esc stops\n> say next$/)
    terminal.type("\u001b")
    await terminal.shows(/\(cancelled\)\n\n> say next$/)
    terminal.type("\r")
    await terminal.shows(/\nnext\n\n>$/)
  })

  it("goes on after Ctrl-Z and fg, at the prompt and while the agent works", async () => {
    const terminal = new Terminal(["bash", "--norc", "-i"], { rows: 40, cwd: project, env: environment() })
    await terminal.shows("bash")
    terminal.type(`'${process.execPath}' '${main}' client\r`)
    await terminal.shows(prompt)
    terminal.type("say ")
    await terminal.shows("> say")
    terminal.type("\u001a")
    await terminal.shows("Stopped")
    terminal.type("fg\r")
    await terminal.shows(/fg\n[^]*> say$/)
    terminal.type("hello\r")
    await terminal.shows(/\nhello\n\n>$/)
    terminal.type("wait 3\r")
    await terminal.shows("Thinking")
    terminal.type("\u001a")
    await terminal.shows(/Stopped[^]*Stopped/)
    terminal.type("fg\r")
    await terminal.shows(/fg[^]*fg\n[^]*\n>$/)
    terminal.type("say again\r")
    await terminal.shows(/\nagain\n\n>$/)
  })

  it("shows no result twice", async () => {
    const terminal = await conversation()
    terminal.type("read README.md\r")
    await terminal.shows(/✓ Read README\.md[^]*# Demo[^]*\n>$/)
    expect(terminal.text().match(/# Demo/g)).toHaveLength(1)
    terminal.type("run ls src; echo done\r")
    await terminal.shows(/done[^]*\n>$|\[y\/.*\]$/)
    if (/\]$/.test(terminal.text())) terminal.type("y")
    await terminal.shows(/total\.js[^]*\n>$/)
    expect(terminal.text().match(/^ *total\.js$/gm)).toHaveLength(1)
  })

  it("uses no colours with NO_COLOR", async () => {
    const terminal = new Terminal([process.execPath, main, "client", "say **hi**"], {
      cwd: project,
      env: { ...environment(), NO_COLOR: "1" }
    })
    await terminal.shows("hi")
    expect(await terminal.exited).toBe(0)
    expect(terminal.raw).not.toMatch(/\u001b\[[\d;]*m/)
  })
})
