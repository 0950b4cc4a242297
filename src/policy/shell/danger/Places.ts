import type { ActionContext } from "../../decision/CallAction.ts"
import { isAtOrBelow, isBelow, isInside, resolve, rootOf } from "../parse/Paths.ts"
import { type Arg, HOLE, isKnown } from "../programs/Command.ts"

/** What it means that a path is written, read or deleted (docs/policy.md#categories). */

/**
 * Paths as people write them: `~` is any home, and also whatever is unknown; `*` stays inside one folder, `**` does
 * not; `/**` at the end is the folder itself and all below. The first row that fits decides.
 */
interface PathRule {
  readonly category: string
  readonly path: RegExp
}

const paths = (category: string, table: string, flags = ""): PathRule => ({
  category,
  path: new RegExp(table.trim().split(/\s+/).map(source).join("|"), flags)
})

const source = (pattern: string): string => {
  const home = pattern.startsWith("~/")
  const below = pattern.endsWith("/**")
  const body = pattern.slice(home ? 2 : 0, below ? -3 : undefined)
  const text = body
    .replace(/[.+^${}()|[\]\\?]/g, "\\$&")
    .replaceAll("**", "\u0001")
    .replaceAll("*", "[^/]*")
    .replaceAll("\u0001", ".*")
  return `${home ? "(?:^|[/\\0])" : "^(?:/private)?"}${text}${below ? "(?:/.*)?" : ""}$`
}

const harmlessDevice =
  /^\/dev\/((null|zero|full|std(in|out|err)|tty|ttyS?\d+|ptmx|u?random|console|fd)$|(fd|shm|pts|mqueue)(\/|$))/

