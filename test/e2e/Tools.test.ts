import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { describe, expect, onTestFinished } from "vitest"
import type { AcpProcess } from "../support/AcpProcess.ts"
import { mergedCalls } from "../support/Calls.ts"
import { cancel, prompt } from "../support/Frames.ts"
import { test } from "../support/Host.ts"
import { processesAtHome } from "../support/Processes.ts"
import type { Json } from "../support/Wire.ts"
import { eventually } from "../support/Waiting.ts"

const listen = async (server: Server): Promise<number> => {
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

const finals = (updates: ReadonlyArray<Json>) =>
  updates.filter((u) => u["status"] === "completed" || u["status"] === "failed")
const textOf = (update: Json | undefined): string => JSON.stringify(update?.["content"] ?? "")

describe("tools, from outside", () => {
  test("the plan is what Work mode pl may write, and nothing else", async ({ host }) => {
    const acp = await host.open()
    const sessionId = await acp.newSession()
    await acp.request("session/set_mode", { sessionId, modeId: "pl" })
    const { updates } = await acp.prompt(
      sessionId,
      [
        "call plan_write {\"content\":\"# Plan\\n\"}",
        "call file_write {\"path\":\".postern/plan.md\",\"content\":\"x\"}",
        "read .postern/plan.md"
      ].join("\n")
    )
    const [plan, write, read] = mergedCalls(updates)
    expect(plan).toMatchObject({
      status: "completed",
      locations: [{ path: join(host.project, ".postern", "plan.md") }]
    })
    expect(textOf(write)).toContain("CAPABILITY_NOT_GRANTED")
    expect(textOf(read)).toContain("1: # Plan")
    expect(readFileSync(join(host.project, ".postern", "plan.md"), "utf8")).toBe("# Plan\n")
  })

  test("a skill that all agents share is read, and so are its other files", async ({ host }) => {
    const folder = join(host.config, "shared", "skills", "release")
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, "SKILL.md"), "---\nname: release\ndescription: How to release\n---\nSee steps.txt.\n")
    writeFileSync(join(folder, "steps.txt"), "tag it\n")
    writeFileSync(join(host.config, "secret.txt"), "no\n")
    const acp = await host.open()
    const sessionId = await acp.newSession()
    const { updates } = await acp.prompt(
      sessionId,
      [
        "call read_skill {\"name\":\"release\"}",
        `read ${join(folder, "steps.txt")}`,
        `read ${join(host.config, "secret.txt")}`
      ].join("\n")
    )
    const [skill, steps, secret] = finals(updates)
    expect(textOf(skill)).toContain("See steps.txt.")
    expect(textOf(steps)).toContain("tag it")
    expect(textOf(secret)).toContain("PROTECTED_PATH")
  })

  test("a page is fetched where the operator opened private hosts, and a rule about its host holds for redirects as well", async ({ host }) => {
    const other = await listen(createServer((_, response) => response.end("the other page")))
    const port = await listen(createServer((request, response) =>
      request.url === "/away"
        ? response.writeHead(302, { location: `http://127.0.0.1:${other}/` }).end()
        : response.setHeader("content-type", "text/html").end("<h1>Hello</h1>")
    ))
    const fetch = (path: string) => `call web_fetch {"url":"http://127.0.0.1:${port}${path}"}\n`
    const closed = await (await host.open()).newSession().then((id) => host.processes[0]!.prompt(id, fetch("/")))
    expect(textOf(finals(closed.updates)[0])).toContain("belongs to this machine or its network")

    writeFileSync(
      join(host.config, "config.toml"),
      `[web_fetch]\nallow_private_hosts = true\n[policy.rules]\ndeny = ["fetch(127.0.0.1:${other})"]\n`
    )
    const acp = await host.open()
    const sessionId = await acp.newSession()
    const { updates } = await acp.prompt(
      sessionId,
      fetch("/") + fetch("/away") + `call web_fetch {"url":"http://127.0.0.1:${other}/"}`
    )
    const [page, away, denied] = finals(updates)
    expect(textOf(page)).toContain("# Hello")
    expect(page).toMatchObject({ status: "completed" })
    expect(textOf(away)).toContain(`redirects to http://127.0.0.1:${other}/`)
    expect(textOf(denied)).toContain("RULE_DENY")
    expect(JSON.stringify(updates)).not.toContain("the other page")
  })

  test("a secret in a file is shown to people and not to the model, which cannot write a tag over it", async ({ host }) => {
    const secret = `ghp_${"Ab3dEf6hIj9lMn2pQr5tUv8xYz1bCd4fGh7j"}`
    host.write(".env", `TOKEN=${secret}\n`)
    const script = "read .env\nwrite .env\nTOKEN=[redacted: GitHub token]\nMODE=x\n."
    const acp = await host.open()
    const turn = await acp.prompt(await acp.newSession(), script)
    const [read, write] = finals(turn.updates)
    expect(textOf(read)).toContain(secret)
    expect(turn.text).toContain("TOKEN=[redacted: GitHub token]")
    expect(turn.text).not.toContain(secret)
    expect(textOf(write)).toContain("stands for a secret")
    expect(readFileSync(join(host.project, ".env"), "utf8")).toContain(secret)
    writeFileSync(join(host.config, "config.toml"), "[security.leak_detection]\nenabled = false\n")
    const open = await host.open()
    expect((await open.prompt(await open.newSession(), "read .env")).text).toContain(secret)
  })

  test("each call of a turn that has no room in the model's window runs once", async ({ host }) => {
    const acp = await host.open({ env: { POSTERN_policy__tool_approval: "universal_accept" } })
    const script = (filler: string) =>
      ["run echo one >> log", "run seq 1 30000", "run echo two >> log", filler, "run echo three >> log"].join("\n")
    for (const filler of [`say ${"x ".repeat(60_000)}`, "y".repeat(120_000)]) {
      await acp.prompt(await acp.newSession(), script(filler))
      expect(readFileSync(join(host.project, "log"), "utf8")).toBe("one\ntwo\nthree\n")
      host.write("log", "")
    }
  })

  test("a background command goes on after its turn and after a cancel, and ends with the session or with the process", async ({ host }) => {
    const ends: ReadonlyArray<readonly [string, (acp: AcpProcess, sessionId: string) => Promise<unknown>]> = [
      ["987651.5", (acp, sessionId) => acp.request("session/close", { sessionId })],
      ["987652.5", (acp, sessionId) => acp.request("session/delete", { sessionId })],
      ["987653.5", (acp) => acp.close()]
    ]
    for (const [seconds, end] of ends) {
      const acp = await host.open()
      const sessionId = await acp.newSession()
      const running = () => processesAtHome(`sleep ${seconds}`, host.folder).length > 0
      await acp.prompt(sessionId, `call shell {"command":"sleep ${seconds}; true","background":true}`)
      await eventually(running)
      acp.send(prompt(1, sessionId, "wait 100"), cancel(sessionId))
      await acp.waitFor(({ id, method }) => id === 1 && method === undefined)
      expect((await acp.prompt(sessionId, "call job_list {}")).text).toContain("has been running")
      await end(acp, sessionId)
      await eventually(() => !running())
    }
  })
})
