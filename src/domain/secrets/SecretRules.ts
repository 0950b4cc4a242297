import { decodesToLogin, isKey, isMixedKey, isPassword, isPlainKey } from "./SecretChecks.ts"

/**
 * What the detector knows of secrets beside the rules of `@secretlint/secretlint-rule-preset-recommend`, as data
 * (docs/tools.md#secrets-in-results). A rule is tried only where one of its keywords stands, so that the cost of a text
 * does not grow with the number of rules; every pattern is anchored there.
 */

/** A secret with a form of its own. */
export interface TokenRule {
  /** What the tag in its place says: `[redacted: GitHub token]`. */
  readonly name: string
  /** Lower case; the text may have them in any case. */
  readonly keywords: ReadonlyArray<string>
  /** Matched where the keyword begins. A group named `secret` is replaced, otherwise the whole match. */
  readonly pattern: RegExp
  /** Matched at the end of the 64 characters before the keyword, which then belong to the secret too. */
  readonly before?: RegExp
  /** Whether what is to be replaced is a secret; by default whether it is no placeholder. */
  readonly check?: (secret: string) => boolean
  /** The keyword may stand in the middle of a word. */
  readonly inside?: boolean
}

const token = (name: string, forms: Record<string, string>, more: Partial<TokenRule> = {}): TokenRule => ({
  name,
  keywords: Object.keys(forms).map((form) => form.toLowerCase()),
  pattern: new RegExp(
    `(?:${
      Object.entries(forms).map(([prefix, body]) => prefix.replace(/[.*+?^${}()|[\]\\]/g, "\\$&") + body).join("|")
    })`,
    "y"
  ),
  ...more
})

const all = (body: string, ...prefixes: ReadonlyArray<string>): Record<string, string> =>
  Object.fromEntries(prefixes.map((prefix) => [prefix, body]))

const an = (least: number, most = 400) => `[A-Za-z0-9]{${least},${most}}`
const word = (least: number, most = 1024) => `[A-Za-z0-9_-]{${least},${most}}`
const hex = (least: number, most = least) => `[0-9a-fA-F]{${least},${most}}(?![0-9A-Za-z])`
const base64 = (least: number, most = 2048) => `[A-Za-z0-9+/_-]{${least},${most}}={0,2}`
const uuid = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"

