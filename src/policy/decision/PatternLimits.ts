import { join } from "node:path"
import { isInside } from "../../platform/FilePath.ts"
import type { BoundaryCall } from "./BoundaryCall.ts"
import type { Refusal } from "./GateTrace.ts"
import type { Limits } from "./Limits.ts"
import { expand } from "./NamedPaths.ts"
import { type FileOperand, isNamed } from "./CallAction.ts"
import { literally, many, reaches } from "../rules/Reach.ts"

/** What no tool may touch, where a call comes to it without naming it. */

/** The first place no tool may touch that a pattern of the shell, or what lies below a folder, comes to. */
const reached = (
  limits: Limits,
  { canonical, inner = [], parts, place }: BoundaryCall,
  accept: (touch: FileOperand) => boolean
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

export const patternRefusal = (limits: Limits, call: BoundaryCall): Refusal | undefined => {
  const met = reached(limits, call, ({ below }) => below === undefined)
  return met && { code: "PROTECTED_PATH", reason: `${met.text} comes to ${met.path}, which no tool may touch` }
}

/** Why a person should look at a call that no limit forbids: what no tool may touch lies below what it works on. */
export const doubt = (limits: Limits, call: BoundaryCall): string | undefined => {
  const found = reached(limits, call, ({ below }) => below === "all" || below === "some")
  return found && `\`${found.text}\` may come to ${found.path}, which no tool may touch`
}
