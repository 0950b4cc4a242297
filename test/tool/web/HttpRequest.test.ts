import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import { outputItem } from "../../../src/domain/Content.ts"
import { isBoundTo } from "../../../src/tool/web/WebAccess.ts"
import { bench } from "../Call.ts"
import { body, serve, webToolbox } from "./Server.ts"

const hosts = { "api.test": ["127.0.0.1"] }
const secret = (value: string, hosts: ReadonlyArray<string>) => ({ value: Redacted.make(value), hosts })
const open = webToolbox({ allowPrivateHosts: true }, hosts)

/** With secrets that are bound to the host of a test's own server, by its port. */
const withSecrets = (port: number) =>
  webToolbox({
    allowPrivateHosts: true,
    secrets: new Map([
      ["ci", secret("Bearer s3cret-value", [`http://api.test:${port}`])],
      ["basic", secret(`Basic ${Buffer.from("me:hunter22").toString("base64")}`, [`http://api.test:${port}`])],
      ["loose", secret("Bearer s3cret-loose", [])]
    ])
  }, { ...hosts, "other.test": ["127.0.0.1"] })

describe("http_request", () => {
  it.live("sends method, headers and body, and shows the answer as it is", () =>
    Effect.gen(function*() {
      const { text } = yield* bench
      const { port } = yield* serve((request, response) =>
        void body(request).then((sent) => {
          response.writeHead(201, { "content-type": "application/json", "x-internal": "no", location: "/things/1" })
          response.end(JSON.stringify({ method: request.method, kind: request.headers["content-type"], sent }))
        })
      )
      assert.strictEqual(
        yield* text("http_request", {
          url: `http://api.test:${port}/things`,
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body: "{\"a\":\"\u00e9\"}"
        }),
        "201 Created\ncontent-type: application/json\nlocation: /things/1\n\n" +
          "{\"method\":\"POST\",\"kind\":\"application/json\",\"sent\":\"{\\\"a\\\":\\\"\u00e9\\\"}\"}"
      )
    }).pipe(Effect.provide(open)))

  it.live("does not follow redirects and has no body for HEAD", () =>
    Effect.gen(function*() {
      const { text } = yield* bench
      const { port } = yield* serve((_, response) =>
        response.writeHead(302, { location: "http://169.254.169.254/", "content-encoding": "gzip" }).end()
      )
      assert.match(
        yield* text("http_request", { url: `http://api.test:${port}/`, method: "HEAD" }),
        /^302 Found\nlocation: http:\/\/169.254.169.254\/$/
      )
    }).pipe(Effect.provide(open)))

  it.live("refuses private hosts, headers that steer the connection, and unknown secrets", () =>
    Effect.gen(function*() {
      const { failure } = yield* bench
      assert.match(yield* failure("http_request", { url: "http://127.0.0.1/" }), /may not be reached/)
      for (const name of ["Host", "content-length", "Transfer-Encoding", "connection"]) {
        assert.match(
          yield* failure("http_request", { url: "http://a.test/", headers: { [name]: "x" } }),
          /not the caller's to set/,
          name
        )
      }
      assert.match(
        yield* failure("http_request", { url: "http://a.test/", headers: { a: "b\r\nHost: c" } }),
        /cannot be sent/
      )
      assert.match(yield* failure("http_request", { url: "http://a.test/", headers: { "a b": "c" } }), /cannot be sent/)
      assert.match(yield* failure("http_request", { url: "http://a.test/", auth_secret: "nope" }), /no secret "nope"/)
      assert.match(yield* failure("http_request", { url: "http://a.test/", method: "CONNECT" }), /method/)
    }).pipe(Effect.provide(webToolbox({}, { "a.test": ["93.184.216.34"] }))))

  it.live("sends a configured secret to its hosts, and does not show it when the server sends it back", () =>
    Effect.gen(function*() {
      const { port } = yield* serve((request, response) => {
        const sent = request.headers.authorization ?? ""
        response.writeHead(200, { "content-type": "text/plain" })
        response.end(`${sent}, ${sent.split(" ")[1]}, ${Buffer.from(sent.split(" ")[1] ?? "", "base64").toString()}`)
      })
      yield* Effect.gen(function*() {
        const { text } = yield* bench
        for (const auth_secret of ["ci", "basic"]) {
          const shown = yield* text("http_request", { url: `http://api.test:${port}/`, auth_secret })
          assert.match(shown, /\n\n\[redacted: secret\], \[redacted: secret\], /)
          assert.notMatch(shown, /s3cret|hunter22/)
        }
      }).pipe(Effect.provide(withSecrets(port)))
    }))

  it.live("sends a configured secret to no other host, port or scheme, and one without hosts nowhere", () =>
    Effect.gen(function*() {
      const seen: Array<string | undefined> = []
      const echo = (request: IncomingMessage, response: ServerResponse) => {
        seen.push(request.headers.authorization)
        response.writeHead(request.url === "/away" ? 307 : 200, { location: `http://other.test:${other.port}/` }).end(
          "ok"
        )
      }
      const other = yield* serve(echo)
      const { port } = yield* serve(echo)
      yield* Effect.gen(function*() {
        const { failure, text } = yield* bench
        const refused = (url: string, auth_secret = "ci") => failure("http_request", { url, auth_secret })
        const elsewhere = [
          `http://other.test:${port}/`,
          `http://api.test:${other.port}/`,
          `https://api.test:${port}/`,
          `http://127.0.0.1:${port}/`,
          `http://sub.api.test:${port}/`,
          "https://api.test/"
        ]
        for (const url of elsewhere) {
          assert.match(yield* refused(url), /The secret "ci" is not sent to .*; it is bound to http:\/\/api.test:/, url)
        }
        assert.match(
          yield* refused(`http://api.test:${port}/`, "loose"),
          new RegExp(`bound to no host.*\\[http_request.secret_hosts\\], as in loose = \\["api.test:${port}"\\]`)
        )
        assert.deepStrictEqual(seen, [])
        assert.match(yield* text("http_request", { url: `http://api.test:${port}/away`, auth_secret: "ci" }), /^307 /)
        assert.deepStrictEqual(seen, ["Bearer s3cret-value"])
      }).pipe(Effect.provide(withSecrets(port)))
    }))

  it("binds a secret to hosts, with TLS unless an entry says otherwise", () => {
    const bound = (entry: string, url: string) => isBoundTo([entry], new URL(url))
    const yes: ReadonlyArray<readonly [string, string]> = [
      ["api.example.com", "https://api.example.com/x"],
      ["API.example.com", "https://api.example.com./"],
      ["api.example.com:8443", "https://api.example.com:8443/"],
      ["https://api.example.com", "https://api.example.com/"],
      ["*.example.com", "https://a.b.example.com/"],
      ["http://localhost:8080", "http://localhost:8080/"],
      ["[::1]:8443", "https://[0:0::1]:8443/"],
      ["10.0.0.1", "https://0x0a000001/"]
    ]
    for (const [entry, url] of yes) assert.isTrue(bound(entry, url), `${entry} ${url}`)
    const no: ReadonlyArray<readonly [string, string]> = [
      ["api.example.com", "http://api.example.com/"],
      ["api.example.com", "https://api.example.com:8443/"],
      ["api.example.com", "https://xapi.example.com/"],
      ["api.example.com", "https://a.api.example.com/"],
      ["api.example.com", "https://api.example.com.evil.org/"],
      ["*.example.com", "https://example.com/"],
      ["*.example.com", "https://evilexample.com/"],
      ["http://localhost:8080", "https://localhost:8080/"],
      ["http://localhost:8080", "http://localhost/"]
    ]
    for (const [entry, url] of no) assert.isFalse(bound(entry, url), `${entry} ${url}`)
  })

  it.effect("shows people all that it sends, secrets by their names", () =>
    Effect.gen(function*() {
      const { preview } = yield* bench
      const { content, title } = yield* preview("http_request", {
        url: "https://a.test/",
        method: "PUT",
        headers: { "X-Data": "carried out" },
        auth_secret: "ci",
        body: "text"
      })
      assert.strictEqual(title, "PUT https://a.test/")
      assert.deepStrictEqual(content, [outputItem("X-Data: carried out\nauthorization: (the secret \"ci\")\n\ntext")])
    }).pipe(Effect.provide(open)))

  it.effect("counts as reading only when it asks for nothing but an answer", () =>
    Effect.gen(function*() {
      const { tools } = yield* bench
      const needs = (parameters: object) => tools.get("http_request")!.needs({ url: "https://a.test/", ...parameters })
      for (const reading of [{}, { method: "HEAD" }, { body: "" }, { headers: { accept: "text/plain" } }]) {
        const { capabilities, changes, risks } = needs(reading)
        assert.deepStrictEqual([capabilities, changes, risks], [["ro"], undefined, undefined])
      }
      const changing: ReadonlyArray<readonly [object, ReadonlyArray<string>]> = [
        [{ method: "POST" }, ["exfil"]],
        [{ method: "DELETE" }, ["publish-deploy"]],
        [{ method: "PUT", body: "x" }, ["publish-deploy", "exfil"]],
        [{ method: "PATCH" }, ["publish-deploy"]],
        [{ body: "x" }, ["exfil"]],
        [{ headers: { "x-http-method-override": "DELETE" } }, ["publish-deploy"]],
        [{ auth_secret: "ci" }, []]
      ]
      for (const [parameters, found] of changing) {
        const { capabilities, changes, risks } = needs(parameters)
        assert.deepStrictEqual([capabilities, changes, risks], [["rw"], true, found])
      }
    }).pipe(Effect.provide(open)))
})