const writes: ReadonlyArray<PathRule> = [
  paths("exfil", "/dev/tcp/** /dev/udp/**"),
  paths("disk", "/dev/**"),
  paths(
    "kernel",
    `
    /proc/sys/** /proc/sysrq-trigger /proc/irq/** /proc/acpi/** /proc/bus/** /proc/mtrr /sys/** /boot/**
    /lib/modules/** /usr/lib/modules/** /etc/modprobe.d/** /etc/sysctl.conf /etc/sysctl.d/** /etc/modules
    /etc/modules-load.d/**
    `
  ),
  paths(
    "net-config",
    `
    /etc/hosts /etc/hosts.allow /etc/hosts.deny /etc/resolv.conf /etc/nftables.conf /etc/nsswitch.conf
    /etc/iptables/** /etc/network/** /etc/netplan/**
    `
  ),
  paths(
    "accounts",
    `
    /etc/passwd /etc/passwd- /etc/shadow /etc/gshadow /etc/group /etc/sudoers /etc/sudoers.d/** /etc/doas.conf
    /etc/pam.d/** /etc/security/** /etc/login.defs /etc/subuid /etc/subgid /etc/shells
    `
  ),
  paths(
    "persistence",
    `
    /etc/cron*/** /etc/anacrontab /etc/systemd/** /etc/init.d/** /etc/rc*.d/** /etc/rc.local /etc/profile
    /etc/profile.d/** /etc/bashrc /etc/bash.bashrc /etc/zsh*/** /etc/environment /etc/ld.so.* /etc/xdg/autostart/**
    /etc/inittab /etc/at.allow /etc/skel/** /etc/udev/** /etc/update-motd.d/** /etc/apt/apt.conf.d/**
    /var/spool/cron/** /var/spool/at/** /lib/systemd/** /usr/lib/systemd/** /Library/LaunchAgents/**
    /Library/LaunchDaemons/** /Library/StartupItems/**
    `
  ),
  paths(
    "persistence",
    `
    ~/.bashrc ~/.bash_profile ~/.bash_login ~/.bash_logout ~/.bash_aliases ~/.bashrc.d/** ~/.profile ~/.zshrc
    ~/.zshenv ~/.zprofile ~/.zlogin ~/.zlogout ~/.zsh/** ~/.oh-my-zsh/** ~/.kshrc ~/.cshrc ~/.tcshrc ~/.login
    ~/.xinitrc ~/.xsession* ~/.xprofile ~/.pam_environment ~/.inputrc ~/.vimrc ~/.vim/** ~/.emacs ~/.emacs.d/**
    ~/.tmux.conf ~/.screenrc ~/.gitconfig ~/.pythonrc* ~/.irbrc ~/.pryrc ~/.Rprofile ~/.curlrc ~/.wgetrc ~/.hgrc
    ~/.gdbinit ~/.mailcap ~/.forward ~/.netrc ~/.npmrc ~/.pypirc ~/.yarnrc* ~/.git-credentials ~/.my.cnf ~/.psqlrc
    ~/.sqliterc ~/.ssh ~/.ssh/config ~/.ssh/rc ~/.ssh/environment ~/.ssh/authorized_keys* ~/.ssh/id_* ~/.ssh/*_key
    ~/authorized_keys ~/.gnupg/* ~/.config/fish/** ~/.config/autostart/** ~/.config/systemd/**
    ~/.config/environment.d/** ~/.config/plasma-workspace/** ~/.config/git/** ~/.config/nvim/** ~/.config/i3/**
    ~/.config/sway/** ~/.config/hypr/** ~/.config/pip/** ~/.config/gh/** ~/.local/share/systemd/**
    ~/.local/share/applications/* ~/.local/share/dbus-1/** ~/Library/LaunchAgents/** ~/.docker/config.json
    ~/.docker/cli-plugins/* ~/.kube/config ~/.aws/** ~/.cargo/config* ~/.cargo/env ~/.gradle/init.d/**
    ~/.m2/settings.xml ~/.claude/settings* ~/.codex/** ~/sitecustomize.py ~/usercustomize.py ~/site-packages/*.pth
    ~/.git/hooks/** ~/.git/config ~/.git/info/attributes
    `
  ),
  paths(
    "persistence",
    `
    ~/.local/bin/ls ~/.local/bin/cat ~/.local/bin/git ~/.local/bin/sudo ~/.local/bin/ssh ~/.local/bin/rm
    ~/.local/bin/ps ~/.local/bin/sh ~/.local/bin/bash ~/.local/bin/node ~/.local/bin/npm ~/.local/bin/python*
    ~/.local/bin/curl ~/.local/bin/docker ~/.local/bin/kubectl
    `
  ),
  paths("tamper", "~/.*_history ~/.*hsts ~/.viminfo ~/.lesshst ~/fish_history"),
  paths(
    "tamper",
    `
    /var/log/** /var/run/utmp /var/lib/systemd/journal/** /var/audit/** /etc/audit/** /etc/apparmor.d/**
    /etc/selinux/** /etc/rsyslog.* /etc/logrotate.* /etc/ssl/** /etc/ca-certificates/** /etc/pki/**
    `
  ),
  paths(
    "system-write",
    `
    / /etc/** /usr/** /bin/** /sbin/** /lib/** /lib32/** /lib64/** /libx32/** /opt/** /root/** /var/** /run/**
    /proc/** /System/** /Library/** /Applications/** /snap/** /nix/** /srv
    `
  )
]

const scratch = /^(\/private)?\/var\/(tmp|folders)(\/|$)|^\/run\/user\/|^\/proc\/self\/(fd|oom_score_adj|comm)/

