import { isNamedIn, type ToolName } from "./ToolName.ts"

/** What an emergency stop forbids, and why a call is forbidden by it. See docs/emergency-stop.md. */

export const levels = ["kill-all", "network-kill", "domain-block", "tool-freeze"] as const

export type StopLevel = typeof levels[number]

/** The union of the levels that are engaged. */
export interface StopState {
  /** Nothing runs: no turn, no call, no job in the background, no MCP server. */
  readonly killAll: boolean
  /** Nothing that uses a network runs, but for requests to models. */
  readonly networkKill: boolean
  /** Each with its subdomains. In lower case, without a dot at the end. */
  readonly blockedDomains: ReadonlyArray<string>
  /** By the name for models or the one for rules. */
  readonly frozenTools: ReadonlyArray<string>
  /** ISO 8601 in UTC; `undefined` where it was never engaged. */
  readonly updatedAt: string | undefined
  /** Why the state counts as `killAll` although nobody engaged that. */
  readonly problem?: string
}

export const disengaged: StopState = {
  killAll: false,
  networkKill: false,
  blockedDomains: [],
  frozenTools: [],
  updatedAt: undefined
}

export const isEngaged = ({ blockedDomains, frozenTools, killAll, networkKill }: StopState): boolean =>
  killAll || networkKill || blockedDomains.length > 0 || frozenTools.length > 0

/** A tool call or a server, as far as an emergency stop asks about it. */
export interface StoppableCall {
  readonly tool?: ToolName | undefined
  readonly network: boolean
  /** Addresses that it reaches. */
  readonly urls?: ReadonlyArray<string>
  /** Texts that may name a host: those of a command. */
  readonly texts?: ReadonlyArray<string>
}

export interface StopRefusal {
  readonly code: "EMERGENCY_STOP" | "NETWORK_STOP" | "TOOL_STOP" | "DOMAIN_BLOCKED"
  readonly reason: string
}

/** As it is stored: host names are compared without case, and with or without the dot of the root. */
export const normalDomain = (domain: string): string =>
  domain.trim().toLowerCase().replace(/^\*?\.+/, "").replace(/\.+$/, "")

/** Whether the text can be the name of a host or of a domain, or an address. */
export const isDomain = (domain: string): boolean =>
  /^(?=.{1,253}$)[\p{L}\p{N}_](?:[\p{L}\p{N}_.-]*[\p{L}\p{N}_])?$/u.test(domain) ||
  /^\[?[\da-f:.]*:[\da-f:.]*\]?$/.test(domain)

const isWithin = (host: string, domain: string): boolean => host === domain || host.endsWith(`.${domain}`)

const hostOf = (url: string): string | undefined =>
  URL.canParse(url) ? new URL(url).hostname.replace(/\.$/, "") : undefined

/** As `URL` writes it, which is how hosts of addresses look. */
const asHost = (domain: string): string => hostOf(`http://${domain}`) ?? domain

/** Whether a text has the domain, or a name below it, as a word. */
const mentions = (text: string, domain: string): boolean => {
  const lower = text.toLowerCase()
  for (let at = lower.indexOf(domain); at >= 0; at = lower.indexOf(domain, at + 1)) {
    const [before = "", after = ""] = [lower[at - 1], lower.slice(at + domain.length)]
    if (!/[\p{L}\p{N}_-]/u.test(before) && !/^(?:[\p{L}\p{N}_-]|\.[\p{L}\p{N}])/u.test(after)) return true
  }
  return false
}

/** The domain of the list that a call reaches, itself or a name below it. */
export const reachedOf = (
  domains: ReadonlyArray<string>,
  { texts = [], urls = [] }: StoppableCall
): string | undefined =>
  domains.find((domain) => {
    const host = asHost(domain)
    return urls.some((url) => {
      const found = hostOf(url)
      return found === undefined ? mentions(url, domain) : isWithin(found, host)
    }) || texts.some((text) => mentions(text, domain) || (host !== domain && mentions(text, host)))
  })

export const isFrozen = ({ frozenTools }: StopState, tool: ToolName): boolean => isNamedIn(frozenTools, tool)

/** Why the stop forbids the call; `undefined` where it does not. */
export const refusalOf = (state: StopState, call: StoppableCall): StopRefusal | undefined => {
  if (state.killAll) {
    return {
      code: "EMERGENCY_STOP",
      reason: `the emergency stop is engaged (kill-all)${state.problem === undefined ? "" : `: ${state.problem}`}`
    }
  }
  if (call.tool !== undefined && isFrozen(state, call.tool)) {
    return { code: "TOOL_STOP", reason: `the emergency stop has frozen the tool ${call.tool.name}` }
  }
  if (state.networkKill && call.network) {
    return { code: "NETWORK_STOP", reason: "the emergency stop has cut off the network, and this needs one" }
  }
  const domain = state.blockedDomains.length === 0 ? undefined : reachedOf(state.blockedDomains, call)
  return domain === undefined
    ? undefined
    : { code: "DOMAIN_BLOCKED", reason: `the emergency stop has blocked the domain ${domain}` }
}

/** The command that lifts what refuses a call, by the code of the refusal. */
export const resumeCommands: Readonly<Record<string, string>> = {
  EMERGENCY_STOP: "postern estop resume",
  NETWORK_STOP: "postern estop resume --network",
  TOOL_STOP: "postern estop resume --tool NAME",
  DOMAIN_BLOCKED: "postern estop resume --domain NAME"
} satisfies Record<StopRefusal["code"], string>
