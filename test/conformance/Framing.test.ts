import { describe, expect } from "vitest"
import { textOf } from "../support/AcpProcess.ts"
import { expectError, expectResult, list, request } from "../support/Frames.ts"
import { test } from "../support/Host.ts"

const newline = Buffer.from("\n")

describe("lines", () => {
  test("a frame may end with CRLF, and blank lines between frames are ignored", async ({ host }) => {
    const acp = await host.open()
    acp.announce(list(1), list(2))
    acp.raw(`\n\r\n  \t \n${JSON.stringify(list(1))}\r\n\n${JSON.stringify(list(2))}\r\n\n`)
    expectResult(await acp.waitFor((m) => m.id === 1), 1)
    expectResult(await acp.waitFor((m) => m.id === 2), 2)
  })

  test("blanks around a frame are ignored", async ({ host }) => {
    const acp = await host.open()
    acp.announce(list(1))
    acp.raw(`  \t${JSON.stringify(list(1))}  \n`)
    expectResult(await acp.waitFor((m) => m.id === 1), 1)
  })

  test("a frame that arrives byte by byte is read whole, multi-byte characters included", async ({ host }) => {
    const acp = await host.open()
    const sessionId = await acp.newSession()
    const frame = request("ä€😀", "session/prompt", { sessionId, prompt: [{ type: "text", text: "say ä€😀 fin" }] })
    acp.announce(frame)
    for (const byte of Buffer.from(JSON.stringify(frame) + "\n")) acp.raw(Buffer.from([byte]))
    const end = await acp.waitFor((m) => m.id === "ä€😀")
    expect(end.result).toMatchObject({ stopReason: "end_turn" })
    expect(textOf(acp.updates(sessionId))).toContain("ä€😀 fin")
  })

  test("frames of several requests in one write are all answered", async ({ host }) => {
    const acp = await host.open()
    acp.send(...Array.from({ length: 50 }, (_, i) => list(i)))
    for (let i = 0; i < 50; i++) expectResult(await acp.waitFor((m) => m.id === i && m.method === undefined), i)
  })

  test("a last line without newline is served at end of input, and its answer leaves before the exit", async ({ host }) => {
    const acp = await host.open()
    acp.announce(list(20))
    acp.raw(JSON.stringify(list(20)))
    await acp.close()
    expectResult(await acp.waitFor((m) => m.id === 20), 20)
  })

  test("answers to what was sent before end of input leave before the exit", async ({ host }) => {
    const acp = await host.open()
    acp.send(...Array.from({ length: 20 }, (_, i) => list(i)))
    await acp.close()
    for (let i = 0; i < 20; i++) expectResult(await acp.waitFor((m) => m.id === i && m.method === undefined), i)
  })

  test("end of input before anything was sent ends the process quietly", async ({ host }) => {
    const acp = host.start()
    await acp.close()
    expect(acp.lines).toEqual([])
  })

  test("broken UTF-8 inside a string does not end the connection", async ({ host }) => {
    const acp = await host.open()
    acp.announce(list(1))
    const [head, tail] = JSON.stringify(request(1, "session/list", { x: "@" })).split("@") as [string, string]
    acp.raw(Buffer.concat([Buffer.from(head), Buffer.from([0xff, 0xc3, 0x28]), Buffer.from(tail), newline]))
    const said = await acp.next()
    expect(said.id === 1 || said.error?.code === -32700).toBe(true)
    expectResult(await acp.exchange(list(2)), 2)
  })
})

describe("a line that is no message", () => {
  const bad: ReadonlyArray<readonly [string, string, number]> = [
    ["text that is not JSON", "{nope", -32700],
    ["a number", "42", -32600],
    ["a string", "\"x\"", -32600],
    ["null", "null", -32600],
    ["an empty batch", "[]", -32600],
    ["a batch of requests", JSON.stringify([list("b1"), list("b2")]), -32600],
    ["a batch of notifications", JSON.stringify([{ jsonrpc: "2.0", method: "x/y" }]), -32600],
    ["a batch of nonsense", "[1,2]", -32600]
  ]
  for (const [name, line, code] of bad) {
    test(`${name} gets one error with id null, and the connection stays usable`, async ({ host }) => {
      const acp = await host.open()
      acp.raw(line + "\n")
      const said = await acp.settle()
      expect(said.filter((m) => m.error?.code === code && m.id === null)).toHaveLength(1)
      expect(said.filter((m) => m.id === "b1" || m.id === "b2")).toEqual([])
      expectResult(await acp.exchange(list(2)), 2)
    })
  }

  test("ten thousand broken lines between two good ones get ten thousand errors, and both good ones are answered", async ({ host }) => {
    const acp = await host.open()
    acp.announce(list(1))
    acp.raw(`${JSON.stringify(list(1))}\n${"{\"jsonrpc\":\"2.0\",\"id\":\n".repeat(10_000)}`)
    const said = await acp.settle()
    expect(said.filter((m) => m.error?.code === -32700 && m.id === null)).toHaveLength(10_000)
    expectResult(await acp.exchange(list(2)), 2)
  })

  test("deep nesting inside params breaks nothing", async ({ host }) => {
    const acp = await host.open()
    const deep = (depth: number) => "[".repeat(depth) + "]".repeat(depth)
    acp.announce(list(1), list(2), list(3))
    acp.raw(`{"jsonrpc":"2.0","id":1,"method":"session/list","params":{"_meta":{"x":${deep(100_000)}}}}\n`)
    acp.raw(`{"jsonrpc":"2.0","id":2,"method":"session/list","params":{"cursor":${deep(100_000)}}}\n`)
    acp.raw(`{"jsonrpc":"2.0","id":3,"method":"session/list","params":${deep(100_000)}}\n${deep(200_000)}\n`)
    const said = await acp.settle()
    for (const id of [1, 2, 3]) expect(said.filter((m) => m.id === id)).toHaveLength(1)
    expect(said.filter((m) => m.id === null && (m.error?.code === -32600 || m.error?.code === -32700))).toHaveLength(1)
    expectResult(await acp.exchange(list(4)), 4)
  })
})

describe("the frame limit of 32 MiB", () => {
  const limit = 32 * 1024 * 1024
  const padded = (id: number, bytes: number) => {
    const [head, tail] = [`{"jsonrpc":"2.0","id":${id},"method":"session/list","params":{"x":"`, "\"}}"] as const
    return Buffer.concat([
      Buffer.from(head),
      Buffer.alloc(bytes - head.length - tail.length, 97),
      Buffer.from(tail),
      newline
    ])
  }

  test("a frame just below it is served", async ({ host }) => {
    const acp = await host.open()
    acp.announce(list(1))
    acp.raw(padded(1, limit - 16))
    expectResult(await acp.waitFor((m) => m.id === 1), 1)
  })

  const linux = process.platform === "linux"
  test.skipIf(!linux)(
    "a line of 100 MB is refused once without being buffered, and the next line is served",
    async ({ host }) => {
      const acp = await host.open()
      const before = acp.memory().now
      acp.announce(list(2))
      acp.raw(Buffer.concat([padded(1, 100_000_000), Buffer.from(JSON.stringify(list(2))), newline]))
      expectResult(await acp.waitFor((m) => m.id === 2), 2)
      const refused = acp.messages.filter((m) => m.id === null)
      expect(refused).toHaveLength(1)
      expectError(refused[0]!, null, -32600, { reason: "frame_too_large", limit_bytes: limit })
      expect(acp.messages.some((m) => m.id === 1)).toBe(false)
      expect(acp.memory().peak - before).toBeLessThan(160)
    }
  )
})
