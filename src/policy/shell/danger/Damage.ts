import type { ActionContext } from "../../decision/CallAction.ts"
import { foundBy, listedBy } from "../interpret/BatchRunners.ts"
import { isBelow, isInside, resolve } from "../parse/Paths.ts"
import { type Arg, type Command, HOLE, supplied } from "../programs/Command.ts"
import { appendsInput, isAppendedTo, runsBatches } from "../programs/Rules.ts"
import { programOf } from "../programs/Table.ts"
import {
  isExpendable,
  isFileName,
  isManySources,
  isRebuilt,
  isTemporary,
  isUnbounded,
  readCategory,
  writeCategory
} from "./Places.ts"

/** Files that cannot be made again, permissions, processes and resources, where operands and values decide. */

const pathsOf = (args: ReadonlyArray<Arg>, { fields: { cwd } }: Command): ReadonlyArray<string | undefined> =>
  args.map((arg) => resolve(arg.guess, cwd))

const areExpendable = (
  targets: ReadonlyArray<Arg>,
  { fields: { cwd, where } }: Command,
  place: ActionContext
): boolean => targets.every((arg) => isExpendable(arg, cwd, place) || (where === "contained" && isRebuilt(arg)))

/** The substitution prints names of files that are not all made again. */
const namesMany = ({ inner }: Arg, place: ActionContext): boolean =>
  !inner.some((each) => each.row.is("bounded")) && inner.some((each) => {
    const found = listedBy(each)
    return found !== undefined && !areExpendable(found, each, place)
  })

/** One file, without recursion: harmless inside the project, where version control and the person know it. */
const losesFile = (arg: Arg, command: Command, place: ActionContext): string | undefined => {
  const { cwd } = command.fields
  if (isExpendable(arg, cwd, place)) return undefined
  if (isUnbounded(arg) || isManySources(arg) || namesMany(arg, place)) return "fs-wipe"
  if (command.fields.where === "contained") return undefined
  if (arg.guess.startsWith(HOLE)) return undefined
  const path = resolve(arg.guess, cwd)
  if (path === undefined) return undefined
  if (isInside(path, place)) return /(^|\/)\.git(\/(?!.*\.lock$).*)?$/.test(path) ? "fs-wipe" : undefined
  return writeCategory(path, place) ?? readCategory(path, place) ?? (path.includes(HOLE) ? undefined : "fs-wipe")
}

const deletes = (command: Command, place: ActionContext): string | undefined => {
  const targets = command.line.operands
  const { cwd, wrappers } = command.fields
  if (command.line.has("-r", "-R", "--recursive")) {
    const trees = targets.filter((arg) => !(isFileName(arg) && isInside(resolve(arg.guess, cwd), place)))
    if (!areExpendable(trees, command, place)) return "fs-wipe"
  }
  // Running a command once per name has the effect of recursion.
  const many = runsBatches(wrappers.at(-1)) ? targets.filter((arg) => arg.glob || arg.guess === HOLE) : []
  if (!areExpendable(many, command, place)) return "fs-wipe"
  return targets.map((arg) => losesFile(arg, command, place)).find((category) => category !== undefined)
}

const finds = (command: Command, place: ActionContext): string | undefined => {
  const { words } = command
  const takes = words.some((word, at) =>
    /^-(exec|execdir|ok|okdir)$/.test(word) && programOf(words[at + 1] ?? "").is("loses")
  )
  if ((words.includes("-delete") || takes) && !areExpendable(foundBy(command), command, place)) return "fs-wipe"
  const hunts = foundBy(command).some((arg) => {
    const path = resolve(arg.guess.replace(/\*/g, "x"), command.fields.cwd)
    return path !== undefined && !isInside(path, place) &&
      (readCategory(path, place) !== undefined || /\.(pem|key|kdbx|ppk|p12|pfx|jks|ovpn)$/.test(path))
  })
  return hunts && !words.includes("-perm") ? "credentials" : undefined
}

