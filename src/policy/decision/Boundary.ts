import { basename, isAbsolute, join, resolve as absolute, sep } from "node:path"
import type { Capability } from "../../domain/Capability.ts"
import {
  type ActionContext,
  type CallAction,
  type CommandAction,
  type FileOperand,
  isNamed,
  type RiskFinding,
  type Word
} from "./CallAction.ts"
import { anySegments, literalSegments, mayInclude, untilde } from "../rules/pattern/PathPattern.ts"
import { namesOfProgram } from "../shell/programs/Table.ts"
import type { GateRefusal } from "./GateTrace.ts"
import type { OperatorLimits } from "./Limits.ts"
import { isDevice, malformed, pathIn } from "../../workspace/Workspace.ts"
import { isInside } from "../../platform/FilePath.ts"
import { alwaysQuoted, quoted } from "../../platform/QuotedName.ts"
import * as Limits from "./Limits.ts"

/** The part of a decision's input that the operator's limits look at. */
interface BoundaryCall {
  readonly capabilities: ReadonlyArray<Capability>
  readonly parts: ReadonlyArray<CallAction>
  /** Actions that another action starts: they may be forbidden, and need no permission of their own. */
  readonly inner?: ReadonlyArray<CallAction>
  readonly shapes: ReadonlyArray<RiskFinding>
  readonly place: ActionContext
  /** The path with links followed; `undefined` where it cannot be followed. */
  readonly canonical: (path: string) => string | undefined
  /** Non-canonical names of the roots. */
  readonly aliases?: ReadonlyArray<string>
  /** Folders that may be read besides the roots. */
  readonly readable: ReadonlyArray<string>
  /** A shell command: its words only suggest paths, so reads outside the folders are left to the sandbox. */
  readonly shell: boolean
  /** The session chose its Tool approval policy, or a rule names the call: then risk findings are judged there. */
  readonly decidedElsewhere: boolean
}

/** The absolute path, without a slash at its end. */
export const absolutePath = (path: string, { cwd, home }: ActionContext): string =>
  absolute(cwd, untilde(path, cwd, home))

/** The path with links followed: before a `..` that comes after them, as the kernel does. */
const linkTarget = (
  path: string,
  { canonical, place: { cwd, home } }: Pick<BoundaryCall, "canonical" | "place">
): string | undefined => {
  const expanded = untilde(path, cwd, home)
  return canonical(isAbsolute(expanded) ? expanded : `${cwd}/${expanded}`)
}

interface PathMention {
  readonly text: string
  readonly path: string
  readonly writes: boolean
}

/** A word with a slash that is not a URL, or `~user`. */
const looksLikePath = /^(?!.*:\/\/)(.*\/|~[\w+-]*$)/s

/** The words of a command behind its program, with every value that they will have. */
const wordsOf = ({ alternatives = [], argv, values = argv }: CommandAction): ReadonlyArray<Word> =>
  alternatives.length === 0 ? values.slice(1) : [values, ...alternatives].flatMap((words) => words.slice(1))

/** Paths that a call names: redirects, file arguments, and words of a command that look like paths. */
const pathsIn = (parts: ReadonlyArray<CallAction>): ReadonlyArray<PathMention> =>
  parts.flatMap((part): ReadonlyArray<PathMention> => {
    if (part.kind === "command" && part.contained === true) return []
    if (part.kind === "read" || part.kind === "write") {
      return part.path === null ? [] : [{ text: part.text, path: part.path, writes: part.kind === "write" }]
    }
    if (part.kind !== "command") return []
    const known = part.touches.filter(isNamed).map(({ kind, path }) => ({ text: path, path, writes: kind === "write" }))
    return known.concat(
      wordsOf(part).flatMap((word) => {
        const value = word === null ? undefined : word.startsWith("-") ? /^--?[^=]+=(.+)$/.exec(word)?.[1] : word
        if (value === undefined || !looksLikePath.test(value)) return []
        return [{
          text: value,
          path: part.cwd === null || /^[/~]/.test(value) ? value : `${part.cwd}/${value}`,
          writes: false
        }]
      })
    )
  })

const namesOf = (part: CommandAction): ReadonlyArray<string> =>
  part.program === null ? [] : [part.program, basename(part.program)]

const isListed = (list: ReadonlyArray<string>, part: CommandAction): boolean =>
  namesOf(part).some((name) => list.includes(name))

/** A forbidden command is forbidden under all its names. */
const isForbiddenCommand = (list: ReadonlyArray<string>, part: CommandAction): boolean =>
  isListed(list, part) || (list.length > 0 && part.program !== null &&
    namesOfProgram(basename(part.program)).some((name) => list.includes(name)))

