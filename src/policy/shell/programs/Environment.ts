/** Variables that change which code other programs run, and their harmless values (docs/policy.md#categories). */

const names = (text: string, harmless: RegExp): ReadonlyArray<readonly [string, RegExp]> =>
  text
    .trim()
    .split(/\s+/)
    .map((name) => [name, harmless] as const)

const never = /^$(?!)/
const empty = /^$/
const viewer = /^(|cat|less( -\w+)*|more|true|:|bat|delta|never)$/
const editor = /^(|cat|true|:|vi|vim|nvim|nano|emacs|micro|hx|code --wait|code -w)$/
/** A path list without a world-writable folder. */
const trusted = /^(?!.*(^|:)(\/tmp|\/var\/tmp|\/dev\/shm)(\/|:|$))/
const withoutAgent = /^(?!.*-(java)?agent)/
const official = /^https:\/\/(registry\.npmjs\.org|pypi\.org)(\/|$)/

const nodeOption = "--(max[-_]old[-_]space[-_]size=\\d+|experimental-[\\w-]+|no-(warnings|deprecation)|trace-[\\w-]+" +
  "|enable-source-maps|openssl-legacy-provider|unhandled-rejections=\\w+|inspect|stack-trace-limit=\\d+|expose-gc" +
  "|dns-result-order=\\w+|conditions=\\w+|import[= ]tsx|loader[= ]ts-node/esm)"

const harmless: ReadonlyMap<string, RegExp> = new Map([
  ...names(
    `
    LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT LD_CONFIG DYLD_INSERT_LIBRARIES DYLD_LIBRARY_PATH DYLD_FRAMEWORK_PATH
    GCONV_PATH LOCPATH HOSTALIASES BASH_ENV SHELLOPTS BASHOPTS PS4 CDPATH INPUTRC TERMINFO GIT_SSH
    GIT_EXTERNAL_DIFF GIT_PROXY_COMMAND GIT_EXEC_PATH GIT_TEMPLATE_DIR GIT_CONFIG GIT_CONFIG_PARAMETERS
    GIT_CONFIG_COUNT SUDO_ASKPASS LESSOPEN LESSCLOSE TAR_OPTIONS ZIPOPT VIMINIT EXINIT MAIL_CONFIG
    NODE_REPL_EXTERNAL_MODULE PYTHONSTARTUP PYTHONHOME PYTHONINSPECT PERL5OPT PERL5DB DOTNET_STARTUP_HOOKS
    CORECLR_PROFILER OPENSSL_ENGINES OPENSSL_MODULES SSLKEYLOGFILE KRB5_CONFIG npm_config_script_shell
    PIP_TRUSTED_HOST HISTIGNORE
    `,
    empty
  ),
  ...names("HISTFILE PROMPT_COMMAND BASH_CMDS BASH_ALIASES", never),
  ...names("GIT_PAGER PAGER MANPAGER GH_PAGER AWS_PAGER SYSTEMD_PAGER", viewer),
  ...names("EDITOR VISUAL FCEDIT GIT_EDITOR GIT_SEQUENCE_EDITOR KUBE_EDITOR", editor),
  ...names("GIT_ASKPASS SSH_ASKPASS", /^(|true|echo|\/bin\/(true|echo))$/),
  ...names("GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM PIP_CONFIG_FILE", /^\/dev\/null$/),
  ...names(
    "NODE_PATH PYTHONPATH PYTHONUSERBASE PERL5LIB RUBYLIB OPENSSL_CONF COMPOSER_HOME XDG_CONFIG_HOME ZDOTDIR",
    trusted
  ),
  ...names("JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS MAVEN_OPTS", withoutAgent),
  ...names("RUSTC_WRAPPER CARGO_BUILD_RUSTC_WRAPPER RUSTC RUSTDOC", /^[\w-]*$/),
  ...names("RSYNC_RSH CVS_RSH", /^(|ssh)$/),
  ...names("NODE_TLS_REJECT_UNAUTHORIZED PYTHONHTTPSVERIFY", /^1?$/),
  ...names("HISTSIZE HISTFILESIZE", /^[1-9]\d*$/),
  ...names("npm_config_registry NPM_CONFIG_REGISTRY PIP_INDEX_URL PIP_EXTRA_INDEX_URL", official),
  ["ENV", /^(dev|development|test|testing|prod|production|staging|local|ci)$/i],
  ["IFS", /^[\s,:;|/.\0]*$/],
  ["SHELL", /^\/(usr\/)?bin\/(ba|z|da)?sh$/],
  ["HOME", /^\/tmp\/.+|^$/],
  ["GIT_SSH_COMMAND", /^(|ssh( -v| -o BatchMode=yes| -o StrictHostKeyChecking=(no|accept-new|yes))*)$/],
  ["GIT_SSL_NO_VERIFY", /^(false|0|)$/],
  ["BROWSER", /^(|none|echo|true|open|xdg-open|firefox)$/],
  ["NODE_OPTIONS", new RegExp(`^(${nodeOption}\\s*)*$`)],
  ["PYTHONBREAKPOINT", /^(0|pdb\.set_trace|)$/],
  ["RUBYOPT", /^(-W\d?(:[\w-]+)?|-w)*$/],
  ["GOFLAGS", /^(?!.*(-toolexec|-exec))/],
  ["MAKEFLAGS", /^(?!.*(SHELL=|--eval))/],
  ["GREP_OPTIONS", /^(--color=\w+)?$/],
  ["HISTCONTROL", /^ignore(dups|both|space)|erasedups$/],
  ["npm_config_ignore_scripts", /^(true|1)?$/],
  ["DOCKER_HOST", /^(unix:\/\/.*|)$/]
])

