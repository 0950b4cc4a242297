import type { IncomingMessage } from "node:http"
import { isIP } from "node:net"
import { Effect } from "effect"
import * as Progress from "../../rpc/Progress.ts"
import { fail, type ToolFailed } from "../Tool.ts"
import { type HostKind, kindOfAddress, kindOfName } from "./HostAddress.ts"
import { opens, refusal, type ResolvedAddress, Resolver, type WebAccess } from "./WebAccess.ts"

/** One HTTP request and its answer. The connection goes to the address that was checked: a name is resolved once. */

interface WebRequest {
  readonly url: URL
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
}

export interface WebResponse {
  readonly status: number
  readonly statusText: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  /** The body was longer than the limit. */
  readonly cut: boolean
}

/** A web address as a tool takes it. */
export const parse = (text: string): Effect.Effect<URL, ToolFailed> => {
  if (!URL.canParse(text)) {
    return Effect.fail(fail(`${text} is no web address; write it whole, as https://example.com/page.`))
  }
  const url = new URL(text)
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    return Effect.fail(fail(`${url.protocol} addresses cannot be fetched, only http and https.`))
  }
  if (url.username !== "" || url.password !== "") {
    return Effect.fail(fail("An address with a login in it cannot be fetched."))
  }
  return Effect.succeed(url)
}

type Checked = readonly [ResolvedAddress, ...ReadonlyArray<ResolvedAddress>]

/** The addresses to connect to, when the host may be reached at all: one closed address closes the name. */
const checked = Effect.fnUntraced(
  function*({ hostname: written, host }: URL, access: WebAccess): Effect.fn.Return<Checked, ToolFailed> {
    const hostname = written.replace(/^\[|\]$/g, "")
    const refused = (why: string) => fail(`${host} may not be reached: ${why}.`)
    const listed = refusal(access, hostname)
    if (listed !== undefined) return yield* refused(listed)
    const closed = (kind: HostKind) => !opens(access, kind, hostname)
    const words = {
      public: "",
      private: "belongs to this machine or its network",
      metadata: "hands out credentials of the machine"
    }
    const byName = isIP(hostname) === 0 ? kindOfName(hostname) : "public"
    if (closed(byName)) return yield* refused(`the name ${words[byName]}`)
    const resolve = yield* Resolver
    const addresses = isIP(hostname) === 0
      ? yield* Effect.mapError(
        resolve(hostname),
        ({ code }) => fail(`${host} was not found (${code}). Check the spelling.`)
      )
      : [{ address: hostname, family: isIP(hostname) }]
    for (const { address } of addresses) {
      const kind = kindOfAddress(address)
      if (closed(kind)) {
        return yield* refused(`its address ${address} ${words[kind]}`)
      }
    }
    const [first, ...others] = addresses
    return first === undefined ? yield* fail(`${host} was not found (it has no address).`) : [first, ...others]
  }
)

/** Reads at most `limit` bytes of the body. Interruption ends the connection. */
export const send = Effect.fnUntraced(
  function*(request: WebRequest, access: WebAccess, limit: number): Effect.fn.Return<WebResponse, ToolFailed> {
    const addresses = yield* checked(request.url, access)
    const progress = yield* Progress.make
    return yield* connect(request, addresses, limit, progress.mark).pipe(
      Progress.unlessSilent(
        progress,
        `${access.timeoutSecs} seconds`,
        () => Effect.fail(fail(`${request.url.host} did not answer within ${access.timeoutSecs} s.`))
      )
    )
  }
)

const userAgent = "Postern/0.1 (+coding agent)"

const connect = (
  { body, headers, method, url }: WebRequest,
  addresses: Checked,
  limit: number,
  onBytes: () => void
): Effect.Effect<WebResponse, ToolFailed> =>
  Effect.callback((resume) => {
    const { request } = process.getBuiltinModule(url.protocol === "https:" ? "node:https" : "node:http")
    const failed = (error: NodeJS.ErrnoException) =>
      resume(Effect.fail(fail(`${url.host} could not be reached: ${reasonOf(error)}.`)))
    try {
      const sent = request(url, {
        method,
        headers: { "user-agent": userAgent, accept: "*/*", "accept-encoding": "gzip, deflate, br", ...headers },
        // A pooled connection would be one that was checked for another name.
        agent: false,
        lookup: (_hostname, options, done) =>
          options.all ? done(null, [...addresses]) : done(null, addresses[0].address, addresses[0].family)
      })
      sent.on(
        "response",
        (response) => read(response, method, limit, (answer) => resume(Effect.succeed(answer)), failed, onBytes)
      )
      sent.on("error", failed)
      sent.end(body)
      return Effect.sync(() => void sent.destroy())
    } catch (error) {
      failed(error instanceof Error ? error : new Error(String(error)))
      return Effect.void
    }
  })

const decoderOf = (encoding: string | undefined) => {
  const zlib = process.getBuiltinModule("node:zlib")
  switch (encoding?.trim().toLowerCase()) {
    case "gzip":
    case "x-gzip":
      return zlib.createGunzip({ finishFlush: zlib.constants.Z_SYNC_FLUSH })
    case "deflate":
      return zlib.createInflate({ finishFlush: zlib.constants.Z_SYNC_FLUSH })
    case "br":
      return zlib.createBrotliDecompress()
    default:
      return undefined
  }
}

const read = (
  response: IncomingMessage,
  method: string,
  limit: number,
  done: (answer: WebResponse) => void,
  failed: (error: Error) => void,
  onBytes: () => void
) => {
  const chunks: Array<Buffer> = []
  let length = 0
  const finish = (cut: boolean) => {
    response.destroy()
    done({
      status: response.statusCode ?? 0,
      statusText: response.statusMessage ?? "",
      headers: Object.fromEntries(
        Object.entries(response.headers).map(([name, value]) => [name, [value].flat().join(", ")])
      ),
      body: Buffer.concat(chunks).subarray(0, limit),
      cut
    })
  }
  const bodiless = method === "HEAD" || response.statusCode === 204 || response.statusCode === 304
  const decoder = bodiless ? undefined : decoderOf(response.headers["content-encoding"])
  const body = decoder === undefined ? response : response.on("error", failed).pipe(decoder)
  response.on("data", onBytes)
  body.on("data", (chunk: Buffer) => {
    if (length > limit) return
    chunks.push(chunk)
    length += chunk.length
    if (length > limit) finish(true)
  })
  body.on("end", () => finish(false))
  body.on("error", failed)
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the connection was refused",
  ECONNRESET: "the connection was closed",
  ETIMEDOUT: "the connection timed out",
  EHOSTUNREACH: "there is no way to the host",
  ENETUNREACH: "there is no network",
  CERT_HAS_EXPIRED: "its certificate has expired",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is not trusted",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate is not trusted",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its certificate is not trusted",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another host"
}

const reasonOf = (error: NodeJS.ErrnoException): string =>
  reasons[error.code ?? ""] ?? (error.code ?? "the answer could not be read")