const moves = (command: Command, place: ActionContext): string | undefined => {
  const { line } = command
  if (line.operands.at(-1)?.guess === "/dev/null") return "fs-wipe"
  const named = line.values("-t", "--target-directory")
  const target = named.at(-1) ?? line.operands.at(-1)
  const sources = named.length > 0 ? line.operands : line.operands.slice(0, -1)
  if (target !== undefined && isTemporary(target, command.fields.cwd, place)) {
    const taken = sources.filter((arg) => isInside(resolve(arg.guess, command.fields.cwd), place))
    if (!areExpendable(taken, command, place)) return "fs-wipe"
  }
  const holds = (path: string | undefined, folder: string) =>
    path !== undefined && (path === folder || isBelow(folder, path))
  return pathsOf(sources, command).some((path) =>
      path === "/" || /^\/(home|Users)\/[^/]+$/.test(path ?? "") ||
      [place.home, ...place.roots].some((folder) => holds(path, folder))
    )
    ? "fs-wipe"
    : undefined
}

const mirrors = (command: Command, place: ActionContext): string | undefined => {
  const { line } = command
  if (line.has("-n", "--dry-run")) return undefined
  if (line.has("--remove-source-files")) return "fs-wipe"
  if (!line.options.some((name) => name.startsWith("--del"))) return undefined
  const target = line.operands.at(-1)
  return target !== undefined && isExpendable(target, command.fields.cwd, place) ? undefined : "fs-wipe"
}

/** Fifty gigabytes or more. */
const isHuge = ({ guess }: Arg): boolean => {
  const match = /^[+<>%/-]?(\d+)\s*([KMGTPE])?i?B?$/i.exec(guess)
  if (match === null) return false
  const unit = { K: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15, E: 1e18 }[(match[2] ?? "").toUpperCase()] ?? 1
  return Number(match[1]) * unit >= 5e10
}

const huge = (command: Command, ...options: ReadonlyArray<string>): string | undefined =>
  command.line.values(...options).some(isHuge) ? "resource" : undefined

const setsIdentity = (mode: string): boolean =>
  (/^[2-7][0-7]{3}$/.test(mode) && mode[0] !== "1") ||
  /^0[2-7][0-7]{3}$/.test(mode) ||
  /(^|,)[ugoa]*[+=][rwxXt]*s/.test(mode)
const opensToAll = (mode: string): boolean =>
  /^[01]?[0-7]{2}[2367]$/.test(mode) || /(^|,)([ugo]*[oa][ugoa]*|)[+=][rxX]*w/.test(mode)

/** The mode of these files, which `-w` spells like an option. */
const changesMode = (command: Command, place: ActionContext): string | undefined => {
  const { line, words } = command
  if (line.has("--reference")) return changesAccess(command, line.operands, place)
  const mode = words.find((word) => /^-[rwxXst]+$/.test(word)) ?? line.verb()
  const targets = mode.startsWith("-") ? line.operands : line.operands.slice(1)
  if (setsIdentity(mode)) return "perms"
  if (!line.has("-R", "--recursive")) {
    if (opensToAll(mode) && !areExpendable(targets, command, place)) return "perms"
    const tightens = /^0?[4-7]00$|^([ugo]*[go][ugo]*[-=][rwxX]*|u[+=][rwxX]+)(,|$)/.test(mode)
    const outside = pathsOf(targets, command).filter((path) => path !== undefined && !isInside(path, place))
    if (tightens && outside.every((path) => writeCategory(path, place) !== "system-write")) return undefined
  }
  return changesAccess(command, targets, place)
}

const changesAccess = (command: Command, targets: ReadonlyArray<Arg>, place: ActionContext): string | undefined => {
  if (command.line.has("-R", "--recursive")) {
    return targets.length > 0 && areExpendable(targets, command, place) ? undefined : "perms"
  }
  return pathsOf(targets, command).some((path) =>
      path !== undefined && !isInside(path, place) &&
      (/^\/(?!tmp\/|home\/|var\/tmp\/|Users\/|\0)/.test(path) || writeCategory(path, place) !== undefined ||
        readCategory(path, place) !== undefined)
    )
    ? "perms"
    : undefined
}