const reads: ReadonlyArray<PathRule> = [
  paths(
    "credentials",
    `
    /etc/shadow* /etc/gshadow* /etc/sudoers /etc/master.passwd /etc/security/opasswd /etc/krb5.keytab
    /etc/ssl/private/** /etc/ssh/ssh_host_*_key /etc/kubernetes/*.conf /etc/rancher/** /etc/openvpn/**
    /etc/wireguard/** /etc/ppp/*secrets /etc/NetworkManager/system-connections/** /etc/letsencrypt/live/**
    /etc/letsencrypt/archive/** /etc/docker/key.json /proc/*/environ /proc/*/mem /proc/kcore /proc/kmem /dev/mem
    /dev/kmem /dev/port /run/secrets/** /var/run/secrets/** /var/lib/kubelet/** /var/lib/docker/containers/**
    /root/.** /tmp/krb5cc_*
    `
  ),
  paths(
    "credentials",
    `
    ~/id_rsa ~/id_dsa ~/id_ecdsa ~/id_ed25519 ~/id_ecdsa_sk ~/id_ed25519_sk ~/.ssh/** ~/.gnupg/**
    ~/.password-store/**
    `
  ),
  paths(
    "credentials",
    `
    ~/.aws/credentials ~/.aws/config ~/.aws ~/.aws/cli/cache/** ~/.aws/sso/cache/** ~/.azure/** ~/.kube/config
    ~/.kube ~/.docker/config.json ~/.netrc ~/.pgpass ~/.my.cnf ~/.mylogin.cnf ~/.git-credentials ~/.pypirc ~/.npmrc
    ~/.yarnrc.yml ~/.vault-token ~/.s3cfg ~/.boto ~/.databrickscfg ~/.snowsql/config ~/.terraformrc
    ~/.terraform.d/credentials* ~/.cargo/credentials* ~/.gem/credentials ~/.m2/settings*.xml
    ~/.gradle/gradle.properties ~/.nuget/** ~/.*_history ~/.claude/.credentials.json ~/.claude.json
    ~/.codex/auth.json ~/.gemini/oauth_creds.json ~/.electrum/** ~/.bitcoin/** ~/.ethereum/** ~/.ngrok*/**
    ~/.fly/config.yml ~/.heroku/** ~/.pulumi/credentials.json ~/.wakatime.cfg ~/.authinfo* ~/.mozilla/**
    ~/.thunderbird/** ~/.purple/** ~/.irssi/** ~/.weechat/**
    `
  ),
  paths(
    "credentials",
    `
    ~/.config/gcloud/** ~/.config/gh/hosts.yml ~/.config/hub ~/.config/glab-cli/** ~/.config/op/**
    ~/.config/rclone/rclone.conf ~/.config/solana/id.json ~/.config/sops/** ~/.config/doctl/**
    ~/.config/configstore/** ~/.config/google-chrome/** ~/.config/chromium/** ~/.config/BraveSoftware/**
    ~/.config/microsoft-edge/** ~/.config/Bitwarden*/** ~/.config/1Password*/** ~/.config/keepassxc/**
    ~/.config/filezilla/** ~/.config/anthropic/** ~/.config/openai/** ~/.config/github-copilot/**
    ~/.config/heroku/** ~/.config/netlify/** ~/.config/helm/** ~/.config/age/** ~/.config/containers/auth.json
    ~/.config/Slack/** ~/.config/discord/** ~/.config/Signal/** ~/.local/share/keyrings/**
    ~/.local/share/kwalletd/** ~/.local/share/remmina/** ~/fish_history ~/Library/Keychains/** ~/Library/Cookies/**
    ~/Library/Messages/** ~/Library/Mail/** ~/Library/**/Google/Chrome/** ~/Library/**/Firefox/**
    ~/Library/**/1Password/** ~/Library/**/Slack/**
    `
  ),
  paths(
    "credentials",
    `
    ~/Cookies ~/cookies.sqlite ~/key3.db ~/key4.db ~/logins.json ~/wallet.dat ~/credentials.json
    ~/client_secret.json ~/client_secrets.json ~/service-account*.json ~/service_account*.json ~/*.kdb ~/*.kdbx
    ~/*.keychain ~/*.keychain-db ~/*.ppk ~/*.p12 ~/*.pfx ~/*.jks ~/*.keystore ~/*.keytab ~/*.ovpn ~/*.agekey
    ~/secring.gpg ~/serviceaccount/token ~/server.key ~/private.key ~/priv.key ~/tls.key ~/ssl.key ~/client.key
    ~/host.key ~/root.key ~/ca.key ~/signing.key ~/deploy.key ~/master.key ~/encryption.key ~/secret.key
    ~/*private*key* ~/*secret*key* ~/*key.pem ~/*private*.pem ~/secret.yml ~/secret.yaml ~/secrets.yml
    ~/secrets.yaml ~/secret.json ~/secrets.json ~/secrets.toml ~/secrets.env ~/secret.txt ~/secrets.txt ~/.secret
    ~/.secrets ~/htpasswd ~/.htpasswd ~/.vault_pass* ~/.vault_password* ~/*.p8 ~/AuthKey_* ~/SubscriptionKey_* ~/*.kdb
    ~/*.pkcs12 ~/*.1pif ~/*.1pux ~/*.agilekeychain ~/*.opvault ~/*.wgconf ~/wg0.conf ~/*firebase-adminsdk*.json
    ~/*serviceaccount*.json ~/*service-account*.json ~/*service_account*.json ~/*recovery-code* ~/*recovery_code*
    ~/*recoverycode* ~/*backup-code* ~/*backup_code* ~/*recovery-key* ~/*seed-phrase* ~/*seed_phrase* ~/*mnemonic.txt
    ~/bitwarden_export* ~/lastpass*.csv ~/1password*.csv ~/*passwords.csv ~/*.publishsettings ~/rootkey.csv
    ~/*accesskeys*.csv ~/id_rsa* ~/id_ed25519* ~/id_ecdsa* ~/id_dsa* ~/*.tfstate ~/*.tfstate.backup ~/*.asc.key
    `,
    "i"
  ),
  { category: "credentials", path: /(^|[/\0])(Login Data|[\w-]+\.env|\.env(\.[\w.-]+)?)$/ }
]

