import { reachedOf, type StoppableCall } from "./EmergencyStop.ts"
import { ruleName } from "./ToolName.ts"

/** Calls that need a one-time code, whatever else allows them. See docs/one-time-codes.md#what-asks-for-a-code. */

/**
 * Domains by what they are for: what somebody else could do most harm with. Each with its subdomains; country domains of
 * governments and banks are those that registries reserve for them.
 */
const categoryDomains = {
  banking: [
    "bank",
    ...["chase", "bankofamerica", "wellsfargo", "citi", "citibank", "usbank", "capitalone", "schwab", "fidelity"],
    ...["vanguard", "americanexpress", "discover", "paypal", "stripe", "wise", "revolut", "coinbase", "kraken"],
    ...["binance", "venmo", "squareup", "plaid", "monzo", "n26", "hsbc", "barclays", "ing", "santander"]
  ].flatMap((name) => name === "bank" ? [name] : [`${name}.com`]).concat([
    ...["hsbc.co.uk", "barclays.co.uk", "lloydsbank.co.uk", "natwest.co.uk", "deutsche-bank.de", "commerzbank.de"],
    ...["sparkasse.de", "bnpparibas.fr", "credit-agricole.fr", "bank.in", "icbc.com.cn", "mybank.cn", "alipay.com"]
  ]),
  medical: [
    ...["mychart.org", "mychart.com", "epic.com", "cerner.com", "athenahealth.com", "healthcare.gov", "medicare.gov"],
    ...["nhs.uk", "kp.org", "kaiserpermanente.org", "mayoclinic.org", "clevelandclinic.org", "teladoc.com"],
    ...["23andme.com", "labcorp.com", "questdiagnostics.com", "doctolib.fr", "doctolib.de", "zocdoc.com"]
  ],
  government: [
    ...["gov", "mil", "gov.uk", "gov.au", "govt.nz", "gc.ca", "canada.ca", "gouv.fr", "bund.de", "gob.es", "gob.mx"],
    ...["gov.br", "gov.in", "gov.cn", "go.jp", "go.kr", "admin.ch", "gov.it", "gov.pl", "gov.za", "europa.eu"]
  ],
  identity_providers: [
    ...["accounts.google.com", "login.microsoftonline.com", "login.live.com", "appleid.apple.com", "okta.com"],
    ...["oktapreview.com", "auth0.com", "onelogin.com", "pingidentity.com", "duosecurity.com", "jumpcloud.com"],
    ...["signin.aws.amazon.com", "login.salesforce.com", "id.me", "login.gov"]
  ]
} as const satisfies Readonly<Record<string, ReadonlyArray<string>>>

export type DomainCategory = keyof typeof categoryDomains

export const domainCategories = Object.keys(categoryDomains) as ReadonlyArray<DomainCategory>

/** Names of actions that stand for other tools than the one of that name, or for none of this version. */
const actionTools: Readonly<Record<string, ReadonlyArray<string>>> = {
  file_write: ["file_write", "file_edit"],
  browser: [],
  browser_open: []
}

/** Those beside the names of tools. */
export const actionNames: ReadonlyArray<string> = Object.keys(actionTools)

export const usualActions: ReadonlyArray<string> = ["shell", "file_write", "browser_open", "browser", "memory_forget"]

/** What is set under `[security.otp]`. */
export interface CodeGates {
  readonly enabled: boolean
  readonly actions: ReadonlyArray<string>
  /** As {@link normalDomain} writes them, those of the categories included. */
  readonly domains: ReadonlyArray<string>
}

export const domainsOf = (categories: ReadonlyArray<DomainCategory>): ReadonlyArray<string> =>
  categories.flatMap((category) => categoryDomains[category])

export const needsCode = ({ actions, domains, enabled }: CodeGates, call: StoppableCall): boolean => {
  if (!enabled) return false
  const { tool } = call
  const tools = actions.flatMap((action) => actionTools[action] ?? [action])
  return (tool !== undefined && (tools.includes(tool.name) || tools.includes(ruleName(tool)))) ||
    reachedOf(domains, call) !== undefined
}
