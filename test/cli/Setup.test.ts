import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { beforeEach, describe, expect, it } from "vitest"
import { modelList } from "../support/ModelList.ts"
import { suiteFolder } from "../support/SuiteFolder.ts"
import { hasTerminal, Terminal } from "../support/Terminal.ts"
import { Run } from "./support/Run.ts"

let home: string
let file: string

beforeEach(() => {
  home = suiteFolder()
  file = join(home, "config.toml")
})

const environment = () => ({
  POSTERN_CONFIG_DIR: home,
  POSTERN_LOG_LEVEL: "",
  ANTHROPIC_API_KEY: "",
  OPENAI_API_KEY: "",
  OPENROUTER_API_KEY: ""
})

const key = "sk-test-0123456789abcdefghij"
const models = [{ id: "small" }, { id: "large-coder", context_length: 65536 }, { id: "large-chat" }]

const setup = (
  args: ReadonlyArray<string>,
  options: { readonly stdin?: string; readonly env?: NodeJS.ProcessEnv } = {}
) => new Run(["setup", ...args], { stdin: options.stdin ?? "", env: { ...environment(), ...options.env } }).done

describe("postern setup without a terminal", () => {
  it("writes what the flags say, tries the key, and names the next command", async () => {
    const { address, asked } = await modelList(key, models)
    const given = ["--provider", "openai-compatible", "--base-url", address, "--api-key-env", "MY_KEY", "--model"]
    const { code, stderr, stdout } = await setup([...given, "large-coder"], { env: { MY_KEY: key } })
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(stdout).toContain(`wrote ${file}: new sessions use local/large-coder\nnext: `)
    expect(stdout).toMatch(/next: .*client "/)
    expect(readFileSync(file, "utf8")).toBe(
      `[providers.local]
kind = "openai-compatible"
base_url = "${address}"
api_key_env = "MY_KEY"
context_window = 65536

[agents.main]
model = "local/large-coder"
`
    )
    expect(asked.map(({ url }) => url)).toEqual(["/v1/models"])
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  it("stores a key from standard input, keeps comments and other keys, and closes the file to others", async () => {
    const { address } = await modelList(key, models)
    writeFileSync(
      file,
      `# mine
[agents.helper] # the only one
workspace = "~/w" # here
[providers.local]
# fast
kind = "openai-compatible"
api_key_env = "OLD"
timeout_secs = 9
`
    )
    chmodSync(file, 0o644)
    const args = ["--provider", "openai-compatible", "--base-url", address, "--api-key-stdin", "--yes"]
    expect(await setup(args, { stdin: `${key}\n` })).toMatchObject({ code: 0, stderr: "" })
    const text = readFileSync(file, "utf8")
    for (const kept of ["# mine", "# the only one", "# here", "# fast", "timeout_secs = 9"]) {
      expect(text).toContain(kept)
    }
    expect(text).toContain(`api_key = "${key}"`)
    expect(text).toContain("model = \"local/small\"")
    expect(text).not.toContain("OLD")
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readdirSync(home).filter((name) => name.startsWith(".config.toml"))).toEqual([])
  })

  it.each([
    [[], 2, /--provider is missing, and there is no terminal to ask on: one of anthropic, openai, .*, offline/],
    [["--provider", "nope"], 2, /nope is not one of the providers: anthropic, openai, .*, offline/],
    [["--provider", "anthropic"], 2, /--api-key-env is missing, .*; set ANTHROPIC_API_KEY/],
    [["--provider", "vllm", "--base-url", "localhost:1"], 2, /localhost:1 is no http or https address/],
    [["--provider", "openai", "--api-key-env", "sk-123"], 2, /--api-key-env takes the name of a variable, not a key/],
    [["--provider", "openai", "--api-key-env", "UNSET"], 1, /the variable UNSET is not set/],
    [["--provider", "vllm", "--base-url", "http://127.0.0.1:9"], 1, /nothing answers at http:\/\/127\.0\.0\.1:9/]
  ])("%j ends with %d and one line, and writes nothing", async (args, code, line) => {
    const ended = await setup(args)
    expect(ended).toMatchObject({ code, stdout: "" })
    expect(ended.stderr).toMatch(line)
    expect(ended.stderr.trimEnd().split("\n")).toHaveLength(1)
    expect(existsSync(file)).toBe(false)
  })

  it("names the models where one is missing or unknown, and says that a key was refused", async () => {
    const { address } = await modelList(key, models)
    const args = ["--provider", "openai-compatible", "--base-url", address, "--api-key-env", "MY_KEY"]
    const env = { MY_KEY: key }
    expect(await setup(args, { env })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("small, large-coder, large-chat")
    })
    expect(await setup([...args, "--model", "huge"], { env })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("huge is not one of its models: small, large-coder, large-chat")
    })
    const refused = await setup([...args, "--yes"], { env: { MY_KEY: "sk-wrong-9876543210zyxwv" } })
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("the key was refused (401)") })
    expect(refused.stderr).not.toContain("sk-wrong")
    expect(existsSync(file)).toBe(false)
  })

  it("reports a broken configuration instead of asking", async () => {
    writeFileSync(file, "nonsense = 1\n")
    expect(await setup(["--provider", "offline"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("config.toml:1: nonsense is not a known key")
    })
    expect(readFileSync(file, "utf8")).toBe("nonsense = 1\n")
  })
})

