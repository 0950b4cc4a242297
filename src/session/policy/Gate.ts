import { homedir } from "node:os"
import { join, normalize } from "node:path"
import { Context, Effect, Layer } from "effect"
import { Environment } from "../../platform/Environment.ts"
import { isInside } from "../../platform/FilePath.ts"
import { type Enforcement, Sandbox } from "../../sandbox/Sandbox.ts"
import { type AnyTool } from "../../tool/Tool.ts"
import type { StoppableCall } from "../../domain/EmergencyStop.ts"
import { ruleName } from "../../domain/ToolName.ts"
import type { Workspace } from "../../workspace/Workspace.ts"
import type { EmergencyStop } from "../../security/EmergencyStop.ts"
import { needsCode } from "../../policy/decision/CodeNeed.ts"
import type { CodeApprovals } from "./CodeApprovals.ts"
import { readsOutside } from "../../policy/decision/Boundary.ts"
import { canonicalIn, kindOf } from "../../policy/decision/CanonicalPaths.ts"
import { decide, type Decision } from "../../policy/decision/Decision.ts"
import type { DecisionInput } from "../../policy/decision/DecisionInput.ts"
import { complete } from "../../policy/decision/GateTrace.ts"
import { backendOf, type OperatorLimits } from "../../policy/decision/Limits.ts"
import { acceptsReads, isMediumRisk } from "../../policy/decision/Gates.ts"
import type { PolicySettings, ResolvedSettings } from "../../domain/PolicySettings.ts"
import type { ToolRequirements } from "../../policy/decision/ToolRequirements.ts"
import type { ActionContext, CallAction } from "../../policy/decision/CallAction.ts"
import type { Rules } from "../../policy/decision/RuleFacts.ts"
import type { ShellAnalysis } from "../../policy/decision/ShellAnalysis.ts"
import type { PolicyFlags } from "../../policy/decision/PolicyFlags.ts"
import { type Permitted, withheld } from "../../policy/decision/ToolGrants.ts"
import * as TestCommands from "../../policy/decision/TestCommands.ts"
import { isPlainRepository } from "../../policy/shell/programs/GitRepository.ts"
import { type RuleBook, RuleBooks } from "../../policy/rules/source/RuleBooks.ts"
import type { RulesInvalid } from "../../policy/rules/source/RulesFile.ts"
import type { RuleSource } from "../../policy/rules/source/RuleSource.ts"
import { analyse } from "../../policy/shell/ShellAnalyser.ts"

/** What a session's policy says at the moment of a call. */
interface GatePolicy {
  readonly settings: ResolvedSettings
  readonly limits: OperatorLimits
  readonly rules: Rules
  readonly flags: PolicyFlags
  /** The tools that the session's owner may use; all of them where it is absent. */
  readonly permitted?: Permitted | undefined
  readonly stop: EmergencyStop
  /** Without it no call takes a one-time code. */
  readonly codes?: CodeApprovals | undefined
}

type Decide = (tool: AnyTool, parameters: unknown, workspace: Workspace, policy: GatePolicy) => Decision

/** Takes one tool call through the gates, without asking or changing anything. See docs/policy.md#gates */
export class Gate extends Context.Service<Gate, {
  readonly decide: Decide
  /** The same on every machine: where this one cannot enforce a sandbox, the last gate says so and does not deny. */
  readonly explain: Decide
}>()("postern/session/Gate") {
  static readonly layer: Layer.Layer<Gate, never, Sandbox> = Layer.effect(
    Gate,
    Effect.gen(function*() {
      const { enforce } = yield* Sandbox
      const { PATH } = yield* Environment
      const entries = PATH?.split(":").filter((entry) => entry.startsWith("/")) ?? []
      return {
        decide: (...call) => decideCall(entries, ...call, (...asked) => confined(enforce(...asked))),
        explain: (...call) =>
          decideCall(entries, ...call, (...asked) => {
            const { hides, note, usable } = confined(enforce(...asked))
            return {
              usable: true,
              hides: usable ? hides : asked[0] !== "danger-full-access",
              note: usable ? note : `this machine cannot enforce it and would refuse the call: ${note}`
            }
          })
      }
    })
  )
}

