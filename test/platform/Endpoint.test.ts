import { assert, describe, it } from "@effect/vitest"
import { createHash } from "node:crypto"
import { pipeName, resolve, tooLong } from "../../src/platform/socket/Endpoint.ts"

describe("The endpoint", () => {
  it("is POSTERN_SOCKET as it is, else in the data folder, else a pipe named after it", () => {
    assert.strictEqual(resolve({ dataDir: "/d", socket: "/s/x" }, "linux"), "/s/x")
    assert.strictEqual(resolve({ dataDir: "/d", socket: "\\\\.\\pipe\\mine" }, "win32"), "\\\\.\\pipe\\mine")
    assert.strictEqual(resolve({ dataDir: "/d", socket: undefined }, "linux"), "/d/daemon.sock")
    assert.strictEqual(resolve({ dataDir: "/d", socket: undefined }, "darwin"), "/d/daemon.sock")
    assert.strictEqual(
      resolve({ dataDir: "C:\\Users\\ä\\data", socket: undefined }, "win32"),
      pipeName("C:\\Users\\ä\\data")
    )
  })

  it("of Windows is the first 16 hex digits of the folder's SHA-256 over UTF-8", () => {
    const dataDir = "C:\\Users\\ä\\data"
    const hash = createHash("sha256").update(Buffer.from(dataDir, "utf8")).digest("hex")
    assert.strictEqual(pipeName(dataDir), `\\\\.\\pipe\\postern-${hash.slice(0, 16)}`)
    assert.strictEqual(pipeName("abc"), "\\\\.\\pipe\\postern-ba7816bf8f01cfea")
  })

  it("has as many bytes as the system's address of a socket, less the closing zero", () => {
    const path = (bytes: number) => `/${"é".repeat((bytes - 1) >> 1)}${"x".repeat((bytes - 1) & 1)}`
    assert.isUndefined(tooLong(path(107), "linux"))
    assert.match(tooLong(path(108), "linux")?.message ?? "", /108 bytes.*107.*POSTERN_SOCKET/)
    assert.isUndefined(tooLong(path(103), "darwin"))
    assert.strictEqual(tooLong(path(104), "darwin")?.reason, "path_too_long")
  })
})