/** Refuses the first command of a call that the operator's lists forbid. */
const commandRefusal = (
  limits: OperatorLimits,
  parts: ReadonlyArray<CallAction>,
  inner: ReadonlyArray<CallAction>
): GateRefusal | undefined => {
  for (const part of [...parts, ...inner]) {
    if (part.kind !== "command") continue
    if (isForbiddenCommand(limits.forbiddenCommands, part)) {
      return { code: "COMMAND_FORBIDDEN", reason: `the operator forbids the command ${part.program}` }
    }
    if (inner.includes(part)) continue
    if (
      limits.allowedCommands.length > 0 && !limits.allowedCommands.includes("*") &&
      !isListed(limits.allowedCommands, part)
    ) {
      return {
        code: "COMMAND_NOT_ALLOWED",
        reason: `the operator's list of commands does not have ${part.program ?? "a command that is not literal"}`
      }
    }
  }
  return undefined
}

const depth = (folders: ReadonlyArray<string>, path: string): number => {
  let deepest = -1
  for (const folder of folders) {
    if (isInside(folder, path)) deepest = Math.max(deepest, folder.split(sep).filter(Boolean).length)
  }
  return deepest
}

/** The deepest prefix decides; at the same depth the path is forbidden. */
const isForbidden = (path: string, allowed: ReadonlyArray<string>, forbidden: ReadonlyArray<string>): boolean => {
  const denied = depth(forbidden, path)
  return denied >= 0 && denied >= depth(allowed, path)
}

const devices = new Set([
  "/dev/null",
  "/dev/zero",
  "/dev/random",
  "/dev/urandom",
  "/dev/stdout",
  "/dev/stderr",
  "/dev/stdin",
  "/dev/tty"
])

/** Paths as an operator or a client wrote them, and with links followed. */
const named = (paths: ReadonlyArray<string>, call: Pick<BoundaryCall, "canonical" | "place">): ReadonlyArray<string> =>
  paths.flatMap((path) => [absolutePath(path, call.place), linkTarget(path, call) ?? absolutePath(path, call.place)])

/** Following links costs more than all else here, and most calls name no path that it takes. */
const lazily = <A>(make: () => A): () => A => {
  let made: { readonly value: A } | undefined
  return () => (made ??= { value: make() }).value
}

/** Refuses a path that the workspace would refuse as malformed; a shell resolves paths itself. */
const unusable = ({ path, text }: PathMention, { shell }: BoundaryCall): GateRefusal | undefined => {
  const problem = shell ? undefined : malformed(path)
  return problem === undefined ? undefined : { code: "PATH_REFUSED", reason: `${alwaysQuoted(text)}: ${problem}` }
}

const isSharedDevice = (path: string, writes: boolean, { shell }: BoundaryCall) =>
  shell ? devices.has(path) : isDevice(path, writes ? "write" : "read")

/** Refuses the first path of a call that it may not touch. */
const pathRefusal = (limits: OperatorLimits, call: BoundaryCall): GateRefusal | undefined => {
  const all = pathsIn([...call.parts, ...call.inner ?? []])
  if (all.length === 0) return undefined
  const { place } = call
  const own = [...place.roots, ...call.aliases ?? [], ...named(limits.allowedRoots, call)]
  const forbidden = lazily(() => named(limits.forbiddenPaths, call))
  const usual = lazily(() => named(limits.usualForbidden, call))
  const rules = place.roots.map((root) => join(root, ".postern"))
  const isPlanned = call.capabilities.every((capability) => capability === "rw_plan")
  for (const one of all) {
    const { path, writes } = one
    const text = quoted(one.text)
    const refusal = unusable(one, call)
    if (refusal) return refusal
    const spelled = absolutePath(path, place)
    if (isSharedDevice(spelled, writes, call)) continue
    for (const candidate of new Set([spelled, linkTarget(path, call) ?? spelled])) {
      const isRules = writes && !(isPlanned && candidate === pathIn(place.cwd))
      if (
        isForbidden(candidate, [...place.roots, ...call.readable], isRules ? [...limits.own, ...rules] : limits.own)
      ) {
        return {
          code: "PROTECTED_PATH",
          reason: `${text} belongs to Postern itself, and no tool may ${writes ? "change" : "touch"} it`
        }
      }
      if (isForbidden(candidate, [...place.roots, ...call.readable], limits.foreign)) {
        return {
          code: "PROTECTED_PATH",
          reason: `${text} belongs to an agent that the owner of this session may not use`
        }
      }
      if (
        isForbidden(candidate, own, forbidden()) || (!(call.shell && !writes) && isForbidden(candidate, own, usual()))
      ) {
        return { code: "PATH_FORBIDDEN", reason: `the operator forbids the path ${text}` }
      }
      const home = writes ? own : [...own, ...call.readable]
      const confined = limits.workspaceOnly && (call.shell ? writes && !call.decidedElsewhere : true)
      if (confined && depth(home, candidate) < 0) {
        return { code: "OUTSIDE_WORKSPACE", reason: `${text} lies outside the folders of this session` }
      }
    }
  }
  return undefined
}

