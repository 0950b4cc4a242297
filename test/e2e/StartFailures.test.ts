import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect } from "vitest"
import { bundle, type Host, test } from "../support/Host.ts"

const initialize = JSON.stringify({ jsonrpc: "2.0", id: "u-1", method: "initialize", params: { protocolVersion: 1 } })

interface Attempt {
  readonly words?: ReadonlyArray<string>
  readonly env?: NodeJS.ProcessEnv
  readonly nodeFlags?: ReadonlyArray<string>
  readonly input: string
  /** Like an editor, which leaves standard input open. */
  readonly open?: boolean
}

const attempt = async (host: Host, { env = {}, input, nodeFlags = [], open = true, words = ["acp"] }: Attempt) => {
  const child = spawn(process.execPath, [...nodeFlags, bundle, ...words], {
    cwd: host.project,
    env: { ...host.env, ...env }
  })
  let [out, err] = ["", ""]
  child.stdout.on("data", (part) => out += part)
  child.stderr.on("data", (part) => err += part)
  child.stdin.write(input)
  if (!open) child.stdin.end()
  const [code] = await once(child, "close")
  return { code, err, out: out.split("\n").filter(Boolean).map((line) => JSON.parse(line)) }
}

const broken: ReadonlyArray<readonly [what: string, toml: string, sentence: RegExp]> = [
  ["no TOML", "x = [", /config\.toml:\d+:\d+: not valid TOML/],
  ["an unknown key", "[acp]\ncolour = 1", /acp\.colour/],
  ["a bad value", "[acp]\nmax_sessions = \"many\"", /acp\.max_sessions/],
  ["an agent that is not there", "[acp]\ndefault_agent = \"ghost\"", /ghost/]
]

describe("An agent that cannot start", () => {
  for (const [what, toml, sentence] of broken) {
    test(`answers \`initialize\` with what is wrong: ${what}`, async ({ host }) => {
      writeFileSync(join(host.config, "config.toml"), toml)
      const { code, err, out } = await attempt(host, { input: `${initialize}\n` })
      expect(out).toEqual([
        {
          jsonrpc: "2.0",
          id: "u-1",
          error: { code: -32603, message: expect.stringMatching(sentence), data: { reason: "config_invalid" } }
        }
      ])
      expect(err).toBe(`postern: ${out[0].error.message}\n`)
      expect(code).toBe(1)
    })
  }

  test("answers also where a variable is wrong, and every request that came together", async ({ host }) => {
    const more = JSON.stringify({ jsonrpc: "2.0", id: 2, method: "session/new", params: {} })
    const note = JSON.stringify({ jsonrpc: "2.0", method: "session/cancel", params: {} })
    const { code, out } = await attempt(host, {
      env: { POSTERN_acp__nothing: "1" },
      input: `\nnonsense\n${note}\n${initialize}\n${more}\n`
    })
    expect(out.map(({ error, id }) => [id, error.code])).toEqual([["u-1", -32603], [2, -32603]])
    expect(code).toBe(1)
  })

  test("answers a line that the end of input cuts off, and ends where nothing is asked", async ({ host }) => {
    writeFileSync(join(host.config, "config.toml"), "x = [")
    expect((await attempt(host, { input: initialize, open: false })).out).toHaveLength(1)
    expect(await attempt(host, { input: "", open: false })).toMatchObject({ code: 1, out: [] })
  })

  test("answers for the bridge", async ({ host }) => {
    writeFileSync(join(host.config, "config.toml"), "x = [")
    const ended = await attempt(host, { words: ["bridge"], input: `${initialize}\n` })
    expect(ended).toMatchObject({ code: 1, out: [{ id: "u-1", error: { data: { reason: "config_invalid" } } }] })
    const wrong = await attempt(host, { words: ["bridge", "--url", "nowhere"], input: `${initialize}\n` })
    expect(wrong).toMatchObject({ code: 2, out: [{ id: "u-1", error: { data: { reason: "wrong_usage" } } }] })
  })

  test("says on an old Node.js that it is one", async ({ host }) => {
    const preload = join(host.folder, "old.cjs")
    writeFileSync(preload, "Object.defineProperty(process, \"versions\", { value: { node: \"18.19.0\" } })")
    for (const command of ["acp", "bridge"]) {
      const { code, err, out } = await attempt(host, {
        words: [command],
        nodeFlags: ["--require", preload],
        input: `${initialize}\n`
      })
      const message = "postern needs Node.js 22.19 or newer; this is 18.19.0"
      expect(out).toMatchObject([{ id: "u-1", error: { message, data: { reason: "node_too_old" } } }])
      expect(err).toBe(`${message}\n`)
      expect(code).toBe(1)
    }
  })

  test("is read by an old Node.js: no newer syntax and no import in its first file", () => {
    const text = readFileSync(bundle, "utf8")
    expect(text).not.toMatch(/\?\?|\?\.[^\d]|\|\|=|&&=|\bawait\b|#\w+[=(;]|require\(["'`]node:/)
  })
})
