import { Result } from "effect"
import type { CommandPart, Part, PathPart } from "../Part.ts"
import type { ShellAnalysis } from "../ShellAnalysis.ts"
import * as Call from "./Call.ts"
import type { Dangers } from "./Dangers.ts"
import { isNeutral } from "./Neutral.ts"
import { wrappersOf } from "../shell/programs/Wrappers.ts"
import { databases, foreignShells, languages, shells } from "../shell/programs/Languages.ts"
import { type KnownTools, type List, parse, quoteWord } from "./Rule.ts"
import { type Entry, entry, make } from "./RuleSet.ts"

/** What "always" may be answered with (policy §2.6): rules that a user can read, see listed and remove. */

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/** Permission for these would be permission for any program: they run what they are given, or what a repository configures. */
const neverAllowed = words(`
  sh bash zsh dash ksh fish csh tcsh ash pwsh powershell python python2 python3 pypy node nodejs deno ruby perl php lua luajit Rscript
  osascript tclsh ipython irb awk gawk mawk sed env xargs parallel npx bunx uvx pipx docker podman nerdctl ssh scp sftp rsync git hg svn
  sudo su doas pkexec run0 eval exec source . command builtin time timeout nice nohup setsid stdbuf ionice chrt taskset flock watch
  busybox find fd rm dd mkfs chroot nsenter unshare script expect screen tmux at batch crontab systemd-run make gmake
  vi vim nvim emacs ed less more man gdb lldb strace ltrace rg tar curl wget nc ncat socat telnet kubectl helm
  java gnuplot ghci runghc octave ocaml clojure clj kotlin vimdiff view ex x86_64 i386 gradle ant
`)

/** Harmless or not by what stands in the arguments alone. */
const asGiven = words("cmake ctest")

/** What any option of theirs may do, their name says. */
const wellNamed = words(
  "pytest mkdir id ls tsc eslint prettier vitest jest mocha ruff mypy black flake8 rspec phpunit shellcheck"
)

const runners: ReadonlyMap<string, ReadonlySet<string>> = new Map(Object.entries({
  npm: words("exec x init create pkg config set explore"),
  pnpm: words("exec dlx create config"),
  yarn: words("exec dlx create node workspace workspaces config"),
  bun: words("x exec create"),
  uv: words("run tool"),
  poetry: words("run"),
  pipenv: words("run shell"),
  hatch: words("run env"),
  bundle: words("exec"),
  mise: words("exec x"),
  nix: words("run shell develop"),
  direnv: words("exec"),
  cargo: words("install run"),
  go: words("run generate env tool"),
  gh: words("api extension alias"),
  conda: words("run"),
  dotnet: words("exec run script"),
  corepack: words("npm pnpm yarn"),
  rye: words("run"),
  nvm: words("exec run"),
  volta: words("run"),
  fnm: words("exec"),
  asdf: words("exec"),
  rbenv: words("exec"),
  pyenv: words("exec"),
  op: words("run"),
  dotenvx: words("run"),
  lerna: words("exec"),
  nx: words("exec"),
  pdm: words("run")
}))

/** Their subcommand names what it runs in the word after it. */
const scripts: ReadonlyMap<string, ReadonlySet<string>> = new Map(Object.entries({
  npm: words("run run-script"),
  pnpm: words("run"),
  yarn: words("run"),
  bun: words("run"),
  composer: words("run")
}))

/** Their next word is a subcommand: what one may do says nothing about another. */
const subcommanded = words(`
  pip pip3 gem apt apt-get brew dnf yum apk rustup terraform tofu pulumi mix rails rake dart flutter swift just task turbo nx lerna
  systemctl vercel firebase heroku fly wrangler supabase prisma ng aws gcloud az
`)

const hasSubcommands = (program: string) => subcommanded.has(program) || runners.has(program) || scripts.has(program)

/** `python3.12`, `gcc-12` and `vim.tiny` are what they are without the rest. */
const familiar = (program: string): string =>
  program.replace(/(\.exe|\.(tiny|basic|nox|gtk\d?|athena))$/, "").replace(/-?\d[\d.]*$/, "")

const runsAnything = (program: string): boolean =>
  neverAllowed.has(program) || shells.has(program) || foreignShells.has(program)
  || wrappersOf(program).some(({ verbs }) => verbs.length === 0)
  || (!hasSubcommands(program) && (languages.has(program) || databases.has(program)))

const runsNext = (program: string, subcommand: string): boolean =>
  runners.get(program)?.has(subcommand) === true || wrappersOf(program).some(({ verbs }) => verbs[0] === subcommand)

const isName = (word: string | null | undefined): word is string =>
  typeof word === "string" && /^[a-z][a-z0-9:_-]*$/.test(word)

const exactly = ({ argv, assignments, opaque }: CommandPart): string | undefined => {
  if (opaque || assignments.length > 0 || !argv.every((word) => word !== null)) return undefined
  return `shell(=${argv.map(quoteWord).join(" ")})`
}

