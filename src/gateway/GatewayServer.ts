import { WebSocketServer } from "@effect/platform-node/NodeWS"
import { Clock, Deferred, Duration, Effect, Exit, FiberSet, Schema } from "effect"
import type { WebSocket } from "@effect/platform-node/NodeWS"
import { readFileSync } from "node:fs"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { createServer as createTlsServer } from "node:https"
import type { Duplex } from "node:stream"
import type { AcpAccess } from "../acp/AcpAccess.ts"
import type { ServeOptions } from "../acp/AcpServer.ts"
import { retain } from "../acp/RetainedAttachment.ts"
import { LiveSettings } from "../config/LiveSettings.ts"
import { isLoopback } from "../config/schema/Consistency.ts"
import { Settings } from "../config/Settings.ts"
import type { GatewaySettings } from "../config/Snapshot.ts"
import { newId } from "../domain/Id.ts"
import { version } from "../domain/Version.ts"
import { type ConnectionLimits, usualLimits } from "../native/NativeServer.ts"
import type { PeerIdentity } from "../native/protocol/NativeConnection.ts"
import type { Transport } from "../rpc/Transport.ts"
import { type PairedToken, PairedTokens, principalOf } from "../security/PairedTokens.ts"
import { Pairing } from "../security/Pairing.ts"
import { Activity, Histogram } from "../session/Activity.ts"
import { anonymous, Principals } from "../security/Principals.ts"
import { type Answer, bodyOf, json, notAllowed, refusal, refuseUpgrade, retryLater, send } from "./Answers.ts"
import * as ClientGuard from "./ClientGuard.ts"
import { accessOf, type GatewayCaller } from "./GatewayCaller.ts"
import type { HttpConnection } from "./http/HttpConnection.ts"
import * as Metrics from "./Metrics.ts"
import * as StreamableHttp from "./http/StreamableHttp.ts"
import { clientAddress, isAllowedOrigin, isOwnHost, tokenIn } from "./RequestChecks.ts"
import * as WebSocketTransport from "./WebSocketTransport.ts"

/** The gateway cannot serve as configured; `message` names the key. */
export class GatewayRefused extends Schema.TaggedError<GatewayRefused>()("GatewayRefused", {
  message: Schema.String
}) {}

