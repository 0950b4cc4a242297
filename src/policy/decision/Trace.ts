import type { Decision } from "./Decision.ts"
import type { CallAction, Word } from "./CallAction.ts"

interface TracePart {
  readonly program: Word
  readonly argv: ReadonlyArray<Word>
  readonly opaque: boolean
}

/** The commands of a shell call; of other calls what they touch, under the name that rules have for it. */
const partsOf = ({ facts, parts, shell }: Decision): ReadonlyArray<TracePart> => {
  if (facts.parseError) return [{ program: null, argv: [], opaque: true }]
  return parts.flatMap((part): ReadonlyArray<TracePart> => {
    if (part.kind === "command") return [{ program: part.program, argv: part.argv, opaque: part.opaque }]
    return shell ? [] : [{ ...touched(part), opaque: false }]
  })
}

const touched = (part: Exclude<CallAction, { readonly kind: "command" }>) =>
  part.kind === "tool"
    ? { program: part.name, argv: [part.name] }
    : { program: part.kind, argv: [part.kind, part.text] }

/** A decision as `policy explain` and `_rules/test` show it. A dry run asks nobody: where a person would be asked it says `ask`. */
export const trace = (decision: Decision) => {
  const { capabilities, code, gate, gates, outcome, reason, rule, sandbox, shapes } = decision
  return {
    outcome,
    gate,
    code,
    reason,
    capabilities,
    shapes,
    parts: partsOf(decision),
    ...(rule === undefined ? {} : { rule: rule.rule }),
    ...(sandbox === undefined
      ? {}
      : {
        sandbox: {
          mode: sandbox.mode === "workspace-scratch" ? "scratch" as const : sandbox.mode,
          network: sandbox.network ? "on" as const : "off" as const
        }
      }),
    gates
  }
}

export type Trace = ReturnType<typeof trace>
