import { databases, foreignShells, languages, shells } from "../shell/programs/Languages.ts"
import { names } from "../shell/programs/Rows.ts"
import { wrappersOf } from "../shell/programs/Wrappers.ts"

/** Programs that run what they are given: how much a permission for each of them would say (docs/policy.md#always). */

/** Permission for these would be permission for any program: they run what they are given, or what a repository configures. */
const neverAllowed = names(`
  sh bash zsh dash ksh fish csh tcsh ash pwsh powershell python python2 python3 pypy node nodejs deno ruby perl php lua luajit Rscript
  osascript tclsh ipython irb awk gawk mawk sed env xargs parallel npx bunx uvx pipx docker podman nerdctl ssh scp sftp rsync git hg svn
  sudo su doas pkexec run0 eval exec source . command builtin time timeout nice nohup setsid stdbuf ionice chrt taskset flock watch
  busybox find fd rm dd mkfs chroot nsenter unshare script expect screen tmux at batch crontab systemd-run make gmake
  vi vim nvim emacs ed less more man gdb lldb strace ltrace rg tar curl wget nc ncat socat telnet kubectl helm
  java gnuplot ghci runghc octave ocaml clojure clj kotlin vimdiff view ex x86_64 i386 gradle ant
`)

const runners: ReadonlyMap<string, ReadonlySet<string>> = new Map(Object.entries({
  npm: names("exec x init create pkg config set explore"),
  pnpm: names("exec dlx create config"),
  yarn: names("exec dlx create node workspace workspaces config"),
  bun: names("x exec create"),
  uv: names("run tool"),
  poetry: names("run"),
  pipenv: names("run shell"),
  hatch: names("run env"),
  bundle: names("exec"),
  mise: names("exec x"),
  nix: names("run shell develop"),
  direnv: names("exec"),
  cargo: names("install run"),
  go: names("run generate env tool"),
  gh: names("api extension alias"),
  conda: names("run"),
  dotnet: names("exec run script"),
  corepack: names("npm pnpm yarn"),
  rye: names("run"),
  nvm: names("exec run"),
  volta: names("run"),
  fnm: names("exec"),
  asdf: names("exec"),
  rbenv: names("exec"),
  pyenv: names("exec"),
  op: names("run"),
  dotenvx: names("run"),
  lerna: names("exec"),
  nx: names("exec"),
  pdm: names("run")
}))

/** Their subcommand names what it runs in the word after it. */
const scripts: ReadonlyMap<string, ReadonlySet<string>> = new Map(Object.entries({
  npm: names("run run-script"),
  pnpm: names("run"),
  yarn: names("run"),
  bun: names("run"),
  composer: names("run")
}))

/** Their next word is a subcommand: what one may do says nothing about another. */
const subcommanded = names(`
  pip pip3 gem apt apt-get brew dnf yum apk rustup terraform tofu pulumi mix rails rake dart flutter swift just task turbo nx lerna
  systemctl vercel firebase heroku fly wrangler supabase prisma ng aws gcloud az
`)

/** What follows the program says what it does. */
export const hasSubcommands = (program: string) =>
  subcommanded.has(program) || runners.has(program) || scripts.has(program)

/** `python3.12`, `gcc-12` and `vim.tiny` are what they are without the rest. */
const familiar = (program: string): string =>
  program.replace(/(\.exe|\.(tiny|basic|nox|gtk\d?|athena))$/, "").replace(/-?\d[\d.]*$/, "")

const isOpen = (program: string): boolean =>
  neverAllowed.has(program) || shells.has(program) || foreignShells.has(program)
  || wrappersOf(program).some(({ verbs }) => verbs.length === 0)
  || (!hasSubcommands(program) && (languages.has(program) || databases.has(program)))

/** A rule about it, whatever its arguments, would be one about any program. */
export const runsAnything = (program: string): boolean => isOpen(program) || isOpen(familiar(program))

/** The words after this subcommand are what it runs. */
export const runsNext = (program: string, subcommand: string): boolean =>
  runners.get(program)?.has(subcommand) === true || wrappersOf(program).some(({ verbs }) => verbs[0] === subcommand)

/** The word after this subcommand names what it runs. */
export const runsScript = (program: string, subcommand: string): boolean =>
  scripts.get(program)?.has(subcommand) === true
