import { join, sep } from "node:path"
import { pathIn } from "../../workspace/PlanFile.ts"
import { isDevice, malformed } from "../../workspace/Workspace.ts"
import { isInside } from "../../platform/FilePath.ts"
import type { BoundaryCall } from "./BoundaryCall.ts"
import type { Refusal } from "./GateTrace.ts"
import type { Limits } from "./Limits.ts"
import { behind, expand, type Touched, touched } from "./NamedPaths.ts"

/** What the operator forbids of the paths that a call names (docs/policy.md#operator-paths). */

const depth = (folders: ReadonlyArray<string>, path: string): number =>
  folders.reduce(
    (deepest, folder) => isInside(folder, path) ? Math.max(deepest, folder.split(sep).filter(Boolean).length) : deepest,
    -1
  )

/** The deepest prefix decides; at the same depth the forbidding one (docs/policy.md#operator-paths). */
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

/** The first path a call names that it may not touch. */
export const pathRefusal = (limits: Limits, call: BoundaryCall): Refusal | undefined => {
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
