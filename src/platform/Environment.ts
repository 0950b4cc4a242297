import { normalize } from "node:path"
import { Context } from "effect"
import { isInside } from "./FilePath.ts"

export type EnvironmentVariables = Readonly<Record<string, string | undefined>>

/** The variables this process was started with. Nothing else in the tools reads them. */
export const Environment: Context.Reference<EnvironmentVariables> = Context.Reference("postern/platform/Environment", {
  defaultValue: (): EnvironmentVariables => process.env
})

interface ScrubOptions {
  /** Names that the configuration passes on top of the allow-list; secrets are still withheld. */
  readonly passthrough?: ReadonlyArray<string>
  /** Proxy settings are passed only to commands that may use the network. */
  readonly network?: boolean
  /** Reads run no programs that a repository's configuration names, fetch nothing and leave its index alone. */
  readonly reads?: boolean
  /** Folders that calls write to: reads start no programs from there by a bare name. */
  readonly folders?: ReadonlyArray<string>
}

const allowed: ReadonlySet<string> = new Set([
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "LANG",
  "TZ",
  "TMPDIR",
  "CI",
  "NODE_ENV",
  "NVM_DIR",
  "NVM_BIN",
  "VOLTA_HOME",
  "PYENV_ROOT",
  "JAVA_HOME",
  "GOPATH",
  "GOROOT",
  "CARGO_HOME",
  "RUSTUP_HOME"
])

const proxies: ReadonlySet<string> = new Set(["http_proxy", "https_proxy", "all_proxy", "no_proxy"])

const forced: Readonly<Record<string, string>> = {
  TERM: "dumb",
  NO_COLOR: "1",
  PAGER: "cat",
  GIT_PAGER: "cat",
  GIT_TERMINAL_PROMPT: "0",
  DEBIAN_FRONTEND: "noninteractive"
}

/** Over those of any repository, also of one inside another. */
const gitSettings: ReadonlyArray<readonly [string, string]> = [
  ["core.fsmonitor", "false"],
  ["core.hooksPath", "/dev/null"],
  ["core.pager", "cat"],
  ["diff.submodule", "short"],
  ["status.submoduleSummary", "false"],
  // A folder that only looks like a repository is none.
  ["safe.bareRepository", "explicit"],
  ["core.alternateRefsCommand", "false"],
  ["log.showSignature", "false"],
  ...["gpg", "gpg.openpgp", "gpg.x509", "gpg.ssh"].map((section) => [`${section}.program`, "false"] as const)
]

const forReads: Readonly<Record<string, string>> = {
  GIT_OPTIONAL_LOCKS: "0",
  GIT_NO_LAZY_FETCH: "1",
  GIT_ALLOW_PROTOCOL: "none",
  // Version managers fetch what a project asks for, and package managers keep logs.
  GOTOOLCHAIN: "local",
  GOPROXY: "off",
  RUSTUP_AUTO_INSTALL: "0",
  CARGO_NET_OFFLINE: "true",
  COREPACK_ENABLE_NETWORK: "0",
  npm_config_logs_max: "0",
  npm_config_update_notifier: "false",
  GIT_CONFIG_COUNT: String(gitSettings.length),
  ...Object.fromEntries(
    gitSettings.flatMap(([key, value], at) => [[`GIT_CONFIG_KEY_${at}`, key], [`GIT_CONFIG_VALUE_${at}`, value]])
  )
}

const secretName = /KEY|TOKEN|SECRET|PASS(WORD|WD)?|CREDENTIAL|CREDS|AUTH|PRIVATE|CERT|COOKIE|SESSION/i

const hostName = /^POSTERN_/i

const oneOf = (...names: ReadonlyArray<string>) => new RegExp(`^(${names.join("|")})$`)

const channelName = oneOf(
  "SSH_AUTH_SOCK",
  "SSH_AGENT_PID",
  "GPG_AGENT_INFO",
  "DBUS_SESSION_BUS_ADDRESS",
  "XDG_RUNTIME_DIR",
  "DOCKER_HOST",
  "KUBECONFIG",
  "DATABASE_URL",
  ".*_DSN",
  ".*_URI"
)

const loaderName = oneOf(
  "LD_.*",
  "DYLD_.*",
  "BASH_ENV",
  "ENV",
  "BASH_FUNC_.*",
  "PROMPT_COMMAND",
  "NODE_OPTIONS",
  "PYTHONSTARTUP",
  "PERL5OPT",
  "RUBYOPT",
  "GIT_SSH.*",
  "GIT_EXTERNAL_DIFF",
  "GIT_CONFIG.*"
)

const secretValue = new RegExp([
  "-----BEGIN [A-Z ]+-----",
  "\\b(gh[pousr]_|github_pat_)[A-Za-z0-9_]{16,}",
  "\\b(AKIA|ASIA)[A-Z0-9]{16}",
  "\\bxox[abeoprs]-[A-Za-z0-9-]{8,}",
  "\\bsk-[A-Za-z0-9_-]{16,}",
  "\\beyJ[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]{8,}\\.",
  "[A-Za-z][A-Za-z0-9+.-]*://[^/@\\s:]*:[^/@\\s]+@"
].join("|"))

/** The environment of a command: built up from an allow-list, never the host's own with parts removed. */
export const scrub = (variables: EnvironmentVariables, options: ScrubOptions = {}): Record<string, string> => {
  const extra = new Set(options.passthrough?.filter((name) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name)))
  const result: Record<string, string> = {}
  for (const [name, raw] of Object.entries(variables)) {
    if (raw === undefined) continue
    const proxy = proxies.has(name.toLowerCase())
    if (!isAllowed(name) && !extra.has(name) && !(proxy && options.network === true)) continue
    const value = name === "PATH" ? pathFor(raw, options) : proxy ? withoutLogin(raw) : raw
    if (!isWithheld(name, value)) result[name] = value
  }
  return { ...result, ...forced, ...(options.reads === true ? forReads : {}) }
}

const isAllowed = (name: string): boolean => allowed.has(name) || name.startsWith("LC_") || name.startsWith("XDG_")

const isWithheld = (name: string, value: string): boolean =>
  [secretName, hostName, channelName, loaderName].some((pattern) => pattern.test(name)) || secretValue.test(value)

/** A relative entry would run whatever lies in the current folder. */
const pathFor = (path: string, { folders = [], reads }: ScrubOptions): string =>
  path.split(":").filter((entry) =>
    entry.startsWith("/") && (reads !== true || !folders.some((folder) => isInside(folder, normalize(entry))))
  ).join(":")

const withoutLogin = (proxy: string): string => proxy.replace(/^([A-Za-z][A-Za-z0-9+.-]*:\/\/)?[^/]*@/, "$1")
