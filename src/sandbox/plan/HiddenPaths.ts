import { join } from "node:path"
import type { EnvironmentVariables } from "../../platform/Environment.ts"

/** Places in a home folder that hold credentials, keys, other agents' state or a history of input. */
const below = [
  ".ssh",
  ".gnupg",
  ".aws",
  ".azure",
  ".config/gcloud",
  ".config/gh",
  ".config/hub",
  ".config/op",
  ".config/rclone",
  ".kube",
  ".docker",
  ".netrc",
  ".npmrc",
  ".pypirc",
  ".pgpass",
  ".my.cnf",
  ".git-credentials",
  ".config/git/credentials",
  ".password-store",
  ".local/share/keyrings",
  ".vault-token",
  ".terraform.d",
  ".cargo/credentials",
  ".cargo/credentials.toml",
  ".mozilla",
  ".config/google-chrome",
  ".config/chromium",
  ".config/BraveSoftware",
  ".config/microsoft-edge",
  ".claude",
  ".claude.json",
  ".codex",
  ".gemini",
  ".config/opencode",
  ".local/share/opencode",
  ".postern",
  ".zeroclaw",
  ".openclaw",
  ".bash_history",
  ".zsh_history",
  ".python_history",
  ".node_repl_history",
  ".psql_history",
  ".mysql_history",
  ".lesshst",
  ".local/share/fish/fish_history",
  "Library/Keychains",
  "Library/Application Support/Google/Chrome",
  "Library/Cookies"
]

/** Sockets of services, and files that only their owner reads: a host that runs as root owns them. */
const ofSystem = [
  "/run",
  "/etc/shadow",
  "/etc/shadow-",
  "/etc/gshadow",
  "/etc/gshadow-",
  "/etc/ssh/ssh_host_rsa_key",
  "/etc/ssh/ssh_host_ecdsa_key",
  "/etc/ssh/ssh_host_ed25519_key",
  "/etc/krb5.keytab",
  "/etc/kubernetes",
  "/etc/ssl/private",
  "/var/lib/docker",
  "/var/lib/containerd",
  "/var/lib/kubelet"
]

/** Below a hidden folder, and needed all the same. */
export const visible = (network: boolean): ReadonlyArray<string> => [
  "/run/current-system",
  "/run/opengl-driver",
  "/run/wrappers",
  ...(network
    ? ["/run/systemd/resolve/resolv.conf", "/run/systemd/resolve/stub-resolv.conf", "/run/NetworkManager/resolv.conf"]
    : [])
]

const socketOf = (address: string | undefined): ReadonlyArray<string> => {
  const path = address?.replace(/^unix:(\/\/|path=)?/, "").split(",")[0]
  return path?.startsWith("/") === true ? [path] : []
}

/**
 * What every confining mode hides, whether it exists or not (docs/sandbox.md#hidden-paths): in a home folder, and of
 * the whole machine.
 */
export const atHome = (home: string): ReadonlyArray<string> => below.map((path) => join(home, path))

export const ofMachine = (variables: EnvironmentVariables): ReadonlyArray<string> => [
  ...ofSystem,
  ...[
    variables["XDG_RUNTIME_DIR"],
    variables["SSH_AUTH_SOCK"],
    variables["DOCKER_HOST"],
    variables["DBUS_SESSION_BUS_ADDRESS"],
    variables["GPG_AGENT_INFO"]?.split(":")[0]
  ].flatMap(socketOf)
]
