import type { IncomingHttpHeaders } from "node:http"
import { isIP } from "node:net"
import { isLoopback } from "../config/schema/Consistency.ts"

/** What is read of a request before anything else is done with it (docs/gateway.md#what-is-checked). */

/** An IPv4 address that arrived over IPv6 is the IPv4 address. */
const plainAddress = (address: string): string => address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, "").toLowerCase()

/** The rightmost hop that is no trusted proxy: what stands further left is the client's own word. */
export const clientAddress = (
  remote: string | undefined,
  forwarded: string | ReadonlyArray<string> | undefined,
  trusted: ReadonlyArray<string>
): string => {
  const peer = plainAddress(remote ?? "unknown")
  const isTrusted = (address: string) => trusted.some((one) => plainAddress(one) === address)
  if (!isTrusted(peer)) return peer
  const hops = [forwarded ?? []].flat().join(",").split(",").map((hop) => plainAddress(hop.trim())).reverse()
  for (const hop of hops) {
    if (isIP(hop) === 0) return peer
    if (!isTrusted(hop)) return hop
  }
  return peer
}

/** The host of a `Host` header, its port left out; `undefined` where it is none. */
const hostOf = (header: string | undefined): string | undefined =>
  /^(\[[0-9a-f:.]+\]|[^\s:/?#@[\]]+)(?::\d{1,5})?$/i.exec(header ?? "")?.[1]?.toLowerCase()

interface SiteSettings {
  readonly host: string
  readonly port: number
  readonly allowedOrigins: ReadonlyArray<string>
}

const originHost = (origin: string): string | undefined => /^[a-z][a-z0-9+.-]*:\/\/([^/?#]+)$/i.exec(origin)?.[1]

/**
 * Whether the `Host` is one of this server: on loopback a page of another site may have a name that leads here. Names of
 * allowed origins are those of a proxy in front.
 */
export const isOwnHost = (header: string | undefined, { allowedOrigins, host }: SiteSettings): boolean => {
  const named = hostOf(header)
  if (named === undefined) return false
  if (!isLoopback(host)) return true
  return ["127.0.0.1", "localhost", "[::1]"].includes(named) ||
    allowedOrigins.some((origin) => hostOf(originHost(origin)) === named)
}

/** Whether a page of this origin may connect; programs send no `Origin`. */
export const isAllowedOrigin = (
  origin: string | undefined,
  hostHeader: string | undefined,
  { allowedOrigins, host, port }: SiteSettings
): boolean => {
  if (origin === undefined) return true
  const named = origin.toLowerCase()
  if (allowedOrigins.some((one) => one.toLowerCase() === named)) return true
  if (!/^https?:\/\//.test(named)) return false
  const from = originHost(named)
  if (from === undefined) return false
  if (from === hostHeader?.toLowerCase()) return true
  return isLoopback(host) && isLoopback(hostOf(from) ?? "") && from.endsWith(`:${port}`)
}

/** A token and where it stood; without one, nothing. Where the first of them stands nothing else is looked at. */
export const tokenIn = (headers: IncomingHttpHeaders, query: URLSearchParams): string | undefined => {
  const bearer = /^bearer(?:\s+(.*))?$/i.exec(headers.authorization?.trim() ?? "")
  if (bearer) return (bearer[1] ?? "").trim()
  const offered = protocolsOf(headers).find((protocol) => protocol.startsWith("bearer."))
  if (offered !== undefined) return offered.slice("bearer.".length)
  return query.get("token") ?? undefined
}

/** The subprotocols that a client of a WebSocket offers. */
export const protocolsOf = (headers: IncomingHttpHeaders): ReadonlyArray<string> =>
  (headers["sec-websocket-protocol"] ?? "").split(",").map((one) => one.trim()).filter((one) => one !== "")
