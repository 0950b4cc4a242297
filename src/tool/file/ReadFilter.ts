import { type OperatorLimits, unlimited } from "../../policy/decision/Limits.ts"
import { boundaryRefusal } from "../../policy/decision/Boundary.ts"
import type { Decision } from "../../policy/decision/Decision.ts"
import type { CallAction } from "../../policy/decision/CallAction.ts"
import type { KnownTools } from "../../policy/rules/Rule.ts"
import { make, type RuleEntry, type RuleSet } from "../../policy/rules/RuleSet.ts"
import { isInside } from "../../platform/FilePath.ts"

/** Whether the policy lets the file at a canonical path be read by name. */
export type MayRead = (path: string) => boolean

/**
 * For a call that comes across paths it does not name: nothing turns up in its result that `file_read` would be denied
 * or asked about. An ask rule that meant the call itself has been answered. `undefined` where nothing restricts
 * reading.
 */
export const of = (
  tool: string,
  { facts, parts }: Decision,
  { entries }: RuleSet,
  limits: OperatorLimits,
  tools: KnownTools
): MayRead | undefined => {
  const isAnswered = (one: RuleEntry) =>
    one.list === "ask" && make([one], tools).decide(tool, parts, facts) !== undefined
  const kept = entries.filter((one) => one.list !== "allow" && one.rule.specifier?._tag === "Path" && !isAnswered(one))
  const { place } = facts
  // A session in the home folder has Postern's own files below it.
  const reachesOwn = !limits.workspaceOnly ||
    limits.own.some((folder) => [...place.roots, ...limits.allowedRoots].some((root) => isInside(root, folder)))
  const isRestricted = limits.forbiddenPaths.length > 0 || limits.foreign.length > 0 || reachesOwn
  if (kept.length === 0 && !isRestricted) return undefined
  const rules = make(kept, tools)
  const canonical = (path: string) => path
  const call = { capabilities: [], shapes: [], place, canonical, readable: [], shell: false, decidedElsewhere: false }
  // The workspace itself checks that the path lies within the session's folders.
  const forbidden: OperatorLimits = { ...limits, workspaceOnly: false, ...unlimited }
  return (path) => {
    const read: ReadonlyArray<CallAction> = [{ kind: "read", text: path, path }]
    const isRuled = (name: string) => rules.decide(name, read, { ...facts, canonical }) !== undefined
    return !isRuled("file_read") && !isRuled(tool) && boundaryRefusal(forbidden, { ...call, parts: read }) === undefined
  }
}

/** Says that a result is not all there is; empty where it is. */
export const note = (leftOut: number): string => {
  if (leftOut === 0) return ""
  return leftOut === 1
    ? "\n[1 path was left out: the policy does not let it be read.]"
    : `\n[${leftOut} paths were left out: the policy does not let them be read.]`
}
