import type { Place } from "../../Part.ts"
import { isInside, resolve } from "../Paths.ts"
import type { Arg } from "../Words.ts"
import { HOLE } from "../Words.ts"

/** What it means that a path is written or read (policy §3.1). A path may begin with something unknown. */

interface Rule {
  readonly category: string
  readonly path: RegExp
}

const writes: ReadonlyArray<Rule> = [
  { category: "exfil", path: /^\/dev\/(tcp|udp)\// },
  { category: "disk", path: /^\/dev\/(?!(null|zero|full|std(in|out|err)|tty|ptmx|random|urandom|console$|fd$)$|(fd|shm|pts|mqueue)(\/|$)|ttyS?\d+$)./ },
  { category: "kernel", path: /^\/(proc\/(sys|sysrq-trigger|irq|acpi|bus|scsi|mtrr|kcore)|sys|boot|lib\/modules|usr\/lib\/modules|etc\/modprobe\.d|etc\/sysctl\.(conf|d)|etc\/modules(-load\.d)?)(\/|$)/ },
  { category: "net-config", path: /^\/(private\/)?etc\/(hosts|hosts\.(allow|deny)|resolv\.conf|nftables\.conf|iptables(\/.*)?|network(\/.*)?|netplan(\/.*)?|nsswitch\.conf)$/ },
  { category: "accounts", path: /^\/(private\/)?etc\/(passwd|shadow|gshadow|group|sudoers(\.d\/.*)?|doas\.conf|pam\.d\/.*|security\/.*|login\.defs|subuid|subgid|shells)-?$/ },
  {
    category: "persistence",
    path: /^\/(etc\/(cron[\w.]*|anacrontab|systemd|init\.d|rc\d?\.d|rc\.local|profile(\.d)?|bash(rc|\.bashrc)|zsh\w*|environment|ld\.so\.\w+|xdg\/autostart|inittab|at\.allow|skel|udev|update-motd\.d|apt\/apt\.conf\.d)|var\/spool\/(cron|at)|(usr\/)?lib\/systemd|Library\/(LaunchAgents|LaunchDaemons|StartupItems))(\/|$)/
  },
  { category: "persistence", path: /(^|[/\0])\.(bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|zshrc|zshenv|zprofile|zlogin|zlogout|kshrc|cshrc|tcshrc|login|xinitrc|xsession\w*|xprofile|pam_environment|inputrc|vimrc|tmux\.conf|screenrc|gitconfig|pythonrc\w*|irbrc|pryrc|Rprofile|emacs|curlrc|wgetrc|hgrc|gdbinit|lesskey|mailcap|forward|netrc|npmrc|pypirc|yarnrc(\.yml)?|git-credentials|my\.cnf|psqlrc|sqliterc)$/ },
  { category: "persistence", path: /(^|[/\0])\.(ssh(\/(?!known_hosts).*)?|gnupg\/.+|config\/(fish|autostart|systemd|environment\.d|plasma-workspace|git|nvim|i3|sway|hypr|pip|gh)(\/.*)?|vim\/.*|emacs\.d\/.*|local\/share\/(systemd|applications|dbus-1)\/.*|local\/bin\/(ls|cat|git|sudo|ssh|cd|rm|cp|mv|ps|bash|sh|node|npm|python3?|curl|docker|kubectl)|oh-my-zsh\/.*|bashrc\.d\/.*|zsh\/.*|docker\/(config\.json|cli-plugins\/.*)|kube\/config|aws\/.*|cargo\/(config(\.toml)?|env)|gradle\/init\.d\/.*|m2\/settings\.xml|pam_environment|claude\/settings.*|codex\/.*)$/ },
  { category: "persistence", path: /(^|[/\0])(\.git\/(hooks\/.+|hooks|config|info\/attributes)|Library\/LaunchAgents(\/.*)?|(site|user)customize\.py|authorized_keys2?|site-packages\/[\w-]+\.pth)$/ },
  { category: "tamper", path: /(^|[/\0])\.(bash|zsh|sh|python|psql|mysql|node_repl|rediscli|sqlite|fish|ksh)_?history$|\/fish\/fish_history$|\.viminfo$/ },
  { category: "tamper", path: /^\/(private\/)?(var\/(log|run\/utmp|lib\/systemd\/journal|audit|lib\/aide)|etc\/(audit|apparmor\.d|selinux|rsyslog\.\w+|logrotate\.\w+|ssl|ca-certificates|pki))(\/|$)/ },
  { category: "system-write", path: /^\/(private\/)?(etc|usr|bin|sbin|lib|lib32|lib64|libx32|boot|opt|root|var(?!\/(tmp|folders)(\/|$))|proc(?!\/self\/(fd|oom_score_adj|comm|coredump_filter))|sys|System|Library|Applications|snap|srv\/?$|nix|run(?!\/user))(\/|$)/ },
  { category: "system-write", path: /^\/$/ }
]

const secrets = "id_(rsa|dsa|ecdsa|ed25519|ecdsa_sk|ed25519_sk|xmss)"
const reads: ReadonlyArray<Rule> = [
  { category: "credentials", path: /^\/(private\/)?etc\/(shadow|gshadow|sudoers|master\.passwd|security\/opasswd|krb5\.keytab|ssl\/private|ssh\/ssh_host_\w+_key|kubernetes\/.*(admin|kubelet)\.conf|rancher\/.*|openvpn\/.*|wireguard\/.*|ppp\/.*secrets|NetworkManager\/system-connections|letsencrypt\/(live|archive)|docker\/key\.json|pki\/.*private.*)-?(\/|$)/ },
  { category: "credentials", path: /^\/proc\/(?!self\/(?!environ|mem))([^/]+)\/(environ|mem|maps|fd\/.+|root\/.*|cwd\/.*|auxv)$|^\/proc\/(kcore|kmem)$|^\/dev\/(mem|kmem|port)$/ },
  { category: "credentials", path: new RegExp(`(^|[/\\0])${secrets}$`) },
  { category: "credentials", path: /(^|[/\0])\.ssh(\/(?!(.*\.pub|known_hosts.*|config|authorized_keys2?|config\.d(\/.*)?|environment)$).*)?$/ },
  { category: "credentials", path: /(^|[/\0])\.(aws(\/(credentials|config|cli\/cache.*|sso\/cache.*))?|azure(\/.*)?|kube(\/(config|cache.*))?|gnupg(\/.*)?|password-store(\/.*)?|docker\/config\.json|netrc|pgpass|my\.cnf|mylogin\.cnf|git-credentials|pypirc|npmrc|yarnrc\.yml|vault-token|s3cfg|boto|databrickscfg|snowsql\/config|terraformrc|terraform\.d\/credentials.*|cargo\/credentials(\.toml)?|gem\/credentials|m2\/settings(-security)?\.xml|gradle\/gradle\.properties|nuget\/.*|bash_history|zsh_history|python_history|psql_history|mysql_history|node_repl_history|claude\/\.credentials\.json|claude\.json|codex\/auth\.json|gemini\/oauth_creds\.json|electrum(\/.*)?|bitcoin(\/.*)?|ethereum(\/.*)?|ngrok2?\/.*|fly\/config\.yml|heroku\/.*|pulumi\/credentials\.json|wakatime\.cfg|slack\/.*|msf4\/.*|rclone\.conf|dbshell|irssi\/.*|weechat\/.*|purple\/.*|thunderbird\/.*|mozilla(\/.*)?|authinfo(\.gpg)?)$/ },
  { category: "credentials", path: /(^|[/\0])(\.config\/(gcloud(\/.*)?|gh\/hosts\.yml|hub|glab-cli\/.*|op(\/.*)?|rclone\/rclone\.conf|solana\/id\.json|sops\/.*|doctl\/.*|configstore\/.*|google-chrome(\/.*)?|chromium(\/.*)?|BraveSoftware(\/.*)?|microsoft-edge(\/.*)?|Bitwarden.*|1Password.*|keepassxc\/.*|filezilla\/.*|anthropic\/.*|openai\/.*|github-copilot\/.*|heroku\/.*|netlify\/.*|vercel\/.*|helm\/.*|age\/.*|containers\/auth\.json|Slack\/.*|discord\/.*|Signal\/.*)|\.local\/share\/(keyrings|kwalletd|remmina|fish\/fish_history|Trash).*|Library\/(Keychains|Cookies|Application Support\/(Google\/Chrome|Firefox|Slack|1Password|BraveSoftware).*|Messages.*|Mail.*).*)$/ },
  { category: "credentials", path: /(^|[/\0])(Login Data|Cookies|cookies\.sqlite|key[34]\.db|logins\.json|wallet\.dat|credentials\.json|client_secrets?\.json|service[-_]account[\w-]*\.json|.*\.(kdbx?|keychain(-db)?|ppk|p12|pfx|jks|keystore|keytab|ovpn|agekey|asc\.key|gpg-key)|secring\.gpg|serviceaccount\/token|(server|private|priv|tls|ssl|client|host|root|ca|signing|deploy|master|encryption|secret)[-_.]?(key)?\.(key|private)|[\w.-]*(private|priv|secret)[-_]?key[\w-]*(\.\w+)?|[\w-]*key\.pem|privkey\w*\.pem|secrets?\.(ya?ml|json|toml|env|txt)|\.?htpasswd|\.secrets?|\.vault_pass(word)?(\.txt)?|master\.key)$/ },
  { category: "credentials", path: /(^|[/\0])\.env(\.(?!(example|sample|template|tmpl|dist|defaults?|schema|test|testing|ci|vault|spec|md|d)(\.|$))[\w.-]+)?$|(^|[/\0])[\w-]+\.env$/ },
  { category: "credentials", path: /^\/(var\/)?run\/secrets(\/|$)|^\/var\/lib\/(kubelet|docker\/containers)(\/|$)|^\/root\/\.|^\/tmp\/krb5cc_/ }
]

const first = (rules: ReadonlyArray<Rule>, path: string): string | undefined => rules.find((rule) => rule.path.test(path))?.category

/** A path that inside the project still runs code outside of it, or describes the repository. */
const repository = /(^|\/)\.git\/(hooks(\/.*)?|config|info\/attributes)$/

export const writeCategory = (path: string | undefined, place: Place): string | undefined => {
  if (path === undefined || isInside(path, place)) return path !== undefined && repository.test(path) ? "persistence" : undefined
  return first(writes, path)
}

export const readCategory = (path: string | undefined, place: Place): string | undefined =>
  path === undefined || isInside(path, place) && !/(^|\/)(\.env(\.[\w.-]+)?|[\w-]+\.env|\.ssh\/.*|\.aws\/credentials|id_\w+|.*\.(key|pem|p12|pfx|jks|kdbx|keystore)|secrets?\.\w+|\.netrc|\.pypirc|\.htpasswd|.*private.*|wallet\.dat|credentials\.json|master\.key)$/.test(path)
    ? undefined
    : first(reads, path)

/** The path an argument names; what is unknown in front stays unknown. */
export const pathOf = (arg: Arg, cwd: string | null): string | undefined => {
  const guess = arg.guess.replace(/^file:\/\//, "")
  if (guess === "") return undefined
  return guess.startsWith(HOLE) ? guess : resolve(guess, cwd) ?? (cwd === null ? guess : undefined)
}
