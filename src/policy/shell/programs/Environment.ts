/** Variables that change which code other programs run, and the values that are known to be harmless (policy §3.1, tamper). */

const quiet = /^(|cat|less|less -\w+|more|true|:|vi|vim|nvim|nano|emacs|micro|hx|code --wait|code -w|bat|delta|never)$/
const never = /^$/

/** A value that points to code outside the project: an absolute path in a place anyone can write. */
const localPath = /^(?!.*(^|:)(\/tmp|\/var\/tmp|\/dev\/shm)(\/|:|$))/

const harmless: Readonly<Record<string, RegExp>> = {
  LD_PRELOAD: never, LD_LIBRARY_PATH: never, LD_AUDIT: never, LD_DEBUG_OUTPUT: never, LD_BIND_NOT: never, LD_CONFIG: never, DYLD_INSERT_LIBRARIES: never,
  DYLD_LIBRARY_PATH: never, DYLD_FRAMEWORK_PATH: never, GCONV_PATH: never, LOCPATH: never, HOSTALIASES: never,
  BASH_ENV: never, ENV: /^(dev|development|test|testing|prod|production|staging|local|ci)$/i, SHELLOPTS: never, BASHOPTS: never, PROMPT_COMMAND: never, PS4: never,
  CDPATH: never, IFS: /^[\s,:;|/.\0]*$/, SHELL: /^\/(usr\/)?bin\/(ba|z|da)?sh$/, HOME: /^\/tmp\/.+|^$/,
  GIT_SSH_COMMAND: /^(|ssh|ssh -v|ssh -o BatchMode=yes|ssh -o StrictHostKeyChecking=(no|accept-new|yes))$/, GIT_SSH: never, GIT_EXTERNAL_DIFF: never,
  GIT_ASKPASS: /^(|true|echo|\/bin\/true|\/bin\/echo)$/, SSH_ASKPASS: /^(|true|\/bin\/true)$/, SUDO_ASKPASS: never, GIT_PROXY_COMMAND: never, GIT_EXEC_PATH: never, GIT_TEMPLATE_DIR: never,
  GIT_CONFIG: never, GIT_CONFIG_GLOBAL: /^\/dev\/null$/, GIT_CONFIG_SYSTEM: /^\/dev\/null$/, GIT_CONFIG_PARAMETERS: never, GIT_CONFIG_COUNT: never,
  GIT_PAGER: quiet, PAGER: quiet, MANPAGER: quiet, GH_PAGER: quiet, AWS_PAGER: quiet, SYSTEMD_PAGER: quiet, EDITOR: quiet, VISUAL: quiet, GIT_EDITOR: quiet,
  GIT_SEQUENCE_EDITOR: quiet, KUBE_EDITOR: quiet, BROWSER: /^(|none|echo|true|open|xdg-open|firefox)$/, LESSOPEN: never, LESSCLOSE: never, FCEDIT: quiet,
  NODE_OPTIONS: /^((--max[-_]old[-_]space[-_]size=\d+|--experimental-[\w-]+|--no-warnings|--no-deprecation|--trace-warnings|--trace-deprecation|--enable-source-maps|--openssl-legacy-provider|--unhandled-rejections=\w+|--inspect|--stack-trace-limit=\d+|--expose-gc|--import(=| )tsx|--loader(=| )ts-node\/esm|--dns-result-order=\w+|--conditions=\w+|-C \w+)\s*)*$/,
  NODE_PATH: localPath, NODE_REPL_EXTERNAL_MODULE: never, PYTHONSTARTUP: never, PYTHONPATH: localPath, PYTHONHOME: never, PYTHONBREAKPOINT: /^(0|pdb\.set_trace|)$/,
  PYTHONINSPECT: never, PYTHONUSERBASE: localPath, PERL5OPT: never, PERL5LIB: localPath, PERL5DB: never, RUBYOPT: /^(-W\d?(:[\w-]+)?|-w)*$/, RUBYLIB: localPath,
  JAVA_TOOL_OPTIONS: /^(?!.*-(java)?agent)/, _JAVA_OPTIONS: /^(?!.*-(java)?agent)/, JDK_JAVA_OPTIONS: /^(?!.*-(java)?agent)/, MAVEN_OPTS: /^(?!.*-(java)?agent)/,
  GOFLAGS: /^(?!.*(-toolexec|-exec))/, RUSTC_WRAPPER: /^(|\w+)$/, RUSTC: /^(|rustc)$/, RUSTDOC: /^(|rustdoc)$/, CARGO_BUILD_RUSTC_WRAPPER: /^(|\w+)$/,
  MAKEFLAGS: /^(?!.*(SHELL=|--eval))/, TAR_OPTIONS: never, RSYNC_RSH: /^(|ssh)$/, CVS_RSH: /^(|ssh)$/, ZIPOPT: never, GREP_OPTIONS: /^(--color=\w+)?$/, VIMINIT: never, EXINIT: never,
  OPENSSL_CONF: localPath, OPENSSL_ENGINES: never, OPENSSL_MODULES: never, SSLKEYLOGFILE: never, npm_config_script_shell: never, npm_config_registry: /^https:\/\/registry\.npmjs\.org\/?$/,
  npm_config_ignore_scripts: /^(true|1)?$/, NPM_CONFIG_REGISTRY: /^https:\/\/registry\.npmjs\.org\/?$/, PIP_INDEX_URL: /^https:\/\/pypi\.org\//, PIP_EXTRA_INDEX_URL: /^https:\/\/pypi\.org\//,
  PIP_TRUSTED_HOST: never, PIP_CONFIG_FILE: /^\/dev\/null$/, NODE_TLS_REJECT_UNAUTHORIZED: /^1?$/, PYTHONHTTPSVERIFY: /^1?$/, GIT_SSL_NO_VERIFY: /^(false|0|)$/,
  HISTFILE: never, HISTSIZE: /^[1-9]\d*$/, HISTFILESIZE: /^[1-9]\d*$/, HISTCONTROL: /^ignore(dups|both|space)|erasedups$/, HISTIGNORE: never,
  DOCKER_HOST: /^(unix:\/\/.*|)$/, COMPOSER_HOME: localPath, WINEPREFIX: localPath, ELECTRON_RUN_AS_NODE: /^1$/, BASH_FUNC_x: never, TERMINFO: never, MAIL_CONFIG: never,
  XDG_CONFIG_HOME: localPath, ZDOTDIR: localPath, INPUTRC: never, PAM_USER: never, KRB5_CONFIG: never, CORECLR_PROFILER: never, DOTNET_STARTUP_HOOKS: never
}

export const environmentNames: ReadonlySet<string> = new Set([...Object.keys(harmless), "PATH"])

/** The value may make later programs run other code. */
export const isTampering = (name: string, value: string): boolean => {
  if (name === "PATH") return tampersWithPath(value)
  const known = harmless[name]
  if (known !== undefined) return !known.test(value)
  return /^(LD|DYLD)_|^BASH_FUNC_|^GIT_CONFIG_(KEY|VALUE)_|^CARGO_TARGET_\w+_(RUNNER|LINKER)$/.test(name)
}

// Putting one more tool folder in front is everyday work; a writable place or the current folder is not, and nor is losing the old value.
const tampersWithPath = (value: string): boolean =>
  value.split(":").some((entry) => entry === "" || /^(\.|\.\/?|\/tmp.*|\/var\/tmp.*|\/dev\/shm.*)$/.test(entry)) ||
  value.split(":").filter((entry) => !/^\0?$/.test(entry)).some((entry) => !/(^|\/)(\.?s?bin|shims|scripts|Scripts|games)(\/[\w.-]+)?$/.test(entry) && !/\0/.test(entry)) ||
  value !== "" && !value.includes("\0") && !/\/usr\/bin/.test(value)
