import { unfolded } from "./Rows.ts"
import { developerOptionRows } from "./DeveloperOptionRows.ts"
import { optionRows } from "./OptionRows.ts"

/** What is known of the options of programs. */

const table = new Map<string, Set<string>>()
for (const row of [...unfolded(optionRows), ...unfolded(developerOptionRows)]) {
  const colon = row.indexOf(":")
  const name = row.slice(0, colon)
  const own = row
    .slice(colon + 1)
    .trim()
    .split(" ")
  table.set(name, new Set([...(table.get(name.split(" ")[0]!) ?? []), ...own]))
}
const alias: Readonly<Record<string, string>> = {
  cc: "gcc",
  "g++": "gcc",
  clang: "gcc",
  "clang++": "gcc",
  podman: "docker",
  nerdctl: "docker",
  oc: "kubectl",
  k: "kubectl",
  tofu: "terraform",
  terragrunt: "terraform",
  netcat: "nc",
  "nc.openbsd": "nc",
  "nc.traditional": "nc",
  nodejs: "node",
  tsx: "node",
  "ts-node": "node",
  vi: "vim",
  nvim: "vim",
  ex: "vim",
  view: "vim",
  gvim: "vim",
  rview: "vim",
  vimdiff: "vim",
  nano: "vim",
  https: "http",
  gtar: "tar",
  bsdtar: "tar",
  gsed: "sed",
  gfind: "find",
  fdfind: "fd",
  pip3: "pip",
  pipx: "pip",
  gpg2: "gpg",
  pgcli: "psql",
  mycli: "mysql",
  luajit: "lua",
  mksh: "sh",
  ash: "sh",
  yash: "sh",
  rbash: "bash",
  more: "less",
  most: "less",
  batcat: "bat",
  nft: "nft",
  "docker-buildx": "docker",
  dash: "sh",
  bunx: "npx"
}

/** The value-taking options of a program, or of its subcommand where that has a row of its own. */
export const optionsOf = (program: string, verb?: string): ReadonlySet<string> | undefined => {
  const name = alias[program] ?? program
  return table.get(verb === undefined ? name : `${name} ${verb}`)
}

/** Programs whose long options have one dash. */
export const singleDash: ReadonlySet<string> = new Set([
  "find",
  "gfind",
  "terraform",
  "tofu",
  "terragrunt",
  "openssl",
  "java",
  "javac",
  "go",
  "gdb",
  "ffmpeg",
  "convert",
  "lldb",
  "sqlite3",
  "xterm",
  "ip",
  "valgrind",
  "fsutil",
  "qemu-img",
  "hdiutil",
  "diskutil",
  "networksetup",
  "pwsh",
  "powershell",
  "cmd",
  "gs",
  "pdflatex",
  "xelatex",
  "lualatex",
  "latexmk",
  "influx"
])

/** Programs that accept shortened long options, as `--recurs`. */
export const abbreviating: ReadonlySet<string> = new Set([
  "rm",
  "chmod",
  "chown",
  "chgrp",
  "cp",
  "mv",
  "ln",
  "install",
  "shred",
  "truncate",
  "sort",
  "tar",
  "git",
  "wget",
  "sed",
  "grep",
  "tee",
  "wipefs",
  "curl"
])

/** Options before the subcommand, which change where it works and not what it does. */
export const globalOptions: Readonly<Record<string, ReadonlyArray<string>>> = {
  git: [
    "-C",
    "-c",
    "--git-dir",
    "--work-tree",
    "--namespace",
    "--super-prefix",
    "--config-env",
    "--attr-source",
    "--list-cmds"
  ],
  docker: ["-H", "--host", "--context", "-c", "--config", "-l", "--log-level"],
  podman: ["--url", "--connection", "--root", "--log-level"],
  kubectl: [
    "-n",
    "--namespace",
    "--context",
    "--cluster",
    "--kubeconfig",
    "--user",
    "-s",
    "--server",
    "--token",
    "--as"
  ],
  helm: ["-n", "--namespace", "--kube-context", "--kubeconfig"],
  npm: ["--prefix", "-w", "--workspace", "--registry", "--userconfig", "--loglevel"],
  pnpm: ["-C", "--dir", "--filter", "-F", "--prefix"],
  yarn: ["--cwd"],
  cargo: ["--manifest-path", "-C", "--config", "-Z", "--color"],
  go: ["-C"],
  terraform: ["-chdir"],
  aws: ["--profile", "--region", "--endpoint-url", "--output", "--query"],
  gcloud: ["--project", "--account", "--configuration", "--region", "--zone"],
  az: ["--subscription", "--output", "-o", "--query"],
  gh: ["-R", "--repo", "--hostname"],
  make: ["-C", "--directory", "-f", "--file"],
  systemctl: ["-H", "--host", "-M", "--machine"],
  "docker compose": ["-f", "--file", "-p", "--project-name", "--profile", "--env-file", "--project-directory"],
  "docker-compose": ["-f", "--file", "-p", "--project-name", "--profile", "--env-file", "--project-directory"]
}