export interface GatewayOptions {
  readonly settings: GatewaySettings
  /** Both protocols have an `initialize`, and handlers of their own for it: each comes with its context. */
  readonly serveAcp: (transport: Transport, options: ServeOptions) => Effect.Effect<void>
  readonly serveNative: (transport: Transport, peer: PeerIdentity, limits: ConnectionLimits) => Effect.Effect<void>
  /** Whether there is such a session that the caller may see. */
  readonly knowsSession: (access: AcpAccess, sessionId: string) => Effect.Effect<boolean>
  /** What runs and waits now: live sessions, their turns, calls that wait for their session. */
  readonly load: () => { readonly sessions: number; readonly turns: number; readonly calls: number }
  /** Runs around each connection, as an ephemeral daemon counts its clients. */
  readonly counted: <A, E, R>(connection: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

const acpProtocol = "zeroclaw.acp.v1"
const maxConnections = 512
/** Connections that have not finished their first request. */
const maxPending = 256
const handshakeTime = 10_000
const maxPairingBody = 4096

const readTls = ({ certificate, key }: NonNullable<GatewaySettings["tls"]>) => {
  const read = (file: string, name: string) =>
    Effect.try({
      try: () => readFileSync(file),
      catch: (cause) =>
        new GatewayRefused({
          message: `gateway.tls.${name}: ${file} cannot be read: ${
            cause instanceof Error ? cause.message : String(cause)
          }`
        })
    })
  return Effect.all({ cert: read(certificate, "cert_path"), key: read(key, "key_path") })
}

const timeouts = {
  headersTimeout: handshakeTime,
  requestTimeout: 60_000,
  connectionsCheckingInterval: 2000,
  maxHeaderSize: 16 * 1024
}

const makeServer = Effect.fnUntraced(function*({ tls }: GatewaySettings): Effect.fn.Return<Server, GatewayRefused> {
  if (tls === undefined) return createServer(timeouts)
  const pair = yield* readTls(tls)
  return yield* Effect.try({
    try: () => createTlsServer({ ...timeouts, handshakeTimeout: handshakeTime, ...pair }),
    catch: (cause) =>
      new GatewayRefused({
        message: `gateway.tls.cert_path and key_path do not make a TLS server: ${
          cause instanceof Error ? cause.message : String(cause)
        }`
      })
  })
})

const listening = (server: Server, { host, port }: GatewaySettings) =>
  Effect.callback<void, GatewayRefused>((resume) => {
    server.once("error", (cause: NodeJS.ErrnoException) =>
      resume(Effect.fail(
        new GatewayRefused({
          message: cause.code === "EADDRINUSE"
            ? `gateway.port: address in use: another program serves ${host}:${port}; stop it, or choose another port`
            : `gateway.host: ${host}:${port} cannot be served: ${cause.message}`
        })
      ))).listen(port, host, () => resume(Effect.void))
  })

type Protocol = "acp-http" | "acp-websocket" | "native"

interface LiveConnection {
  readonly protocol: Protocol
  readonly caller: GatewayCaller
  readonly end: (code: number, reason: string) => void
}

/** Serves HTTP and WebSocket until the scope ends. See docs/gateway.md. */
export const serve = Effect.fnUntraced(function*(options: GatewayOptions) {
  const { counted, knowsSession, load, serveAcp, serveNative, settings } = options
  const tokens = yield* PairedTokens
  const pairing = yield* Pairing
  const principals = yield* Principals
  const processSettings = yield* Settings
  const live = yield* LiveSettings
  const clock = yield* Clock.Clock
  const fibers = yield* FiberSet.make<void>()
  const fork = yield* FiberSet.runtime(fibers)()
  const guard = ClientGuard.make()
  const activity = yield* Activity
  const requestSeconds = new Histogram()
  /** Connections that have not finished their first request. */
  const pending = new Set<Duplex>()
  const connections = new Set<LiveConnection>()
  const now = () => clock.currentTimeMillisUnsafe()

  /** The principal of a token; a token of a user that is gone has none. */
  const principalOfToken = Effect.fnUntraced(function*(token: PairedToken) {
    if (token.user === undefined) return principalOf(token)
    const user = (yield* live.current).table.users?.[token.user]
    return user === undefined ? undefined : user.principal_id ?? token.user
  })

  const addressOf = (request: IncomingMessage) =>
    clientAddress(request.socket.remoteAddress, request.headers["x-forwarded-for"], settings.trustedProxies)

  const checkSite = ({ headers: { host, origin } }: IncomingMessage): Answer | undefined =>
    !isOwnHost(host, settings)
      ? refusal(403, "This Host is not one of the gateway's.")
      : !isAllowedOrigin(origin, host, settings)
      ? refusal(
        403,
        "Pages of this Origin may not connect; the gateway's operator can list it in gateway.allowed_origins."
      )
      : undefined

  /** Who sends the request, or the refusal. `always`: also where no pairing is required. */
  const authenticate = Effect.fnUntraced(
    function*(
      request: IncomingMessage,
      query: URLSearchParams,
      always: boolean
    ): Effect.fn.Return<GatewayCaller, Answer> {
      const address = addressOf(request)
      const token = tokenIn(request.headers, query)
      const required = always || settings.requirePairing
      const locked = required ? guard.lockedFor(address, now()) : undefined
      if (locked !== undefined) return yield* Effect.fail(retryLater("Too many wrong tokens or codes.", locked))
      const entry = token === undefined ? undefined : yield* tokens.verify(token)
      const principal = entry === undefined ? undefined : yield* principalOfToken(entry)
      if (entry !== undefined && principal !== undefined) {
        guard.succeeded(address)
        return { principal, tokenId: entry.id, address }
      }
      if (!required) return { principal: anonymous, tokenId: undefined, address }
      if (token !== undefined && entry === undefined) {
        guard.failed(address, now())
        yield* Effect.logWarning(`gateway: ${address} was refused: wrong token`)
      }
      return yield* Effect.fail(refusal(
        401,
        token === undefined
          ? "A token is needed: pair with `postern pair`."
          : entry === undefined
          ? "The token is not valid: pair again with `postern pair`."
          : "The user of this token is not known any more.",
        { "www-authenticate": "Bearer" }
      ))
    }
  )

  const pair = Effect.fnUntraced(function*(request: IncomingMessage) {
    const address = addressOf(request)
    const locked = guard.lockedFor(address, now())
    if (locked !== undefined) return retryLater("Too many wrong tokens or codes.", locked)
    const wait = guard.pairing(address, now())
    if (wait !== undefined) return retryLater("Too many pairings.", wait)
    const body = yield* bodyOf(request, maxPairingBody)
    if (body === undefined) return refusal(413, "The body is too long.")
    const name = nameIn(body.toString("utf8"))
    if (name === null) return refusal(400, "The body is no JSON object with a name.")
    const code = request.headers["x-pairing-code"]
    if (typeof code !== "string" || code.trim() === "") return refusal(400, "The header X-Pairing-Code is missing.")
    const redeemed = yield* Effect.result(pairing.redeem(code.trim(), { name, address }))
    if (redeemed._tag === "Failure") {
      yield* Effect.logError(`gateway: a client could not be paired: ${redeemed.failure.message}`)
      return refusal(500, "The token could not be stored.")
    }
    if (redeemed.success === undefined) {
      guard.failed(address, now())
      yield* Effect.logWarning(`gateway: ${address} was refused: wrong pairing code`)
      return refusal(401, "The code is not valid; `postern pair` prints a new one.")
    }
    guard.succeeded(address)
    yield* Effect.logInfo(`gateway: ${address} paired`)
    return json({ token: redeemed.success })
  })

  const full = (): Answer | undefined =>
    connections.size < maxConnections
      ? undefined
      : refusal(503, `The gateway serves ${maxConnections} connections, which is its limit.`)

  const accessFor = (caller: GatewayCaller) => accessOf(caller, principals, processSettings, live)

  const acpOptions = (caller: GatewayCaller, query: URLSearchParams): ServeOptions => {
    const given = (name: string) => query.get(name)?.trim() || undefined
    return { agent: given("agent"), cwd: given("cwd"), access: accessFor(caller) }
  }

  const http = StreamableHttp.make({
    serve: (connection, query) => httpSession(connection, query),
    fork,
    full,
    knowsSession: (caller, sessionId) => knowsSession(accessFor(caller), sessionId),
    now
  })

  const metrics = (): Answer => {
    const { calls, sessions, turns } = load()
    const open: Record<Protocol, number> = { "acp-http": 0, "acp-websocket": 0, native: 0 }
    for (const { protocol } of connections) open[protocol]++
    const queues = { calls, events: http.depth(), handshakes: pending.size }
    const text = Metrics.format({ activity, requestSeconds, sessions, turns, connections: open, queues })
    return { status: 200, text, headers: { "content-type": Metrics.contentType } }
  }

  /** `undefined`: the response is a stream of events. */
  const respond = Effect.fnUntraced(function*(
    request: IncomingMessage,
    response: ServerResponse,
    shared: Readonly<Record<string, string>>
  ): Effect.fn.Return<Answer | undefined, Answer> {
    const refused = checkSite(request)
    if (refused !== undefined) return refused
    const { path, query } = targetOf(request, settings.pathPrefix)
    const { method = "GET" } = request
    const reads = method === "GET" || method === "HEAD"
    if (method === "OPTIONS" && request.headers["access-control-request-method"] !== undefined) {
      return { status: 204, text: "", headers: preflight }
    }
    switch (path) {
      case "/health":
        return reads ? json({ status: "ok" }) : notAllowed("GET, HEAD")
      case "/version":
        yield* authenticate(request, query, false)
        return reads ? json({ name: "postern", version }) : notAllowed("GET, HEAD")
      case "/metrics":
        yield* authenticate(request, query, false)
        return reads ? metrics() : notAllowed("GET, HEAD")
      case "/pair":
        return method === "POST" ? yield* pair(request) : notAllowed("POST")
      case "/acp":
        return yield* http.handle(request, response, yield* authenticate(request, query, false), query, shared)
      case "/rpc":
        yield* authenticate(request, query, true)
        return refusal(426, "This is a WebSocket.", { upgrade: "websocket" })
      default:
        return refusal(404, "There is nothing here.")
    }
  })

  const acpSockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: StreamableHttp.maxMessage,
    perMessageDeflate: compression,
    handleProtocols: (offered) => offered.has(acpProtocol) ? acpProtocol : offered.values().next().value ?? false
  })
  const nativeSockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: usualLimits.maxFrame,
    perMessageDeflate: compression,
    handleProtocols: (offered) => offered.values().next().value ?? false
  })
  const connectionIds = new WeakMap<IncomingMessage, string>()
  acpSockets.on("headers", (headers: Array<string>, request: IncomingMessage) => {
    headers.push(`Acp-Connection-Id: ${connectionIds.get(request) ?? ""}`)
  })

  const upgraded = (sockets: WebSocketServer, request: IncomingMessage, socket: Duplex, head: Buffer) =>
    Effect.callback<WebSocket>((resume) => {
      sockets.handleUpgrade(request, socket, head, (made) => {
        made.on("error", () => {})
        resume(Effect.succeed(made))
      })
      socket.once("close", () => resume(Effect.interrupt))
    })

  /** Runs until the client leaves, or is told why it has to: its token was revoked, or the daemon ends. */
  const untilTold = <A>(protocol: Protocol, caller: GatewayCaller, use: Effect.Effect<A>) =>
    counted(Effect.suspend(() => {
      const told = Deferred.makeUnsafe<readonly [number, string]>()
      const connection: LiveConnection = {
        protocol,
        caller,
        end: (code, reason) => Deferred.doneUnsafe(told, Exit.succeed([code, reason] as const))
      }
      connections.add(connection)
      return Effect.ensuring(
        Effect.raceFirst(use, Deferred.await(told)),
        Effect.sync(() => connections.delete(connection))
      )
    }))

  /** One client on one WebSocket. */
  const session = (socket: WebSocket, protocol: Protocol, caller: GatewayCaller, use: Effect.Effect<void>) =>
    untilTold(
      protocol,
      caller,
      Effect.raceFirst(
        Effect.as(use, [1000, ""] as const),
        Effect.as(WebSocketTransport.keepAlive(socket), "silent" as const)
      )
    ).pipe(
      Effect.flatMap((farewell) =>
        farewell === "silent" ? Effect.void : WebSocketTransport.close(socket, farewell[0], farewell[1])
      ),
      Effect.ensuring(Effect.sync(() => socket.terminate()))
    )

  /** One client on requests and streams of events. */
  const httpSession = (connection: HttpConnection, query: URLSearchParams) => {
    const options: ServeOptions = {
      ...acpOptions(connection.caller, query),
      retain: connection.retain,
      hasLeft: () => connection.hasLeft
    }
    return untilTold(
      "acp-http",
      connection.caller,
      Effect.raceFirst(serveAcp(connection.transport, options), connection.keepAlive(now))
    ).pipe(Effect.asVoid, Effect.ensuring(Effect.sync(() => connection.close())))
  }

  const onUpgrade = Effect.fnUntraced(function*(request: IncomingMessage, socket: Duplex, head: Buffer) {
    const refused = full() ?? checkSite(request)
    if (refused !== undefined) return yield* Effect.fail(refused)
    const { path, query } = targetOf(request, settings.pathPrefix)
    if (path !== "/acp" && path !== "/rpc") return yield* Effect.fail(refusal(404, "There is nothing here."))
    const caller = yield* authenticate(request, query, path === "/rpc")
    if (path === "/acp") {
      connectionIds.set(request, newId())
      const made = yield* upgraded(acpSockets, request, socket, head)
      const options = { ...acpOptions(caller, query), retain }
      return yield* session(made, "acp-websocket", caller, serveAcp(WebSocketTransport.fromWebSocket(made), options))
    }
    const made = yield* upgraded(nativeSockets, request, socket, head)
    const scheme = settings.tls === undefined ? "ws" : "wss"
    const peer = { label: `${scheme}:${caller.address}`, uid: undefined, principal: caller.principal }
    const limits = { ...usualLimits, greeting: Duration.millis(handshakeTime) }
    yield* session(
      made,
      "native",
      caller,
      serveNative(WebSocketTransport.fromWebSocket(made), peer, limits)
    )
  })

  const server = yield* makeServer(settings)
  server.on(settings.tls === undefined ? "connection" : "secureConnection", (socket: Duplex) => {
    if (pending.size >= maxPending) return void socket.destroy()
    pending.add(socket)
    socket.once("close", () => pending.delete(socket))
  })
  server.on("clientError", (_, socket) => socket.destroy())
  server.on("request", (request, response) => {
    pending.delete(request.socket)
    const shared = sharedWith(request, settings)
    const since = now()
    fork(
      Effect.catch(respond(request, response, shared), Effect.succeed)
        .pipe(
          Effect.map((answer) => {
            if (answer === undefined) return
            requestSeconds.observe((now() - since) / 1000)
            // What is left of a body that nobody wants would be taken for the next request.
            if (!request.complete) response.shouldKeepAlive = false
            send(response, { ...answer, headers: { ...answer.headers, ...shared } })
          })
        )
    )
  })
  server.on("upgrade", (request, socket, head) => {
    pending.delete(socket)
    socket.on("error", () => {})
    fork(Effect.catch(onUpgrade(request, socket, head), (answer) => Effect.sync(() => refuseUpgrade(socket, answer))))
  })
  tokens.onRevoke((id) => {
    for (const { caller, end } of connections) if (caller.tokenId === id) end(1008, "the token was revoked")
  })
  yield* Effect.acquireRelease(listening(server, settings), () =>
    Effect.suspend(() => {
      server.close()
      for (const { end } of connections) end(1001, "the gateway is going away")
      return Effect.timeoutOption(FiberSet.awaitEmpty(fibers), "2 seconds").pipe(
        Effect.andThen(Effect.sync(() => server.closeAllConnections()))
      )
    }))
  if (!settings.requirePairing) yield* Effect.logWarning("gateway.require_pairing is false: /acp takes every client")
  if (!isLoopback(settings.host) && settings.tls === undefined) {
    yield* Effect.logWarning("the gateway serves other machines without TLS; put a proxy with TLS in front of it")
  }
  const failed = Deferred.makeUnsafe<never, GatewayRefused>()
  server.on(
    "error",
    (cause) =>
      Deferred.doneUnsafe(failed, Exit.fail(new GatewayRefused({ message: `the gateway failed: ${cause.message}` })))
  )
  return { failed: Deferred.await(failed) }
})

