import { DatabaseSync } from "node:sqlite"
import { describe, expect } from "vitest"
import { answer, expectError, expectResult, list, notification, prompt, request } from "../support/Frames.ts"
import { test } from "../support/Host.ts"
import type { Id } from "../support/Wire.ts"

describe("ids", () => {
  for (const id of [7, "abc", "7", 0, -1, "", "zc-out-0"]) {
    test(`id ${JSON.stringify(id)} comes back as it was sent`, async ({ host }) => {
      const acp = await host.open()
      expectResult(await acp.exchange(list(id)), id)
    })
  }

  test("7 and \"7\" are two requests", async ({ host }) => {
    const acp = await host.open()
    acp.send(list(7), list("7"))
    expectResult(await acp.waitFor((m) => m.id === 7), 7)
    expectResult(await acp.waitFor((m) => m.id === "7"), "7")
  })

  for (const id of ["9007199254740993", "9223372036854775807", "-9223372036854775808"]) {
    test(`the 64-bit id ${id} loses no digit`, async ({ host }) => {
      const acp = await host.open({ validate: false })
      acp.raw(`{"jsonrpc":"2.0","id":${id},"method":"session/list","params":{}}\n`)
      await acp.next()
      expect(acp.lines.at(-1)).toMatch(new RegExp(`"id":\\s*${id}[,}]`))
    })
  }

  test("id null is answered with id null", async ({ host }) => {
    const acp = await host.open()
    const said = await acp.exchange({ ...list(1), id: null })
    expect(said.id).toBeNull()
    if (said.error) expect(said.error.code).toBe(-32600)
  })

  test("a fraction as id comes back as it was sent, or is refused", async ({ host }) => {
    const acp = await host.open()
    acp.send(list(1.5))
    const said = (await acp.settle()).filter((m) => m.id === 1.5 || m.id === null)
    expect(said).toHaveLength(1)
    if (said[0]?.id === null) expectError(said[0], null, -32600)
  })

  for (const id of [{ a: 1 }, [1], true]) {
    test(`id ${JSON.stringify(id)} is refused with id null`, async ({ host }) => {
      const acp = await host.open({ validate: false })
      acp.send({ ...list(1), id })
      const said = (await acp.settle()).filter((m) => m.method === undefined && m.id === null)
      expect(said).toHaveLength(1)
      expectError(said[0]!, null, -32600)
    })
  }

  test("two requests in flight under one id get one answer each", async ({ host }) => {
    const acp = await host.open({ validate: false })
    const sessionId = await acp.newSession()
    acp.send(prompt("same", sessionId, "wait 1"), list("same"))
    await acp.waitFor((m) => m.id === "same" && m.result?.["stopReason"] === "end_turn")
    await acp.settle()
    expect(acp.messages.filter((m) => m.id === "same" && m.method === undefined)).toHaveLength(2)
    expectResult(await acp.exchange(list("same")), "same")
  })
})

describe("envelopes", () => {
  const bad: ReadonlyArray<readonly [string, object, ReadonlyArray<Id>]> = [
    ["a frame without method", { jsonrpc: "2.0", id: 3 }, [3, null]],
    ["a method that is no string", { jsonrpc: "2.0", id: 4, method: 1 }, [4, null]],
    ["a frame without jsonrpc", { id: 5, method: "session/list", params: {} }, [5]],
    ["jsonrpc 1.0", { jsonrpc: "1.0", id: 6, method: "session/list", params: {} }, [6]],
    ["params that are no object or array", { jsonrpc: "2.0", id: 8, method: "session/list", params: "x" }, [8]],
    ["method together with result", { jsonrpc: "2.0", id: 9, method: "session/list", result: {} }, [null]],
    [
      "method together with error",
      { jsonrpc: "2.0", id: 9, method: "session/list", error: { code: 1, message: "x" } },
      [null]
    ]
  ]
  for (const [name, frame, ids] of bad) {
    test(`${name} is an invalid request`, async ({ host }) => {
      const acp = await host.open()
      acp.send(frame)
      const said = (await acp.settle()).filter((m) => m.error !== undefined)
      expect(said).toHaveLength(1)
      expect(said[0]?.error?.code).toSatisfy((code: number) =>
        code === -32600 || (name.startsWith("params") && code === -32602)
      )
      expect(ids).toContain(said[0]?.id)
      expectResult(await acp.exchange(list(1)), 1)
    })
  }

  test("unknown root keys of a request are ignored", async ({ host }) => {
    const acp = await host.open()
    expectResult(await acp.exchange({ ...list(1), traceparent: "x", extra: { deep: [1] } }), 1)
  })

  const dropped: ReadonlyArray<readonly [string, object]> = [
    ["a response to an id nobody used", answer("zc-out-77", {})],
    ["a response with id null", answer(null, {})],
    ["a response with a numeric id", answer(12, { outcome: {} })],
    ["a response with result and error", { ...answer("zc-out-0", 1), error: { code: 1, message: "x" } }],
    ["an error response without code", { jsonrpc: "2.0", id: "zc-out-0", error: {} }],
    ["a response without jsonrpc", { id: "zc-out-0", result: 1 }]
  ]
  for (const [name, frame] of dropped) {
    test(`${name} is dropped without an answer`, async ({ host }) => {
      const acp = await host.open()
      acp.send(frame)
      expect(await acp.settle()).toEqual([])
    })
  }
})

