import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "vitest"
import { start, test } from "../support/Acpx.ts"
import { DaemonProcess } from "../support/DaemonProcess.ts"
import { freePort, pairedToken } from "../support/Gateway.ts"

describe("acpx through the bridge", () => {
  test("holds a session with a permission question, in one process and the next", async ({ host }) => {
    const port = await freePort()
    writeFileSync(join(host.config, "config.toml"), `[gateway]\nenabled = true\nport = ${port}\n`)
    const daemon = new DaemonProcess(host)
    try {
      await daemon.ready
      const tokenFile = host.write("../token", await pairedToken(daemon, `http://127.0.0.1:${port}`))
      const run = (...args: ReadonlyArray<string>) => start(host, args, {}, `bridge --token-file '${tokenFile}'`).ended
      const once = await run(
        "--format",
        "json",
        "--json-strict",
        "--approve-all",
        "exec",
        "write a.txt\nhello\n.\nsay done"
      )
      assert.strictEqual(once.code, 0, once.err)
      assert.include(once.out, "session/request_permission")
      assert.strictEqual(readFileSync(join(host.project, "a.txt"), "utf8").trim(), "hello")
      assert.strictEqual((await run("--deny-all", "exec", "write b.txt\nx\n.")).code, 5)
      assert.strictEqual((await run("--format", "json", "sessions", "ensure", "--name", "k")).code, 0)
      const named = await run("--format", "quiet", "prompt", "-s", "k", "say first words")
      assert.include(named.out, "first words", named.err)
      await run("sessions", "close", "k")
    } finally {
      await daemon.stop("SIGKILL")
    }
  })
})
