import { Effect, Redacted, Schema } from "effect"
import * as ToolRequirements from "../../policy/decision/ToolRequirements.ts"
import { textContent } from "../../domain/Content.ts"
import * as Tool from "../Tool.ts"
import * as Body from "./Body.ts"
import * as HttpExchange from "./HttpExchange.ts"
import { RequestAccess, Resolver } from "./WebAccess.ts"

const methods = ["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"] as const

const Parameters = Schema.Struct({
  url: Schema.String.annotate({ description: "Address, with http:// or https://" }),
  method: Tool.optional(Schema.Literals(methods), "GET when absent"),
  headers: Tool.optional(Schema.Record(Schema.String, Schema.String), "Headers to send"),
  auth_secret: Tool.optional(Schema.String, "Name of a configured secret to send as the Authorization header"),
  body: Tool.optional(Schema.String, "Text to send")
})
type Parameters = typeof Parameters.Type

const reads = new Set<string>(["GET", "HEAD", "OPTIONS"])

/** Methods without side effects, which count as reads. */
const onlyReads = ({ auth_secret, body, method }: Parameters) => reads.has(method ?? "GET") && !body && !auth_secret

/** Headers that the HTTP connection sets itself; the model cannot override them. */
const reserved = new Set([
  "host",
  "connection",
  "content-length",
  "transfer-encoding",
  "upgrade",
  "te",
  "trailer",
  "proxy-authorization",
  "expect"
])

const headersOf = Effect.fnUntraced(
  function*({ auth_secret, headers }: Parameters, secret: Redacted.Redacted<string> | undefined): Effect.fn.Return<
    Record<string, string>,
    Tool.ToolFailed
  > {
    const sent: Record<string, string> = {}
    for (const [name, value] of Object.entries(headers ?? {})) {
      if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || /[\r\n\0]/.test(value)) {
        return yield* Tool.fail(`${name}: this header cannot be sent.`)
      }
      if (reserved.has(name.toLowerCase())) {
        return yield* Tool.fail(`${name}: this header is not the caller's to set.`)
      }
      sent[name.toLowerCase()] = value
    }
    if (!auth_secret) return sent
    if (secret === undefined) {
      return yield* Tool.fail(
        `There is no secret "${auth_secret}" under [http_request.secrets].`
      )
    }
    return { ...sent, authorization: Redacted.value(secret) }
  }
)

const shownHeaders =
  /^(content-type|content-length|location|etag|last-modified|retry-after|allow|link|www-authenticate|x-ratelimit-.*|ratelimit.*)$/

export const make = Effect.gen(function*() {
  const accessNow = yield* RequestAccess
  const resolver = yield* Resolver

  return Tool.make<Parameters>({
    name: "http_request",
    description:
      "Send one HTTP request and get status, headers and body of the answer as they are. For pages to read use web_fetch. Redirects " +
      "are not followed; hosts of this machine's own network are refused.",
    parameters: Parameters,
    kind: "fetch",
    capabilities: ["ro", "rw"],
    network: "required",
    origin: "external",
    needs: (parameters) => ({
      ...ToolRequirements.fetch(parameters.url),
      capabilities: [onlyReads(parameters) ? "ro" : "rw"]
    }),
    preview: (parameters) =>
      Effect.succeed({
        title: `${parameters.method ?? "GET"} ${Tool.firstLine(parameters.url, 120)}`,
        ...(parameters.body ? { content: [textContent(parameters.body)] } : {})
      }),
    run: Effect.fnUntraced(function*(parameters) {
      const access = accessNow()
      if (!access.enabled) return yield* Tool.fail("http_request is switched off in the configuration.")
      const method = parameters.method ?? "GET"
      const url = yield* HttpExchange.parse(parameters.url)
      const headers = yield* headersOf(parameters, access.secrets.get(parameters.auth_secret ?? ""))
      const answer = yield* Effect.provideService(
        HttpExchange.send({ url, method, headers, body: parameters.body ?? undefined }, access, access.maxResponseSize),
        Resolver,
        resolver
      )
      const lines = Object.entries(answer.headers).filter(([name]) => shownHeaders.test(name)).map(([name, value]) =>
        `${name}: ${value}`
      )
      const type = Body.mediaType(answer)
      const body = Body.isText(answer)
        ? answer.body.toString("utf8")
        : `[${answer.body.length}${answer.cut ? " or more" : ""} bytes of ${type}, which is no text]`
      const cut = answer.cut ? `\n[The body is cut here: it is longer than ${access.maxResponseSize} bytes.]` : ""
      // A server may echo what it was sent.
      const text = Array.from(access.secrets.values(), Redacted.value).reduce(
        (shown, secret) => secret === "" ? shown : shown.replaceAll(secret, "[REDACTED_SECRET]"),
        [`${answer.status} ${answer.statusText}`.trim(), ...lines, "", body + cut].join("\n").trimEnd()
      )
      return { text, rawOutput: { status: answer.status, contentType: type, bytes: answer.body.length } }
    })
  })
})
