import { assert, describe, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { TestClock } from "effect/testing"
import { createHash } from "node:crypto"
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { Uploads } from "../../src/native/files/Uploads.ts"
import type { SocketClient } from "../support/SocketClient.ts"
import type { Json } from "../support/Wire.ts"
import { type Options, promise, served } from "../support/ServedDaemon.ts"

const mebibyte = 1024 * 1024
const sha = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex")
const b64 = (bytes: Uint8Array | string) => Buffer.from(bytes).toString("base64")
const filled = (size: number) => Buffer.from(Uint8Array.from({ length: size }, (_, at) => at * 7 % 251))

const open = Effect.fnUntraced(function*(options: Options = {}) {
  const daemon = yield* served(options)
  const client = yield* daemon.greet()
  const session = yield* promise(() => client.session())
  const uploads = join(daemon.folder, "agents", "default", "workspace", "uploads")
  const request = (method: string, params: Json, from: SocketClient = client) =>
    promise(() => from.request(method, params))
  const refusal = (method: string, params: Json, from: SocketClient = client) =>
    Effect.map(promise(() => from.failure(method, params)), ({ code, data }) => [code, data?.["reason"]])
  const begin = (params: Json = {}) =>
    Effect.map(
      request("file/upload/begin", { session_id: session, size_bytes: 3, ...params }),
      (result) => String(result["upload_id"])
    )
  const chunk = (upload_id: string, offset: number, bytes: Uint8Array | string) =>
    request("file/upload/chunk", { upload_id, offset, data_b64: b64(bytes) })
  const commit = (upload_id: string) => request("file/upload/commit", { upload_id })
  const held = Context.get(daemon.context, Uploads).held
  return { ...daemon, client, session, uploads, request, refusal, begin, chunk, commit, held }
})

describe("A chunked upload", () => {
  it.live("is stored under its hash when the last byte is there, and found again the second time", () =>
    Effect.gen(function*() {
      const { chunk, commit, held, request, session, uploads } = yield* open()
      const bytes = filled(2 * mebibyte + 5)
      const send = Effect.fnUntraced(function*() {
        const begun = yield* request("file/upload/begin", {
          sessionId: session,
          sizeBytes: bytes.length,
          filename: "dir/Photo.PNG",
          sha256: sha(bytes).toUpperCase()
        })
        assert.deepInclude(begun, { chunk_bytes: mebibyte, max_bytes: 10 * mebibyte })
        const id = String(begun["upload_id"])
        assert.match(id, /^[0-9a-f]{32}$/)
        for (let at = 0; at < bytes.length; at += mebibyte) {
          const received = yield* chunk(id, at, bytes.subarray(at, at + mebibyte))
          assert.deepStrictEqual(received, { received_bytes: Math.min(at + mebibyte, bytes.length) })
        }
        return yield* commit(id)
      })
      const path = join(uploads, `${sha(bytes)}.png`)
      const stored = {
        ref_id: `sha256:${sha(bytes)}`,
        marker: `[IMAGE:${path}]`,
        workspace_path: path,
        size_bytes: bytes.length
      }
      assert.deepStrictEqual(yield* send(), { ...stored, deduplicated: false })
      assert.isTrue(readFileSync(path).equals(bytes))
      assert.deepStrictEqual(yield* send(), { ...stored, deduplicated: true })
      writeFileSync(path, Buffer.concat([bytes.subarray(1), Buffer.from([0])]))
      assert.deepStrictEqual(yield* send(), { ...stored, deduplicated: false })
      assert.isTrue(readFileSync(path).equals(bytes), "a file of the same length with other bytes is written anew")
      assert.strictEqual(held(), 0)
    }))

  it.live("takes the place of a link that was put where it was stored", () =>
    Effect.gen(function*() {
      const { begin, chunk, commit, folder } = yield* open()
      const victim = join(folder, "victim")
      writeFileSync(victim, "abc")
      const send = Effect.fnUntraced(function*() {
        const id = yield* begin({ filename: "a.txt" })
        yield* chunk(id, 0, "abc")
        return yield* commit(id)
      })
      const path = String((yield* send())["workspace_path"])
      rmSync(path)
      symlinkSync(victim, path)
      assert.deepInclude(yield* send(), { workspace_path: path, deduplicated: false })
      assert.isTrue(lstatSync(path).isFile())
    }))

  it.live("takes a piece that is sent again, and refuses gaps, overlaps and other bytes", () =>
    Effect.gen(function*() {
      const { begin, chunk, commit, refusal } = yield* open()
      const id = yield* begin({ size_bytes: 6 })
      const piece = (offset: number, data: string) =>
        refusal("file/upload/chunk", { upload_id: id, offset, data_b64: b64(data) })
      yield* chunk(id, 0, "abc")
      assert.deepStrictEqual(yield* chunk(id, 0, "abc"), { received_bytes: 3 })
      for (const [offset, data] of [[0, "abd"], [4, "e"], [2, "cd"], [-1, "x"], [7, "x"]] as const) {
        assert.deepStrictEqual(yield* piece(offset, data), [-32602, "conflict"], `${offset} ${data}`)
      }
      assert.deepStrictEqual(yield* piece(3, "defg"), [-32602, "conflict"])
      assert.deepStrictEqual(yield* piece(3, ""), [-32602, "invalid"])
      assert.deepStrictEqual(yield* refusal("file/upload/chunk", { upload_id: id, offset: 3, data_b64: "!!!!" }), [
        -32602,
        "malformed"
      ])
      assert.deepStrictEqual(yield* refusal("file/upload/commit", { upload_id: id }), [-32602, "incomplete"])
      assert.deepStrictEqual(yield* chunk(id, 3, "def"), { received_bytes: 6 })
      assert.deepStrictEqual(yield* chunk(id, 0, "abc"), { received_bytes: 6 })
      for (
        const [offset, data] of [[0, "a"], [1, "b"], [1, "bc"], [0, "abcd"], [2, "cd"], [0, "abcdef"], [
          4,
          "ef"
        ]] as const
      ) {
        assert.deepStrictEqual(yield* piece(offset, data), [-32602, "conflict"], `${offset} ${data}`)
      }
      assert.deepStrictEqual(yield* chunk(id, 3, "def"), { received_bytes: 6 })
      const { marker, workspace_path } = yield* commit(id)
      assert.strictEqual(marker, `[Document: upload] ${workspace_path}`)
      assert.strictEqual(readFileSync(String(workspace_path), "utf8"), "abcdef")
      assert.deepStrictEqual(yield* refusal("file/upload/commit", { upload_id: id }), [-32602, "not_found"])
    }))

  it.live("takes a piece of exactly 1 MiB and not one byte more", () =>
    Effect.gen(function*() {
      const { begin, chunk, refusal } = yield* open()
      const id = yield* begin({ size_bytes: 3 * mebibyte })
      for (const more of [1, 2, 3]) {
        const data_b64 = b64(filled(mebibyte + more))
        assert.deepStrictEqual(yield* refusal("file/upload/chunk", { upload_id: id, offset: 0, data_b64 }), [
          -32602,
          "too_large"
        ])
      }
      assert.deepStrictEqual(yield* chunk(id, 0, filled(mebibyte)), { received_bytes: mebibyte })
    }))

  it.live("is refused at its beginning when it cannot end well", () =>
    Effect.gen(function*() {
      const { begin, commit, held, refusal, session } = yield* open()
      const no = (params: Json) => refusal("file/upload/begin", { session_id: session, size_bytes: 1, ...params })
      assert.deepStrictEqual(yield* no({ size_bytes: 10 * mebibyte + 1 }), [-32602, "too_large"])
      assert.deepStrictEqual(yield* no({ size_bytes: -1 }), [-32602, "invalid"])
      assert.strictEqual((yield* no({ size_bytes: 1.5 }))[0], -32602)
      assert.deepStrictEqual(yield* no({ filename: "é".repeat(128) }), [-32602, "invalid"])
      assert.deepStrictEqual(yield* no({ sha256: "abc" }), [-32602, "invalid"])
      assert.deepStrictEqual(yield* no({ session_id: "nobody" }), [-32000, "not_found"])
      assert.strictEqual(held(), 0)
      yield* begin({ size_bytes: 10 * mebibyte, filename: "x".repeat(255) })
      const { size_bytes } = yield* commit(yield* begin({ size_bytes: 0 }))
      assert.strictEqual(size_bytes, 0)
    }))

  it.live("is discarded when its bytes have another hash than was said", () =>
    Effect.gen(function*() {
      const { begin, chunk, held, refusal, uploads } = yield* open()
      const id = yield* begin({ sha256: sha(Buffer.from("abd")) })
      yield* chunk(id, 0, "abc")
      assert.deepStrictEqual(yield* refusal("file/upload/commit", { upload_id: id }), [-32602, "conflict"])
      assert.deepStrictEqual(yield* refusal("file/upload/commit", { upload_id: id }), [-32602, "not_found"])
      assert.deepStrictEqual([held(), existsSync(uploads)], [0, false])
    }))

  it.live("belongs to its connection, of which each may have four", () =>
    Effect.gen(function*() {
      const { begin, chunk, client, commit, greet, held, refusal, session } = yield* open()
      const ids = [yield* begin(), yield* begin(), yield* begin(), yield* begin()]
      const one = { session_id: session, size_bytes: 1 }
      const full = yield* promise(() => client.failure("file/upload/begin", one))
      assert.deepStrictEqual([full.code, full.data], [-32602, { reason: "capacity", limit: 4 }])
      const other = yield* greet()
      assert.deepStrictEqual(
        yield* refusal("file/upload/chunk", { upload_id: ids[0], offset: 0, data_b64: b64("a") }, other),
        [-32602, "not_found"]
      )
      yield* chunk(ids[1]!, 0, "abc")
      const before = held()
      yield* promise(() => other.request("file/upload/begin", one))
      assert.isAbove(held(), before)
      other.close()
      // Its room is given back once its end was noticed, by whatever asks next.
      while (held() > before) yield* chunk(ids[1]!, 0, "abc")
      yield* chunk(ids[0]!, 0, "abc")
      yield* commit(ids[0]!)
      yield* begin()
    }))

  it.live("ends with the very session it was for", () =>
    Effect.gen(function*() {
      const { chunk, client, held, refusal, request, uploads } = yield* open()
      const create = () => promise(() => client.session({ session_id: "again", keep_siblings: true }))
      yield* create()
      const { upload_id } = yield* request("file/upload/begin", { session_id: "again", size_bytes: 3 })
      yield* chunk(String(upload_id), 0, "abc")
      yield* request("session/delete", { session_id: "again" })
      yield* create()
      assert.deepStrictEqual(yield* refusal("file/upload/commit", { upload_id }), [-32000, "not_found"])
      assert.deepStrictEqual(yield* refusal("file/upload/commit", { upload_id }), [-32602, "not_found"])
      assert.deepStrictEqual([held(), existsSync(uploads)], [0, false])
    }))

  it.effect("is discarded when nothing comes for five minutes", () =>
    Effect.gen(function*() {
      const { begin, chunk, commit, held, refusal } = yield* open()
      const kept = yield* begin()
      const lost = yield* begin()
      yield* TestClock.adjust("4 minutes")
      yield* chunk(kept, 0, "ab")
      yield* TestClock.adjust("59 seconds")
      assert.isAbove(held(), 2048)
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(
        yield* refusal("file/upload/chunk", { upload_id: lost, offset: 0, data_b64: b64("abc") }),
        [-32602, "not_found"]
      )
      yield* chunk(kept, 2, "c")
      yield* commit(kept)
      assert.strictEqual(held(), 0)
    }))

  it.effect("waits for room, which idle ones give back when it is needed", () =>
    Effect.gen(function*() {
      const { greet, held, session } = yield* open()
      const clients: Array<SocketClient> = []
      for (let n = 0; n < 7; n++) clients.push(yield* greet())
      const begin = (client: SocketClient) =>
        client.request("file/upload/begin", { session_id: session, size_bytes: 10 * mebibyte })
      for (let n = 0; n < 25; n++) yield* promise(() => begin(clients[Math.floor(n / 4)]!))
      assert.isAtMost(held(), 256 * mebibyte)
      const full = yield* promise(() =>
        clients[6]!.failure("file/upload/begin", { session_id: session, size_bytes: 10 * mebibyte })
      )
      assert.deepStrictEqual([full.code, full.data?.["reason"]], [-32602, "capacity"])
      yield* TestClock.adjust("5 minutes")
      yield* promise(() => begin(clients[6]!))
      assert.isAtMost(held(), 11 * mebibyte)
    }))

  it.live("is for clients of this machine", () =>
    Effect.gen(function*() {
      const { client, session, refusal } = yield* open({ far: { label: "wss:192.0.2.7", uid: process.geteuid?.() } })
      assert.deepStrictEqual(yield* refusal("file/upload/begin", { session_id: session, size_bytes: 1 }), [
        -32012,
        "forbidden"
      ])
      assert.deepStrictEqual(
        yield* refusal("file/attach", { session_id: session, files: [{ path: "/etc/hostname" }] }),
        [-32012, "forbidden"]
      )
      const { files } = yield* promise(() =>
        client.request("file/attach", { session_id: session, files: [{ data_b64: b64("x") }] })
      )
      assert.strictEqual(files.length, 1)
    }))
})

describe("Attached files", () => {
  it.live("come by path or as bytes, and are named as a prompt names them", () =>
    Effect.gen(function*() {
      const { project, request, session, uploads } = yield* open()
      writeFileSync(join(project, "chart.png"), "png")
      writeFileSync(join(project, "n]otes.TXT"), "text")
      const { files } = yield* request("file/attach", {
        session_id: session,
        files: [
          { path: join(project, "chart.png") },
          { path: join(project, "n]otes.TXT") },
          { data_b64: b64("clip"), mime_type: "image/jpeg", source: "clipboard" },
          { dataB64: b64("x"), filename: "../../evil].sh\nrm" },
          { data_b64: b64("text"), filename: "copy.txt" }
        ]
      })
      const at = (text: string, ext: string) => join(uploads, `${sha(Buffer.from(text))}${ext}`)
      assert.deepStrictEqual(files.map(({ marker }: { marker: string }) => marker), [
        `[IMAGE:${join(project, "chart.png")}]`,
        `[Document: n_otes.TXT] ${at("text", ".txt")}`,
        `[IMAGE:${at("clip", ".jpg")}]`,
        `[Document: evil_.sh_rm] ${at("x", "")}`,
        `[Document: copy.txt] ${at("text", ".txt")}`
      ])
      assert.deepStrictEqual(files.map(({ deduplicated }: { deduplicated: boolean }) => deduplicated), [
        false,
        false,
        false,
        false,
        true
      ])
      assert.deepStrictEqual(readdirSync(uploads).length, 4)
    }))

  it.live("are taken all or not at all", () =>
    Effect.gen(function*() {
      const { project, refusal, session, uploads } = yield* open()
      const good = { data_b64: b64("good") }
      const attach = (...files: ReadonlyArray<Json>) => refusal("file/attach", { session_id: session, files })
      mkdirSync(join(project, "folder"))
      const ten = { data_b64: b64(filled(mebibyte)) }
      for (let n = 0; n < 3; n++) writeFileSync(join(project, `big${n}`), filled(n === 2 ? 1 : 10 * mebibyte))
      writeFileSync(join(project, "huge"), filled(10 * mebibyte + 1))
      const big = [0, 1, 2].map((n) => ({ path: join(project, `big${n}`) }))
      assert.deepStrictEqual(yield* attach(good, {}), [-32602, "invalid_params"])
      assert.deepStrictEqual(yield* attach(good, { data_b64: "%" }), [-32602, "malformed"])
      assert.deepStrictEqual(yield* attach(good, { path: "relative.txt" }), [-32602, "invalid"])
      assert.deepStrictEqual(yield* attach(good, { path: join(project, "gone") }), [-32602, "not_found"])
      assert.deepStrictEqual(yield* attach(good, { path: join(project, "folder") }), [-32602, "invalid"])
      assert.deepStrictEqual(yield* attach(good, { path: join(project, "huge") }), [-32602, "too_large"])
      assert.deepStrictEqual(yield* attach(ten, ...big), [-32602, "too_large"])
      assert.deepStrictEqual(yield* attach(...big), [-32602, "too_large"])
      assert.strictEqual((yield* attach())[0], -32602)
      assert.strictEqual((yield* attach(...Array.from({ length: 65 }, () => good)))[0], -32602)
      assert.deepStrictEqual(yield* refusal("file/attach", { session_id: "nobody", files: [good] }), [
        -32000,
        "not_found"
      ])
      assert.isFalse(existsSync(uploads))
    }))

  it.live("never go through a link in the place of their folder", () =>
    Effect.gen(function*() {
      const { project, refusal, session, uploads } = yield* open()
      mkdirSync(join(uploads, ".."), { recursive: true })
      symlinkSync(project, uploads)
      assert.strictEqual(
        (yield* refusal("file/attach", { session_id: session, files: [{ data_b64: b64("x") }] }))[0],
        -32603
      )
      assert.isTrue(lstatSync(uploads).isSymbolicLink())
      assert.deepStrictEqual(readdirSync(project), [])
    }))
})

describe("A prompt with files", () => {
  it.live("has their markers after its words, and needs no words", () =>
    Effect.gen(function*() {
      const { client, project, session, uploads } = yield* open()
      writeFileSync(join(project, "chart.png"), "png")
      const prompt = (text: string | null, ...attachments: ReadonlyArray<Json>) =>
        promise(() => client.request("session/prompt", { session_id: session, prompt: text, attachments }))
      yield* prompt("say hi", { path: join(project, "chart.png") }, { data_b64: b64("note"), filename: "note.txt" })
      yield* prompt(null, { data_b64: b64("note"), filename: "note.txt" })
      const { messages } = yield* promise(() => client.messagePage({ session_id: session }))
      const note = `[Document: note.txt] ${join(uploads, `${sha(Buffer.from("note"))}.txt`)}`
      const said = messages.filter(({ role }: { role: string }) => role === "user").map((
        { content }: { content: string }
      ) => content.replace(/\n+/g, "\n"))
      assert.deepStrictEqual(said, [`say hi\n[IMAGE:${join(project, "chart.png")}]\n${note}`, note])
    }))

  it.live("stores nothing when one of them is bad, or a turn is running", () =>
    Effect.gen(function*() {
      const { client, refusal, session, uploads } = yield* open()
      const files = [{ data_b64: b64("good") }]
      assert.deepStrictEqual(
        yield* refusal("session/prompt", { session_id: session, prompt: "say x", attachments: [...files, {}] }),
        [-32602, "invalid_params"]
      )
      assert.strictEqual(
        (yield* refusal("session/prompt", { session_id: session, prompt: " ", attachments: [] }))[0],
        -32602
      )
      const running = client.prompt(session, "say begun\nwait 60")
      yield* promise(() => client.update("agent_message_chunk"))
      assert.deepStrictEqual(
        yield* refusal("session/prompt", { session_id: session, prompt: "say x", attachments: files }),
        [-32002, "session_busy"]
      )
      yield* promise(() => client.request("session/cancel", { session_id: session }))
      yield* promise(() => running)
      assert.isFalse(existsSync(uploads))
    }))
})

const profile = (more = "") => `
[security]
trust_daemon_uid = false
[users.guest]
uid = 4242
permission_profiles = ["guest"]
[permission_profiles.guest]
allowed_agents = ["default"]
[permission_profiles.guest.grants]
sessions = ["create", "execute", "read"]
${more}
`

describe("A client with limits", () => {
  it.live("uploads only with the grant, and names by path only what its session may read", () =>
    Effect.gen(function*() {
      const guest = Effect.fnUntraced(function*(more: string) {
        const daemon = yield* served({ config: profile(more) })
        const client = yield* daemon.greet({}, yield* daemon.openFor(4242))
        return { ...daemon, client, session: yield* promise(() => client.session({ cwd: daemon.project })) }
      })
      const none = yield* guest("")
      const refused = yield* promise(() =>
        none.client.failure("file/upload/begin", { session_id: none.session, size_bytes: 1 })
      )
      assert.deepStrictEqual([refused.code, refused.data?.["need"]], [-32012, "files:create"])
      const some = yield* guest("files = [\"create\"]")
      writeFileSync(join(some.project, "mine.txt"), "mine")
      const attach = (path: string) => ({ session_id: some.session, files: [{ path }] })
      const { files } = yield* promise(() => some.client.request("file/attach", attach(join(some.project, "mine.txt"))))
      assert.strictEqual(files[0]?.size_bytes, 4)
      assert.strictEqual(
        (yield* promise(() => some.client.failure("file/attach", attach(join(some.folder, "config.toml"))))).code,
        -32012
      )
    }))
})