/** The program and its subcommand with any arguments; nothing where that would say too much. */
const broadly = (part: CommandPart): string | undefined => {
  const { argv, opaque, wrappers } = part
  const [program, subcommand, script] = argv
  if (opaque || typeof program !== "string" || wrappers.some((name) => name === "xargs" || name === "find")) {
    return undefined
  }
  if (program.includes("/") || runsAnything(program) || runsAnything(familiar(program))) return undefined
  if (typeof subcommand === "string" && runsNext(program, subcommand)) return undefined
  if (
    asGiven.has(program) ||
    (subcommand?.startsWith("-") === true && !hasSubcommands(program) && !wellNamed.has(program))
  ) return exactly(part)
  if (!isName(subcommand)) return hasSubcommands(program) ? undefined : `shell(${quoteWord(program)} *)`
  if (!scripts.get(program)?.has(subcommand)) return `shell(${quoteWord(program)} ${subcommand} *)`
  return isName(script) ? `shell(${quoteWord(program)} ${subcommand} ${script} *)` : undefined
}

/** The file itself, as a pattern; inside the workspace only. */
const file = ({ kind, path }: PathPart, { locate, place }: Call.Call): string | undefined => {
  const found = path === null ? undefined : locate(path, place.cwd)
  if (found === undefined || found.canonical !== found.written) return undefined
  const root = place.cwd
  if (!found.written.startsWith(`${root}/`)) return undefined
  return `${kind}(./${found.written.slice(root.length + 1).replace(/[\\*?[{}!]/g, "\\$&")})`
}

type Read = (text: string) => Entry | undefined

const ruleFor = (part: Part, call: Call.Call, dangers: Dangers, read: Read): string | undefined => {
  switch (part.kind) {
    case "command": {
      const broad = broadly(part)
      if (broad === undefined || broad === exactly(part)) return broad
      // Without subcommands the next word is an argument like the others, and what matters is what the program can do.
      const reach = read(hasSubcommands(part.program ?? "") ? broad : `shell(${quoteWord(part.program ?? "")} *)`)
      return reach !== undefined && dangers.covered([reach]).length > 0 ? exactly(part) : broad
    }
    case "read":
    case "write":
      return file(part, call)
    case "fetch":
      return URL.canParse(part.url) ? `fetch(${new URL(part.url).hostname.replace(/\.$/, "")})` : undefined
    case "mcp":
      return `mcp(${part.server}/${part.tool.replace(/[\\*?[{}!,]/g, "\\$&")})`
    case "tool":
      return part.name
  }
}

export interface Proposing {
  readonly tool: string
  readonly parts: ReadonlyArray<Part>
  readonly facts: Call.Facts
  readonly shapes: ShellAnalysis["shapes"]
  readonly tools: KnownTools
  readonly dangers: Dangers
}

const mostRules = 5

const reader = (list: List, { tools }: Proposing): Read => (text) => {
  const rule = parse(text, { list, tools })
  return Result.isSuccess(rule) ? entry("session", list, rule.success) : undefined
}

const collect = (texts: ReadonlyArray<string | undefined>, read: Read): ReadonlyArray<Entry> | undefined => {
  const all: Array<Entry> = []
  for (const text of new Set(texts)) {
    const made = text === undefined ? undefined : read(text)
    if (made === undefined) return undefined
    all.push(made)
  }
  return all.length === 0 || all.length > mostRules ? undefined : all
}

/**
 * The rules that "always allow" would store: together they let this call run, each says no more than a program with its
 * subcommand, and none covers a known danger. Nothing when there are no such rules; then only "once" can be offered.
 */
export const allow = (input: Proposing): ReadonlyArray<Entry> | undefined => {
  const { dangers, facts, parts, shapes, tool, tools } = input
  if (facts.opaque || facts.parseError || shapes.length > 0 || parts.length === 0) return undefined
  const call = Call.make(tool, parts, facts, tools)
  const read = reader("allow", input)
  const texts = parts.filter((part) => !isNeutral(part, call)).map((part) => ruleFor(part, call, dangers, read))
  const entries = collect(texts, read)
  return entries !== undefined && make(entries, tools).decide(tool, parts, facts)?.list === "allow"
    ? entries
    : undefined
}

/**
 * The rule that "always reject" would store. With several parts nobody knows which of them was rejected, except where one is
 * dangerous: then exactly that. Nothing when no rule says what was meant.
 */
export const deny = (input: Proposing): ReadonlyArray<Entry> | undefined => {
  const { dangers, facts, parts, shapes, tool, tools } = input
  const call = Call.make(tool, parts, facts, tools)
  const read = reader("deny", input)
  const dangerous = parts.filter((part) => shapes.some((shape) => shape.part === part.text))
  const judged = dangerous.length > 0 ? dangerous : parts.filter((part) => !isNeutral(part, call))
  if (judged.length !== 1) return undefined
  const texts = judged.map((part) => {
    if (part.kind !== "command") return ruleFor(part, call, dangers, read)
    return shapes.length > 0 ? exactly(part) : broadly(part) ?? exactly(part)
  })
  const entries = collect(texts, read)
  return entries !== undefined && make(entries, tools).decide(tool, parts, facts)?.list === "deny" ? entries : undefined
}