/** The first protected path that a shell pattern or a folder of the call includes without naming it. */
const reached = (
  limits: OperatorLimits,
  { canonical, inner = [], parts, place }: BoundaryCall,
  accept: (touch: FileOperand) => boolean
) => {
  const guarded = [...limits.own, ...limits.foreign, ...limits.forbiddenPaths.map((path) => absolutePath(path, place))]
    .filter((folder) => !place.roots.some((root) => isInside(folder, root)))
  const config = place.roots.map((root) => join(root, ".postern"))
  for (const part of [...parts, ...inner]) {
    if (part.kind !== "command" || part.contained === true) continue
    for (const touch of part.touches) {
      if (isNamed(touch) || !accept(touch)) continue
      const paths = touch.glob ? [touch.path] : [touch.path, canonical(touch.path) ?? touch.path]
      const meets = (folder: string) =>
        paths.some((path) => mayInclude([...literalSegments(folder), anySegments], { ...touch, path }) !== undefined)
      const met = [...guarded, ...touch.kind === "write" ? config : []].find(meets)
      if (met !== undefined) return { text: part.text, path: met }
    }
  }
  return undefined
}

/** Folders of programs and what comes with them: reading there tells nothing of the user. */
const systemFolders = [
  "/usr",
  "/bin",
  "/sbin",
  "/lib",
  "/lib32",
  "/lib64",
  "/libx32",
  "/nix/store",
  "/opt/homebrew",
  "/System"
]

const isStream = (path: string): boolean => devices.has(path) || /^\/dev\/fd\/\d+$/.test(path)

/** The folder that every match of a shell pattern lies below. */
const literalPart = (pattern: string): string => {
  const segments = pattern.split("/")
  const first = segments.findIndex((segment) => /[*?[{]/.test(segment))
  return first < 0 ? pattern : segments.slice(0, first).join("/") || "/"
}

/** Every path that a reading command may mean. A word that is not literal names no path, though it may turn out to be any. */
const readIn = ({ mentions = [], touches }: CommandAction): ReadonlyArray<string> => [
  ...touches.filter(({ below, path }) => below !== "one" || path !== "/").map(({ path }) => literalPart(path)),
  ...mentions
]

/**
 * The first path outside the session's folders, `allowed_roots` and the system's program folders that commands name,
 * where `workspace_only` holds: such a command counts as no read. See docs/policy.md#operator-paths
 */
export const readsOutside = (
  limits: OperatorLimits,
  parts: ReadonlyArray<CallAction>,
  call: Pick<BoundaryCall, "aliases" | "canonical" | "place" | "readable">
): string | undefined => {
  if (!limits.workspaceOnly) return undefined
  const { aliases = [], place, readable } = call
  const folders = [...place.roots, ...aliases, ...readable, ...systemFolders, ...named(limits.allowedRoots, call)]
  const isOutside = (path: string): boolean => {
    const spelled = absolutePath(path, place)
    return !isStream(spelled) &&
      [spelled, linkTarget(path, call) ?? spelled].some((one) => !isStream(one) && depth(folders, one) < 0)
  }
  for (const part of parts) {
    if (part.kind === "read" && part.path !== null && isOutside(part.path)) return part.path
    const found = part.kind === "command" && part.contained !== true ? readIn(part).find(isOutside) : undefined
    if (found !== undefined) return found
  }
  return undefined
}

const patternRefusal = (limits: OperatorLimits, call: BoundaryCall): GateRefusal | undefined => {
  const met = reached(limits, call, ({ below }) => below === undefined)
  return met && { code: "PROTECTED_PATH", reason: `${met.text} comes to ${quoted(met.path)}, which no tool may touch` }
}

/** Why a person should decide about a call that no limit forbids: a protected path lies below what it works on. */
export const doubt = (limits: OperatorLimits, call: BoundaryCall): string | undefined => {
  const found = reached(limits, call, ({ below }) => below === "all" || below === "some")
  return found && `\`${found.text}\` may come to ${quoted(found.path)}, which no tool may touch`
}

/** What level `readonly` refuses: a command may always do more than its words tell. */
export const beyondReading: ReadonlySet<Capability> = new Set(["rw", "rw_plan", "shell_ro", "shell_test", "shell_rw"])

/**
 * Gate 3, the operator's limits: refuses a call that a limit forbids. It only denies. See
 * docs/policy.md#operator-limits.
 */
export const boundaryRefusal = (limits: OperatorLimits, call: BoundaryCall): GateRefusal | undefined => {
  const spent = Limits.allowanceRefusal(limits)
  if (spent) return spent
  if (limits.level === "readonly" && call.capabilities.some((capability) => beyondReading.has(capability))) {
    return { code: "READ_ONLY", reason: "the autonomy level is readonly" }
  }
  const refusal = commandRefusal(limits, call.parts, call.inner ?? []) ?? pathRefusal(limits, call) ??
    patternRefusal(limits, call)
  if (refusal) return refusal
  const shape = call.shapes[0]
  return shape && call.shell && limits.level === "supervised" && limits.blockHighRiskCommands && !call.decidedElsewhere
    ? { code: "HIGH_RISK", reason: `\`${shape.part}\` has a dangerous shape (${shape.category})` }
    : undefined
}
