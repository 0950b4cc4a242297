import { actionTools, type CodeGates, type DomainCategory } from "../../domain/CodeGates.ts"
import { reachedOf, type StoppableCall } from "../../domain/EmergencyStop.ts"
import { isNamedIn } from "../../domain/ToolName.ts"

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
} satisfies Record<DomainCategory, ReadonlyArray<string>>

export const needsCode = ({ actions, categories, domains, enabled }: CodeGates, call: StoppableCall): boolean => {
  if (!enabled) return false
  const { tool } = call
  const tools = actions.flatMap((action) => actionTools[action] ?? [action])
  return (tool !== undefined && isNamedIn(tools, tool)) ||
    reachedOf([...domains, ...categories.flatMap((category) => categoryDomains[category])], call) !== undefined
}
