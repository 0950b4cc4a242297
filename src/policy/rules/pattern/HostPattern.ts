import { Result } from "effect"
import { domainToASCII } from "node:url"
import { compile, escaped, matches, type PatternAtom } from "./Glob.ts"
import type { PatternFault } from "./RuleUnreadable.ts"

/**
 * A host pattern: `example.com`, `*.example.com` for all depths below it, `example.com:443`. Without a port it matches
 * every port. `*` alone matches every host; elsewhere `*` stays within one label. See docs/policy.md#hosts-in-rules.
 */
export interface HostPattern {
  readonly everything: boolean
  readonly labels: ReadonlyArray<PatternAtom<string>>
  readonly port: string | undefined
}

const ascii = (label: string) => label.includes("*") ? label.toLowerCase() : domainToASCII(label)

const isLabel = (label: string) => label.startsWith("[") || (label !== "" && ascii(label) !== "")

export const parse = (text: string): Result.Result<HostPattern, PatternFault> => {
  const host = text.trim()
  const fail = (problem: string) => Result.fail({ at: 0, problem })
  if (host === "") return fail("the host is empty; write fetch alone to mean every host")
  if (host === "*" || host === "**") return Result.succeed({ everything: true, labels: ["many"], port: undefined })
  if (/[/?#@\s]/.test(host)) {
    const meant = host.replace(/^.*?:\/\//, "").replace(/[/?#\s].*$/s, "").replace(/^.*@/, "")
    return fail(`fetch takes a host, not an address; write fetch(${meant || "example.com"})`)
  }
  const [, name = "", port] = /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}|\*))?$/.exec(host) ?? []
  const labels = name.startsWith("[") ? [hostOf(`http://${name}`)] : name.replace(/\.$/, "").split(".")
  if (name === "" || !labels.every((label) => label !== undefined && isLabel(label))) {
    return fail("this is no host; write it as example.com, *.example.com or example.com:443")
  }
  const plain = name.startsWith("[") || name.includes("*") ? undefined : hostOf(`http://${name}`)
  const [first, ...rest] = plain?.split(".") ?? labels
  const atom = (label = ""): PatternAtom<string> =>
    compile(escaped(plain === undefined ? ascii(label) || label : label))
  return Result.succeed({
    everything: false,
    labels: first === "*" && rest.length > 0
      ? [() => true, "many", ...rest.map(atom)]
      : [atom(first), ...rest.map(atom)],
    port: port === "*" ? undefined : port
  })
}

const hostOf = (url: string): string | undefined => {
  if (!URL.canParse(url)) return undefined
  return new URL(url).hostname.replace(/\.$/, "")
}

const defaultPorts: Readonly<Record<string, string>> = {
  "http:": "80",
  "https:": "443",
  "ws:": "80",
  "wss:": "443",
  "ftp:": "21"
}

/** An invalid URL has no host: only `*` matches it. */
export const matchesUrl = (pattern: HostPattern, address: string): boolean => {
  if (pattern.everything) return true
  if (!URL.canParse(address)) return false
  const url = new URL(address)
  if (pattern.port !== undefined && (url.port || defaultPorts[url.protocol]) !== pattern.port) return false
  const host = url.hostname.replace(/\.$/, "")
  return matches(pattern.labels, host.startsWith("[") ? [host] : host.split("."))
}
