import { Context, Effect, type Redacted, Schema } from "effect"

/** What the operator lets a web tool reach (`[web_fetch]` and `[http_request]`, zeroclaw §4.1). */
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
