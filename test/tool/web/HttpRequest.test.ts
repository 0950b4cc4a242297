import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { bench } from "../Call.ts"
import { body, serve, webToolbox } from "./Server.ts"

const hosts = { "api.test": ["127.0.0.1"] }
const open = webToolbox(
  { allowPrivateHosts: true, secrets: new Map([["ci", Redacted.make("Bearer s3cret-value")]]) },
  hosts
)

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

  it.live("sends a configured secret and does not show it when the server sends it back", () =>
    Effect.gen(function*() {
      const { text } = yield* bench
      const { port } = yield* serve((request, response) =>
        response.writeHead(200, { "content-type": "text/plain" }).end(request.headers.authorization)
      )
      assert.match(
        yield* text("http_request", { url: `http://api.test:${port}/`, auth_secret: "ci" }),
        /\n\n\[REDACTED_SECRET\]$/
      )
    }).pipe(Effect.provide(open)))

  it.effect("counts as reading only when it asks for nothing but an answer", () =>
    Effect.gen(function*() {
      const { tools } = yield* bench
      const needs = (parameters: object) =>
        tools.get("http_request")!.needs({ url: "https://a.test/", ...parameters }).capabilities
      assert.deepStrictEqual([needs({}), needs({ method: "HEAD" }), needs({ body: "" })], [["ro"], ["ro"], ["ro"]])
      for (const changing of [{ method: "POST" }, { method: "DELETE" }, { body: "x" }, { auth_secret: "ci" }]) {
        assert.deepStrictEqual(needs(changing), ["rw"])
      }
    }).pipe(Effect.provide(open)))
})
