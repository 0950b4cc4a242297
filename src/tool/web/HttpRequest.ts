import { Effect, Redacted, Schema } from "effect"
import * as ToolRequirements from "../../policy/decision/ToolRequirements.ts"
import { outputItem } from "../../domain/Content.ts"
import { tag } from "../../domain/secrets/LeakDetector.ts"
import * as Tool from "../Tool.ts"
import * as Body from "./Body.ts"
import * as HttpExchange from "./HttpExchange.ts"
import { type HttpRequestAccess, isBoundTo, RequestAccess, Resolver } from "./WebAccess.ts"

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

/** Headers in which a server takes the method that counts. */
const methodHeader = /^x-(http-method(-override)?|method-override)$/i

/**
 * What a request does besides asking for an answer: methods that change something, and content that it sends. See
 * docs/policy.md#categories.
 */
const risksOf = ({ body, headers, method }: Parameters): ReadonlyArray<string> => [
  ...(!reads.has(method ?? "GET") && method !== "POST" ? ["publish-deploy"] : []),
  ...(Object.keys(headers ?? {}).some((name) => methodHeader.test(name.trim())) ? ["publish-deploy"] : []),
  ...(method === "POST" || body ? ["exfil"] : [])
]

/** A request without side effects counts as a read. */
const onlyReads = (parameters: Parameters) => risksOf(parameters).length === 0 && !parameters.auth_secret

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
  function*({ headers }: Parameters, secret: Redacted.Redacted<string> | undefined): Effect.fn.Return<
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
    return secret === undefined ? sent : { ...sent, authorization: Redacted.value(secret) }
  }
)

/** The secret that the call names, where it may be sent to that address. */
const secretFor = (
  name: string | null | undefined,
  url: URL,
  { secrets }: HttpRequestAccess
): Effect.Effect<Redacted.Redacted<string> | undefined, Tool.ToolFailed> => {
  if (!name) return Effect.undefined
  const found = secrets.get(name)
  if (found === undefined) return Effect.fail(Tool.fail(`There is no secret "${name}" under [http_request.secrets].`))
  if (isBoundTo(found.hosts, url)) return Effect.succeed(found.value)
  return Effect.fail(Tool.fail(
    found.hosts.length === 0
      ? `The secret "${name}" is bound to no host, so it is not sent. The operator names its hosts under ` +
        `[http_request.secret_hosts], as in ${name} = ["${url.host}"].`
      : `The secret "${name}" is not sent to ${url.origin}; it is bound to ${found.hosts.join(", ")} ` +
        "([http_request.secret_hosts]; over https unless an entry begins with http://)."
  ))
}

/** What of a secret may come back: the whole header, and the credentials in it without their scheme. */
const wordsOf = (secret: string): ReadonlyArray<string> => {
  const bare = secret.replace(/^[\w-]+\s+/, "")
  const [user, ...password] = /^basic\s/i.test(secret) ? Buffer.from(bare, "base64").toString("utf8").split(":") : []
  const shortest = 6
  return [
    secret,
    ...[bare, password.length > 0 ? `${user}:${password.join(":")}` : "", password.join(":")]
      .filter((word) => word.length >= shortest)
  ]
}

const shownHeaders =
  /^(content-type|content-length|location|etag|last-modified|retry-after|allow|link|www-authenticate|x-ratelimit-.*|ratelimit.*)$/

/** What people see of a request besides its first line: all that it sends. */
const shownContent = ({ auth_secret, body, headers }: Parameters) => {
  const lines = [
    ...Object.entries(headers ?? {}).map(([name, value]) => `${name}: ${value}`),
    ...(auth_secret ? [`authorization: (the secret ${JSON.stringify(auth_secret)})`] : []),
    ...(body ? ["", body] : [])
  ]
  return lines.length === 0 ? {} : { content: [outputItem(lines.join("\n").replace(/^\n/, ""))] }
}

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
      ...(onlyReads(parameters) ? {} : { capabilities: ["rw"], changes: true, risks: risksOf(parameters) })
    }),
    preview: (parameters) =>
      Effect.succeed({
        title: `${parameters.method ?? "GET"} ${Tool.firstLine(parameters.url, 120)}`,
        ...shownContent(parameters)
      }),
    run: Effect.fnUntraced(function*(parameters) {
      const access = accessNow()
      if (!access.enabled) return yield* Tool.fail("http_request is switched off in the configuration.")
      const method = parameters.method ?? "GET"
      const url = yield* HttpExchange.parse(parameters.url)
      const headers = yield* headersOf(parameters, yield* secretFor(parameters.auth_secret, url, access))
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
        ? Body.decoded(answer)
        : `[${answer.body.length}${answer.cut ? " or more" : ""} bytes of ${type}, which is no text]`
      const cut = answer.cut ? `\n[The body is cut here: it is longer than ${access.maxResponseSize} bytes.]` : ""
      // A server may echo what it was sent.
      const text = Array.from(access.secrets.values(), ({ value }) => wordsOf(Redacted.value(value))).flat().reduce(
        (shown, secret) => secret === "" ? shown : shown.replaceAll(secret, tag("secret")),
        [`${answer.status} ${answer.statusText}`.trim(), ...lines, "", body + cut].join("\n").trimEnd()
      )
      return { text, rawOutput: { status: answer.status, contentType: type, bytes: answer.body.length } }
    })
  })
})
