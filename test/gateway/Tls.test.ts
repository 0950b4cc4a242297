import { execFileSync, spawnSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "vitest"
import { AcpProcess } from "../support/AcpProcess.ts"
import { test as base } from "../support/DaemonProcess.ts"
import { freePort, postern } from "../support/Gateway.ts"
import { bundle, type Host } from "../support/Host.ts"

const hasOpenssl = spawnSync("openssl", ["version"]).status === 0

/** An authority of its own, and a certificate of 127.0.0.1 by it. */
const certify = (folder: string) => {
  const file = (name: string) => join(folder, name)
  const openssl = (...args: ReadonlyArray<string>) => execFileSync("openssl", args, { cwd: folder, stdio: "pipe" })
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
  openssl("req", "-x509", ...key, "-keyout", "ca.key", "-out", "ca.pem", "-days", "2", "-subj", "/CN=Own Authority")
  openssl("req", ...key, "-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=gateway")
  writeFileSync(file("server.ext"), "subjectAltName=IP:127.0.0.1,DNS:localhost\n")
  openssl(
    ..."x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile server.ext -out server.pem"
      .split(" ")
  )
  return { authority: file("ca.pem"), certificate: file("server.pem"), key: file("server.key") }
}

const test = base.extend<{ gateway: { readonly authority: string; readonly url: string; readonly code: string } }>({
  gateway: async ({ daemon, host }, use) => {
    const { authority, certificate, key } = certify(host.folder)
    const port = await freePort()
    writeFileSync(
      join(host.config, "config.toml"),
      `[gateway]\nenabled = true\nport = ${port}\n[gateway.tls]\ncert_path = "${certificate}"\nkey_path = "${key}"\n`
    )
    const running = daemon()
    await running.ready
    const operator = await running.greet()
    const { addresses, code } = await operator.request("pairing/open", {})
    assert.deepStrictEqual(addresses, [`https://127.0.0.1:${port}`])
    await use({ authority, url: `https://127.0.0.1:${port}`, code: String(code) })
    operator.close()
  }
})

const run = async (host: Host, ...args: ReadonlyArray<string>) => {
  const bridge = postern(host, "bridge", ...args)
  return [await bridge.exited, bridge.stderr] as const
}

describe.skipIf(!hasOpenssl)("the gateway with TLS (needs openssl)", () => {
  test("is found by the bridge, which trusts further authorities", async ({ gateway, host }) => {
    const bridge = new AcpProcess({
      command: [process.execPath, bundle, "bridge", "--pair-code", gateway.code],
      env: { ...host.env, NODE_EXTRA_CA_CERTS: gateway.authority },
      cwd: host.project,
      permission: "allow-once"
    })
    await bridge.initialize()
    const sessionId = await bridge.newSession()
    const turn = await bridge.prompt(sessionId, "say over TLS")
    assert.include(turn.text, "over TLS")
    await bridge.close()
  })

  test("ends the bridge with one sentence where its certificate is not accepted", async ({ gateway, host }) => {
    for (
      const args of [["--token", "zc_1"], ["--pair-code", gateway.code], ["--token", "zc_1", "--url", gateway.url]]
    ) {
      const [code, sentence] = await run(host, ...args)
      assert.deepStrictEqual([code, sentence.trim().split("\n").length], [1, 1], sentence)
      assert.match(sentence, /certificate is not accepted/)
    }
  })

  test("does not answer clients without TLS, and goes on", async ({ gateway, host }) => {
    const [code, sentence] = await run(host, "--token", "zc_1", "--url", gateway.url.replace("https", "http"))
    assert.deepStrictEqual([code, sentence.trim().split("\n").length], [1, 1], sentence)
    const ask = () =>
      spawnSync(process.execPath, [
        "-e",
        "fetch(process.argv[1] + '/health').then((r) => console.log(r.status))",
        gateway.url
      ], {
        env: { ...process.env, NODE_EXTRA_CA_CERTS: gateway.authority },
        encoding: "utf8"
      }).stdout.trim()
    assert.strictEqual(ask(), "200")
  })
})
