import { homedir } from "node:os"
import { Context, Layer } from "effect"
import { type AnyTool, ruleName } from "../tool/Tool.ts"
import type { Workspace } from "../workspace/Workspace.ts"
import type { Limits } from "./Boundary.ts"
import { canonicalIn } from "./Canonical.ts"
import { decide, type Decision, type DecisionInput } from "./Decision.ts"
import { isMedium } from "./MediumRisk.ts"
import type { Resolved } from "./Knobs.ts"
import type { Needs } from "./Needs.ts"
import type { Part, Place } from "./Part.ts"
import type { Rules } from "./Rules.ts"
import type { ShellAnalysis } from "./ShellAnalysis.ts"
import type { Switches } from "./Switches.ts"
import * as TestCommands from "./TestCommands.ts"
import { isPlainRepository } from "./shell/programs/GitRepository.ts"
import { analyse } from "./shell/ShellAnalyser.ts"

/** What a session's policy says at the moment of a call. */
export interface Policy {
  readonly knobs: Resolved
  readonly limits: Limits
  readonly rules: Rules
  readonly switches: Switches
}

/** Takes one tool call through the ten gates (spec §5). It asks nobody and touches nothing. */
export class Gate extends Context.Service<Gate, {
  readonly decide: (tool: AnyTool, parameters: unknown, workspace: Workspace, policy: Policy) => Decision
}>()("postern/policy/Gate") {
  /** Calls run as they are: this version has no sandbox to hold them, and every decision says so. */
  static readonly layerUnconfined = Layer.succeed(Gate, { decide: (...call) => decideCall(...call, unenforced) })
}

const unenforced: DecisionInput["enforce"] = () => ({ usable: true, note: "not enforced: this version has no sandbox" })

const silent: ShellAnalysis = { parts: [], capability: "none", opaque: false, parseError: false, shapes: [], networkPrograms: [] }

/** What a call touches; a call that touches nothing is its own only part. */
const partsOf = ({ mcp, name }: AnyTool, parameters: unknown, { reads, urls, writes }: Needs): ReadonlyArray<Part> => {
  if (mcp !== undefined) return [{ kind: "mcp", text: `${mcp.server}/${mcp.tool}`, ...mcp }]
  const parts = [
    ...reads.map((path): Part => ({ kind: "read", text: path, path })),
    ...writes.map((path): Part => ({ kind: "write", text: path, path })),
    ...urls.map((url): Part => ({ kind: "fetch", text: url, url }))
  ]
  return parts.length > 0 ? parts : [{ kind: "tool", text: name, name, parameters: parameters as Readonly<Record<string, unknown>> }]
}

const decideCall = (
  tool: AnyTool,
  parameters: unknown,
  workspace: Workspace,
  { knobs, limits, rules, switches }: Policy,
  enforce: DecisionInput["enforce"]
): Decision => {
  const needs = tool.needs(parameters)
  const isTest = TestCommands.matcher(switches.testCommands)
  const place: Place = {
    cwd: workspace.cwd,
    roots: workspace.roots,
    home: homedir(),
    isPlainRepository,
    ...(isTest === undefined ? {} : { isTest })
  }
  const shell = needs.command === undefined ? undefined : analyse(needs.command, place)
  const { capability, networkPrograms, opaque, parseError, parts, shapes } = shell ?? silent
  const all = shell ? parts : partsOf(tool, parameters, needs)
  const behind = canonicalIn(place)
  const facts = { opaque, parseError, place, canonical: behind }
  return decide({
    capabilities: shell ? [capability] : needs.capabilities,
    network: needs.network,
    parts: all,
    shapes,
    opaque: opaque || parseError,
    networkPrograms,
    place,
    readable: workspace.readable,
    shell: shell !== undefined,
    canonical: behind,
    knobs,
    limits,
    facts,
    rule: rules.decide(ruleName(tool), all, facts),
    switches,
    mediumRisk: () => shell !== undefined && isMedium(all, facts),
    enforce
  })
}

/** A decision about a call that no gate can read: an unknown tool, or arguments that do not fit. */
export const invalid = (code: "UNKNOWN_TOOL" | "BAD_ARGUMENTS", reason: string): Decision => ({
  outcome: "deny",
  gate: "validity",
  code,
  reason,
  capabilities: [],
  shapes: [],
  parts: [],
  facts: { opaque: true, parseError: false, place: { cwd: "/", roots: [], home: "/" }, canonical: () => undefined },
  gates: [{ gate: "validity", verdict: "deny", reason }]
})