/** Made when the first text is read, not at start. */
export const tokenRules = (): ReadonlyArray<TokenRule> => [
  // Clouds
  token("AWS access key", all("[A-Z0-9]{16}(?![A-Za-z0-9])", "AKIA", "ASIA")),
  token("AWS Bedrock key", { "ABSK": base64(80, 400), "bedrock-api-key-": base64(80) }),
  token("AWS session token", all(base64(80, 4096), "IQoJb3JpZ2lu", "FwoGZXIvYXdz")),
  token("Google API key", { "AIza": word(35, 35) + "(?![A-Za-z0-9_-])" }),
  token("Google client secret", { "GOCSPX-": word(24, 64) }),
  token("Google access token", { "ya29.": word(30, 2048), "1//0": word(60, 512), "AQ.Ab": word(30, 128) }),
  token("Azure client secret", { "8Q~": "[A-Za-z0-9_~.-]{31,34}", "7Q~": "[A-Za-z0-9_~.-]{31,34}" }, {
    before: /(?<![A-Za-z0-9_~.-])[A-Za-z0-9_~.-]{3}$/,
    inside: true
  }),
  token("Azure DevOps token", { "AZDO": "[A-Za-z0-9]{4}" }, {
    before: /(?<![A-Za-z0-9])[A-Za-z0-9]{48,}$/,
    inside: true
  }),
  token("Azure key", {
    "+ASt": "[A-Za-z0-9+/=]{8,}",
    "ACDb": "[A-Za-z0-9+/=]{8,}",
    "AzCa": base64(6),
    "AzSe": base64(6)
  }, {
    before: /(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{33,}$/,
    inside: true
  }),
  token("Alibaba access key", { "LTAI": "[A-Za-z0-9]{16,26}(?![A-Za-z0-9])" }),
  token("Tencent key id", { "AKID": "[A-Za-z0-9]{32}(?![A-Za-z0-9])" }),
  token("Yandex key", all(word(30, 60), "AQVN", "YCAJ", "t1.9eu")),
  token("DigitalOcean token", all(hex(64), "dop_v1_", "doo_v1_", "dor_v1_")),
  token("Heroku key", { "HRKU-": word(36, 80) }),
  token("Fly token", {
    "FlyV1 fm": "\\d[ab]?_[A-Za-z0-9+/=,_-]{60,4096}",
    "fm2_": base64(60),
    "fm1a_": base64(60),
    "fo1_": word(40, 60)
  }),
  token("Cloudflare key", { "v1.0-": "[0-9a-f]{24}-[0-9a-f]{100,160}" }),
  token("Netlify token", all(an(36, 60), "nfp_", "nfo_", "nfc_", "nfb_", "nfu_")),
  token("Vercel Blob token", { "vercel_blob_rw_": "[A-Za-z0-9_]{24,80}" }),
  token("Render key", { "rnd_": an(24, 40) }, { check: isMixedKey }),
  token("Scalingo token", { "tk-us-": word(48, 60) }, { check: isMixedKey }),
  token("OpenShift token", { "sha256~": word(43, 43) }),
  token("Terraform Cloud token", { ".atlasv1.": "[A-Za-z0-9_=-]{60,80}" }, {
    before: /(?<![A-Za-z0-9])[A-Za-z0-9]{14}$/,
    inside: true
  }),
  token("Pulumi token", { "pul-": hex(40) }),
  token("Convex key", all("[a-z0-9-]{1,80}\\|" + base64(40), "prod:", "preview:", "dev:")),
  // Code hosts, build services, registries
  token("GitHub token", {
    ...all("[A-Za-z0-9_.-]{36,2048}", "ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
    "github_pat_": "[A-Za-z0-9_]{36,255}"
  }),
  token("GitLab token", {
    ...all("[A-Za-z0-9_-]{20,300}(?:\\.[a-z0-9]{2}\\.[a-z0-9]{9,})?", ...[
      "glpat-",
      "gldt-",
      "glrt-",
      "glcbt-",
      "glptt-",
      "glft-"
    ]),
    ...all("[A-Za-z0-9_.-]{20,300}", ...["glimt-", "glagent-", "gloas-", "glsoat-", "glffct-", "glrtr-", "glwt-"]),
    "GR1348941": word(20, 60)
  }),
  token("Bitbucket token", { "ATBB": an(24, 40) }),
  token("Atlassian token", all("[A-Za-z0-9_=-]{40,400}", "ATATT3x", "ATCTT3x", "ATSTT3x", "ATOAT3x")),
  token("npm token", { "npm_": an(36, 60) }, { check: isMixedKey }),
  token("RubyGems key", { "rubygems_": hex(48) }),
  token("PyPI token", all(word(50, 1024), "pypi-AgEIcHlwaS", "pypi-AgENdGVzdC")),
  token("NuGet key", { "oy2": "[a-z0-9]{43}(?![A-Za-z0-9])" }, { check: isMixedKey }),
  token("Cargo token", { "cio": "[A-Za-z0-9]{32}(?![A-Za-z0-9])" }, { check: isMixedKey }),
  token("Clojars token", { "CLOJARS_": hex(60) }),
  token("Docker token", all(word(24, 60), "dckr_pat_", "dckr_oat_")),
  token("Artifactory key", { "AKCp": an(60, 80), "cmVmdGtu": an(48, 80) }),
  token("Buildkite token", all(an(40, 60), "bkua_", "bkaa_", "bkrt_", "bkpt_", "bkct_"), { check: isMixedKey }),
  token("CircleCI token", {
    "CCIPAT_": "[A-Za-z0-9]{16,40}_[0-9a-f]{40}",
    "CCIPRJ_": "[A-Za-z0-9]{16,40}_[0-9a-f]{40}"
  }),
  token("SonarQube token", all(hex(40), "squ_", "sqp_", "sqa_")),
  token("Sourcegraph token", { "sgp_": "(?:[0-9a-f]{16}_|local_)?[A-Za-z0-9]{40,64}" }),
  token("Harness token", {
    "pat.": "[A-Za-z0-9_-]{22}\\.[0-9a-f]{24}\\.[A-Za-z0-9]{20}",
    "sat.": "[A-Za-z0-9_-]{22}\\.[0-9a-f]{24}\\.[A-Za-z0-9]{20}"
  }),
  token("Octopus key", { "API-": "[A-Z0-9]{25,32}(?![A-Za-z0-9-])" }, { check: isMixedKey }),
  token("Snyk token", { "snyk_": word(30, 200) }, { check: isMixedKey }),
  token("Infracost key", { "ico-": "[A-Za-z0-9]{32}(?![A-Za-z0-9])" }, { check: isMixedKey }),
  token("Prefect key", all("[A-Za-z0-9]{36}(?![A-Za-z0-9])", "pnu_", "pnb_"), { check: isMixedKey }),
  token("Postman key", { "PMAK-": "[0-9a-f]{24}-[0-9a-f]{34}", "PMAT-": an(24, 40) }),
  token("ReadMe key", { "rdme_": "[a-z0-9]{60,80}" }),
  // Payment and shops
  token("Stripe key", {
    ...all("[A-Za-z0-9]{16,250}", "sk_live_", "sk_test_", "rk_live_", "rk_test_", "sk_org_live_", "sk_org_test_"),
    "whsec_": "[A-Za-z0-9+/]{24,100}={0,2}"
  }),
  token("Shopify token", all(hex(32, 64), "shpat_", "shpss_", "shpca_", "shppa_", "shptka_", "shpua_")),
  token("Square token", { "EAAA": word(56, 80), "sq0csp-": word(43, 43), "sq0atp-": word(22, 24) }, {
    check: isMixedKey
  }),
  token("PayPal token", all("[0-9a-z]{16}\\$[0-9a-f]{32}", "access_token$production$", "access_token$sandbox$")),
  token("Plaid token", all(uuid, ...["production", "sandbox", "development"].map((one) => `access-${one}-`))),
  token("Razorpay key", all("[A-Za-z0-9]{14}(?![A-Za-z0-9])", "rzp_live_", "rzp_test_")),
  token("Flutterwave key", { "FLWSECK": "(?:_TEST)?-[0-9a-zA-Z]{12,40}(?:-X)?" }),
  token("Shippo token", all(hex(40), "shippo_live_", "shippo_test_")),
  token("EasyPost key", all("[A-Za-z0-9]{54}(?![A-Za-z0-9])", "EZAK", "EZTK")),
  token("Duffel token", all(word(40, 60), "duffel_live_", "duffel_test_")),
  token("Lob key", all("(?:pub_)?[0-9a-f]{31,35}(?![0-9A-Za-z])", "live_", "test_"), { check: isMixedKey }),
  // Mail and messages
  token("Slack token", {
    ...all(
      "[A-Za-z0-9-]{16,300}",
      "xoxb-",
      "xoxp-",
      "xoxa-",
      "xoxr-",
      "xoxs-",
      "xoxo-",
      "xoxc-",
      "xoxd-",
      "xapp-",
      "xwfp-"
    ),
    "xoxe": "[.-](?:xox[bp]-)?[A-Za-z0-9-]{20,400}",
    "xoxd-": "[A-Za-z0-9%/+=-]{40,400}"
  }),
  {
    name: "Slack webhook",
    keywords: ["hooks.slack.com/"],
    pattern:
      /hooks\.slack\.com\/(?:services\/T\w{1,40}\/B\w{1,40}|workflows\/T\w{1,40}\/A\w{1,40}\/\d{1,40}|triggers\/[TE]\w{1,40}\/\d{1,40})\/(?<secret>[A-Za-z0-9]{18,64})/y,
    check: isKey
  },
  {
    name: "Discord webhook",
    keywords: ["discord.com/api/", "discordapp.com/api/"],
    pattern: /discord(?:app)?\.com\/api\/(?:v\d{1,2}\/)?webhooks\/\d{15,22}\/(?<secret>[A-Za-z0-9_-]{30,100})/y,
    check: isKey
  },
  {
    name: "Teams webhook",
    keywords: [".webhook.office.com/"],
    pattern:
      /\.webhook\.office\.com\/webhookb2\/[0-9a-f@-]{36,80}\/IncomingWebhook\/(?<secret>[0-9a-z]{32})(?![0-9a-z])/y,
    inside: true
  },
  {
    name: "Zapier webhook",
    keywords: ["hooks.zapier.com/hooks/catch/"],
    pattern: /hooks\.zapier\.com\/hooks\/catch\/\d{1,12}\/(?<secret>[a-z0-9]{6,12})/y
  },
  token("Telegram token", { ":AA": "[A-Za-z0-9_-]{32,34}(?![A-Za-z0-9_-])" }, {
    before: /(?<!\d)\d{8,10}$/,
    inside: true
  }),
  token("Twilio key", { "SK": "[0-9a-f]{32}(?![0-9A-Za-z])" }),
  token("SendGrid key", { "SG.": "[A-Za-z0-9_-]{16,32}\\.[A-Za-z0-9_-]{16,64}" }, { check: isKey }),
  token("Mailgun key", { "key-": "[0-9a-f]{32}(?![0-9A-Za-z])" }),
  token("Mailchimp key", { "-us": "\\d{1,2}(?![0-9A-Za-z])" }, {
    before: /(?<![0-9A-Za-z])[0-9a-f]{32}$/,
    inside: true
  }),
  token("Mandrill key", { "md-": "[A-Za-z0-9_-]{22}(?![A-Za-z0-9_-])" }, { check: isMixedKey }),
  token("Brevo key", { "xkeysib-": "[0-9a-f]{64}-[A-Za-z0-9]{16}", "xsmtpsib-": "[0-9a-f]{64}-[A-Za-z0-9]{16}" }),
  token("Resend key", { "re_": "[A-Za-z0-9]{8}_[A-Za-z0-9]{20,30}(?![A-Za-z0-9_])" }, { check: isMixedKey }),
  token("LinkedIn token", { "WPL_AP": "\\d\\.[A-Za-z0-9]{16}\\.[A-Za-z0-9+/=]{6,}" }),
  token("Facebook token", all(an(80, 400), "EAAB", "EAAC", "EAAG", "EAAM", "EAAP", "EAAI"), { check: isMixedKey }),
  // Any other letter after it: the beginning is not documented, the length is.
  token("Facebook token", { "EAA": "[A-Za-z0-9]{100,400}(?![A-Za-z0-9+/=])" }, { check: isMixedKey }),
  token("Dropbox token", { "sl.": "(?:u\\.)?[A-Za-z0-9_-]{100,1400}" }, { check: isMixedKey }),
  token("Twitter token", { "AAAAAAAAAAAAAAAAAAAAA": "[A-Za-z0-9%]{40,200}" }, { check: isMixedKey }),
  // Data and monitoring
  token("Supabase key", { "sbp_": "(?:v0_)?" + hex(40), "sb_secret_": word(24, 60) }),
  token("PlanetScale token", all(word(32, 64), "pscale_tkn_", "pscale_pw_", "pscale_oauth_"), { check: isKey }),
  token("Neon key", { "napi_": "[a-z0-9]{60,70}" }),
  token("MongoDB Atlas secret", { "mdb_sa_sk_": word(32, 60) }, { check: isKey }),
  token("Airtable token", { "pat": "[A-Za-z0-9]{14}\\.[0-9a-f]{64}" }),
  token("Sentry token", { "sntryu_": hex(64), "sntrys_": "eyJ[A-Za-z0-9_=+/-]{40,600}" }),
  token("New Relic key", { "NRAK-": "[A-Z0-9]{27}", "NRII-": word(32, 32), "NRAL": "(?![A-Za-z0-9])" }, {
    check: (secret) => secret !== "NRAL" && isKey(secret)
  }),
  token("New Relic license key", { "FFFFNRAL": "(?![A-Za-z0-9])" }, {
    before: /(?<![0-9A-Za-z])[0-9a-f]{32}$/,
    inside: true
  }),
  token("Grafana token", {
    "glsa_": "[A-Za-z0-9]{32}_[0-9a-fA-F]{8}",
    "glc_": base64(32, 400),
    "eyJrIjoi": base64(40, 400)
  }),
  token("Honeycomb key", all("[a-z0-9]{50,64}", "hcaik_", "hcalk_", "hcxik_", "hcxmk_"), { check: isMixedKey }),
  token("Dynatrace token", all("[A-Z0-9]{24}\\.[A-Z0-9]{64}", "dt0c01.", "dt0s01.", "dt0s02.", "dt0s16.")),
  token("Datadog key", { "ddapp_": an(30, 60) }, { check: isMixedKey }),
  token("PostHog key", all(an(40, 50), "phx_", "phs_"), { check: isMixedKey }),
  token("LaunchDarkly key", { "sdk-": uuid, "api-": uuid, "rel-": uuid }),
  token("Segment token", { "sgp_": an(60, 70) }, { check: isMixedKey }),
  token("MaxMind key", { "_mmk": "(?![A-Za-z0-9])" }, {
    before: /(?<![0-9A-Za-z])[A-Za-z0-9]{6}_[A-Za-z0-9]{29}$/,
    inside: true
  }),
  token("Mapbox token", { "sk.eyJ": "[A-Za-z0-9_-]{30,300}\\.[A-Za-z0-9_-]{20,40}" }),
  token("Frame.io token", { "fio-u-": word(60, 68) }),
  // Secret stores and networks
  token("Vault token", all(word(20, 600), "hvs.", "hvb.", "hvr."), { check: isMixedKey }),
  token("1Password token", { "ops_": "eyJ[A-Za-z0-9+/=_-]{100,2048}" }),
  token("1Password secret key", {
    "A3-": "[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}"
  }),
  token("Doppler token", { "dp.": "(?:pt|st|ct|sa|scim|audit)\\.(?:[a-z0-9_-]{2,35}\\.)?[A-Za-z0-9]{40,44}" }, {
    check: isMixedKey
  }),
  token("Infisical token", { "st.": "[0-9a-f-]{24,36}\\.[0-9a-f]{32}\\.[0-9a-f]{32}" }),
  token("Tailscale key", {
    "tskey-": "(?:(?:auth|api|client|webhook|scim)-)?[A-Za-z0-9]{8,40}(?:-[A-Za-z0-9]{16,60})?"
  }, { check: isKey }),
  token("age key", { "AGE-SECRET-KEY-": "[A-Z0-9-]{50,80}" }),
  token("Nostr key", { "nsec1": "[02-9ac-hj-np-z]{58}(?![A-Za-z0-9])" }),
  token("minisign key", { "RWRTY0Iy": "[A-Za-z0-9+/]{60,240}={0,2}" }),
  // Work
  token("Linear key", all(an(32, 128), "lin_oauth_", "lin_wh_"), { check: isKey }),
  token("Figma token", all(word(36, 200), "figu_", "figo_", "figr_"), { check: isMixedKey }),
  token("Notion token", { "ntn_": an(40, 60), "secret_": "[A-Za-z0-9]{43}(?![A-Za-z0-9])" }, { check: isMixedKey }),
  token("Asana token", { "1/": "\\d{13,20}:[0-9a-f]{32}", "2/": "\\d{13,20}/\\d{13,20}:[0-9a-f]{32}" }),
  token("Contentful token", { "CFPAT-": word(40, 50) }),
  token("Typeform token", { "tfp_": "[A-Za-z0-9_.=-]{44,70}" }, { check: isMixedKey }),
  token("HubSpot token", all(uuid, "pat-na1-", "pat-na2-", "pat-eu1-", "pat-ap1-")),
  token("Zuplo key", { "zpka_": "[A-Za-z0-9]{32}_[A-Za-z0-9]{8}" }),
  // Models
  token("Anthropic key", { "sk-ant-": word(20, 400) }, { check: isMixedKey }),
  token("OpenRouter key", { "sk-or-": word(32, 200) }, { check: isMixedKey }),
  token("Langfuse key", { "sk-lf-": uuid }),
  token("OpenAI key", {
    "sk-": "(?!ant-|or-|lf-)(?:proj-|svcacct-|admin-|None-)?[A-Za-z0-9_-]{20,400}",
    "sess-": an(40, 60)
  }, {
    check: isMixedKey
  }),
  token("ElevenLabs key", { "sk_": hex(48) }),
  token("Google AI key", { "AQ.": word(40, 80) }, { check: isMixedKey }),
  token("Hugging Face token", { "hf_": an(30, 60), "api_org_": an(30, 60) }, { check: isPlainKey }),
  token("Replicate token", { "r8_": an(36, 40) }, { check: isMixedKey }),
  token("Perplexity key", { "pplx-": an(40, 80) }, { check: isMixedKey }),
  token("xAI key", { "xai-": an(60, 100) }, { check: isMixedKey }),
  token("NVIDIA key", { "nvapi-": word(50, 100) }, { check: isMixedKey }),
  token("Cerebras key", { "csk-": "[a-z0-9]{40,60}" }, { check: isMixedKey }),
  token("LangSmith key", { "lsv2_": "(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}" }),
  token("Pinecone key", { "pcsk_": "[A-Za-z0-9]{4,8}_[A-Za-z0-9]{50,80}" }),
  token("Tavily key", { "tvly-": "(?:dev-|prod-)?[A-Za-z0-9-]{28,70}" }, { check: isMixedKey }),
  token("Fireworks key", { "fw_": "[A-Za-z0-9]{22,24}(?![A-Za-z0-9_])" }, { check: isMixedKey }),
  token("Firecrawl key", { "fc-": hex(32) }),
  token("E2B key", { "e2b_": hex(40) }),
  token("Weights & Biases key", { "wandb_v1_": word(40, 100) }),
  // Formats of no vendor
  token("JSON Web Token", { "eyJ": "[A-Za-z0-9_-]{8,8192}\\.[A-Za-z0-9_-]{8,8192}\\.[A-Za-z0-9_-]{8,8192}" }),
  token("password hash", {
    "$apr1$": "[A-Za-z0-9./]{1,8}\\$[A-Za-z0-9./]{22}",
    "$1$": "[A-Za-z0-9./]{1,8}\\$[A-Za-z0-9./]{22}",
    "$5$": "(?:rounds=\\d{1,9}\\$)?[A-Za-z0-9./]{1,16}\\$?[A-Za-z0-9./]{43}",
    "$6$": "(?:rounds=\\d{1,9}\\$)?[A-Za-z0-9./]{1,16}\\$?[A-Za-z0-9./]{86}",
    "$y$": "[A-Za-z0-9./]{1,9}\\$[A-Za-z0-9./]{16,32}\\$[A-Za-z0-9./]{43}"
  }),
  {
    name: "signature",
    keywords: ["sig=", "x-amz-signature=", "x-goog-signature="],
    pattern: /[a-z-]{3,16}=(?<secret>[A-Za-z0-9%+/_-]{40,512}={0,2})/iy,
    check: isKey
  },
  {
    name: "key",
    keywords: ["?code=", "&code=", "?key=", "&key="],
    pattern: /[?&][a-z]{3,4}=(?<secret>[A-Za-z0-9%+/_-]{30,512}={0,2})/iy,
    check: isMixedKey,
    inside: true
  },
  {
    name: "JSON Web Key",
    keywords: ["\"d\":", "\"d\" :"],
    pattern: /"d"\s?:\s?"(?<secret>[A-Za-z0-9_-]{32,1024})"/y,
    check: isKey,
    inside: true
  },
  {
    name: "login",
    keywords: ["\"auth\":", "\"auth\" :"],
    pattern: /"auth"\s?:\s?"(?<secret>[A-Za-z0-9+/]{8,4096}={0,2})"/y,
    check: decodesToLogin,
    inside: true
  },
  {
    name: "login",
    keywords: ["basic "],
    pattern: /basic\s(?<secret>[A-Za-z0-9+/_-]{8,2048}={0,2})/iy,
    check: decodesToLogin
  },
  {
    name: "token",
    keywords: ["bearer "],
    pattern: /bearer\s{1,2}(?<secret>[A-Za-z0-9._~+/|-]{16,4096}={0,2})/iy,
    check: isKey
  },
  // Logins of programs
  {
    name: "password",
    keywords: [" -u ", " -u\"", " -u'", "--user ", "--user=", "--proxy-user "],
    pattern: /(?: -u\s?|--(?:proxy-)?user[ =])["']?[^\s:"'$/]{1,128}:(?<secret>[^\s"']{4,256})/y,
    check: (secret) => isPassword(secret, true),
    inside: true
  },
  {
    name: "password",
    keywords: ["sshpass "],
    pattern: /sshpass\s{1,2}-p\s?["']?(?<secret>[^\s"']{4,256})/y,
    check: (secret) => isPassword(secret, true)
  },
  {
    name: "password",
    keywords: ["mysql ", "mysqldump ", "mysqladmin ", "mariadb "],
    pattern: /(?:mysql|mariadb)[a-z]{0,5}\s(?:\S{1,64}\s){0,6}?-p(?<secret>[^\s"'-][^\s"']{3,256})/y,
    check: (secret) => isPassword(secret, true)
  },
  {
    name: "password",
    keywords: ["docker login ", "podman login ", "helm registry login "],
    pattern: /[a-z ]{12,22}\s(?:\S{1,64}\s){0,6}?-p[\s=]?["']?(?<secret>[^\s"'-][^\s"']{3,256})/y,
    check: (secret) => isPassword(secret, true)
  },
  {
    name: "password",
    keywords: ["sqlplus "],
    pattern: /sqlplus\s(?:-\w{1,8}\s){0,3}["']?\w{1,64}\/(?<secret>[^\s"'@]{4,128})@/y,
    check: (secret) => isPassword(secret, true)
  },
  {
    name: "password",
    keywords: ["identified by ", "with password "],
    pattern: /[a-z]{4,10}\s(?:by|password)\s["'](?<secret>[^"'\n]{4,256})["']/iy,
    check: (secret) => isPassword(secret, true)
  },
  {
    name: "password",
    keywords: [":5432:", ":5433:", ":6432:", "*:*:"],
    pattern: /(?::\d{4}|\*:\*):[^\s:]{1,64}:[^\s:]{1,64}:(?<secret>(?:[^\s\\]|\\.){4,256})(?![^\n])/y,
    check: (secret) => isPassword(secret, true),
    inside: true
  },
  {
    name: "password",
    keywords: ["]:25 ", "]:465 ", "]:587 "],
    pattern: /\]:\d{2,3}\s{1,8}[^\s:]{1,128}:(?<secret>\S{4,256})/y,
    check: (secret) => isPassword(secret, true),
    inside: true
  },
  {
    name: "password",
    keywords: ["login ", "account "],
    pattern: /(?:login|account)\s{1,8}[^\s=:]{1,128}\s{1,16}password\s{1,8}"?(?<secret>[^\s"]{4,256})/y,
    check: (secret) => isPassword(secret, true)
  },
  {
    name: "recovery phrase",
    keywords: ["mnemonic", "seed_phrase", "seed phrase", "recovery phrase", "recovery_phrase"],
    pattern: /[a-z]{4,8}(?:[_ ]phrase)?["']?\s?[:=]\s?["']?(?<secret>(?:[a-z]{3,8} ){11,23}[a-z]{3,8})(?![a-z])/iy,
    inside: true
  }
]

/** Secrets whose whole word has a form that no keyword tells: letters, digits, `+`, `/`, `_` and `-`, then the pattern. */
export const wordForms: ReadonlyArray<Pick<TokenRule, "name" | "pattern">> = [
  {
    name: "Discord token",
    pattern: /[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}(?![A-Za-z0-9_-])/y
  },
  { name: "Mailgun key", pattern: /[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}(?![A-Za-z0-9_-])/y }
]

/** Secrets that have a name beside them rather than a form: the name, a sign, the value. Only the value is replaced. */
export interface NameRule {
  readonly name: string
  /** Ends of names, lower case; a blank stands for `_`, `-`, `.`, a blank or nothing. */
  readonly names: ReadonlyArray<string>
  /** Values that a person may have thought up count as well. */
  readonly words: boolean
}

export const nameRules: ReadonlyArray<NameRule> = [
  {
    name: "password",
    names: ["password", "passwd", "passphrase", "passcode", "pass word", "_pass", "-pass", "pwd", "psk", "pass"],
    words: true
  },
  { name: "secret", names: ["secret", "secret key base", "insecure"], words: true },
  {
    name: "key",
    names: [
      ...[
        ...[
          "api",
          "app",
          "application",
          "access",
          "account",
          "admin",
          "auth",
          "client",
          "cookie",
          "deploy",
          "encryption"
        ],
        ...["hmac", "jwt", "license", "master", "private", "preshared", "secret", "service", "service role", "session"],
        ...[
          "shared access",
          "signing",
          "storage",
          "subscription",
          "webhook",
          "aes",
          "cipher",
          "crypt",
          "fernet",
          "hash",
          "nonce"
        ],
        ...["logged in", "access token"]
      ].map((one) => `${one} key`),
      "access key secret",
      "key data",
      "private key id",
      "secure auth key",
      "auth salt",
      "apikey"
    ],
    words: false
  },
  {
    name: "token",
    names: [
      ...["token", "authtoken", "jwt", "bearer", "_pat", "credential", "credentials", "_auth", "authorization"],
      ...["api token", "session id", "sessionid", "session", "sessid", "connect.sid", "_dsn"]
    ],
    words: false
  }
]

/** Names that contain the end of a secret's name and hold something else. */
export const innocentNames =
  /(?:public|publishable|anon|cache|primary|foreign|sort|partition|query|object|idempotency|row|next|page|pagination|continuation|cursor|sync|cancel|cancellation|abort|bos|eos|pad|unk|sep|cls|mask|stop|start|end|special|csrf|xsrf|max|min|num|total|prompt|completion|input|output|reasoning|gpg|i18n|translation|device|site)[_\-. ]?(?:key|token|id)s?$|(?:hash|hashed|encrypted|forgot|reset|show|hide|confirm|no|by|com|tres|over|under|sur|en|bi|al|tre)(?:[_\-. ]?password|pass)$|publickeytoken$/i
