import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { createHmac } from "node:crypto"
import { promise, served } from "../support/ServedDaemon.ts"

describe("initialize", () => {
  it.live("answers in both spellings, and may be repeated", () =>
    Effect.gen(function*() {
      const { connect } = yield* served()
      const client = yield* connect()
      const first = yield* promise(() =>
        client.request("initialize", { protocolVersion: 1, clientCapabilities: { client_kind: "test" } })
      )
      assert.deepStrictEqual(
        [
          first["protocol_version"],
          first["protocolVersion"],
          first["server_version"] === first["serverVersion"],
          first["server_pid"]
        ],
        [1, 1, true, process.pid]
      )
      assert.match(first["tui_id"], /^tui_[0-9a-f]{8}$/)
      assert.deepStrictEqual([first["principal_id"], "tui_sig" in first], ["operator", false])
      const commands = first["commands"].map(({ id, name }: { id: string; name: string }) => `${id}=${name}`)
      assert.includeMembers(commands, ["help=help", "compact=compact", "new=new"])
      assert.includeMembers([...first["capabilities"]], ["initialize", "status", "session/new", "session/prompt"])
      const again = yield* promise(() => client.request("initialize"))
      assert.strictEqual(again["tui_id"], first["tui_id"])
      const { tuis } = yield* promise(() => client.request("tui/list"))
      assert.deepStrictEqual(tuis.map((tui: { tui_id: string; peer_label: string }) => [tui.tui_id, tui.peer_label]), [[
        again["tui_id"],
        "unix:unknown"
      ]])
    }))

  it.live("reads what is in the capabilities in both spellings", () =>
    Effect.gen(function*() {
      const { connect } = yield* served()
      const client = yield* connect()
      const greeting = yield* promise(() =>
        client.request("initialize", { clientCapabilities: { turnLifetime: "session", clientKind: "gateway" } })
      )
      assert.strictEqual(greeting["turn_lifetime"], "session")
      const { tuis } = yield* promise(() => client.request("tui/list"))
      assert.strictEqual(tuis[0]?.client_kind, "gateway")
    }))

  it.live("again without a claim keeps the client what it was, signature included", () =>
    Effect.gen(function*() {
      const { connect } = yield* served({ secretKey: "0a".repeat(32) })
      const client = yield* connect()
      const greet = () => promise(() => client.request("initialize"))
      const first = yield* greet()
      const old = yield* promise(() => client.session())
      const again = yield* greet()
      assert.deepStrictEqual([again["tui_id"], again["tui_sig"]], [first["tui_id"], first["tui_sig"]])
      yield* promise(() => client.session())
      const { session_ids } = yield* promise(() => client.request("status"))
      assert.notInclude(session_ids, old, "its idle sessions are still its own")
    }))

  it.live("with another protocol version names both, and leaves an earlier greeting as it was", () =>
    Effect.gen(function*() {
      const { connect } = yield* served()
      const client = yield* connect()
      const refused = yield* promise(() => client.failure("initialize", { protocolVersion: 2 }))
      assert.deepStrictEqual([refused.code, refused.data], [-32011, {
        reason: "version_mismatch",
        server: 1,
        client: 2
      }])
      assert.match(refused.message, /version 1.*2/)
      assert.strictEqual((yield* promise(() => client.failure("status"))).code, -32010)
      yield* promise(() => client.request("initialize"))
      yield* promise(() => client.failure("initialize", { protocol_version: 7, protocolVersion: 1 }))
      assert.isDefined((yield* promise(() => client.request("status")))["server_version"])
    }))

  it.live("knows a client by the signature of its id, where there is a key", () =>
    Effect.gen(function*() {
      const key = "00ff".repeat(16)
      const { connect } = yield* served({ secretKey: key })
      const client = yield* connect()
      const { tui_id, tui_sig } = yield* promise(() => client.request("initialize"))
      assert.strictEqual(tui_sig, createHmac("sha256", Buffer.from(key, "hex")).update(tui_id).digest("hex"))
      assert.strictEqual(
        (yield* promise(() => client.request("initialize", { tuiId: tui_id, tuiSig: tui_sig })))["tui_id"],
        tui_id
      )
      for (const claim of [{ tui_id }, { tui_id, tui_sig: "00" }, { tui_id: "tui_00000000", tui_sig }]) {
        assert.strictEqual((yield* promise(() => client.failure("initialize", claim))).code, -32010)
      }
      assert.isDefined((yield* promise(() => client.request("status")))["server_version"])
    }))

  it.live("refuses an unknown token, and tries no other credential", () =>
    Effect.gen(function*() {
      const { connect } = yield* served()
      const client = yield* connect()
      assert.strictEqual((yield* promise(() => client.failure("initialize", { auth_token: "zc_1234" }))).code, -32010)
      assert.strictEqual((yield* promise(() => client.failure("status"))).code, -32010)
    }))
})

describe("status and health", () => {
  it.live("say where the daemon is and how it is", () =>
    Effect.gen(function*() {
      const { endpoint, folder, greet } = yield* served()
      const client = yield* greet()
      const status = yield* promise(() => client.request("status", {}))
      assert.deepInclude(status, {
        protocol_version: 1,
        active_sessions: 0,
        session_ids: [],
        config_dir: folder,
        config_kind: "temporary",
        local_ipc_endpoint: endpoint
      })
      const health = yield* promise(() => client.request("health"))
      assert.strictEqual(health["pid"], process.pid)
      assert.deepStrictEqual(Object.values(health["components"]).map((part) => (part as { status: string }).status), [
        "ok",
        "ok",
        "ok"
      ])
      assert.isAbove(health["process"]["rss_bytes"], 1_000_000)
    }))
})
