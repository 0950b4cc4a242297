import type { Fixture } from "./Fixture.ts"

/** What an escape would try; each prints its name and `open` or `shut`. None of them changes the machine if it succeeds. */
export const script = ({ abstract, base, home, pid, port, tmpFile, work }: Fixture, node: string): string => `
try() { local name=$1; shift; if "$@" >/dev/null 2>&1; then echo "$name=open"; else echo "$name=shut"; fi; }
dial() { "${node}" -e 'const path = process.argv[1].replace(/^@/, "\\0")
require("net").connect(/^[0-9]+$/.test(path) ? { port: +path, host: "127.0.0.1" } : { path })
  .on("connect", () => process.exit(0)).on("error", () => process.exit(1))' "$1"; }
append() { : >> "$1"; }
cd "${work}"
try write-workspace append new
try write-outside append "${base}/outside/new"
try read-key cat "${home}/.ssh/id_rsa"
try read-own-state cat "${home}/.postern/data/db"
try list-own-state test -e "${home}/.postern/data"
try read-other cat "${home}/notes.txt"
try link-read cat link
try folderlink-write append folderlink/new
try hardlink-write append hard
try hardlink-make ln "${base}/outside/secret.txt" made
try chmod-outside chmod 644 "${base}/outside/secret.txt"
try touch-outside touch "${base}/outside/secret.txt"
try host-tmp cat "${tmpFile}"
try proc-root ls /proc/${pid}/root/
try proc-environ cat /proc/${pid}/environ
try own-environ grep -q POSTERN_TEST_SECRET /proc/1/environ
try signal kill -0 ${pid}
try kernel-settings append /proc/sys/kernel/core_pattern
try kernel-request append /proc/sysrq-trigger
try remount mount -o remount,bind,rw /
try mount mount -t tmpfs none /mnt
try unmount umount "${home}/.ssh"
try user-namespace unshare -U true
try mount-namespace unshare -Urm true
try device mknod disk b 254 0
try hostname hostname evil
try daemon-socket dial "${base}/run/daemon.sock"
try workspace-socket dial "${work}/own.sock"
try abstract-socket dial "@${abstract}"
try loopback dial ${port}
try hooks-write append .git/hooks/pre-commit
try config-write append .git/config
try git-replace bash -c 'mv .git old && mkdir -p .git/hooks'
`

export const read = (output: string): Record<string, string> =>
  Object.fromEntries(
    output.split("\n").filter((line) => /^[a-z-]+=(open|shut)$/.test(line)).map((line) =>
      line.split("=") as [string, string]
    )
  )