/** Parts of `~/.ssh` that are no secret, and environment files that are made to be shown. */
const open = new RegExp(
  "(^|[/\\0])(" +
    String.raw`\.ssh/(.*\.pub|known_hosts.*|config(\.d/.*)?|authorized_keys2?|environment)` +
    String.raw`|[\w-]*\.env\.(example|sample|template|tmpl|dist|defaults?|schema|testing|test|ci|vault|spec|md|d)` +
    String.raw`(\..*)?` +
    ")$"
)

const first = (rules: ReadonlyArray<PathRule>, path: string): string | undefined =>
  rules.find((rule) => rule.path.test(path))?.category

/** Inside the project these still run code outside of it, or describe the repository. */
const repository = /(^|\/)\.git\/(hooks(\/.*)?|config|info\/attributes)$/
/** Inside the project only what by its name is a secret. */
const secretName = new RegExp(
  "(^|/)(" +
    String.raw`\.env(\.[\w.-]+)?|[\w-]+\.env|\.ssh/.*|\.aws/credentials|id_\w+` +
    String.raw`|.*\.(key|pem|p12|pfx|jks|kdbx|keystore)` +
    String.raw`|secrets?\.\w+|\.netrc|\.pypirc|\.htpasswd|.*private.*|wallet\.dat|credentials\.json` +
    ")$"
)

/** The home folder of the current user counts as home even below a system folder, as /root does. */
const asHome = (path: string, { home }: ActionContext): string =>
  home !== "/" && (path === home || isBelow(path, home)) ? `/home/user${path.slice(home.length)}` : path

export const writeCategory = (path: string | undefined, place: ActionContext): string | undefined => {
  if (path === undefined || harmlessDevice.test(path) || scratch.test(path)) return undefined
  if (isInside(path, place)) return repository.test(path) ? "persistence" : undefined
  return first(writes, asHome(path, place))
}

export const readCategory = (path: string | undefined, place: ActionContext): string | undefined => {
  if (path === undefined || open.test(path) || (isInside(path, place) && !secretName.test(path))) return undefined
  return path.startsWith("/proc/self/") && !/(environ|mem)$/.test(path) ? undefined : first(reads, asHome(path, place))
}