const kills = (command: Command): string | undefined => {
  const { words } = command
  const signals = /^-(\d+|[A-Z]+\d*|s|n|l|L|q|-\w+)$/
  if (/^(-l|-L|--list|--table)$/.test(words[0] ?? "")) return undefined
  const pids = words.filter(
    (word, at) =>
      word !== "--" &&
      ((at > 0 && words[at - 1] === "--") || !signals.test(word) || (word === "-1" && at > 0)) &&
      !/^-[sn]$/.test(words[at - 1] ?? "")
  )
  if (pids.some((pid) => pid === "-1" || pid === "1")) return "power-service"
  const finders = [
    ...command.args.flatMap((arg) => arg.inner),
    ...(isAppendedTo(command) ? command.fields.input.from : [])
  ]
  return finders.some((each) => (each.row.is("finds-processes") && !isNarrow(each)) || each.row.is("lists-processes"))
    ? "power-service"
    : undefined
}

/** `-f` with a pattern that can only mean one program of the project. */
const isNarrow = ({ line }: Command): boolean =>
  line.has("-f", "--full") && line.verb().length >= 5 && !line.verb().includes(HOLE) &&
  /[\w.-]+[\s/:=]+[\w./-]+|[\w]+-[\w-]{2,}|\w+\.(js|ts|mjs|cjs|py|rb|sh|jar|php|go)\b/.test(line.verb())

/** Random or endless input is written without an end, or up to a huge one. */
const fills = ({ words }: Command): string | undefined => {
  const valueOf = (name: string) => words.find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1)
  const to = valueOf("of")
  if (to === undefined || to === "/dev/null" || !/^\/dev\/(zero|urandom|random|full)$/.test(valueOf("if") ?? "")) {
    return undefined
  }
  const count = valueOf("count")
  if (count === undefined) return "resource"
  const unit = /^(\d+)([a-z])?/i.exec(valueOf("bs") ?? "512")
  const scale = { k: 1e3, m: 1e6, g: 1e9, t: 1e12 }[(unit?.[2] ?? "").toLowerCase()] ?? 1
  return Number(unit?.[1] ?? 512) * scale * (parseInt(count) || 1) >= 5e10 ? "resource" : undefined
}

