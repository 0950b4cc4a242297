import { basename, isAbsolute, join, normalize, sep } from "node:path"
import type { Wish } from "../sandbox/Confinement.ts"
import { pathIn } from "../workspace/PlanFile.ts"
import type { Capability } from "./Capability.ts"
import type { Level } from "./Knobs.ts"
import { type CommandPart, isNamed, type Part, type Place, type Shape, type Touch } from "./Part.ts"
import { literally, many, reaches } from "./rules/Reach.ts"

/** The operator's hard limits (spec §5, gate 3), as a risk profile gives them. It only denies. */
export interface Limits {
  readonly level: Level
  /** Folders of Postern itself, which no tool may read or write; a session's own folder may lie in one. */
  readonly own: ReadonlyArray<string>
  readonly workspaceOnly: boolean
  readonly allowedRoots: ReadonlyArray<string>
  readonly forbiddenPaths: ReadonlyArray<string>
  readonly allowedCommands: ReadonlyArray<string>
  readonly forbiddenCommands: ReadonlyArray<string>
  readonly blockHighRiskCommands: boolean
  /** Whether commands of medium risk are asked about at level `supervised`. */
  readonly askMediumRisk: boolean
  /** Calls of the agent in the last hour, infinite where they cannot be counted, and how many may run; `undefined` is no limit. */
  readonly actions: { readonly done: number; readonly limit: number | undefined }
  /** What must confine commands; `none` where something around Postern is the sandbox. */
  readonly backend: Wish
}

export interface BoundaryCall {
  readonly capabilities: ReadonlyArray<Capability>
  readonly parts: ReadonlyArray<Part>
  /** What a part starts in turn: it may be forbidden, and needs no leave of its own. */
  readonly inner?: ReadonlyArray<Part>
  readonly shapes: ReadonlyArray<Shape>
  readonly place: Place
  /** The path behind a written one, links followed; `undefined` where there is none to follow. */
  readonly canonical: (path: string) => string | undefined
  /** Folders that may be read besides the roots. */
  readonly readable: ReadonlyArray<string>
  /** A shell command: what its words name is only a guess, so reading outside the folders is left to the sandbox. */
  readonly shell: boolean
  /** The session chose its Tool approval policy, or a rule names the call: then shapes are the policy's business. */
  readonly decidedElsewhere: boolean
}

export interface Refusal {
  readonly code: string
  readonly reason: string
}

const changing: ReadonlySet<Capability> = new Set(["rw", "rw_plan", "shell_test", "shell_rw"])

/** A path of the configuration as an absolute one. */
export const expand = (path: string, { cwd, home }: Place): string => {
  const named = path === "~" || path.startsWith("~/") ? join(home, path.slice(1)) : path
  return normalize(isAbsolute(named) ? named : join(cwd, named))
}

const inside = (folder: string, path: string) => path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)

const depth = (folders: ReadonlyArray<string>, path: string): number =>
  folders.reduce((deepest, folder) => inside(folder, path) ? Math.max(deepest, folder.split(sep).filter(Boolean).length) : deepest, -1)

/** The deepest prefix decides; at the same depth the forbidding one (zeroclaw §3.5). */
const isForbidden = (path: string, allowed: ReadonlyArray<string>, forbidden: ReadonlyArray<string>): boolean => {
  const denied = depth(forbidden, path)
  return denied >= 0 && denied >= depth(allowed, path)
}

const devices = new Set(["/dev/null", "/dev/zero", "/dev/random", "/dev/urandom", "/dev/stdout", "/dev/stderr", "/dev/stdin", "/dev/tty"])

interface Touched {
  readonly text: string
  readonly path: string
  readonly writes: boolean
}

/** Paths a call names: redirects and file arguments, and a command's words that look like paths. */
const touched = (parts: ReadonlyArray<Part>): ReadonlyArray<Touched> =>
  parts.flatMap((part): ReadonlyArray<Touched> => {
    if (part.kind === "command" && part.contained === true) return []
    if (part.kind === "read" || part.kind === "write") {
      return part.path === null ? [] : [{ text: part.text, path: part.path, writes: part.kind === "write" }]
    }
    if (part.kind !== "command") return []
    const known = part.touches.filter(isNamed).map(({ kind, path }) => ({ text: path, path, writes: kind === "write" }))
    return known.concat(part.argv.slice(1).flatMap((word) => {
      const value = word === null ? undefined : word.startsWith("-") ? /^--?[^=]+=(.+)$/.exec(word)?.[1] : word
      return value !== undefined && /^(\/|\.\.?\/|~\/|~$)/.test(value) ? [{ text: value, path: value, writes: false }] : []
    }))
  })

const namesOf = (part: CommandPart): ReadonlyArray<string> =>
  part.program === null ? [] : [part.program, basename(part.program)]

const isListed = (list: ReadonlyArray<string>, part: CommandPart): boolean => namesOf(part).some((name) => list.includes(name))

