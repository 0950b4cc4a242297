import { rules as preset } from "@secretlint/secretlint-rule-preset-recommend"
import type { WordRule } from "./SecretScanner.ts"

/**
 * The base of the leak detector: the rules of `@secretlint/secretlint-rule-preset-recommend` that know tokens by their
 * prefix. Each runs only on words that begin with one of its prefixes, which bounds its work; over whole texts the rules
 * take 5 to 25 ms a megabyte, and some of them take time that grows with the square of a line.
 */

/** As much of a rule as is used here. See https://github.com/secretlint/secretlint/tree/master/packages/%40secretlint/types */
interface Creator {
  readonly meta: { readonly id: string }
  readonly create: (context: object, options: object) => { readonly file: (source: object) => unknown }
}

interface Prefixed {
  readonly name: string
  readonly keywords: ReadonlyArray<string>
}

/** By the end of the rule's id. */
const prefixed: Readonly<Record<string, Prefixed>> = {
  "npm": { name: "npm token", keywords: ["npm_"] },
  "slack": { name: "Slack token", keywords: ["xoxb-", "xoxp-", "xapp-", "xoxa-", "xoxo-", "xoxr-"] },
  "sendgrid": { name: "SendGrid key", keywords: ["sg."] },
  "shopify": { name: "Shopify token", keywords: ["shppa_", "shpca_", "shpat_", "shpss_"] },
  "stripe": { name: "Stripe key", keywords: ["sk_live_", "sk_test_", "rk_live_", "rk_test_"] },
  "github": { name: "GitHub token", keywords: ["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"] },
  "gitlab": { name: "GitLab token", keywords: ["glpat-"] },
  "grafana": { name: "Grafana token", keywords: ["glc_", "glsa_"] },
  "openai": { name: "OpenAI key", keywords: ["sk-"] },
  "anthropic": { name: "Anthropic key", keywords: ["sk-ant-"] },
  "groq": { name: "Groq key", keywords: ["gsk_"] },
  "huggingface": { name: "Hugging Face token", keywords: ["hf_"] },
  "linear": { name: "Linear key", keywords: ["lin_api_"] },
  "notion": { name: "Notion token", keywords: ["ntn_"] },
  "1password": { name: "1Password token", keywords: ["ops_ey"] },
  "hashicorp-vault": { name: "Vault token", keywords: ["hvs.", "hvb.", "hvr."] },
  "vercel": { name: "Vercel token", keywords: ["vcp_", "vci_", "vca_", "vcr_", "vck_"] },
  "databricks": { name: "Databricks token", keywords: ["dapi"] },
  "docker": { name: "Docker token", keywords: ["dckr_pat_"] },
  "figma": { name: "Figma token", keywords: ["figd_"] },
  "cloudflare": { name: "Cloudflare token", keywords: ["cfk_", "cfut_", "cfat_"] },
  "tailscale": { name: "Tailscale key", keywords: ["tskey-"] }
}

/** Rules that are left out, and why. */
const leftOut: Readonly<Record<string, string>> = {
  "aws": "knows a key by its name, which the own rules do for more names",
  "gcp": "reads only whole files with a name",
  "privatekey": "finds no key that is indented, encrypted or cut off, and would replace its lines by one",
  "basicauth": "would replace the whole address",
  "database-connection-string": "would replace the whole address",
  "filter-comments": "a comment in the text would turn the other rules off"
}

const prefix = "@secretlint/secretlint-rule-"

const idOf = ({ meta }: Creator): string => meta.id.slice(meta.id.startsWith(prefix) ? prefix.length : 0)

const creators: ReadonlyArray<Creator> = preset

/** Rules of the preset that a newer version brought and that neither list names. */
export const unknown: ReadonlyArray<string> = creators.map(idOf).filter((id) =>
  !Object.hasOwn(prefixed, id) && !Object.hasOwn(leftOut, id)
)

const isRange = (range: unknown): range is readonly [number, number] =>
  Array.isArray(range) && typeof range[0] === "number" && typeof range[1] === "number"

const wordRule = (creator: Creator, { keywords, name }: Prefixed): WordRule => {
  let ranges: Array<readonly [number, number]> = []
  const { file } = creator.create({
    sharedOptions: {},
    createTranslator: () => () => ({ message: "", messageId: "" }),
    ignore: () => {},
    report: ({ range }: { readonly range?: unknown }) => {
      if (isRange(range)) ranges.push(range)
    }
  }, {})
  return {
    name,
    keywords,
    find: (content) => {
      ranges = []
      file({ content, filePath: undefined, ext: "", contentType: "text" })
      const [first] = ranges.sort(([one], [other]) => one - other)
      return first === undefined ? undefined : { start: first[0], end: first[1] }
    }
  }
}

export const rules: ReadonlyArray<WordRule> = creators.flatMap((creator) => {
  const known = prefixed[idOf(creator)]
  return known === undefined ? [] : [wordRule(creator, known)]
})