/** An endless source goes into a file. */
const pours = (command: Command): string | undefined => {
  const { fields: { reads, writes }, row, words } = command
  const sources = [...words, ...reads.map((arg) => arg.guess)]
  const endless = row.is("endless") ||
    (sources.some((path) => /^\/dev\/(zero|urandom|random)$/.test(path)) && !row.is("bounded"))
  if (endless && writes.some((arg) => !/^\/dev\//.test(arg.guess))) return "resource"
  return row.is("bounded") ? huge(command, "-c", "--bytes") : undefined
}

/** An archive that may put files wherever it says. */
const unpacksOutside = (command: Command, place: ActionContext): string | undefined => {
  const { line, row, words: [first = ""] } = command
  const isAbsolute = line.has("-P", "--absolute-names", "--absolute-paths") || /^[A-Za-z]*P[A-Za-z]*$/.test(first)
  if (row.files?.operands === "archive" && isAbsolute) return "system-write"
  const outside = pathsOf(line.values("-C", "--directory", "-d"), command).some((path) =>
    path !== undefined && !isInside(path, place) && !isExpendable(supplied(path), null, place) &&
    (path === place.home || /^\/(?!home\/|Users\/|tmp$|mnt\/|media\/|data\/|\0)/.test(path))
  )
  return outside && (/x/.test(first) || line.has("-x", "--extract", "-d")) ? "system-write" : undefined
}

/**
 * The containers that are stopped or removed are whatever a command names, or one sees more of the machine than the
 * project.
 */
const containers = (command: Command, place: ActionContext): string | undefined => {
  const { args, fields, line, words } = command
  const [first = "", second = ""] = [line.verb(), line.verb(1)]
  if (
    /^(rm|rmi|stop|kill)$/.test(first) || (/^(rm|stop|kill|rmi)$/.test(second) && /^(container|image)$/.test(first))
  ) {
    return args.some((arg) => arg.inner.length > 0 || (arg.guess === HOLE && isAppendedTo(command)))
      ? "container"
      : undefined
  }
  if (!/^(run|create)$/.test(first) && !/^(run|create)$/.test(second)) return undefined
  const shared = line.values("--pid", "--net", "--network", "--ipc", "--uts", "--userns", "--cgroupns")
    .some((arg) => /^(host|container:)/.test(arg.guess) && arg.guess !== "container:")
  const opened = line.values("--security-opt")
    .some((arg) => /unconfined|disable|systempaths|no-new-privileges[=:]false/.test(arg.guess))
  const privileged = words.includes("--privileged") || words.includes("--privileged=true")
  if (privileged || shared || opened || line.has("--cap-add", "--device", "--device-cgroup-rule")) return "container"
  const mounts = [
    ...line.values("-v", "--volume").map((arg) => arg.guess.replace(/:.*$/s, "")),
    ...line.values("--mount").map((arg) => /(?:^|,)(?:source|src)=([^,]+)/.exec(arg.guess)?.[1] ?? "")
  ].map((source) => source.replace(/^~(?=\/|$)/, place.home))
  return mounts.some((source) => isSensitiveMount(source, fields.cwd, place)) ? "container" : undefined
}

const isSensitiveMount = (source: string, cwd: string | null, place: ActionContext): boolean => {
  const path = source.startsWith(HOLE) || !/^[./~]/.test(source) ? undefined : resolve(source, cwd)
  if (path === undefined) return false
  if (/docker\.sock|containerd\.sock|podman\.sock|crio\.sock/.test(path)) return true
  if (isInside(path, place)) return false
  return path === "/" || path === place.home || isBelow(place.home, path) ||
    readCategory(path, place) !== undefined ||
    /\/\.(ssh|aws|gnupg|kube|docker|config\/gcloud)(\/|$)/.test(path) ||
    writeCategory(path, place) !== undefined ||
    (/^\/(dev|proc|sys|etc|usr|var|root|boot|lib|bin|sbin|home|opt|run|Users)$/.test(path) && path !== "/dev/null")
}

export const damageChecks = {
  deletes,
  "deletes-trees": (command: Command, place: ActionContext) =>
    areExpendable(command.line.operands, command, place) ? undefined : "fs-wipe",
  shreds: (command: Command, place: ActionContext) =>
    command.line.operands.length > 0 && areExpendable(command.line.operands, command, place) ? undefined : "fs-wipe",
  finds,
  moves,
  mirrors,
  truncates: (command: Command, place: ActionContext) =>
    command.line.operands.some((arg) => arg.glob || namesMany(arg, place)) ||
      appendsInput(command.fields.wrappers.at(-1))
      ? "fs-wipe"
      : huge(command, "-s", "--size"),
  "overwrites-many": ({ line }: Command) =>
    line.operands.some((arg) => arg.glob) && !line.has("-a", "--append") ? "fs-wipe" : undefined,
  allocates: (command: Command) => huge(command, "-l", "--length"),
  "changes-mode": changesMode,
  "changes-owner": (command: Command, place: ActionContext) =>
    changesAccess(
      command,
      command.line.has("--reference") ? command.line.operands : command.line.operands.slice(1),
      place
    ),
  "sets-mode": (command: Command) =>
    command.line.values("-m", "--mode").some((arg) => setsIdentity(arg.guess)) ? "perms" : undefined,
  kills,
  "kills-by-name": (command: Command) =>
    command.line.has("-0") || (isNarrow(command) && !command.line.has("-u", "-U", "--euid", "--uid"))
      ? undefined
      : "power-service",
  fills,
  pours,
  "unpacks-outside": unpacksOutside,
  containers
}