/**
 * Where the client asks for it, and for messages from 8 KiB on: a smaller one fits into a few packets as it is. Nothing
 * is kept from one message to the next, and little for a connection: there may be 512 of them.
 */
const compression = {
  threshold: 8192,
  serverNoContextTakeover: true,
  clientNoContextTakeover: true,
  zlibDeflateOptions: { level: 3, memLevel: 6 },
  concurrencyLimit: 4
}

/** What pages of allowed origins may send, for as long as a browser remembers it. */
const preflight = {
  "access-control-allow-methods": "GET, POST, DELETE",
  "access-control-allow-headers":
    "Authorization, Content-Type, Acp-Connection-Id, Acp-Session-Id, Acp-Protocol-Version, X-Pairing-Code",
  "access-control-max-age": "600"
}

/** Lets the page of an allowed origin read the answer. */
const sharedWith = ({ headers: { host, origin } }: IncomingMessage, settings: GatewaySettings) =>
  origin === undefined || !isAllowedOrigin(origin, host, settings) ? {} : {
    "access-control-allow-origin": origin,
    "access-control-expose-headers": "Acp-Connection-Id, Retry-After",
    vary: "Origin"
  }

/** The name in a body that may be empty; `null` where it is no such body. */
const nameIn = (body: string): string | undefined | null => {
  if (body.trim() === "") return undefined
  try {
    const value: unknown = JSON.parse(body)
    if (typeof value !== "object" || value === null || Array.isArray(value)) return null
    const { name } = value as { readonly name?: unknown }
    return name === undefined || name === null ? undefined : typeof name === "string" ? name : null
  } catch {
    return null
  }
}

/** The path below the prefix; empty where the request is for something else. */
const targetOf = ({ url = "/" }: IncomingMessage, prefix: string) => {
  const [path = "", search = ""] = url.split("?", 2)
  return {
    path: path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : "",
    query: new URLSearchParams(search)
  }
}
