import type { Command } from "../programs/Command.ts"
import { tellsFiles } from "../programs/FileOperands.ts"
import { isDownloader } from "../programs/Network.ts"

/** What names say: subcommands of clients that no row knows, tasks of the project, and scripts. */

const acts = "delete|destroy|purge|wipe|terminate|decommission|deprovision|nuke|obliterate|unpublish|drop"
const destroying = new RegExp(`^((${acts})([-:]\\w[\\w-]*)?|[\\w-]+[-:](delete|destroy|purge|drop)|rdelete)$`, "i")
/** What comes after a verb that only looks is a name. */
const looking =
  /^(list|ls|get|show|describe|status|view|search|help|info|explain|check|run|test|logs?|add|create|set|new|start|g|generate|make|gen)$/i
const dryRun = ["--dry-run", "--dryrun", "--what-if", "--help", "--dryRun", "--noop", "--check", "--plan"]

const segmentsOf = (name: string): ReadonlyArray<string> =>
  name.replace(/([a-z])([A-Z])/g, "$1-$2").toLowerCase().split(/[^a-z0-9]+/)

const strong = new Set(
  `${acts}|erase|truncate|undeploy|teardown|dropall|deleteall|destroyall|wipeout|expunge`.split("|")
)
const soft = new Set(
  "reset clear flush revoke prune rollback restore overwrite downgrade remove rm unset leave close empty recreate"
    .split(" ")
)
/** What is lost with these may be all there is; what a machine or a build makes again is nothing of worth. */
const stateful = new RegExp(
  "^(data(base|set)?s?|dbs?|sql|tables?|schemas?|users?|accounts?|prod|production|live|queues?|topics?|streams?" +
    "|volumes?|buckets?|storage|s3|redis|mongo|postgres|pg|mysql|elastic|secrets?|env|projects?|clusters?|namespaces?" +
    "|index(es)?|indices|collections?|records?|backups?|snapshots?|domains?|orgs?|organizations?|workspaces?|tenants?" +
    "|customers?|subscriptions?|documents?|everything|all|state|infra|infrastructure|resources?|stacks?|envs?" +
    "|environments?|apps?|sites?|keys?|tokens?|members?|teams?|instances?|uploads?|media)$"
)
const remade = new RegExp(
  "^(caches?|logs?|tmp|temp|configs?|builds?|dist|locks?|telemetry|deps|dependenc(y|ies)|console|screen|terminal" +
    "|output|results?|reports?|coverage|filters?|breakpoints?|prox(y|ies)|packages?|modules?|plugins?|extensions?" +
    "|alias(es)?|remotes?|watch(es)?|tests?|e2e|spec|fixtures?|mocks?|snapshots?|dry|dryrun|artifacts?|settings?" +
    "|preferences|session|cookies?|history|pycache|pyc|node|nodemodules)$"
)
const insistent = ["--force", "-f", "--yes", "-y", "--auto-approve", "--confirm", "--no-confirm", "--all", "--hard"]

/** The subcommands of command-line clients that no row knows say what they do. */
const destroysByName = (command: Command): string | undefined => {
  const { fields: { name }, line, program, row } = command
  if (program === "" || name?.guess.includes("/") === true || row.is("names-words")) return undefined
  const isKnown = row.is("shell") || row.language !== undefined || row.statements !== undefined || tellsFiles(row)
  if (isKnown || isDownloader(command)) return undefined
  if (line.has(...dryRun)) return undefined
  const words = line.operands.slice(0, 3).map((arg) => arg.guess)
  const end = words.findIndex((word) => looking.test(word))
  const verbs = end < 0 ? words : words.slice(0, end)
  if (verbs.some((word) => destroying.test(word))) return "publish-deploy"
  return row.name === "" && (deploying.test(verbs[0] ?? "") || losesState(command, verbs))
    ? "publish-deploy"
    : undefined
}

const deploying = /^(deploy|undeploy|publish)$/i

/** A milder word counts with what it is done to, or where the options insist. */
const losesState = ({ line, program }: Command, verbs: ReadonlyArray<string>): boolean => {
  const named = verbs.filter((word) => /^[a-z][\w:.-]*$/i.test(word)).flatMap(segmentsOf)
  const options = line.options.flatMap(segmentsOf)
  if ([...named, ...options, ...segmentsOf(program)].some((word) => remade.test(word))) return false
  if (named.some((word) => strong.has(word))) return true
  const act = named.find((word) => soft.has(word))
  if (act === undefined) return false
  return named.some((word) => word !== act && stateful.test(word)) ||
    (!/^(remove|rm|unset|leave|close)$/.test(act) && line.has(...insistent))
}

