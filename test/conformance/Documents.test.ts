import { execFile } from "node:child_process"
import {
  chmodSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { delimiter, dirname, join, resolve } from "node:path"
import { promisify } from "node:util"
import { describe, expect } from "vitest"
import { bundle, type Host, test } from "../support/Host.ts"

/** Commands of the documents that do not end with code 0: why, and with which code (`undefined`: they are not run). */
const exceptions: ReadonlyMap<string, { readonly why: string; readonly code: number | undefined }> = new Map([
  ["npx postern client", { why: "a conversation needs a terminal or a prompt", code: 2 }],
  ["npx postern client $'edit README.md\\nPostern\\n---\\nPostern!'", { why: "nobody can answer", code: 1 }],
  ["npx postern client --last", { why: "a conversation needs a terminal or a prompt", code: 2 }],
  [
    "npx vitest run --config test/vitest.config.ts test/conformance/AcpTranscripts.test.ts test/conformance/NativeTranscripts.test.ts -u",
    { why: "changes what tests expect", code: undefined }
  ],
  ["git diff test/conformance/transcripts", { why: "needs the repository", code: undefined }],
  ["npx postern setup", { why: "nobody can answer", code: 2 }],
  ["npx postern setup --provider anthropic --api-key-env ANTHROPIC_API_KEY --yes", { why: "there is no key", code: 1 }],
  ["npx postern setup --provider openrouter --api-key-stdin --yes < key.txt", {
    why: "needs a network",
    code: undefined
  }],
  [
    "npx postern setup --provider ollama --base-url http://127.0.0.1:11434 --model qwen3-coder:30b",
    { why: "needs a server", code: undefined }
  ],
  ["npx postern daemon", { why: "runs until it is stopped", code: undefined }],
  ["npx postern status", { why: "no daemon is running", code: 1 }],
  ["npx postern pair", { why: "no daemon is running", code: 1 }],
  ["npx postern pair --user ann", { why: "no daemon is running", code: 1 }],
  ["npx postern pair revoke ID", { why: "no client has paired", code: 1 }],
  [
    "curl -X POST -H 'X-Pairing-Code: 123456' -d '{\"name\": \"laptop\"}' http://127.0.0.1:42617/pair",
    { why: "needs a gateway", code: undefined }
  ],
  ["npx postern bridge", { why: "no gateway is running", code: 1 }],
  ["npx postern bridge --pair-code 123456", { why: "no gateway is running", code: 1 }],
  [
    "npx postern bridge --url https://postern.example.com --token-file ~/.postern-token",
    { why: "there is no such file", code: 1 }
  ],
  ["npx postern otp verify CODE", { why: "CODE is no code", code: 1 }],
  ["npx postern otp disable CODE", { why: "CODE is no code", code: 1 }],
  ["npx postern otp approve ID CODE", { why: "no call waits for a code", code: 1 }],
  ["npx postern sessions close ID", { why: "no daemon is running", code: 1 }],
  ["socat - UNIX-CONNECT:/path/to/daemon.sock", { why: "needs a daemon and socat", code: undefined }]
])

/** Lines of the fenced shell blocks, without their comments. */
const commandsIn = (file: string): ReadonlyArray<string> =>
  Array.from(readFileSync(file, "utf8").matchAll(/^```sh\n([^]*?)^```$/gm), ([, block = ""]) => block)
    .flatMap((block) => block.split("\n"))
    .map((line) => line.replace(/\s+#.*$/, "").trim())
    .filter((line) => line !== "")

const documents = ["README.md", ...globSync("docs/*.md")].filter((file) => commandsIn(file).length > 0)

/** `npx` and `npm` of a checkout that is installed and built. */
const installed = (host: Host): string => {
  const folder = join(host.folder, "bin")
  mkdirSync(folder)
  const program = (name: string, script: string) => {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`)
    chmodSync(join(folder, name), 0o755)
  }
  program(
    "npx",
    `name=$1; shift; case $name in
postern) exec node ${bundle} "$@" ;;
*) exec ${resolve("node_modules/.bin")}/$name "$@" ;;
esac`
  )
  program("npm", "exit 0")
  return folder
}

/** A checkout as the documents take it for granted: files to read and a key to store. */
const checkout = (host: Host) => {
  host.write("README.md", "# Postern\n")
  host.write("src/main.ts", "export {}\n")
  host.write("key.txt", "sk-for-this-test-only\n")
  symlinkSync(dirname(bundle), join(host.project, "dist"))
}

const run = promisify(execFile)

describe("commands in the documents", () => {
  test.for(documents)("%s", { timeout: 120_000 }, async (file, { host }) => {
    checkout(host)
    const env = { ...host.env, PATH: [installed(host), host.env["PATH"]].join(delimiter) }
    const shell = async (command: string) => {
      const child = run("bash", ["-c", command], { cwd: host.project, env, timeout: 30_000 })
      child.child.stdin?.end()
      return await child.then(({ stdout }) => ({ code: 0, output: stdout }), (error) => ({
        code: Number(error.code),
        output: `${error.stdout}${error.stderr}`
      }))
    }
    await shell("npx postern client 'say hi'")
    const { output } = await shell("npx postern sessions list --json")
    const { sessionId } = JSON.parse(output.split("\n", 1)[0] ?? "") as { readonly sessionId: string }
    for (const command of commandsIn(file)) {
      const { code: expected } = exceptions.has(command) ? exceptions.get(command)! : { code: 0 }
      if (expected === undefined) continue
      const { code, output } = await shell(command.replace(/\bID\b/g, sessionId))
      expect({ command, code, output }).toEqual({ command, code: expected, output: expect.any(String) })
    }
  })

  test("every exception is a command of a document", () => {
    const all = new Set(documents.flatMap(commandsIn))
    expect(Array.from(exceptions.keys()).filter((command) => !all.has(command))).toEqual([])
  })
})

describe("docs/architecture.md", () => {
  const page = readFileSync("docs/architecture.md", "utf8")

  test("names files and folders that exist", () => {
    const named = new Set(Array.from(page.matchAll(/`(src\/[\w/.]+)`/g), ([, path = ""]) => path))
    expect(named.size).toBeGreaterThan(30)
    expect(Array.from(named).filter((path) => !existsSync(path))).toEqual([])
  })

  test("names functions where they are", () => {
    const named = Array.from(page.matchAll(/`(\w+)` in\s+`(src\/[\w/]+\.ts)`/g), ([, name = "", file = ""]) => ({
      name,
      file
    }))
    expect(named.length).toBeGreaterThan(15)
    const isThere = ({ file, name }: typeof named[number]) =>
      existsSync(file) && new RegExp(`\\b${name}\\b`).test(readFileSync(file, "utf8"))
    expect(named.filter((one) => !isThere(one))).toEqual([])
  })

  test("has each folder of src", () => {
    const folders = readdirSync("src", { withFileTypes: true }).filter((entry) => entry.isDirectory())
    expect(folders.map(({ name }) => `src/${name}`).filter((folder) => !page.includes(`\`${folder}\``))).toEqual([])
  })
})