/** Where the policy of a session, of a live one or of one that is only considered, comes from. */
interface PolicySource {
  readonly source: Effect.Effect<RuleSource>
  /** Read once the rules are: the project's file may narrow the settings. */
  readonly settings: (project: Partial<PolicySettings>) => ResolvedSettings
  readonly limits: Effect.Effect<OperatorLimits>
  readonly flags: () => PolicyFlags
  readonly permitted: Effect.Effect<Permitted | undefined>
  readonly stop: EmergencyStop
  readonly codes?: CodeApprovals | undefined
}

/** Assembles what the gates decide from, as it is now. */
export class GateInput extends Context.Service<GateInput, {
  readonly load: (
    session: PolicySource
  ) => Effect.Effect<{ readonly book: RuleBook; readonly policy: GatePolicy }, RulesInvalid>
}>()("postern/session/GateInput") {
  static readonly layer = Layer.effect(
    GateInput,
    Effect.map(RuleBooks, (books) => ({
      load: Effect.fnUntraced(function*({ codes, flags, limits, permitted, settings, source, stop }) {
        const book = yield* books.load(yield* source)
        return {
          book,
          policy: {
            settings: settings(book.project),
            limits: yield* limits,
            rules: book.rules,
            flags: flags(),
            permitted: yield* permitted,
            stop,
            codes
          }
        }
      })
    }))
  )
}

const confined = ({ note, report, usable }: Enforcement) => ({
  usable,
  note,
  hides: report !== undefined && report.files !== "none"
})

type Enforce = (...asked: Parameters<Sandbox["Service"]["enforce"]>) => ReturnType<DecisionInput["enforce"]>

/**
 * Tools that start no process are held by the same view of the disk that commands get. See docs/sandbox.md#file-tools
 */
const inProcess: DecisionInput["enforce"] = (mode) => ({
  usable: true,
  note: mode === "read-only" || mode === "workspace-read"
    ? "held by Postern itself, nothing can be written"
    : "held by Postern itself"
})

const elsewhere: DecisionInput["enforce"] = () => ({
  usable: true,
  note: "done by the tool's server, which was confined when it was started, or runs somewhere else"
})

const silent: ShellAnalysis = {
  parts: [],
  inner: [],
  capability: "none",
  opaque: false,
  parseError: false,
  shapes: [],
  networkPrograms: [],
  reads: new Set()
}

/** What a call touches; a call that touches nothing is its own only part. */
const partsOf = (
  { mcp, name }: AnyTool,
  parameters: unknown,
  { changes, reads, urls, writes }: ToolRequirements
): ReadonlyArray<CallAction> => {
  if (mcp !== undefined) return [{ kind: "mcp", text: `${mcp.server}/${mcp.tool}`, ...mcp }]
  const parts = [
    ...reads.map((path): CallAction => ({ kind: "read", text: path, path })),
    ...writes.map((path): CallAction => ({ kind: "write", text: path, path })),
    ...urls.map((url): CallAction => ({ kind: "fetch", text: url, url, ...(changes === true ? { changes } : {}) }))
  ]
  return parts.length > 0
    ? parts
    : [{ kind: "tool", text: name, name, parameters: parameters as Readonly<Record<string, unknown>> }]
}

/** Every word of a command, as written and as the shell makes it. */
const wordsOf = (part: CallAction): ReadonlyArray<string> =>
  part.kind === "command"
    ? [part.argv, part.values ?? [], ...part.alternatives ?? [], part.assignments.map(({ value }) => value)]
      .flatMap((words) => words.flatMap((word) => word ?? []))
    : [part.text]

/** What an emergency stop has to know of a call. A command reaches whatever it names. */
export const stoppable = (
  tool: AnyTool,
  { command, network }: ToolRequirements,
  parts: ReadonlyArray<CallAction>,
  usesNetwork: boolean
): StoppableCall => ({
  tool,
  network: network === "required" || usesNetwork,
  urls: parts.flatMap((part) => part.kind === "fetch" ? [part.url] : []),
  texts: command === undefined ? [] : [command, ...parts.flatMap(wordsOf)]
})