const shown = /^(preview|local|docs?|check|lint|types?|storybook|plan|diff|status|help|list|notes|verify|validate)$/

/** A task or a script of this name takes something away for good, or puts something out into the world. */
const nameTells = (name: string, isScript: boolean, isStore = false): string | undefined => {
  const words = segmentsOf(name)
  if (words.some((word) => remade.test(word) || shown.test(word))) return undefined
  const isStateful = isStore || words.some((word) => stateful.test(word))
  const takes = words.some((word) => strong.has(word))
  if (takes && (!isScript || isStateful || words.length === 1)) return isStateful ? "database" : "publish-deploy"
  if (isStateful && words.some((word) => soft.has(word) && !/^(remove|rm|close|leave)$/.test(word))) {
    return "database"
  }
  return /^(deploy|publish|undeploy|ship)$/.test(words[0] ?? "") ? "publish-deploy" : undefined
}

/** The project's own tasks that a runner is told to run. */
const tasks = ({ line, row }: Command): string | undefined => {
  const verbs = row.words("tasks")
  if (verbs.length === 0 || line.has(...dryRun, "-n", "--list", "-l")) return undefined
  const operands = line.operands.map((arg) => arg.guess)
  const at = operands.findIndex((word) => verbs.includes(word))
  const named = at >= 0
    ? operands.slice(at + 1, at + 2)
    : verbs.includes("all")
    ? operands
    : verbs.includes("bare")
    ? operands.slice(0, 1)
    : []
  for (const name of named) {
    if (looking.test(name)) break
    if (name.includes("=") || name.includes("/")) continue
    const told = nameTells(name, false)
    if (told !== undefined) return told
    // What a compiled project calls a release is a build.
    if (/^release(:(prod|production|latest|major|publish))?$/.test(name) && !verbs.includes("all")) {
      return "publish-deploy"
    }
  }
  return undefined
}

const scriptName = /^(?:.*\/)?([\w.-]+?)(?:\.(?:ba|z)?sh|\.[cm]?[jt]s|\.py|\.rb|\.php|\.pl|\.sql)?$/

/** Scripts that are run, by their names. */
const scripts = ({ fields: { input, name }, line, program, row, words }: Command): string | undefined => {
  if (line.has(...dryRun) || words.some((word) => /^--?(dry|help|version|list|preview)/.test(word))) return undefined
  const isRunner = row.is("shell") || row.language !== undefined || program === "source" || program === "."
  const isStore = row.statements !== undefined
  const candidates = name?.guess.includes("/") === true && row.name === ""
    ? [name.guess]
    : isRunner || isStore
    ? [
      ...line.operands.slice(0, isRunner ? 1 : undefined),
      ...(isStore ? line.options.flatMap((each) => line.values(each)) : [])
    ]
      .concat(isStore && input.file !== undefined ? [input.file] : [])
      .map((arg) => arg.guess.replace(/^\s*(\\ir?|source|\.read)\s+/, ""))
      .filter((path) => /\.\w+$/.test(path))
    : []
  for (const path of candidates) {
    const base = /\s/.test(path) ? undefined : scriptName.exec(path)?.[1]
    const told = base === undefined ? undefined : nameTells(base, true, isStore)
    if (told !== undefined) return told
  }
  return undefined
}

const revealing =
  /^--(show|reveal|with|print|display|unmask|expose)-?(secrets?|tokens?|passwords?|credentials?|values)?$/

/** An option that shows what is otherwise hidden. */
const reveals = ({ line }: Command): string | undefined =>
  line.options.some((name) => revealing.test(name) && /secret|token|password|credential|unmask|reveal/.test(name))
    ? "credentials"
    : undefined

/** A start-up script that is called by its path. */
const services = ({ fields: { name }, line }: Command): string | undefined =>
  /^\/etc\/(init|rc)\.d\/[\w.-]+$/.test(name?.guess ?? "") && /^(start|stop|restart|reload|force-)/.test(line.verb())
    ? "power-service"
    : undefined

/** Dangers that only names tell of. */
export const dangersByName = (command: Command): ReadonlyArray<string | undefined> => [
  destroysByName(command),
  tasks(command),
  scripts(command),
  reveals(command),
  services(command)
]
