import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect } from "vitest"
import { cancel, prompt } from "../support/Frames.ts"
import { type Host, test } from "../support/Host.ts"
import type { Json } from "../support/Wire.ts"

const sha256 = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex")
const blob = (bytes: Buffer | string, uri = "file:///tmp/notes.txt", mimeType = "text/plain") => ({
  type: "resource",
  resource: { uri, mimeType, blob: typeof bytes === "string" ? bytes : bytes.toString("base64") }
})
const say = { type: "text", text: "say fine" }
const uploads = (host: Host) => join(host.project, "uploads")

describe("resources in a prompt", () => {
  test("a blob is stored under the hash of its bytes", async ({ host }) => {
    const acp = await host.open()
    const bytes = Buffer.from("some notes\n")
    const { result } = await acp.prompt(await acp.newSession(), [say, blob(bytes)])
    expect(result["stopReason"]).toBe("end_turn")
    const stored = readdirSync(uploads(host)).filter((name) => name.startsWith(sha256(bytes)))
    expect(stored).toEqual([`${sha256(bytes)}.txt`])
    expect(readFileSync(join(uploads(host), stored[0]!))).toEqual(bytes)
  })

  test("a name in the uri cannot lead out of the uploads folder", async ({ host }) => {
    const acp = await host.open()
    const bytes = Buffer.from("x")
    const uris = [
      "file:///../../../etc/passwd",
      "..\\..\\x.txt",
      "a/%2e%2e/%2e%2e/evil.sh",
      "file:///x.\u0000/../y",
      "x.a/b"
    ]
    for (const uri of uris) {
      await acp.prompt(await acp.newSession(), [say, blob(bytes, uri)])
    }
    expect(readdirSync(host.project)).toEqual(["uploads"])
    expect(readdirSync(uploads(host)).every((name) => new RegExp(`^${sha256(bytes)}(\\.[A-Za-z0-9]+)?$`).test(name)))
      .toBe(true)
  })

  test("an embedded text is shown to the model without a file", async ({ host }) => {
    const acp = await host.open()
    const text = { type: "resource", resource: { uri: "file:///a.md", text: "embedded words" } }
    expect((await acp.prompt(await acp.newSession(), [say, text])).result["stopReason"]).toBe("end_turn")
    expect(existsSync(uploads(host))).toBe(false)
  })

  test("a resource without text or blob, and one with a blob of a wrong type, are invalid params", async ({ host }) => {
    const acp = await host.open()
    const sessionId = await acp.newSession()
    for (const resource of [{ uri: "file:///a" }, { uri: "file:///a", blob: 7 }, { blob: "AAAA" }, null]) {
      const blocks = [say, { type: "resource", resource }]
      expect(await acp.failure("session/prompt", { sessionId, prompt: blocks })).toMatchObject({ code: -32602 })
    }
  })

  const bad: ReadonlyArray<readonly [string, ReadonlyArray<Json>]> = [
    ["bad base64", [say, blob("not base64 !!")]],
    ["a good blob beside bad base64", [say, blob(Buffer.from("good")), blob("@@@")]],
    ["a good blob beside an unknown block", [blob(Buffer.from("good")), { type: "hologram" }]],
    ["a blob above 10 MiB", [say, blob(Buffer.alloc(10 * 1024 * 1024 + 1))]]
  ]
  for (const [name, blocks] of bad) {
    test(`${name} is invalid params and writes nothing`, async ({ host }) => {
      const acp = await host.open()
      const sessionId = await acp.newSession()
      const error = await acp.failure("session/prompt", { sessionId, prompt: blocks })
      expect(error).toMatchObject({ code: -32602, data: { reason: expect.any(String) } })
      expect(existsSync(uploads(host))).toBe(false)
      expect((await acp.prompt(sessionId, "say usable")).text).toContain("usable")
    })
  }

  test("a blob of exactly 10 MiB is taken", async ({ host }) => {
    const acp = await host.open()
    const bytes = Buffer.alloc(10 * 1024 * 1024, 7)
    await acp.prompt(await acp.newSession(), [say, blob(bytes, "file:///big.bin", "application/octet-stream")])
    const [name = ""] = readdirSync(uploads(host))
    expect(statSync(join(uploads(host), name)).size).toBe(bytes.length)
  })

  test("a prompt that is refused as busy or not found writes nothing", async ({ host }) => {
    const acp = await host.open()
    const sessionId = await acp.newSession()
    acp.send(prompt(1, sessionId, "wait 30"))
    const blocks = [say, blob(Buffer.from("x"))]
    expect(await acp.failure("session/prompt", { sessionId, prompt: blocks })).toMatchObject({ code: 1001 })
    expect(await acp.failure("session/prompt", { sessionId: "none", prompt: blocks })).toMatchObject({ code: -32002 })
    expect(existsSync(uploads(host))).toBe(false)
    acp.send(cancel(sessionId))
    await acp.waitFor((m) => m.id === 1)
  })

  test("images follow what initialize advertises", async ({ host }) => {
    const acp = host.start()
    const advertised = (await acp.initialize())["agentCapabilities"].promptCapabilities?.image === true
    const sessionId = await acp.newSession()
    const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
    const blocks = [say, { type: "image", data: pixel, mimeType: "image/png" }]
    if (advertised) await acp.prompt(sessionId, blocks)
    else expect(await acp.failure("session/prompt", { sessionId, prompt: blocks })).toMatchObject({ code: -32602 })
  })
})