describe("methods and params", () => {
  for (const method of ["nope", "session/nope", "_vendor/thing", "$/nope", "session/request_permission", ""]) {
    test(`a request for ${JSON.stringify(method)} is answered with method not found`, async ({ host }) => {
      const acp = await host.open()
      expectError(await acp.exchange(request(6, method)), 6, -32601)
    })
  }

  const notifications: ReadonlyArray<readonly [string, object]> = [
    ["unknown", notification("$/whatever")],
    ["unknown with an underscore", notification("_vendor/thing", { x: 1 })],
    ["cancel with bad params", notification("session/cancel", { sessionId: 1 })],
    ["cancel without params", { jsonrpc: "2.0", method: "session/cancel" }],
    [
      "cancel of an unknown session",
      notification("session/cancel", { sessionId: "00000000-0000-4000-8000-000000000000" })
    ],
    ["cancel of a request nobody made", notification("$/cancel_request", { requestId: "none" })],
    ["cancel_request without id", notification("$/cancel_request")],
    ["a request method as a notification", notification("session/list")]
  ]
  for (const [name, frame] of notifications) {
    test(`a notification is never answered: ${name}`, async ({ host }) => {
      const acp = await host.open()
      acp.send(frame)
      expect(await acp.settle()).toEqual([])
    })
  }

  const invalid: ReadonlyArray<readonly [string, string, object | undefined, string]> = [
    ["a wrong type", "session/prompt", { sessionId: 1, prompt: [] }, "sessionId"],
    ["a missing key", "session/close", {}, "sessionId"],
    ["no params at all", "session/load", undefined, "sessionId"],
    ["a relative cwd", "session/new", { cwd: "some/where", mcpServers: [] }, "cwd"],
    ["a cwd of the wrong type", "session/new", { cwd: 3, mcpServers: [] }, "cwd"],
    ["a bad cursor", "session/list", { cursor: "no cursor of ours" }, "cursor"]
  ]
  for (const [name, method, params, field] of invalid) {
    test(`${name} of ${method} is invalid params and names the field`, async ({ host }) => {
      const acp = await host.open()
      const said = await acp.exchange({ jsonrpc: "2.0", id: 8, method, ...(params ? { params } : {}) })
      expectError(said, 8, -32602, { field })
      expect(said.error?.message).toContain(field)
    })
  }

  test("params as an array are invalid where a method has named params", async ({ host }) => {
    const acp = await host.open()
    expectError(await acp.exchange({ jsonrpc: "2.0", id: 8, method: "session/close", params: ["x"] }), 8, -32602)
  })

  test("unknown fields and _meta are ignored, optional fields of a wrong type count as absent", async ({ host }) => {
    const acp = await host.open()
    const sessionId = await acp.newSession({ future: { x: 1 }, _meta: { traceparent: "00-1", "vendor.tld/x": [1] } })
    const block = { type: "text", text: "say fine", annotations: 7, future: true }
    const turn = await acp.prompt(sessionId, [block])
    expect(turn.result["stopReason"]).toBe("end_turn")
    expect(turn.text).toContain("fine")
  })

  test("an unknown session is a domain error with its own code, message and data", async ({ host }) => {
    const acp = await host.open()
    const sessionId = "00000000-0000-4000-8000-000000000000"
    expectError(await acp.exchange(prompt(9, sessionId, "say x")), 9, -32002, {
      reason: "session_not_found",
      sessionId
    })
  })

  test("a defect inside gives an internal error without internals, and the connection lives on", async ({ host }) => {
    const acp = await host.open()
    await acp.newSession()
    const db = new DatabaseSync(host.database)
    db.exec("PRAGMA foreign_keys = OFF")
    const tables = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").all()
    for (const { name } of tables) db.exec(`DROP TABLE "${String(name)}"`)
    db.close()
    const said = await acp.exchange(list(10))
    expectError(said, 10, -32603)
    const leaks = [
      "no such table",
      "SQLITE",
      "SELECT",
      host.folder,
      "node:",
      "    at ",
      ...tables.map((t) => String(t["name"]))
    ]
    for (const leak of leaks) expect(JSON.stringify(said)).not.toContain(leak)
    expectError(await acp.exchange(request(11, "nope")), 11, -32601)
  })
})
