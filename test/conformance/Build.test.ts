import { execFile, execFileSync } from "node:child_process"
import { appendFileSync, cpSync, existsSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs"
import { createServer } from "node:http"
import { join, resolve } from "node:path"
import { promisify } from "node:util"
import { describe, expect } from "vitest"
import { type Host, test } from "../support/Host.ts"

const run = promisify(execFile)

/** A copy of the sources and of what was built from them. */
const checkout = (host: Host) => {
  const folder = join(host.folder, "checkout")
  for (const name of ["package.json", "src", "dist"]) cpSync(name, join(folder, name), { recursive: true })
  symlinkSync(resolve("node_modules"), join(folder, "node_modules"))
  const build = async (): Promise<void> => {
    await run(process.execPath, ["src/build.ts"], { cwd: folder, env: host.env })
  }
  return {
    dist: join(folder, "dist"),
    main: join(folder, "dist", "main.js"),
    build,
    /** A build in which every chunk is another one. */
    rebuild: async (marker: string): Promise<void> => {
      appendFileSync(join(folder, "src/rpc/Wire.ts"), `\nconsole.error("${marker}")\n`)
      await build()
    },
    breakSources: () => appendFileSync(join(folder, "src/main.ts"), "\nimport \"./app/NoSuchModule.ts\"\n")
  }
}

const contents = (folder: string) =>
  readdirSync(folder).sort().map((name) => [name, readFileSync(join(folder, name), "base64")])

/** What an MCP server is asked first, by whoever has loaded the client for streamable HTTP. */
const mcpServer = async () => {
  const seen: Array<string> = []
  const server = createServer((request, response) => {
    let body = ""
    request.on("data", (chunk) => body += chunk).on("end", () => {
      seen.push(JSON.parse(body === "" ? "{}" : body).method)
      response.writeHead(500).end()
    })
  })
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
  const { port } = server.address() as { port: number }
  return { seen, url: `http://127.0.0.1:${port}/mcp`, [Symbol.dispose]: () => void server.close() }
}

describe("npm run build", () => {
  test("replaces dist under processes that start meanwhile", async ({ host }) => {
    const { main, rebuild } = checkout(host)
    const expected = execFileSync(process.execPath, [main, "--version"], { env: host.env, encoding: "utf8" })
    let building = true
    const runs = async (...args: ReadonlyArray<string>) => {
      const outputs: Array<string> = []
      while (building) {
        outputs.push((await run(process.execPath, [main, ...args], { cwd: host.project, env: host.env })).stdout)
      }
      return outputs
    }
    const versions = runs("--version")
    const prompts = runs("client", "--quiet", "say hi")
    for (const marker of ["one", "two"]) await rebuild(marker)
    building = false
    expect(new Set(await versions)).toEqual(new Set([expected]))
    expect(new Set(await prompts)).toEqual(new Set(["hi\n"]))
    expect((await run(process.execPath, [main, "acp", "--help"], { env: host.env })).stderr).toContain("two")
  }, 120_000)

  test("leaves a running process the chunks that it has yet to load", async ({ host }) => {
    const { build, dist, main, rebuild } = checkout(host)
    rmSync(dist, { recursive: true })
    await build()
    const before = readdirSync(dist)
    const agent = await host.open({ command: [process.execPath, main, "acp"] })
    await rebuild("one")
    using server = await mcpServer()
    await agent.newSession({ mcpServers: [{ type: "http", name: "web", url: server.url, headers: [] }] })
    await expect.poll(() => server.seen, { timeout: 10_000 }).toContain("initialize")

    const chunk = before.find((name) => name.startsWith("main-HttpTransport-")) ?? "no chunk of that name"
    expect(existsSync(join(dist, chunk))).toBe(true)
    await build()
    expect(existsSync(join(dist, chunk)), "after a build that changes nothing").toBe(true)
    await rebuild("two")
    expect(existsSync(join(dist, chunk)), "after the next build but one").toBe(false)
  }, 120_000)

  test("leaves dist as it was when it fails", async ({ host }) => {
    const { breakSources, build, dist } = checkout(host)
    const before = contents(dist)
    breakSources()
    await expect(build()).rejects.toThrow("NoSuchModule")
    expect(contents(dist)).toEqual(before)
  }, 120_000)
})