describe("deliver_file", () => {
  const delivered = (updates: ReadonlyArray<Json>): ReadonlyArray<Json> =>
    updates.flatMap((u) => u["content"] ?? [])
      .flatMap((c: Json) => c["content"]?.type === "resource" ? [c["content"].resource] : [])

  test("embeds the file under the address of its content", async ({ host }) => {
    const acp = await host.open()
    const bytes = Buffer.from("a,b\n1,2\n")
    host.write("out/table.csv", bytes)
    const { updates } = await acp.prompt(await acp.newSession(), "deliver out/table.csv")
    expect(delivered(updates)).toEqual([
      expect.objectContaining({ uri: `attachment://deliver/${sha256(bytes)}.csv`, blob: bytes.toString("base64") })
    ])
    expect(updates.findLast((u) => u.sessionUpdate === "tool_call_update")).toMatchObject({ status: "completed" })
    expect(JSON.stringify(updates.map((u: Json) => u["rawOutput"] ?? ""))).not.toContain(bytes.toString("base64"))
  })

  test("is shown again by load, and not embedded once its stored copy was changed", async ({ host }) => {
    const first = await host.open()
    const bytes = Buffer.from("original")
    host.write("r.txt", bytes)
    const sessionId = await first.newSession()
    await first.prompt(sessionId, "deliver r.txt")
    await first.close()
    const second = await host.open()
    await second.request("session/load", { sessionId, cwd: host.project, mcpServers: [] })
    const shown = JSON.stringify(second.updates(sessionId))
    expect(shown).toContain(`attachment://deliver/${sha256(bytes)}.txt`)
    await second.close()
    const [copy] = readdirSync(uploads(host)).filter((name) => name.startsWith(sha256(bytes)))
    writeFileSync(join(uploads(host), copy!), "tampered")
    const third = await host.open()
    await third.request("session/load", { sessionId, cwd: host.project, mcpServers: [] })
    expect(JSON.stringify(third.updates(sessionId))).not.toContain(Buffer.from("tampered").toString("base64"))
  })

  test("of a missing file, a folder or a file outside fails and embeds nothing", async ({ host }) => {
    const acp = await host.open()
    host.write(join(host.folder, "outside.txt"), "secret")
    const sessionId = await acp.newSession()
    for (const path of ["missing.txt", ".", "../outside.txt", "/etc/passwd"]) {
      const { updates, result } = await acp.prompt(sessionId, `deliver ${path}`)
      expect(result["stopReason"]).toBe("end_turn")
      expect(delivered(updates)).toEqual([])
      expect(updates.findLast((u) => u.sessionUpdate === "tool_call_update")).toMatchObject({ status: "failed" })
    }
  })
})