const families = /^(LD|DYLD)_|^BASH_FUNC_|^GIT_CONFIG_(KEY|VALUE)_|^CARGO_TARGET_\w+_(RUNNER|LINKER)$/

const loaders = /^(LD|DYLD|GIT|BASH|NODE|PYTHON|PERL|RUBY|JAVA|RIPGREP|npm)_/

/** Programs take code, programs or settings from variables with such names. */
export const loadsCode = (name: string): boolean => loaders.test(name) && !/^NODE_ENV$/.test(name)

export const environmentNames: ReadonlySet<string> = new Set([...harmless.keys(), "PATH"])

/** Variables that only say how something is printed, and what their values look like. */
const printing =
  /^(LANG|LC_\w+|NODE_ENV|CI|FORCE_COLOR|NO_COLOR|CLICOLOR(_FORCE)?|COLUMNS|LINES|DEBUG|RUST_(LOG|BACKTRACE))$/
const plain = /^[^/\0]*$/
const zone = /^(?![/:])(?!.*\.\.)[\w+:,./-]*$/

/** A program may get it from this command line: it changes nothing but how something is printed. */
export const isHarmlessVariable = (name: string, value: string): boolean =>
  name === "TZ" ? zone.test(value) : printing.test(name) ? plain.test(value) : name === "IFS"

/** Lower-case names that the shell or a program acts on. */
const actedOn = /^(histchars|auto_resume|(npm|pnpm|yarn|bun|pip|git)_.*|.*_proxy)$/
const words =
  "FILES? DIRS? FOLDERS? PATHS? ROOT BASE SRC DST DEST NAMES? PATTERN REGEX COUNT NUM TOTAL LINES? START END COMMITS? " +
  "BRANCH REV SHA HASH TAG PKGS? PACKAGES? MODULES? MOD VERSION TARGETS? RESULTS? OUT OUTPUT INPUT TEXT VALUE REPO " +
  "PROJECT WORKSPACE TESTS? LOGS? MSG ID EXT SUFFIX PREFIX LIST ITEMS? MATCH(ES)? [A-Z]\\d?"
const ownUpper = new RegExp(`^(?!PATH$)(?:${words.replaceAll(" ", "|")})(?:_(?:${words.replaceAll(" ", "|")}))*\\d?$`)

/**
 * A variable of the command line's own: neither the shell nor a program it starts acts on it. What is read by programs
 * has upper-case names, mostly of several words, so of those only the usual words for files and counts pass.
 */
export const isOwnVariable = (name: string): boolean =>
  /^[a-z_][a-z0-9_]*$/.test(name) ? !actedOn.test(name) : ownUpper.test(name)

/** The value may make later programs run other code. */
export const isTampering = (name: string, value: string): boolean => {
  if (name === "PATH") return tampersWithPath(value)
  const known = harmless.get(name)
  return known === undefined ? families.test(name) : !known.test(value)
}

const writable = /^(\.\/?|\/tmp.*|\/var\/tmp.*|\/dev\/shm.*)$/
const toolFolder = /(^|\/)(\.?s?bin|shims|scripts|Scripts|games)(\/[\w.-]+)?$/

// One more tool folder in front is everyday work; a place anyone can write is not, and nor is losing the old value.
const tampersWithPath = (value: string): boolean => {
  const entries = value.split(":")
  const fixed = entries.filter((entry) => !entry.includes("\0"))
  if (fixed.some((entry) => entry === "" || writable.test(entry) || !toolFolder.test(entry))) return true
  return fixed.length === entries.length && !value.includes("/usr/bin")
}
