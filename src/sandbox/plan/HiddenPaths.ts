import { accessSync, constants, lstatSync, readdirSync, statSync } from "node:fs"
import { basename, dirname, isAbsolute, join, resolve } from "node:path"
import type { EnvironmentVariables } from "../../platform/Environment.ts"
import { isInside } from "../../platform/FilePath.ts"
import * as Disk from "../Disk.ts"
import * as HiddenPlaces from "./HiddenPlaces.ts"

/** A file or folder that confined commands and file tools do not find, by its canonical path. */
export interface HiddenPath {
  readonly path: string
  /** What is kept there, in words for people. */
  readonly reason: string
}

/** What is shown inside a hidden folder: a file or folder where it is, or a link with the text that it holds. */
export interface ShownPath {
  readonly path: string
  readonly link?: string
}

/** What confining modes hide on this machine, whatever the session (docs/sandbox.md#hidden-paths). */
export interface HiddenPaths {
  /** A folder in which something is shown all the same is hidden as far as that leaves it. */
  readonly hidden: ReadonlyArray<HiddenPath>
  /** Where credentials are, with what they are: a session folder that is given on purpose does not show them. */
  readonly named: ReadonlyMap<string, string>
  /** The same, but not for a session in whose folders they lie: there they are what the session is about. */
  readonly elsewhere: ReadonlyMap<string, string>
  readonly shown: ReadonlyArray<ShownPath>
  /** For people: what is left out of the home folders that `hidden` names as a whole. */
  readonly entries: ReadonlyArray<HiddenPath>
}

/** Whose home folders and whose variables count. */
export interface HiddenPathsHost {
  /** Absolute. */
  readonly homes: ReadonlyArray<string>
  readonly variables: EnvironmentVariables
}

export const unneeded = "no tool chain needs it"
const homeReason = "a home folder: dot entries that no tool chain needs"
const secretReason = "something in it looks like a secret"
const otherHome = "the home folder of another user"
const variableReason = (name: string) => `the variable ${name} names it`

type Verdict = "hidden" | "shown" | "checked"

interface Rule {
  readonly verdict: Verdict
  readonly reason: string
  readonly filesOnly: boolean
}

interface Node {
  readonly rules: Array<Rule>
  readonly exact: Map<string, Node>
  readonly patterns: Array<readonly [pattern: RegExp, node: Node]>
  /** Matches every name that one of the patterns matches. */
  any: RegExp | undefined
  /** Whether something below is shown. */
  leads: boolean
}

type Nodes = ReadonlyArray<Node>

const makeNode = (): Node => ({ rules: [], exact: new Map(), patterns: [], any: undefined, leads: false })