const codeFor = (codes: CodeApprovals | undefined, call: StoppableCall): DecisionInput["code"] =>
  codes === undefined || !needsCode(codes.settings().gates, call) || codes.counts()
    ? undefined
    : codes.isEnrolled()
    ? "ask"
    : "none-enrolled"

const readableOf = ({ aliases, readable }: Workspace): ReadonlyArray<string> => [...readable, ...aliases.readable]

/** Within one decision a path leads to the same, however often it is asked about. */
const onceEach = <A>(look: (path: string) => A): (path: string) => A => {
  const seen = new Map<string, A>()
  return (path) => {
    if (!seen.has(path)) seen.set(path, look(path))
    return seen.get(path)!
  }
}

const decideCall = (
  entries: ReadonlyArray<string>,
  tool: AnyTool,
  parameters: unknown,
  workspace: Workspace,
  { codes, flags, limits, permitted, rules, settings, stop }: GatePolicy,
  enforce: Enforce
): Decision => {
  const needs = tool.needs(parameters)
  const isTest = TestCommands.matcher(flags.testCommands)
  const inFolders = entries.filter((entry) => workspace.roots.some((root) => isInside(root, normalize(entry))))
  const kindOnce = onceEach(kindOf)
  const place: ActionContext = {
    cwd: workspace.cwd,
    roots: workspace.roots,
    home: homedir(),
    isPlainRepository: onceEach(isPlainRepository),
    isInFolders: (program) => inFolders.some((entry) => kindOnce(join(entry, program)) !== "none"),
    kindOf: kindOnce,
    ...(isTest === undefined ? {} : { isTest })
  }
  const shell = needs.command === undefined ? undefined : analyse(needs.command, place)
  const { capability, inner, networkPrograms, opaque, parseError, parts, reads } = shell ?? silent
  const needed = needs.scratch === true && capability !== "none" ? "shell_test" : capability
  const all = shell ? parts : partsOf(tool, parameters, needs)
  const shapes = shell?.shapes ?? (needs.risks ?? []).map((category) => ({ category, part: all[0]?.text ?? tool.name }))
  const behind = canonicalIn(place)
  const outside = { place, canonical: behind, aliases: workspace.aliases.roots, readable: readableOf(workspace) }
  const staysInside = (part: CallAction) => readsOutside(limits, [part], outside) === undefined
  const facts = {
    opaque,
    parseError,
    dangerous: shapes.length > 0,
    place,
    canonical: behind,
    inner,
    ...(acceptsReads(settings.values, flags) ? { reads: new Set(Array.from(reads).filter(staysInside)) } : {})
  }
  const guarded = stoppable(tool, needs, all, networkPrograms.length > 0)
  return decide({
    capabilities: shell ? [needed] : needs.capabilities,
    withheld: withheld(permitted, tool),
    halted: stop.refusal(guarded),
    code: codeFor(codes, guarded),
    network: needs.network,
    parts: all,
    shapes,
    opaque: opaque || parseError,
    unanalysed: shell?.unanalysed,
    networkPrograms,
    place,
    aliases: workspace.aliases.roots,
    readable: outside.readable,
    shell: shell !== undefined,
    canonical: behind,
    settings,
    limits,
    facts,
    rule: rules.decide(ruleName(tool), all, facts),
    mayHit: (hidden) => rules.mayHit(ruleName(tool), all, facts, hidden),
    flags,
    ...(needs.wish === undefined ? {} : { wish: needs.wish }),
    mediumRisk: () => shell !== undefined && isMediumRisk(all, facts),
    enforce: shell !== undefined && needed !== "none"
      ? (mode, network) => enforce(mode, network, backendOf(limits.backend, settings))
      : tool.mcp === undefined
      ? inProcess
      : elsewhere
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
  shell: false,
  facts: { opaque: true, parseError: false, place: { cwd: "/", roots: [], home: "/" }, canonical: () => undefined },
  gates: complete([{ gate: "validity", verdict: "deny", reason }])
})
