import { isAbsolute, join, resolve as absolute, sep } from "node:path"
import type { Wish } from "../sandbox/Confinement.ts"
import { pathIn } from "../workspace/PlanFile.ts"
import { isDevice, isInside, malformed } from "../workspace/Workspace.ts"
import * as Allowance from "./Allowance.ts"
import type { Capability } from "./Capability.ts"
import { commandRefusal } from "./CommandLimits.ts"
import type { Level } from "./Knobs.ts"
import { isNamed, type Part, type Place, type Shape, type Touch } from "./Part.ts"
import { untilde } from "./rules/Paths.ts"
import { literally, many, reaches } from "./rules/Reach.ts"

/** The operator's hard limits (spec §5, gate 3), as a risk profile gives them. It only denies. */
export interface Limits extends Allowance.Allowance {
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
  /** Further names of the roots. */
  readonly aliases?: ReadonlyArray<string>
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

/** A path as an absolute one, without a slash at its end. */
export const expand = (path: string, { cwd, home }: Place): string => absolute(cwd, untilde(path, cwd, home))

/** The path behind a written one: links are followed before a `..` after them is, as the system does it. */
const behind = (path: string, { canonical, place: { cwd, home } }: BoundaryCall): string | undefined => {
  const expanded = untilde(path, cwd, home)
  return canonical(isAbsolute(expanded) ? expanded : `${cwd}/${expanded}`)
}

const depth = (folders: ReadonlyArray<string>, path: string): number =>
  folders.reduce(
    (deepest, folder) => isInside(folder, path) ? Math.max(deepest, folder.split(sep).filter(Boolean).length) : deepest,
    -1
  )

/** The deepest prefix decides; at the same depth the forbidding one (zeroclaw §3.5). */
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

interface Touched {
  readonly text: string
  readonly path: string
  readonly writes: boolean
}

/** It has a slash, and is no address (zeroclaw §3.5). */
const looksLikePath = /^(?!.*:\/\/)(.*\/|~[\w+-]*$)/s

/** Paths a call names: redirects and file arguments, and a command's words that look like paths. */
const touched = (parts: ReadonlyArray<Part>): ReadonlyArray<Touched> =>
  parts.flatMap((part): ReadonlyArray<Touched> => {
    if (part.kind === "command" && part.contained === true) return []
    if (part.kind === "read" || part.kind === "write") {
      return part.path === null ? [] : [{ text: part.text, path: part.path, writes: part.kind === "write" }]
    }
    if (part.kind !== "command") return []
    const known = part.touches.filter(isNamed).map(({ kind, path }) => ({ text: path, path, writes: kind === "write" }))
    return known.concat(
      part.argv.slice(1).flatMap((word) => {
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

/** Paths as an operator or a client wrote them, and where they lead. */
const named = (paths: ReadonlyArray<string>, call: BoundaryCall): ReadonlyArray<string> =>
  paths.flatMap((path) => [expand(path, call.place), behind(path, call) ?? expand(path, call.place)])

/** File tools take what the workspace takes; a shell goes its own way. */
const unusable = ({ path, text }: Touched, { shell }: BoundaryCall): Refusal | undefined => {
  const problem = shell ? undefined : malformed(path)
  return problem === undefined ? undefined : { code: "PATH_REFUSED", reason: `${JSON.stringify(text)}: ${problem}` }
}

const isAnybodys = (path: string, writes: boolean, { shell }: BoundaryCall) =>
  shell ? devices.has(path) : isDevice(path, writes ? "write" : "read")

const pathRefusal = (limits: Limits, call: BoundaryCall): Refusal | undefined => {
  const all = touched([...call.parts, ...call.inner ?? []])
  if (all.length === 0) return undefined
  const { place } = call
  const own = [...place.roots, ...call.aliases ?? [], ...named(limits.allowedRoots, call)]
  const forbidden = named(limits.forbiddenPaths, call)
  const rules = place.roots.map((root) => join(root, ".postern"))
  const isPlanned = call.capabilities.every((capability) => capability === "rw_plan")
  for (const one of all) {
    const { path, text, writes } = one
    const refusal = unusable(one, call)
    if (refusal) return refusal
    const spelled = expand(path, place)
    if (isAnybodys(spelled, writes, call)) continue
    for (const candidate of new Set([spelled, behind(path, call) ?? spelled])) {
      const isRules = writes && !(isPlanned && candidate === pathIn(place.cwd))
      if (
        isForbidden(candidate, [...place.roots, ...call.readable], isRules ? [...limits.own, ...rules] : limits.own)
      ) {
        return {
          code: "PROTECTED_PATH",
          reason: `${text} belongs to Postern itself, and no tool may ${writes ? "change" : "touch"} it`
        }
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
  return undefined
}

/** The first place no tool may touch that a pattern of the shell, or what lies below a folder, comes to. */
const reached = (
  limits: Limits,
  { canonical, inner = [], parts, place }: BoundaryCall,
  accept: (touch: Touch) => boolean
) => {
  const guarded = [...limits.own, ...limits.forbiddenPaths.map((path) => expand(path, place))]
    .filter((folder) => !place.roots.some((root) => isInside(folder, root)))
  const config = place.roots.map((root) => join(root, ".postern"))
  for (const part of [...parts, ...inner]) {
    if (part.kind !== "command" || part.contained === true) continue
    for (const touch of part.touches) {
      if (isNamed(touch) || !accept(touch)) continue
      const paths = touch.glob ? [touch.path] : [touch.path, canonical(touch.path) ?? touch.path]
      const meets = (folder: string) =>
        paths.some((path) => reaches([...literally(folder), many], { ...touch, path }) !== undefined)
      const met = [...guarded, ...touch.kind === "write" ? config : []].find(meets)
      if (met !== undefined) return { text: part.text, path: met }
    }
  }
  return undefined
}

const patternRefusal = (limits: Limits, call: BoundaryCall): Refusal | undefined => {
  const met = reached(limits, call, ({ below }) => below === undefined)
  return met && { code: "PROTECTED_PATH", reason: `${met.text} comes to ${met.path}, which no tool may touch` }
}

/** Why a person should look at a call that no limit forbids: what no tool may touch lies below what it works on. */
export const doubt = (limits: Limits, call: BoundaryCall): string | undefined => {
  const found = reached(limits, call, ({ below }) => below === "all" || below === "some")
  return found && `\`${found.text}\` may come to ${found.path}, which no tool may touch`
}

/** The first limit that forbids the call. */
export const refuse = (limits: Limits, call: BoundaryCall): Refusal | undefined => {
  const spent = Allowance.refusal(limits)
  if (spent) return spent
  if (limits.level === "readonly" && call.capabilities.some((capability) => changing.has(capability))) {
    return { code: "READ_ONLY", reason: "the autonomy level is readonly" }
  }
  const refusal = commandRefusal(limits, call.parts, call.inner ?? []) ?? pathRefusal(limits, call) ??
    patternRefusal(limits, call)
  if (refusal) return refusal
  const shape = call.shapes[0]
  return shape && limits.level === "supervised" && limits.blockHighRiskCommands && !call.decidedElsewhere
    ? { code: "HIGH_RISK", reason: `\`${shape.part}\` has a dangerous shape (${shape.category})` }
    : undefined
}