const source = (name: string): string =>
  name.replace(/[.+^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*").replaceAll("?", ".").replaceAll("#", "[0-9a-f]")

const insert = (root: Node, path: string, rule: Rule) => {
  let node = root
  const names = path.split("/").filter((part) => part !== "")
  names.forEach((name, at) => {
    if (rule.verdict !== "hidden") node.leads = true
    // People write endings of files in upper and lower case.
    const isEither = rule.filesOnly && at === names.length - 1
    const key = isEither ? `${name}\0` : name
    const known = node.exact.get(key)
    if (known !== undefined) {
      node = known
      return
    }
    const child = makeNode()
    node.exact.set(key, child)
    if (isEither || /[*?]/.test(name)) node.patterns.push([new RegExp(`^${source(name)}$`, isEither ? "i" : ""), child])
    node = child
  })
  node.rules.push(rule)
}

/** Once all is inserted. Names with `*` were kept among the exact ones to be found again. */
const seal = (node: Node) => {
  if (node.patterns.length > 0) {
    node.any = new RegExp(node.patterns.map(([pattern]) => `(?:${pattern.source})`).join("|"), "i")
  }
  for (const child of node.exact.values()) seal(child)
}

const childrenOf = (nodes: Nodes, name: string): Nodes => {
  const found: Array<Node> = []
  for (const { any, exact, patterns } of nodes) {
    const child = exact.get(name)
    if (child !== undefined) found.push(child)
    if (any?.test(name)) {
      for (const [pattern, node] of patterns) if (node !== child && pattern.test(name)) found.push(node)
    }
  }
  return found
}

const ruleOf = (nodes: Nodes, isFolder: boolean): Rule | undefined => {
  let best: Rule | undefined
  for (const { rules } of nodes) {
    for (const rule of rules) {
      if (rule.filesOnly && isFolder) continue
      if (rule.verdict === "hidden") return rule
      if (best?.verdict !== "checked") best = rule
    }
  }
  return best
}

const leads = (nodes: Nodes): boolean => nodes.some((node) => node.leads)
const hasBelow = (nodes: Nodes): boolean => nodes.some(({ exact }) => exact.size > 0)

type Kinds = { readonly [kind: string]: ReadonlyArray<string> }

const tree = (
  kinds: Kinds,
  more: ReadonlyArray<readonly [paths: ReadonlyArray<string>, verdict: Verdict, reason: string, filesOnly?: boolean]>
): Node => {
  const root = makeNode()
  for (const [reason, paths] of Object.entries(kinds)) {
    for (const path of paths) insert(root, path, { verdict: "hidden", reason, filesOnly: false })
  }
  for (const [paths, verdict, reason, filesOnly = false] of more) {
    for (const path of paths) insert(root, path, { verdict, reason, filesOnly })
  }
  seal(root)
  return root
}

const once = <A>(make: () => A) => {
  let made: A | undefined
  return () => made ??= make()
}

const homeTree = once(() =>
  tree(HiddenPlaces.credentials, [
    [HiddenPlaces.credentialFiles, "hidden", "credentials by their usual names", true],
    [HiddenPlaces.needed, "shown", ""],
    [HiddenPlaces.neededWithoutSecrets, "checked", secretReason],
    [HiddenPlaces.closedFolders, "hidden", unneeded]
  ])
)

const machineTree = once(() =>
  tree(HiddenPlaces.ofMachine, [[HiddenPlaces.ofMachineWithoutSecrets, "checked", secretReason]])
)

/** The nodes for a path below a home folder. */
const nodesAt = (relative: string): Nodes => {
  let nodes: Nodes = [homeTree()]
  for (const name of relative.split("/")) nodes = childrenOf(nodes, name)
  return nodes
}

type Kind = "folder" | "file" | "link"

interface Entry {
  readonly name: string
  readonly kind: Kind
}

const stampOf = (path: string): string => {
  try {
    const found = statSync(path, { throwIfNoEntry: false })
    return found === undefined ? "missing" : `${found.ino}:${found.ctimeMs}:${found.mtimeMs}:${found.size}`
  } catch {
    return "closed"
  }
}

/** The most entries of a home folder that are shown one by one; in a larger one the hidden ones are left out one by one. */
const mostShown = 120

/** A file in which secrets are looked for. */
const mostText = 256 * 1024

/** One search; `seen` says when its result is out of date. */
class Search {
  readonly seen = new Map<string, string>()
  readonly hidden = new Map<string, string>()
  readonly named = new Map<string, string>()
  readonly elsewhere = new Map<string, string>()
  readonly shown = new Map<string, ShownPath>()
  readonly entries = new Map<string, string>()
  /** Canonical. Their entries are shown one by one. */
  readonly closed: Array<string> = []
  readonly homes: ReadonlyArray<string>

  constructor(homes: ReadonlyArray<string>) {
    this.homes = homes
  }

  look(path: string) {
    if (!this.seen.has(path)) this.seen.set(path, stampOf(path))
  }

  list(folder: string): ReadonlyArray<Entry> {
    this.look(folder)
    try {
      return readdirSync(folder, { withFileTypes: true }).map((entry) => ({
        name: entry.name,
        kind: entry.isSymbolicLink() ? "link" : entry.isDirectory() ? "folder" : "file"
      }))
    } catch {
      return []
    }
  }

  hide(path: string, reason: string) {
    if (!this.hidden.has(path)) this.hidden.set(path, reason)
  }

  /** Wherever it really is; never a folder that holds a home folder. */
  name(path: string, reason: string) {
    const real = Disk.real(path) ?? path
    if (this.homes.some((home) => isInside(real, home)) || real === "/") return
    this.named.set(real, reason)
    this.hide(real, reason)
  }

  hasSecret(path: string): boolean {
    this.look(path)
    const found = statSync(path, { throwIfNoEntry: false })
    if (found === undefined || !found.isFile()) return found !== undefined
    if (found.size > mostText) return true
    const text = Disk.text(path)
    if (text === undefined) return true
    for (const [, file] of text.matchAll(/\bstore\s+--file[=\s]\s*["']?([^\s"']+)/g)) {
      const named = file!.replace(/^~(?=\/)/, this.homes[0] ?? "~")
      if (isAbsolute(named) && Disk.kind(named) !== "missing") this.name(named, "logins that git stores")
    }
    return HiddenPlaces.looksSecret.test(text)
  }

  inClosed(path: string): boolean {
    return this.closed.some((folder) => isInside(folder, path))
  }

  /** A link that is needed shows what it leads to, and every link on the way. */
  follow(path: string): string | undefined {
    let at = path
    for (let count = 0; count < 20; count++) {
      this.look(dirname(at))
      const link = Disk.target(at)
      if (link === undefined) return Disk.real(at)
      if (this.inClosed(at)) this.shown.set(at, { path: at, link })
      const next = resolve(dirname(at), link)
      const folder = Disk.real(dirname(next))
      if (folder === undefined) return undefined
      at = join(folder, basename(next))
    }
    return undefined
  }

  /** `isShown` is the folder; `top` is a home folder, where names without a dot are shown. */
  walk(folder: string, nodes: Nodes, isShown: boolean, top = false) {
    for (const { kind, name } of this.list(folder)) {
      const below = childrenOf(nodes, name)
      if (below.length === 0 && !top) {
        if (!isShown) this.entries.set(join(folder, name), unneeded)
        continue
      }
      const path = join(folder, name)
      const rule = ruleOf(
        below,
        kind === "folder" || (kind === "link" && Disk.kind(Disk.real(path) ?? path) === "folder")
      )
      const verdict = rule?.verdict ??
        (top ? (name.startsWith(".") ? "hidden" : "shown") : isShown ? "shown" : "hidden")
      if (verdict === "hidden") this.close(path, kind, below, isShown, rule)
      else if (verdict === "checked" && this.hasSecret(path)) this.close(path, kind, [], isShown, rule)
      else this.open(path, kind, below, isShown, rule !== undefined)
    }
  }

  close(path: string, kind: Kind, below: Nodes, wasShown: boolean, rule: Rule | undefined) {
    const reason = rule?.reason ?? unneeded
    // A folder in which something is shown is told by its entries.
    if (reason !== unneeded || !leads(below)) this.entries.set(path, reason)
    const isNamed = rule !== undefined && reason !== unneeded
    if (isNamed) this.name(path, reason)
    else if (wasShown) this.hide(Disk.real(path) ?? path, reason)
    if (!leads(below)) return
    const real = kind === "link" ? this.follow(path) : path
    if (real === undefined || Disk.kind(real) !== "folder") return
    if (kind === "link" && !this.inClosed(real)) {
      this.hide(real, reason)
      this.closed.push(real)
    }
    this.walk(real, below, false)
  }

  open(path: string, kind: Kind, below: Nodes, wasShown: boolean, isNeeded: boolean) {
    if (kind !== "link") {
      if (!wasShown && Disk.kind(path) !== "closed") this.shown.set(path, { path })
      if (kind === "folder" && hasBelow(below)) this.walk(path, below, true)
      return
    }
    if (!isNeeded) {
      const link = Disk.target(path)
      if (!wasShown && link !== undefined) this.shown.set(path, { path, link })
      return
    }
    const real = this.follow(path)
    if (real === undefined) return
    if (this.inClosed(real)) this.shown.set(real, { path: real })
    if (hasBelow(below) && Disk.kind(real) === "folder") this.walk(real, below, true)
  }

  home(home: string) {
    const names = this.list(home).map(({ name }) => name)
    const isLarge = names.filter((name) => !name.startsWith(".")).length > mostShown
    if (!isLarge) {
      this.hide(home, homeReason)
      this.closed.push(home)
    }
    this.walk(home, [homeTree()], isLarge, true)
  }

  /** Programs that `PATH` finds in a hidden folder, and those that links among them lead to. */
  programs(folders: ReadonlyArray<string>) {
    const isHidden = (path: string) => {
      const [mask, shown] = [nearest((at) => this.hidden.has(at), path), nearest((at) => this.shown.has(at), path)]
      return mask !== undefined && (shown === undefined || shown.length < mask.length)
    }
    const isNamed = (path: string) => nearest((at) => this.named.has(at), path)
    const show = (path: string) => {
      const named = isNamed(path)
      if (isHidden(path) && (named === undefined || (named !== path && basename(path) === "bin"))) {
        this.shown.set(path, { path })
      }
    }
    for (const folder of folders) {
      const real = Disk.real(folder)
      if (
        real === undefined || !isAbsolute(folder) || !this.homes.some((home) => isInside(home, real) && home !== real)
      ) {
        continue
      }
      show(real)
      for (const { kind, name } of this.list(real)) {
        if (kind !== "link") continue
        const program = this.follow(join(real, name))
        if (program === undefined || isNamed(program) !== undefined || !isHidden(program)) continue
        const home = this.homes.find((home) => isInside(home, program))
        const into = dirname(program)
        const depth = home === undefined ? 0 : into.slice(home.length).split("/").length - 1
        show(basename(into) === "bin" || depth >= 4 ? into : program)
      }
    }
  }

  variables(variables: EnvironmentVariables) {
    const given = (value: string): ReadonlyArray<string> =>
      value.replace(/^(FILE:|DIR:|file:\/\/)/, "").split(":").filter((path) =>
        isAbsolute(path) && !["/dev", "/proc", "/sys"].some((top) => isInside(top, path)) &&
        Disk.kind(path) !== "missing"
      )
    for (const [variable, value] of Object.entries(variables)) {
      if (value === undefined || !value.includes("/")) continue
      const moved = Object.hasOwn(HiddenPlaces.movedFolders, variable)
        ? HiddenPlaces.movedFolders[variable]
        : undefined
      if (moved !== undefined) { for (const path of given(value)) this.moved(path, moved, variable) }
      const isKnown = HiddenPlaces.namedByVariables.has(variable)
      if (!isKnown && moved === undefined) this.relocated(variable, given(value), variables["PATH"] ?? "")
      if (!isKnown && !HiddenPlaces.namedByVariable.test(variable)) continue
      for (const path of given(value)) {
        const real = Disk.real(path) ?? path
        const isFolder = Disk.kind(real) === "folder"
        // A name that only looks like a file of secrets says too little about a folder.
        if (isFolder && (!isKnown || dirname(real) === "/")) continue
        if (this.homes.some((home) => isInside(real, home))) continue
        this.look(path)
        this.hide(real, variableReason(variable))
        if (!isFolder) this.named.set(real, variableReason(variable))
      }
    }
    for (const path of given(variables["GIT_CONFIG_GLOBAL"] ?? "")) {
      if (this.hasSecret(path)) this.name(path, secretReason)
    }
  }

  /** What a variable of a program that no table knows names, unless it is the program itself. */
  relocated(variable: string, paths: ReadonlyArray<string>, programs: string) {
    if (!HiddenPlaces.relocatedByVariable.test(variable) || HiddenPlaces.tellingNothing.test(variable)) return
    for (const path of paths) {
      const real = Disk.real(path) ?? path
      const folders = [...this.homes, ...programs.split(":").flatMap((folder) => Disk.real(folder) ?? [])]
      if (dirname(real) === "/" || folders.some((folder) => isInside(real, folder))) continue
      if (HiddenPlaces.systemFolders.some((folder) => isInside(folder, real))) continue
      this.look(path)
      if (
        Disk.kind(real) === "folder" &&
        HiddenPlaces.toolChainFolders.some((name) => Disk.kind(join(real, name)) === "folder")
      ) {
        continue
      }
      this.elsewhere.set(real, variableReason(variable))
    }
  }

  /** A folder that usually lies in the home, and that a variable moves. */
  moved(path: string, usual: string, variable: string) {
    const real = Disk.real(path)
    if (real === undefined || Disk.kind(real) !== "folder" || dirname(real) === "/") return
    if (this.homes.some((home) => isInside(real, home) || real === join(home, usual))) return
    const nodes = nodesAt(usual)
    const verdict = ruleOf(nodes, true)?.verdict
    if (verdict === "shown") this.walk(real, nodes, true)
    else {
      this.hide(real, variableReason(variable))
      if (leads(nodes)) {
        this.closed.push(real)
        this.walk(real, nodes, false)
      }
    }
  }

  machine() {
    this.walk("/", [machineTree()], true)
  }

  /** Others' keys are nobody's business: a host that runs as root could read them. */
  otherHomes() {
    const found = homesOfOthers(this.homes)
    this.look(passwd)
    for (const folder of homeParents) this.look(folder)
    const folders = found.length > mostHomes ? [...new Set(found.map((home) => dirname(home)))] : found
    for (const folder of folders) if (folder !== "/") this.hide(folder, otherHome)
  }

  result(): HiddenPaths {
    // What is named is hidden also where a needed folder or link would show it.
    const shown = Array.from(this.shown.values()).filter(({ path }) => {
      const named = nearest((at) => this.named.has(at), path)
      if (named !== undefined && (named === path || basename(path) !== "bin")) return false
      const outer = nearest((at) => this.shown.has(at), dirname(path))
      return outer === undefined || outer.length < (nearest((at) => this.hidden.has(at), path)?.length ?? 0)
    })
    const kept = new Set(shown.map(({ path }) => path))
    const isExtra = (path: string) => {
      const outer = path === "/" ? undefined : nearest((at) => this.hidden.has(at), dirname(path))
      return outer !== undefined && (nearest((at) => kept.has(at), path)?.length ?? 0) < outer.length
    }
    return {
      hidden: Array.from(this.hidden, ([path, reason]) => ({ path, reason })).filter(({ path }) =>
        !isExtra(path) && !isClosed(path)
      ),
      named: this.named,
      elsewhere: this.elsewhere,
      shown,
      entries: Array.from(this.entries, ([path, reason]) => ({ path, reason }))
    }
  }
}

/** The path itself or the nearest folder around it for which it holds. */
export const nearest = (holds: (path: string) => boolean, path: string): string | undefined => {
  for (let at = path;; at = dirname(at)) {
    if (holds(at)) return at
    if (at === "/" || at === ".") return undefined
  }
}

/** Whether the kernel keeps this process out of it anyway; its owner could open it. */
const isClosed = (path: string): boolean => {
  const me = process.geteuid?.()
  if (me === undefined || me === 0) return false
  const may = (mode: number) => {
    try {
      accessSync(path, mode)
      return true
    } catch {
      return false
    }
  }
  try {
    const found = lstatSync(path)
    return found.uid !== me && !may(constants.R_OK) && !may(constants.W_OK) &&
      (!found.isDirectory() || !may(constants.X_OK))
  } catch {
    return false
  }
}

const passwd = "/etc/passwd"
/** Where home folders lie, also those of users whom another machine knows or who are gone. */
const homeParents = process.platform === "darwin" ? ["/Users"] : ["/home", "/var/home", "/export/home"]
/** Folders there that are no user's. */
const notHomes = new Set(["Shared", "linuxbrew", "lost+found"])

/** Above it the folders that hold the homes are hidden as a whole. */
const mostHomes = 32

/** Home folders of people; those of services hold what services need. */
const homesOfOthers = (own: ReadonlyArray<string>): ReadonlyArray<string> => {
  const there = homeParents.flatMap((parent) =>
    (Disk.names(parent) ?? []).filter((name) => !notHomes.has(name) && !name.startsWith(".")).map((name) =>
      join(parent, name)
    )
  )
  const named = process.platform === "darwin"
    ? []
    : (Disk.text(passwd) ?? "").split("\n").flatMap((line) => {
      const [, , id, , , home] = line.split(":")
      return (id === "0" || Number(id) >= 1000) && home?.startsWith("/") === true ? [home] : []
    })
  return Disk.existing([...named, ...there, "/root"]).filter((home) =>
    home !== "/" && Disk.kind(home) === "folder" && !isClosed(home) &&
    !["/nonexistent", "/usr", "/bin", "/sbin", "/dev", "/proc", "/var/empty", "/tmp", "/run"].some((top) =>
      isInside(top, home)
    ) && !own.some((mine) => isInside(mine, home) || isInside(home, mine))
  )
}

interface Kept {
  readonly seen: ReadonlyMap<string, string>
  readonly result: HiddenPaths
}

/** By host: a search is kept until something that it looked at changes. */
const kept = new WeakMap<HiddenPathsHost, Kept>()

/** Two changes within one tick of a file system's clock look like one. */
const tick = 50

/** Looks at the disk: about 5 ms the first time, and as long as nothing changes about 0.3 ms. */
export const find = (host: HiddenPathsHost): HiddenPaths => {
  const found = findAbove(host)
  const deep = findDeep(host)
  return deep.size === 0 ? found : { ...found, elsewhere: new Map([...found.elsewhere, ...deep]) }
}

const findAbove = (host: HiddenPathsHost): HiddenPaths => {
  const before = kept.get(host)
  if (before !== undefined && isCurrent(before.seen)) return before.result
  const started = Date.now()
  const homes = [...new Set(host.homes.flatMap((home) => Disk.real(home) ?? []))]
  const search = new Search(homes)
  for (const home of homes) search.home(home)
  search.variables(host.variables)
  search.machine()
  search.otherHomes()
  search.programs((host.variables["PATH"] ?? "").split(":"))
  const result = search.result()
  const isSettled = Array.from(search.seen.keys()).every((path) => changedAt(path) < started - tick)
  if (isSettled) kept.set(host, { seen: search.seen, result })
  else kept.delete(host)
  return result
}

/** How far below the home folder credentials are looked for by their names, in how many folders, and how often. */
const deepest = 4
const mostFolders = 500
const mostDeep = 64
const deepSeconds = 15

const deepKept = new WeakMap<HiddenPathsHost, { readonly at: number; readonly found: ReadonlyMap<string, string> }>()

const deepNames = once(() => new RegExp(`^(?:${HiddenPlaces.credentialNames.map(source).join("|")})$`, "i"))

/** Credentials by name in folders of the home that have no dot, nearer ones first; about 10 ms in a large home. */
const findDeep = (host: HiddenPathsHost): ReadonlyMap<string, string> => {
  const before = deepKept.get(host)
  if (before !== undefined && Date.now() - before.at < deepSeconds * 1_000) return before.found
  const found = new Map<string, string>()
  let level = [...new Set(host.homes.flatMap((home) => Disk.real(home) ?? []))]
  let left = mostFolders
  for (let depth = 0; depth < deepest && level.length > 0; depth++) {
    const next: Array<string> = []
    for (const folder of level) {
      if (left-- <= 0) break
      for (const { isDirectory, isFile, name } of entriesOf(folder)) {
        if (isDirectory && !name.startsWith(".") && !HiddenPlaces.generatedFolders.has(name)) {
          next.push(join(folder, name))
        } else if (isFile && depth > 0 && found.size < mostDeep && deepNames().test(name)) {
          found.set(join(folder, name), "credentials by their usual names")
        }
      }
    }
    level = next
  }
  deepKept.set(host, { at: Date.now(), found })
  return found
}

const entriesOf = (folder: string) => {
  try {
    return readdirSync(folder, { withFileTypes: true }).map((entry) => ({
      name: entry.name,
      isDirectory: entry.isDirectory(),
      isFile: entry.isFile()
    }))
  } catch {
    return []
  }
}

const changedAt = (path: string): number => {
  try {
    return statSync(path, { throwIfNoEntry: false })?.ctimeMs ?? 0
  } catch {
    return 0
  }
}

const isCurrent = (seen: ReadonlyMap<string, string>): boolean => {
  for (const [path, stamp] of seen) if (stampOf(path) !== stamp) return false
  return true
}

/** What is hidden by name in a folder of a session, which lies in a hidden part of a home folder. */
export const namedIn = (folder: string, { homes }: HiddenPathsHost): ReadonlyArray<HiddenPath> =>
  homes.flatMap((one) => {
    const home = Disk.real(one) ?? one
    if (home === folder || !isInside(home, folder)) return []
    const nodes = nodesAt(folder.slice(home.length + 1))
    if (!hasBelow(nodes)) return []
    const search = new Search([home])
    search.walk(folder, nodes, true)
    return Array.from(search.named, ([path, reason]) => ({ path, reason }))
  })

/** Below a hidden folder of the machine, and needed all the same. */
export const visible = (network: boolean): ReadonlyArray<string> =>
  network ? [...HiddenPlaces.visibleOfMachine, ...HiddenPlaces.visibleWithNetwork] : HiddenPlaces.visibleOfMachine

const socketOf = (address: string | undefined): ReadonlyArray<string> => {
  const path = address?.replace(/^unix:(\/\/|path=)?/, "").split(",")[0]
  return path?.startsWith("/") === true ? [path] : []
}

/** Sockets of agents and services, whether they exist or not. */
export const sockets = (variables: EnvironmentVariables): ReadonlyArray<string> =>
  [
    variables["XDG_RUNTIME_DIR"],
    variables["SSH_AUTH_SOCK"],
    variables["DOCKER_HOST"],
    variables["DBUS_SESSION_BUS_ADDRESS"],
    variables["GPG_AGENT_INFO"]?.split(":")[0]
  ].flatMap(socketOf)
