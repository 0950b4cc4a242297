import { Context, Effect, type Redacted, Schema } from "effect"
import { BlockList, isIP } from "node:net"

/** What the operator lets a web tool reach (docs/configuration.md#web-tools). */
export interface WebAccess {
  readonly enabled: boolean
  /** `example.com` with everything below it, `*.example.com` only what is below it, `*` every host. */
  readonly allowedDomains: ReadonlyArray<string>
  /** Wins over the allowed ones. */
  readonly blockedDomains: ReadonlyArray<string>
  /** Addresses of this machine and its network; those that hand out cloud credentials stay closed. */
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

export interface HttpRequestAccess extends WebAccess {
  /** What `auth_secret` names: values of an `Authorization` header. */
  readonly secrets: ReadonlyMap<string, Redacted.Redacted<string>>
}

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

/** Why the operator's lists keep a host out; `undefined` when they do not. */
export const refusal = ({ allowedDomains, blockedDomains }: WebAccess, hostname: string): string | undefined => {
  const name = hostname.toLowerCase().replace(/\.$/, "")
  if (blockedDomains.some((domain) => isBelow(name, domain))) return `the operator blocks ${name}`
  return allowedDomains.some((domain) => isBelow(name, domain))
    ? undefined
    : `the operator's list of hosts does not have ${name}`
}

/** Which addresses are this machine's own or its network's: nothing a model asks for goes there unless the operator says so. */

const list = (family: "ipv4" | "ipv6", subnets: string): BlockList => {
  const blocked = new BlockList()
  for (const subnet of subnets.split(" ")) {
    const [network = "", prefix] = subnet.split("/")
    blocked.addSubnet(network, Number(prefix), family)
  }
  return blocked
}

const private4 = list(
  "ipv4",
  "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 " +
    "192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4"
)

/** Of the global range; everything outside it is private. */
const private6 = list("ipv6", "2001::/23 2001:db8::/32 2002::/16 3fff::/20")
const global6 = list("ipv6", "2000::/3")

/** IPv4 inside IPv6: mapped, and as NAT64 writes it. */
const wrapped = list("ipv6", "::ffff:0:0/96 64:ff9b::/96")

/** Where clouds hand out the credentials of a machine: closed even where private hosts are open. */
const metadata4 = list("ipv4", "169.254.169.254/32 169.254.170.0/24 100.100.100.200/32 192.0.0.192/32")
const metadata6 = list("ipv6", "fd00:ec2::/32 fe80::a9fe:a9fe/128")

export type AddressKind = "public" | "private" | "metadata"

/** The last 32 bits of an IPv6 address, dotted. */
const lastFour = (address: string): string => {
  if (address.includes(".")) return address.slice(address.lastIndexOf(":") + 1)
  const { hostname } = new URL(`http://[${address}]/`)
  const [low = "0", high = "0"] = hostname.slice(1, -1).split(":").reverse()
  const bits = [high === "" ? 0 : Number.parseInt(high, 16), low === "" ? 0 : Number.parseInt(low, 16)] as const
  return bits.flatMap((word) => [word >> 8, word & 255]).join(".")
}

/** An address that cannot be read counts as private. */
export const kindOfAddress = (written: string): AddressKind => {
  const address = written.replace(/%.*$/, "")
  switch (isIP(address)) {
    case 4:
      return metadata4.check(address) ? "metadata" : private4.check(address) ? "private" : "public"
    case 6: {
      if (wrapped.check(address, "ipv6")) return kindOfAddress(lastFour(address))
      if (metadata6.check(address, "ipv6")) return "metadata"
      return global6.check(address, "ipv6") && !private6.check(address, "ipv6") ? "public" : "private"
    }
    default:
      return "private"
  }
}

/** Names that mean this machine or its cloud wherever they resolve to. */
export const kindOfName = (hostname: string): AddressKind => {
  const name = hostname.toLowerCase().replace(/\.$/, "")
  if (/^(metadata|instance-data)(\.|$)/.test(name) && (!name.includes(".") || name.endsWith(".internal"))) {
    return "metadata"
  }
  return name === "localhost" || /\.(localhost|local|internal)$/.test(name) ? "private" : "public"
}