const main = fileURLToPath(new URL("../../dist/main.js", import.meta.url))

describe.skipIf(!hasTerminal)("postern setup in a terminal", () => {
  const start = (args: ReadonlyArray<string>) =>
    new Terminal([process.execPath, main, ...args], { columns: 100, env: environment() })

  it("asks for provider, address, key and model, and never shows the key", async () => {
    const { address } = await modelList(key, models)
    const terminal = start(["setup"])
    await terminal.shows("Number or name [anthropic]:")
    expect(terminal.text()).toMatch(/9 +ollama/)
    terminal.type("nobody\r")
    await terminal.shows("nobody is not one of: anthropic, openai")
    terminal.type("openai-c\r")
    await terminal.shows("Its address:")
    terminal.type("somewhere\r")
    await terminal.shows("An address begins with")
    terminal.type(`${address}\r`)
    await terminal.shows("Key, which is not shown")
    terminal.type("sk-wrong-9876543210zyxwv\r")
    await terminal.shows("the key was refused (401): bad key")
    terminal.type("\r")
    await terminal.shows(/\$VARIABLE[^]*\$VARIABLE/)
    terminal.type(`${key}\r`)
    await terminal.shows(/2 +large-coder +65,536 tokens/)
    terminal.type("large\r")
    await terminal.shows(/ 1 +large-coder +65,536 tokens\n +2 +large-chat/)
    terminal.type("2\r")
    await terminal.shows("Write it? [Y/n]")
    expect(terminal.text()).toContain("providers.local.api_key = (the key; only you can read the file)")
    expect(existsSync(file)).toBe(false)
    terminal.type("\r")
    await terminal.shows("next: ")
    expect(await terminal.exited).toBe(0)
    expect(terminal.raw).not.toMatch(/sk-wrong|sk-test/)
    expect(readFileSync(file, "utf8")).toContain(`api_key = "${key}"`)
    expect(readFileSync(file, "utf8")).toContain("model = \"local/large-chat\"")
  })

  it("takes answers that were typed ahead", async () => {
    const { address } = await modelList(undefined, models)
    const terminal = start(["setup"])
    terminal.type(`ollama\r${address}\r\r2\ry\r`)
    await terminal.shows("next: ")
    expect(await terminal.exited).toBe(0)
    expect(readFileSync(file, "utf8")).toContain("model = \"ollama/large-coder\"")
  })

  it("leaves everything as it was at Ctrl-C and at the end of input", async () => {
    for (const [keys, code] of [["\u0003", 130], ["\u0004", 1]] as const) {
      const terminal = start(["acp", "--setup"])
      await terminal.shows("Number or name")
      terminal.type("2\r")
      await terminal.shows("Key, which is not shown")
      terminal.type(keys)
      expect(await terminal.exited).toBe(code)
    }
    expect(existsSync(file)).toBe(false)
  })

  it("goes on after Ctrl-Z and fg", async () => {
    const terminal = new Terminal(["bash", "--norc", "-i"], { columns: 100, env: environment() })
    await terminal.shows("bash")
    terminal.type(`'${process.execPath}' '${main}' setup\r`)
    await terminal.shows("Number or name")
    terminal.type("\u001a")
    await terminal.shows("Stopped")
    terminal.type("fg\r")
    await terminal.shows(/fg\r?\n[^]*Number or name/)
    terminal.type("offline\r")
    await terminal.shows("Write it? [Y/n]")
    terminal.type("\r")
    await terminal.shows("new sessions use offline/builtin")
    expect(readFileSync(file, "utf8")).toBe("[agents.main]\nmodel = \"offline/builtin\"\n")
  })
})
