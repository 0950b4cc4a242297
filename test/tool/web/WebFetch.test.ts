import { gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { bench } from "../Call.ts"
import { serve, webToolbox } from "./Server.ts"

const hosts = { "site.test": ["127.0.0.1"], "other.test": ["127.0.0.1"], "mixed.test": ["93.184.216.34", "10.0.0.1"] }
const open = webToolbox({ allowPrivateHosts: true }, hosts)

describe("web_fetch", () => {
  it.live("reads a page as text, at the address its name was resolved to", () =>
    Effect.gen(function*() {
      const { run } = yield* bench
      const { port } = yield* serve((request, response) => {
        response.setHeader("content-type", "text/html; charset=iso-8859-1")
        response.end(
          Buffer.from(`<title>T</title><p>caf\u00e9 at ${request.headers.host} ${request.url}</p>`, "latin1")
        )
      })
      const output = yield* run("web_fetch", { url: `http://site.test:${port}/a?b=c#d` })
      assert.strictEqual(output.text, `T\nhttp://site.test:${port}/a?b=c#d\n\ncaf\u00e9 at site.test:${port} /a?b=c`)
    }).pipe(Effect.provide(open)))

  it.live("reads UTF-16 with a byte order mark, whatever the server says of it", () =>
    Effect.gen(function*() {
      const { run } = yield* bench
      const { port } = yield* serve(({ url }, response) => {
        if (url !== "/none") {
          response.setHeader("content-type", url === "/said" ? "text/plain; charset=utf-8" : "text/html")
        }
        const bytes = Buffer.from(`\uFEFF${url === "/page" ? "<p>caf\u00e9</p>" : "caf\u00e9"}`, "utf16le")
        response.end(url === "/said" ? bytes.swap16() : bytes)
      })
      for (const path of ["page", "said", "none"]) {
        const { text } = yield* run("web_fetch", { url: `http://site.test:${port}/${path}` })
        assert.match(text, /\n\ncaf\u00e9$/, path)
      }
      const { text } = yield* run("http_request", { url: `http://site.test:${port}/said` })
      assert.match(text, /\n\ncaf\u00e9$/)
    }).pipe(Effect.provide(open)))

  it.live("refuses private and metadata hosts before it connects, by name, by address and in every spelling", () =>
    Effect.gen(function*() {
      const { failure } = yield* bench
      let requests = 0
      const { port } = yield* serve((_, response) => {
        requests++
        response.end("secret")
      })
      for (
        const host of [
          "127.0.0.1",
          "localhost",
          "2130706433",
          "0x7f.1",
          "0177.0.0.1",
          "127.1",
          "[::1]",
          "[::ffff:127.0.0.1]",
          "0.0.0.0",
          "site.test",
          "a.localhost"
        ]
      ) {
        assert.match(
          yield* failure("web_fetch", { url: `http://${host}:${port}/` }),
          /may not be reached: .*this machine or its network/,
          host
        )
      }
      assert.match(yield* failure("web_fetch", { url: "http://mixed.test/" }), /its address 10.0.0.1 belongs/)
      assert.match(yield* failure("web_fetch", { url: "http://169.254.169.254/latest/meta-data/" }), /credentials/)
      assert.match(yield* failure("web_fetch", { url: "http://metadata.google.internal/" }), /credentials/)
      assert.strictEqual(requests, 0)
    }).pipe(Effect.provide(webToolbox({}, hosts))))

  it.live("keeps metadata closed where private hosts are open", () =>
    Effect.gen(function*() {
      const { failure } = yield* bench
      for (
        const host of [
          "[::ffff:169.254.169.254]",
          "168.63.129.16",
          "168.63.129.16.",
          "2822734096",
          "0xa83f8110",
          "0250.077.0201.020",
          "0xa8.63.33040",
          "[::ffff:a83f:8110]",
          "[64:ff9b::a83f:8110]",
          "[2002:a83f:8110::1]",
          "metadata.google.internal.",
          "wire.test"
        ]
      ) {
        for (const tool of ["web_fetch", "http_request"]) {
          assert.match(
            yield* failure(tool, { url: `http://${host}/` }),
            /may not be reached: .*hands out credentials/,
            host
          )
        }
      }
      const { port } = yield* serve((_, response) => response.writeHead(302, { location: `http://2822734096/` }).end())
      assert.match(
        yield* failure("web_fetch", { url: `http://site.test:${port}/` }),
        /redirects to http:\/\/168.63.129.16/
      )
    }).pipe(
      Effect.provide(webToolbox({ allowPrivateHosts: true }, { ...hosts, "wire.test": ["8.8.8.8", "168.63.129.16"] }))
    ))

  it.live("resolves a name once for each connection", () => {
    const asked: Array<string> = []
    return Effect.gen(function*() {
      const { text } = yield* bench
      const { port } = yield* serve((_, response) => response.end("ok"))
      yield* text("web_fetch", { url: `http://site.test:${port}/` })
      assert.deepStrictEqual(asked, ["site.test"])
    }).pipe(Effect.provide(webToolbox({ allowPrivateHosts: true }, hosts, asked)))
  })

  it.live("follows redirects within a host and reports one that leads elsewhere", () =>
    Effect.gen(function*() {
      const { failure, text } = yield* bench
      const { port } = yield* serve((request, response) => {
        const to = new URL(request.url ?? "/", "http://x").searchParams.get("to")
        if (to === null) return response.end("arrived")
        response.writeHead(302, { location: to }).end()
      })
      const at = `http://site.test:${port}/`
      assert.match(yield* text("web_fetch", { url: `${at}?to=/there` }), /there\n\narrived$/)
      assert.strictEqual(
        yield* failure("web_fetch", { url: `${at}?to=http://other.test:${port}/x` }),
        `${at}?to=http://other.test:${port}/x redirects to http://other.test:${port}/x. To read that, fetch it by its own address.`
      )
      assert.match(
        yield* failure("web_fetch", { url: `${at}?to=http://169.254.169.254/` }),
        /redirects to http:\/\/169/
      )
      assert.match(
        yield* failure("web_fetch", { url: `${at}?to=file:///etc/passwd` }),
        /file: addresses cannot be fetched/
      )
    }).pipe(Effect.provide(open)))

  it.live("asks the gates about another port of the host, and about no more than ten hops", () =>
    Effect.gen(function*() {
      const { run, text } = yield* bench
      let hops = 0
      const second = yield* serve((_, response) => response.end("second"))
      const first = yield* serve((request, response) => {
        hops++
        const to = request.url === "/loop" ? "/loop" : `http://site.test:${second.port}/`
        response.writeHead(307, { location: to }).end()
      })
      const url = `http://site.test:${first.port}/`
      const questions: Array<string> = []
      const mayFetch = (answer: boolean) => (next: string) =>
        Effect.sync(() => {
          questions.push(next)
          return answer
        })
      const refused = yield* Effect.flip(run("web_fetch", { url }, { mayFetch: mayFetch(false) }))
      assert.match(refused.message, /redirects to/)
      assert.match((yield* run("web_fetch", { url }, { mayFetch: mayFetch(true) })).text, /second$/)
      assert.deepStrictEqual(questions, [`http://site.test:${second.port}/`, `http://site.test:${second.port}/`])
      hops = 0
      assert.match((yield* Effect.flip(text("web_fetch", { url: `${url}loop` }))).message, /more than 10 redirects/)
      assert.strictEqual(hops, 11)
    }).pipe(Effect.provide(open)))

  it.live("stops reading at its limits", () =>
    Effect.gen(function*() {
      const { text } = yield* bench
      const { port } = yield* serve((request, response) => {
        response.setHeader("content-type", "text/plain")
        if (request.url === "/gzip") {
          response.setHeader("content-encoding", "gzip")
          return void response.end(gzipSync(Buffer.alloc(50_000_000, "a")))
        }
        const flood = () => {
          while (response.write("\u00e9".repeat(50_000))) { /* until it is full */ }
        }
        response.on("drain", flood)
        flood()
      })
      for (const path of ["", "gzip"]) {
        const shown = yield* text("web_fetch", { url: `http://site.test:${port}/${path}` })
        assert.match(shown, /\[The text is cut here/)
        assert.isBelow(Buffer.byteLength(shown), 10_300)
        assert.notMatch(shown, /\uFFFD/)
      }
    }).pipe(Effect.provide(webToolbox({ allowPrivateHosts: true, maxResponseSize: 10_001 }, hosts))))

  it.live("ends when nothing comes, and leaves no connection when it is interrupted", () =>
    Effect.gen(function*() {
      const { failure } = yield* bench
      const silent = yield* serve(() => {})
      assert.match(yield* failure("web_fetch", { url: `http://site.test:${silent.port}/` }), /within 1 s|within 1 s\./)
      const closed = yield* serve((request, response) => {
        response.writeHead(200, { "content-type": "text/plain" }).write("begun")
        request.socket.destroy()
      })
      assert.match(
        yield* failure("web_fetch", { url: `http://site.test:${closed.port}/` }),
        /could not be reached: the connection was closed/
      )
    }).pipe(Effect.provide(webToolbox({ allowPrivateHosts: true, timeoutSecs: 1 }, hosts))))

  it.live("says what is wrong with an address or an answer", () =>
    Effect.gen(function*() {
      const { failure } = yield* bench
      const { port } = yield* serve((request, response) => {
        if (request.url === "/image") return void response.writeHead(200, { "content-type": "image/png" }).end("x")
        response.writeHead(404, { "content-type": "text/html" }).end("<h1>Not here</h1>")
      })
      assert.match(yield* failure("web_fetch", { url: "example.com" }), /no web address/)
      assert.match(yield* failure("web_fetch", { url: "ftp://example.com/" }), /only http and https/)
      assert.match(yield* failure("web_fetch", { url: "https://user:pw@example.com/" }), /login/)
      assert.match(yield* failure("web_fetch", { url: "http://nowhere.test/" }), /not found \(ENOTFOUND\)/)
      assert.strictEqual(
        yield* failure("web_fetch", { url: `http://site.test:${port}/` }),
        `http://site.test:${port}/ answered 404 Not Found.\n# Not here`
      )
      assert.match(
        yield* failure("web_fetch", { url: `http://site.test:${port}/image` }),
        /image\/png, which is no text/
      )
      assert.match(yield* failure("web_fetch", { url: "http://site.test:1/" }), /refused/)
    }).pipe(Effect.provide(open)))

  it.live("obeys the operator's lists and switch", () =>
    Effect.gen(function*() {
      const { failure } = yield* bench
      assert.match(yield* failure("web_fetch", { url: "http://other.test/" }), /blocks other.test/)
      assert.match(yield* failure("web_fetch", { url: "http://example.com/" }), /does not have example.com/)
    }).pipe(
      Effect.provide(webToolbox({ allowedDomains: ["site.test", "other.test"], blockedDomains: ["other.test"] }, hosts))
    ))

  it.effect("needs a network, only reads, and names its address for the rules", () =>
    Effect.gen(function*() {
      const { tools } = yield* bench
      const tool = tools.get("web_fetch")!
      assert.deepStrictEqual(tool.needs({ url: "https://a.test/" }), {
        capabilities: ["ro"],
        network: "required",
        reads: [],
        writes: [],
        urls: ["https://a.test/"]
      })
    }).pipe(Effect.provide(open)))
})
