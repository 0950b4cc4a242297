import { Context, Effect, type Redacted, Schema } from "effect"
import { canonicalHost, type HostKind, kindOfAddress, kindOfName } from "./HostAddress.ts"

/** What the operator lets a web tool reach (docs/configuration.md#web-tools). */
export interface WebAccess {
  readonly enabled: boolean
  /** `example.com` with everything below it, `*.example.com` only what is below it, `*` every host. */
  readonly allowedDomains: ReadonlyArray<string>
  /** Wins over the allowed ones. */
  readonly blockedDomains: ReadonlyArray<string>
  /** Addresses of this machine and its network; those that hand out cloud credentials stay closed unless named. */
  readonly allowPrivateHosts: boolean
  readonly timeoutSecs: number
  /** Bytes of text. */
  readonly maxResponseSize: number
}

export const defaults: WebAccess = {
  enabled: true,
  allowedDomains: ["*"],
  blockedDomains: [],
  allowPrivateHosts: false,
  timeoutSecs: 30,
  maxResponseSize: 500_000
}

/** As the operator wants it now. */
export const FetchAccess: Context.Reference<() => WebAccess> = Context.Reference("postern/tool/web/FetchAccess", {
  defaultValue: () => () => defaults
})

/** A value of an `Authorization` header, and where it may be sent to. */
interface BoundSecret {
  readonly value: Redacted.Redacted<string>
  /** `api.example.com`, `*.example.com`, with a port or without, which is 443; `http://host:port` for an origin without TLS. */
  readonly hosts: ReadonlyArray<string>
}

export interface HttpRequestAccess extends WebAccess {
  /** What `auth_secret` names. */
  readonly secrets: ReadonlyMap<string, BoundSecret>
}

/** Whether a secret with these hosts may be sent to the address: same host, same port, and TLS unless the entry says `http://`. */
export const isBoundTo = (hosts: ReadonlyArray<string>, { hostname, port, protocol }: URL): boolean =>
  hosts.some((entry) => {
    const [, scheme = "https:", rest = ""] = /^(?:(https?:)\/\/)?(.*)$/i.exec(entry.trim()) ?? []
    const [, wildcard, host = "", wantedPort] = /^(\*\.)?(.*?)(?::(\d+))?$/.exec(rest) ?? []
    const usual = protocol === "https:" ? "443" : "80"
    if (scheme.toLowerCase() !== protocol || (wantedPort ?? usual) !== (port || usual)) return false
    const [wanted, name] = [canonicalHost(host), canonicalHost(hostname)]
    return wildcard === undefined ? name === wanted : name.endsWith(`.${wanted}`)
  })

export const requestDefaults: HttpRequestAccess = { ...defaults, maxResponseSize: 1_000_000, secrets: new Map() }

/** As the operator wants it now. */
export const RequestAccess: Context.Reference<() => HttpRequestAccess> = Context.Reference(
  "postern/tool/web/RequestAccess",
  { defaultValue: () => () => requestDefaults }
)

export interface ResolvedAddress {
  readonly address: string
  readonly family: number
}

export class NotResolved extends Schema.TaggedError<NotResolved>()("NotResolved", { code: Schema.String }) {}

type Resolve = (hostname: string) => Effect.Effect<ReadonlyArray<ResolvedAddress>, NotResolved>

/** The addresses behind a host name. */
export const Resolver: Context.Reference<Resolve> = Context.Reference("postern/tool/web/Resolver", {
  defaultValue: (): Resolve => (hostname) =>
    Effect.tryPromise({
      try: () => process.getBuiltinModule("node:dns/promises").lookup(hostname, { all: true }),
      catch: (error) =>
        new NotResolved({ code: error instanceof Error && "code" in error ? String(error.code) : "UNKNOWN" })
    })
})

const isBelow = (hostname: string, domain: string): boolean => {
  const wanted = domain.trim().toLowerCase().replace(/\.$/, "")
  if (wanted === "*") return true
  return wanted.startsWith("*.")
    ? hostname.endsWith(wanted.slice(1))
    : hostname === wanted || hostname.endsWith(`.${wanted}`)
}

/**
 * Whether the operator lets a tool reach a host of this kind. The metadata services of clouds are open only where
 * private hosts are and the list names the very host, not a domain above it or `*`.
 */
export const opens = (
  { allowedDomains, allowPrivateHosts }: WebAccess,
  kind: HostKind,
  hostname: string
): boolean => {
  if (kind === "public") return true
  if (!allowPrivateHosts || kind === "private") return allowPrivateHosts
  const isMetadata = kindOfName(hostname) === kind || kindOfAddress(hostname) === kind
  return isMetadata && allowedDomains.some((domain) => canonicalHost(domain) === canonicalHost(hostname))
}

/** Why the operator's lists keep a host out; `undefined` when they do not. */
export const refusal = ({ allowedDomains, blockedDomains }: WebAccess, hostname: string): string | undefined => {
  const name = hostname.toLowerCase().replace(/\.$/, "")
  if (blockedDomains.some((domain) => isBelow(name, domain))) return `the operator blocks ${name}`
  return allowedDomains.some((domain) => isBelow(name, domain))
    ? undefined
    : `the operator's list of hosts does not have ${name}`
}