const commandRefusal = (limits: Limits, parts: ReadonlyArray<Part>, inner: ReadonlyArray<Part>): Refusal | undefined => {
  for (const part of [...parts, ...inner]) {
    if (part.kind !== "command") continue
    if (isListed(limits.forbiddenCommands, part)) {
      return { code: "COMMAND_FORBIDDEN", reason: `the operator forbids the command ${part.program}` }
    }
    if (inner.includes(part)) continue
    if (limits.allowedCommands.length > 0 && !limits.allowedCommands.includes("*") && !isListed(limits.allowedCommands, part)) {
      return { code: "COMMAND_NOT_ALLOWED", reason: `the operator's list of commands does not have ${part.program ?? "a command that is not literal"}` }
    }
  }
  return undefined
}

const pathRefusal = (limits: Limits, call: BoundaryCall): Refusal | undefined => {
  const { place } = call
  const own = [...place.roots, ...limits.allowedRoots.map((root) => expand(root, place))]
  const forbidden = limits.forbiddenPaths.map((path) => expand(path, place))
  for (const { path, text, writes } of touched([...call.parts, ...call.inner ?? []])) {
    const named = expand(path, place)
    if (devices.has(named)) continue
    for (const candidate of new Set([named, call.canonical(named) ?? named])) {
      const isPlan = candidate === pathIn(place.cwd) && call.capabilities.every((capability) => capability === "rw_plan")
      if (writes && !isPlan && place.roots.some((root) => inside(join(root, ".postern"), candidate))) {
        return { code: "PROTECTED_PATH", reason: `${text} belongs to Postern's own configuration, which no tool may change` }
      }
      if (isForbidden(candidate, [...place.roots, ...call.readable], limits.own)) {
        return { code: "PROTECTED_PATH", reason: `${text} belongs to Postern itself, and no tool may touch it` }
      }
      if (isForbidden(candidate, own, forbidden)) {
        return { code: "PATH_FORBIDDEN", reason: `the operator forbids the path ${text}` }
      }
      const home = writes ? own : [...own, ...call.readable]
      const confined = limits.workspaceOnly && (call.shell ? writes && !call.decidedElsewhere : true)
      if (confined && depth(home, candidate) < 0) {
        return { code: "OUTSIDE_WORKSPACE", reason: `${text} lies outside the folders of this session` }
      }
    }
  }
  const met = reached(limits, call, ({ below }) => below === undefined)
  return met && { code: "PROTECTED_PATH", reason: `${met.text} comes to ${met.path}, which no tool may touch` }
}

/** The first place no tool may touch that a pattern of the shell, or what lies below a folder, comes to. */
const reached = (limits: Limits, { canonical, inner = [], parts, place }: BoundaryCall, accept: (touch: Touch) => boolean) => {
  const guarded = [...limits.own, ...limits.forbiddenPaths.map((path) => expand(path, place))]
    .filter((folder) => !place.roots.some((root) => inside(folder, root)))
  const config = place.roots.map((root) => join(root, ".postern"))
  for (const part of [...parts, ...inner]) {
    if (part.kind !== "command" || part.contained === true) continue
    for (const touch of part.touches) {
      if (isNamed(touch) || !accept(touch)) continue
      const paths = touch.glob ? [touch.path] : [touch.path, canonical(touch.path) ?? touch.path]
      const meets = (folder: string) => paths.some((path) => reaches([...literally(folder), many], { ...touch, path }) !== undefined)
      const met = [...guarded, ...touch.kind === "write" ? config : []].find(meets)
      if (met !== undefined) return { text: part.text, path: met }
    }
  }
  return undefined
}

/** Why a person should look at a call that no limit forbids: what no tool may touch lies below what it works on. */
export const doubt = (limits: Limits, call: BoundaryCall): string | undefined => {
  const found = reached(limits, call, ({ below }) => below === "all" || below === "some")
  return found && `\`${found.text}\` may come to ${found.path}, which no tool may touch`
}

/** The first limit that forbids the call. */
export const refuse = (limits: Limits, call: BoundaryCall): Refusal | undefined => {
  const { done, limit } = limits.actions
  if (limit !== undefined && done >= limit) {
    return { code: "ACTION_LIMIT", reason: Number.isFinite(done) ? `the limit of ${limit} actions an hour is reached` : "the actions of the last hour cannot be counted" }
  }
  if (limits.level === "readonly" && call.capabilities.some((capability) => changing.has(capability))) {
    return { code: "READ_ONLY", reason: "the autonomy level is readonly" }
  }
  const refusal = commandRefusal(limits, call.parts, call.inner ?? []) ?? pathRefusal(limits, call)
  if (refusal) return refusal
  const shape = call.shapes[0]
  return shape && limits.level === "supervised" && limits.blockHighRiskCommands && !call.decidedElsewhere
    ? { code: "HIGH_RISK", reason: `\`${shape.part}\` has a dangerous shape (${shape.category})` }
    : undefined
}