/** The path an argument names; what is unknown in front stays unknown. */
export const pathOf = (arg: Arg, cwd: string | null): string | undefined => {
  const guess = arg.guess.replace(/^file:\/\//, "")
  if (guess === "") return undefined
  return guess.startsWith(HOLE) ? guess : (resolve(guess, cwd) ?? (cwd === null ? guess : undefined))
}

const names = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/** Folder names whose content a build, a package manager or a cache makes again. */
const regenerable = names(`
  node_modules dist build out target coverage .next .nuxt .turbo .cache .parcel-cache .vite .output .svelte-kit
  __pycache__ .pytest_cache .mypy_cache .ruff_cache .tox .venv venv .gradle tmp temp htmlcov .nyc_output .eggs
  _build .dart_tool bower_components storybook-static .angular .docusaurus .terraform .eslintcache test-results
  playwright-report .wrangler .expo DerivedData .zig-cache zig-out dist-newstyle .stack-work elm-stuff
  _site .tmp .temp .hypothesis .nox .ipynb_checkpoints .astro .coverage .DS_Store Thumbs.db package-lock.json yarn.lock
  pnpm-lock.yaml bun.lockb bun.lock Cargo.lock poetry.lock uv.lock Pipfile.lock Gemfile.lock composer.lock Pods
`)

/** Endings of files that are made again, or are left over from an edit or a merge. */
const leftoverEndings = names(`
  pyc pyo o obj class log tmp temp swp swo bak orig rej tsbuildinfo egg-info dSYM gcda gcno gcov lcov profraw pid cache
  dist-info aux toc
`)
const isLeftover = (path: string): boolean =>
  leftoverEndings.has(path.slice(path.lastIndexOf(".") + 1)) || /(~|__pycache__)$/.test(path)

/** The name marks the path as build output, cache or leftover, which can be recreated. */
const isRegenerable = (below: string, glob: boolean): boolean => {
  const segments = below.split("/")
  return (
    segments.some((segment) => regenerable.has(segment) || /^(cmake-build|dist|build)-[\w.-]+$/.test(segment)) ||
    ((glob || /\.(egg-info|dist-info|tsbuildinfo)$/.test(below)) && isLeftover(below))
  )
}

/** By its name alone it is made again, wherever it is. */
export const isRebuilt = (arg: Arg): boolean => isKnown(arg) && isRegenerable(arg.guess.replace(/^\/+/, ""), arg.glob)

/** Deleting it with everything below it loses nothing of worth. */
export const isExpendable = (arg: Arg, cwd: string | null, place: ActionContext): boolean => {
  if (!isKnown(arg)) return false
  const path = resolve(arg.guess, cwd)
  if (path === undefined) return false
  const root = rootOf(path, place)
  if (root !== undefined) return path !== root && isRegenerable(path.slice(root.length + 1), arg.glob)
  if (place.roots.some((each) => isAtOrBelow(each, path))) return false
  const scratch = /^(\/private)?(\/var)?\/tmp\/([^/]+)/.exec(path)
  return scratch !== null && !/^[*?.]+$/.test(scratch[3]!)
}

/** A place outside the project that is emptied when the session or the machine ends. */
export const isTemporary = (arg: Arg, cwd: string | null, place: ActionContext): boolean => {
  if (/^"?\$\{?(TMPDIR|TMP|TEMP|TEMPDIR|XDG_RUNTIME_DIR)\b/.test(arg.text) && arg.guess.includes(HOLE)) return true
  if (arg.inner.some((each) => each.row.is("makes-temporary"))) return true
  const path = resolve(arg.guess, cwd)
  return path !== undefined && rootOf(path, place) === undefined &&
    /^(\/private)?(\/var)?\/tmp(\/|$)|^\/(dev\/shm|run|var\/run|private\/var\/folders|var\/folders)(\/|$)/.test(path)
}

const fileEndings = names(`
  js jsx ts tsx mjs cjs mts cts json json5 md txt log lock yml yaml toml xml htm html css scss py rb go rs java kt c h
  cpp hpp
  sh sql csv png jpg jpeg svg gif pdf zip gz tgz tar map out tmp bak
`)

/** By its name a file and not a folder, so that `-r` adds nothing. */
export const isFileName = (arg: Arg): boolean =>
  !arg.glob && isKnown(arg) && fileEndings.has(/[^/]\.(\w+)$/.exec(arg.guess)?.[1] ?? "")

/** A glob of all sources in a folder, which no tool has written there. */
export const isManySources = (arg: Arg): boolean =>
  arg.glob &&
  /(^|\/)\*\*?(\/\*)?\.([cm]?[jt]sx?|py|rb|go|rs|java|kts?|c|h|cpp|hpp|cs|php|swift|scala|vue|svelte)$/.test(
    arg.guess
  ) &&
  !/(^|[/_-])(gen|generated|__generated__|fixtures?|examples?|scratch|output)([/_-]|$)/.test(arg.guess)

/** A glob whose last segment matches everything. */
export const isUnbounded = (arg: Arg): boolean => arg.glob && /(^|\/)[*?.]*\*[*?.]*\/?$/.test(arg.guess)
